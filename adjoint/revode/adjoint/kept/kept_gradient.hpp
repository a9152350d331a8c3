// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include <revode/adjoint/gradient.hpp>
#include <revode/io/restart_watch.hpp>
#include <revode/linalg/refinement.hpp>
#include <revode/solve/kept/kept_parts.hpp>
#include <revode/solve/kept/run_print.hpp>

namespace revode {

/// A solve and its first reverse pass, of one loss, that are kept.
template <class Loop, class Executor, class Y>
class kept_gradient final : public restart_watch {
 public:
  kept_gradient(restart_journal& journal, std::size_t solve, Loop& loop)
      : restart_watch(journal, solve),
        loop_(loop),
        told_(loop.result()) {}

  // Both halves of a first sweep and of a reverse pass come before and behind the run itself, which whoever
  // keeps nothing takes as well: it is compiled once.

  /// Goes on where the file left off. Is anything left of the first sweep? A reverse pass that was under way
  /// waits for its cotangents.
  [[gnu::cold]] bool begin_sweep(Executor& run) {
    run_ = &run;
    resume();
    watch(stage_ == sweeping);
    return stage_ == sweeping;
  }
  [[gnu::cold]] void end_sweep() {
    told_ = loop_.result();
    stage_ = swept;
    give_up();
    write();
    watch(false);
  }
  const solution<Y>& told() const { return told_; }

  /// Is anything left of the reverse pass of w?
  [[gnu::cold]] bool begin_reverse(Executor& run, const cotangents<Y>& w,
                                   const evaluation_counts& before, index rejected) {
    run_ = &run;
    weights_ = &w;
    if (stage_ == swept) {
      loop_.seed(w);
      before_ = before;
      rejected_ = rejected;
      stage_ = reversing;
    } else {
      byte_stream bars(bars_);
      kept_parts::cotangents(bars, loop_, w);
    }
    watch(stage_ == reversing);
    return stage_ == reversing;
  }
  /// `before`: the calls of the first sweep alone.
  [[gnu::cold]] void end_reverse(evaluation_counts& before, index& rejected) {
    if (stage_ == reversing) {
      stage_ = pulled;
      write();
      watch(false);
    }
    before = before_;
    rejected = rejected_;
  }
  /// Are the next sweep and the next reverse pass to be kept? The first ones are.
  bool keeps_sweep() { return std::exchange(first_sweep_, false); }
  bool keeps_next() { return std::exchange(first_, false); }

 protected:
  /// The factors that a pull has from the pull before.
  [[gnu::cold]] void give_up() override {
    if constexpr (requires { loop_.scratch().kept = sweep_factors{}; })
      loop_.scratch().kept = sweep_factors{};
  }
  [[gnu::cold]] void pass(byte_stream& s) override {
    s.values(stage_);
    kept_parts::stepper(s, loop_);
    kept_parts::run(s, *run_, loop_, stage_ != pulled);
    if (stage_ == sweeping) return;
    if (s.reads()) told_ = loop_.result();
    s.values(told_.t);
    kept_parts::object(s, told_.y);
    kept_parts::points(s, told_, loop_.y0());
    if (stage_ == swept) return;
    s.values(before_, rejected_);
    byte_stream bars;
    if (!s.reads()) {
      kept_parts::cotangents(bars, loop_, *weights_);
      bars_ = bars.written();
    }
    bars_.resize(s.length(bars_.size(), 1));
    s.bytes(bars_.data(), bars_.size());
  }

 private:
  void watch(bool begins) {
    run_->watch(begins ? this : nullptr);
    work(begins);
  }
  enum stage_type { sweeping, swept, reversing, pulled };

  Loop& loop_;
  solution<Y> told_;
  Executor* run_ = nullptr;
  const cotangents<Y>* weights_ = nullptr;
  stage_type stage_ = sweeping;
  evaluation_counts before_;
  index rejected_ = 0;
  std::string bars_;
  bool first_sweep_ = true, first_ = true;
};

}  // namespace revode
