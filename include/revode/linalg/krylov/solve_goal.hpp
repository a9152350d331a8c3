// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

namespace revode {

/// How far a Krylov space goes on with A x = b: to |b − A x| ≤ relative |b| or ≤ absolute, whichever
/// comes first. With `moves` it takes at least one product where b is not 0: an answer of 0 would say
/// that nothing moves.
struct solve_goal {
  double relative = 1e-12;
  double absolute = 0;
  bool moves = false;

  /// What may be left of a b of this size.
  double left_of(double size) const {
    const double part = relative * size;
    return part > absolute ? part : absolute;
  }
  /// So rough that a recurrence's word for the residual does.
  bool is_rough(double size) const { return left_of(size) >= 1e-6 * size; }
};

/// A positive number in two bytes, with 8 binary digits, rounded downwards: what a step's record keeps
/// of the goal of its solves, so that replays end theirs where the step did. 0 where there is none.
class short_number {
 public:
  short_number() = default;
  explicit short_number(double x)
      : bits_(static_cast<std::uint16_t>(
            std::bit_cast<std::uint32_t>(x < 3e38 ? static_cast<float>(x) : 3e38f) >> 16)) {}

  double value() const {
    return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits_) << 16));
  }

 private:
  std::uint16_t bits_;
};

/// An algebra whose solves end at a goal.
template <class L>
inline constexpr bool inexact_v = requires {
  requires L::inexact;
};

/// An algebra for systems of a spread state: by products alone no row of them is anywhere; others say that
/// their matrices lie over the same ranks.
template <class L>
inline constexpr bool algebra_takes_spread_v = inexact_v<L> || requires {
  requires L::takes_spread;
};

/// One by products whose preconditioner, if it has any, is of the part that is here: what other methods than ESDIRK
/// take. Matrices over ranks have no complex factors, and Rosenbrock methods have not been tried with them.
template <class L>
inline constexpr bool by_parts_v = inexact_v<L> && !requires {
  requires L::near_over_ranks;
};

}  // namespace revode
