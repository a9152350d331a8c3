// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <revode/config.hpp>

namespace revode {

/// The sign of a determinant beside that of short steps, from the reciprocals of an elimination's pivots and its exchanges of rows. In bits and
/// without a branch, since lanes share vectors of it.
template <class R>
class determinant_sign {
  using bits = std::conditional_t<sizeof(R) == 8, std::int64_t, std::int32_t>;

 public:
  /// Of s I − J over n unknowns, beside sⁿ; s is below 0 in steps backwards.
  REVODE_HD determinant_sign(int n, bool backwards) { exchange(backwards && n % 2 != 0); }

  REVODE_HD void exchange(bool yes) { bits_ ^= -static_cast<bits>(yes); }
  REVODE_HD void pivot(R reciprocal) {
    using std::abs;
    const R size = abs(reciprocal);
    bits_ ^= __builtin_bit_cast(bits, reciprocal);
    least_ = size < least_ ? size : least_;
    most_ = size > most_ ? size : most_;
  }
  /// Another one as computed.
  REVODE_HD bool looks_turned() const { return bits_ < 0; }
  /// Another one; not where a pivot is so small beside the largest that rounding may have chosen its sign.
  REVODE_HD bool has_turned() const { return looks_turned() & (most_ * doubtful < least_); }

 private:
  static constexpr R doubtful = 1000 * std::numeric_limits<R>::epsilon();

  bits bits_ = 0;  // of which the highest is the sign
  R least_ = std::numeric_limits<R>::max(), most_{0};
};

/// Has the determinant of these factors of s I − J another sign than sⁿ? Then J has a real eigenvalue beyond s = 1/(h γ), and the step
/// damps what grows by it ("super-stability": an explosion, or an unstable state left, is passed over, and its
/// estimate sees nothing). An even number of such eigenvalues is not seen, nor factors that do not tell.
/// source  Dahlquist, Edsberg, Sköllermo & Söderlind, in: Hinze (ed.), Numerical Integration of Differential
///         Equations and Large Linear Systems, Lecture Notes in Mathematics 968 (1982)
template <class Factors>
REVODE_HD bool steps_over_growth([[maybe_unused]] const Factors& factors,
                                 [[maybe_unused]] double h) {
  if constexpr (requires { factors.sign_has_turned(h < 0); })
    return factors.sign_has_turned(h < 0);
  else
    return false;
}

}  // namespace revode
