// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include <revode/linalg/krylov/solve_goal.hpp>

namespace revode {

/// What a step leaves to the next one to decide by. Set by propose alone, so that replays, which
/// run without it, need none of it.
struct newton_decisions {
  double rate = 1;  ///< θ/(1 − θ) of the last iterations: how much of a correction is left
  double accepted_h = 0;  ///< of the last accepted step; 0: none yet
  double accepted_error = 0;
  double growth = std::numeric_limits<double>::infinity();  ///< the next step's at most
  bool keep_jacobian = false;
  bool keep_factors = false;
  bool rejected = false;

  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.rate);
    visit(self.accepted_h);
    visit(self.accepted_error);
    visit(self.growth);
    visit(self.keep_jacobian);
    visit(self.keep_factors);
    visit(self.rejected);
  }
};

/// Where J was taken, the step length of the factors (0: there are none), that of the step before,
/// and K vectors from which the next step's stages are predicted. Jacobian and factors themselves
/// are rebuilt from it.
template <class Y, int K>
struct newton_memo {
  double t_jacobian = std::numeric_limits<double>::quiet_NaN();  ///< NaN: there is none
  double h_factors = 0, h = 0;
  Y y_jacobian;
  Y past[K];
  newton_decisions next{};

  newton_memo() = default;
  explicit newton_memo(const Y& like) : y_jacobian(like) {
    for (Y& part : past) part = like;
  }
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.t_jacobian);
    visit(self.h_factors);
    visit(self.h);
    visit(self.y_jacobian);
    for (auto& part : self.past) visit(part);
    visit(self.next);
  }
};

/// What a replay of a step must not decide, with S systems solved one after the other. After a
/// trial that failed, `rate` is the factor that its iterations ask for instead.
template <int S>
struct newton_record {
  float rate;
  std::uint8_t iterations[S];
  std::uint8_t flags;

  static constexpr std::uint8_t new_jacobian = 1, new_factors = 2, fast = 4;
  bool has(std::uint8_t flag) const { return (flags & flag) != 0; }
};
/// Where solves end at a goal, the goal as well.
template <int S>
struct inexact_record : newton_record<S> {
  short_number goal;
};
template <class L, int S>
using newton_record_of = std::conditional_t<inexact_v<L>, inexact_record<S>, newton_record<S>>;

}  // namespace revode
