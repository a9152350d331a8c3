// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include <revode/adjoint/course/pull_course.hpp>
#include <revode/linalg/algebra.hpp>
#include <revode/linalg/refinement.hpp>
#include <revode/loop/matrices.hpp>
#include <revode/loop/snapshots.hpp>
#include <revode/solve/stepper.hpp>

namespace revode {

/// A solve that can also be pulled back, step by step: the loop of every discrete adjoint. Of one loss,
/// or of several, whose cotangents share every replayed step and its dense output.
template <class M, class F, class Y, class P, class Events = no_events>
class differentiable_stepper : public stepper<M, F, Y, P, Events> {
 public:
  using base = stepper<M, F, Y, P, Events>;
  using typename base::tape_type;
  using scratch_type = typename base::march_type::scratch_type;

  template <class Field>
  differentiable_stepper(const problem<Field, Y, P>& q, const M& m, const options& o,
                         index log_bytes, const Events& events = {}, index tapes = 0)
      : base(q, m, o, log_bytes, events, tapes),
        pull_(*this, this->state(), q.y0, q.p) {}

  /// Begins a reverse pass; what is given must outlive it.
  void seed(const cotangents<Y>& w) {
    several_.clear();
    this->sys().counts.trouble = status::success;
    pull_.seed(w);
  }
  void seed(const std::vector<cotangents<Y>>& all) {
    several_.clear();
    several_.reserve(all.size());
    for (const cotangents<Y>& w : all) {
      this->sys().counts.trouble = status::success;
      several_.push_back({pull_});
      several_.back().pull.seed(w);
      several_.back().ended = std::exchange(this->sys().counts.trouble, status::success);
    }
  }

  void pull_step(index i, const tape_type& tape) {
    const threads_of<Y> working(this->threads());
    this->sys().read(tape.calls);
    if (several_.empty())
      pull_.pull_step(i, tape);
    else
      pull_several(i, tape);
  }

  bool pulled_in_vain(index i) {
    if (several_.empty()) return pull_.pulled_in_vain(i);
    bool all = true;
    for_each([&](loss& l) { l.pull.pulled_in_vain(i); });
    for (const loss& l : several_) all = all && l.ended != status::success;
    return all;
  }

  /// Ends the reverse pass.
  gradient<Y, P> finish() {
    auto g = pull_.finish();
    settle(g.status, g);
    return g;
  }
  std::vector<gradient<Y, P>> finish_all() {
    std::vector<gradient<Y, P>> all;
    for (loss& l : several_) {
      this->sys().counts.trouble = l.ended;
      all.push_back(l.pull.finish());
      all.back().reverse.pulled_steps = l.pulled;
      settle(all.back().status, all.back());
    }
    several_.clear();
    return all;
  }

  /// Bytes of x_n at rest.
  index snapshot_bytes() const {
    const auto outside = [](const auto& part) {
      return footprint(part) - static_cast<index>(sizeof(part));
    };
    return static_cast<index>(sizeof(typename base::snapshot_type)) + outside(this->state()) +
           outside(this->carries().now.memo);
  }
  /// Bytes of matrices that it did not need.
  index matrices_to_come() const {
    const matrix_shape shape =
        shape_of(algebra_of(this->scheme()), static_cast<index>(length(this->y0())));
    const auto [now, beside] = this->carries();
    return bytes_of_matrices(now.cache, shape).to_come +
           bytes_of_matrices(beside.cache, shape).to_come +
           bytes_of_matrices(this->work_tape().stages, shape).to_come +
           bytes_of_matrices(this->scratch(), shape).to_come;
  }
  index work_bytes() const {
    return 2 * footprint(this->state()) + footprint(this->work_tape()) + pull_.bytes() +
           footprint(this->scratch());
  }

 private:
  friend struct kept_parts;
  struct loss {
    pull_course<M, Y, P, base> pull;
    revode::status ended = revode::status::success;
    index pulled = 0;
    std::optional<scratch_type>
        scratch{};  // its own, of a method that keeps factors from step to step
    typename pull_course<M, Y, P, base>::ends_bar ends{};
  };

  /// Of those that have not ended; what one reports is its own.
  template <class Do>
  void for_each(Do&& pull) {
    status& trouble = this->sys().counts.trouble;
    const status of_replay = trouble;
    for (loss& l : several_) {
      if (l.ended != status::success) continue;
      pull(l);
      l.ended = std::exchange(trouble, of_replay);
    }
  }
  /// The dense output of the step first, then the step: its scratch serves both.
  [[gnu::noinline]] void pull_several(index i, const tape_type& tape) {
    bool extended = false;
    for_each([&](loss& l) { l.ends = l.pull.gather(i, tape, extended); });
    for_each([&](loss& l) {
      const own_scratch its(*this, l);
      l.pull.pull_any_step(i, tape, l.ends);
      ++l.pulled;
    });
  }
  /// The loop has the scratch of a loss as long as this lives: factors that it keeps are those that it would keep alone.
  class own_scratch {
   public:
    own_scratch(differentiable_stepper& loop, loss& l) : loop_(loop), loss_(l) {
      if (!keeps_factors(loop_.scratch())) return;
      if (!loss_.scratch)
        loss_.scratch.emplace(make_part<scratch_type>(loop_.scheme(), loop_.y0()));
      std::swap(loop_.scratch(), *loss_.scratch);
    }
    ~own_scratch() {
      if (loss_.scratch) std::swap(loop_.scratch(), *loss_.scratch);
    }
    own_scratch(const own_scratch&) = delete;
    own_scratch& operator=(const own_scratch&) = delete;

   private:
    differentiable_stepper& loop_;
    loss& loss_;
  };

  pull_course<M, Y, P, base> pull_;
  std::vector<loss> several_;
};

}  // namespace revode
