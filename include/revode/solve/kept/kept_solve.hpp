// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <revode/config.hpp>
#include <revode/io/restart_watch.hpp>
#include <revode/solve/kept/kept_parts.hpp>
#include <revode/solve/kept/run_print.hpp>

namespace revode {

/// A forward solve that is kept.
template <class Loop>
class kept_solve final : public restart_watch {
 public:
  kept_solve(restart_journal& journal, std::size_t solve, Loop& loop)
      : restart_watch(journal, solve),
        loop_(loop) {}

 protected:
  [[gnu::cold]] void pass(byte_stream& s) override { kept_parts::stepper(s, loop_); }

 private:
  Loop& loop_;
};

/// Takes a solve from where its journal left it, or from its start, to its end.
template <class Loop, class P>
[[gnu::noinline, gnu::cold]] void run_kept(Loop& loop, const P& p, const options& o) {
  const std::size_t solve = begin_solve(*o.restart, print_of(loop, p, o, "a solve"));
  kept_solve<Loop> watch(*o.restart, solve, loop);
  if (watch.resume() && loop.finished()) return;
  while (!loop.finished()) {
    loop.step(loop.work_tape());
    watch.look();
  }
  watch.write();
}

}  // namespace revode
