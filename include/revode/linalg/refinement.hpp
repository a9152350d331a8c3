// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include <revode/ad/functions.hpp>
#include <revode/state/elements.hpp>
#include <revode/state/whole.hpp>
#include <revode/status.hpp>

namespace revode {

/// How many numbers a scalar has of unlike orders: itself, and of duals each derivative's, of duals of duals theirs.
template <class T>
inline constexpr int orders_v = 1;
template <class T>
requires requires(const T& x) {
  x.d[0];
  x.value;
}
inline constexpr int orders_v<T> = 2 * orders_v<inner_t<T>>;

/// The size of what x has of an order, the value's being 0.
template <class T>
double size_of_order(const T& x, [[maybe_unused]] int order) {
  if constexpr (orders_v<T> == 1) {
    return std::abs(static_cast<double>(value_of(x)));
  } else {
    constexpr int half = orders_v<T> / 2;
    if (order < half) return size_of_order(x.value, order);
    double most = 0;
    for (int k = 0; k < T::directions; ++k)
      most = std::fmax(most, size_of_order(x.d[k], order - half));
    return most;
  }
}

/// x = 0 in what it has of the orders that are held, its own being `order`.
template <class T, std::size_t N>
void hold_orders(T& x, const std::array<bool, N>& held, std::size_t order = 0) {
  if constexpr (orders_v<T> == 1) {
    if (held[order]) x = T(0);
  } else {
    hold_orders(x.value, held, order);
    for (int k = 0; k < T::directions; ++k)
      hold_orders(x.d[k], held, order + static_cast<std::size_t>(orders_v<T>) / 2);
  }
}

/// Solves for parts x₁ … x_K by iterative refinement from where they are: residual() puts what is
/// left into `rest`, correct() turns that into a correction. Ends when corrections fall no longer
/// and are down to rounding, to which what no normal number tells belongs, of values and of each order of
/// derivatives, which may follow more slowly: values then stay, in the bits that they have without derivatives;
/// false when that takes more than `most` sweeps, which the rate of the last two tells before, or does
/// not come about, as with numbers that are not finite.
/// source  Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed. (2002), chapter 12
template <class Y, int K, class Residual, class Correct>
bool refine(Y (&x)[K], Y (&rest)[K], const Residual& residual, const Correct& correct,
            int most = 12) {
  using T = scalar_t<Y>;
  using number = std::numeric_limits<decltype(value_of(T{}))>;
  const auto eps = static_cast<double>(number::epsilon()),
             least = static_cast<double>(number::min());
  bool finite_everywhere = true;  // of a spread state
  const auto finite = [&] {
    if (is_spread_v<Y>) return finite_everywhere;
    for (const Y& part : x)
      if (!all_finite(part)) return false;
    return true;
  };
  constexpr int orders = orders_v<T>;
  std::array<double, orders> before{};
  std::array<bool, orders> lower_done{true};  // in the last sweep; until then they move those above
  std::array<bool, orders> settled{};
  for (int sweep = 0; sweep < most; ++sweep) {
    residual();
    correct();
    std::array<double, 2 * orders> sizes{};  // of changes, and of x
    for (int k = 0; k < K; ++k) {
      if (orders > 1 && settled[0])
        for (int i = 0, n = length(x[k]); i < n; ++i)
          hold_orders(rest[k].data()[i], std::array<bool, orders>{true});
      add(rest[k], x[k]);
      for (int i = 0, n = length(x[k]); i < n; ++i)
        for (int order = 0; order < orders; ++order) {
          double &change = sizes[2 * order], &size = sizes[2 * order + 1];
          change = std::fmax(change, size_of_order(rest[k].data()[i], order));
          size = std::fmax(size, size_of_order(x[k].data()[i], order));
        }
    }
    if constexpr (is_spread_v<Y>) {
      bool here = true;
      for (const Y& part : x) here = here && all_finite(part);
      finite_everywhere = whole<Y>::most(x[0], sizes, here);
    }
    bool done = true;
    for (int order = 0; order < orders; ++order) {
      const double change = sizes[2 * order], size = sizes[2 * order + 1],
                   last = std::exchange(before[order], change);
      const bool alone = std::exchange(lower_done[order], done) && sweep > 0;
      // small too where what the next sweep would change is below rounding; fmax passes over NaN
      const bool small = change <= std::fmax(eps * size, least) ||
                         (alone && change * (change / last) <= eps * size);
      const bool stuck = alone && !small && !(change <= (order == 0 ? 0.25 : 0.6) * last);
      if (stuck && !settled[order] && !(change <= 64 * eps * size)) return false;
      if (small || stuck || settled[order]) {
        settled[order] = settled[order] || alone || order == 0;
        continue;
      }
      if (alone && order == 0 &&
          change * std::pow(change / last, most - 1 - sweep) > 64 * eps * size)
        return false;
      done = false;
    }
    if (done) return finite();
  }
  return false;
}

/// Further sweeps behind refine, as long as they halve the largest relative change of an element (over all
/// parts, of each order): where elements are of unlike sizes, the small ones are not yet what the large ones are.
template <class Y, int K, class Residual, class Correct>
void refine_each(Y (&x)[K], Y (&rest)[K], const Residual& residual, const Correct& correct) {
  using T = scalar_t<Y>;
  const double eps = static_cast<double>(std::numeric_limits<decltype(value_of(T{}))>::epsilon());
  const auto largest_of = [](const Y(&of)[K], int i, int order) {
    double most = 0;
    for (const Y& part : of) most = std::fmax(most, size_of_order(part.data()[i], order));
    return most;
  };
  double before = std::numeric_limits<double>::infinity();
  for (int sweep = 0; sweep < 6; ++sweep) {
    residual();
    correct();
    double change = 0;
    for (int i = 0, n = length(x[0]); i < n; ++i)
      for (int order = 0; order < orders_v<T>; ++order)
        if (const double size = largest_of(x, i, order); size > 0)
          change = std::fmax(change, largest_of(rest, i, order) / size);
    if (!(change <= 0.5 * before)) return;
    for (int k = 0; k < K; ++k) add(rest[k], x[k]);
    if (change <= eps) return;
    before = change;
  }
}

/// The largest element.
template <class X>
double largest(const X& x) {
  double most = 0;
  for (int i = 0, n = length(x); i < n; ++i)
    most = std::fmax(most, std::abs(static_cast<double>(value_of(x.data()[i]))));
  return most;
}
/// The same of a matrix, about so of one that is known by products.
template <class Matrix>
double largest_element(const Matrix& j) {
  if constexpr (requires { j.largest(); })
    return j.largest();
  else
    return largest(j);
}
/// What may be left of a system with such a matrix, as a share of what it is the difference of, where refinement does not
/// end. Factors of elements leave rounding in any case; of an iteration that is what has to be shown.
template <class Matrix>
double share_of_rounding([[maybe_unused]] const Matrix& j, double eps) {
  return requires { j.largest(); }
  ? 256 * eps : std::sqrt(eps);
}

/// What is wrong with x of so many parts, where A x = right has been refined with the factors of A
/// itself, or by products; `size` is that of A's elements, of which J has some. Nothing as long as what is left is small
/// beside what it is the difference of: refinement of ill-conditioned systems may not end, and x is as good as A is.
/// Where x is not finite it becomes `right`, to see whether a product with A is.
template <class Y, class Matrix, class Residual>
status trouble_of_solution(const Y* right, Y* x, const Y* rest, int parts, double size,
                           const Matrix& j, const Residual& residual) {
  const auto eps =
      static_cast<double>(std::numeric_limits<decltype(value_of(scalar_t<Y>{}))>::epsilon());
  const auto are_finite = [parts](const Y* of) {
    bool finite = true;
    for (int k = 0; k < parts; ++k) finite = finite && all_finite(of[k]);
    return true_of_all(of[0], finite);
  };
  const auto size_of = [parts](const Y* of) {
    double most = 0;
    for (int k = 0; k < parts; ++k) most = std::fmax(most, largest(of[k]));
    return most_of_all(of[0], most);
  };
  if (!are_finite(right)) return status::non_finite_gradient;
  const bool found = are_finite(x);
  for (int k = 0; k < parts && !found; ++k) copy(right[k], x[k]);
  residual();
  if (!are_finite(rest)) return status::non_finite_gradient;
  const auto least = static_cast<double>(
      std::numeric_limits<decltype(value_of(scalar_t<Y>{}))>::min());  // less is not told
  return found &&
                 size_of(rest) <= share_of_rounding(j, eps) * (size_of(right) + size * size_of(x)) +
                                      least * (1 + size)
             ? status::success
             : status::linear_solve_failure;
}
/// Why a matrix I/h − J had no factors.
template <class Matrix>
status trouble_of_factors(const Matrix& j) {
  if constexpr (requires { j.near; })
    return trouble_of_factors(j.near);
  else
    return all_finite(j) ? status::linear_solve_failure : status::non_finite_field;
}

/// x = A⁻¹ x, or A⁻ᵀ x, where what is left of it is looked at again: a solver that iterates may stop
/// at `tolerance`.
template <bool Transposed, class Factors, class X>
void solve_roughly(const Factors& factors, double tolerance, X& x) {
  if constexpr (requires { factors.template solve_to<Transposed>(tolerance, x); })
    factors.template solve_to<Transposed>(tolerance, x);
  else if constexpr (Transposed)
    factors.solve_transposed(x);
  else
    factors.solve(x);
}

/// x = A⁻¹ right, or A⁻ᵀ right, by refinement from 0 with corrections that are solved for roughly; where they do not fall,
/// as of a matrix so ill-conditioned that a rough solve is none, by exact ones. `residual` puts what is left into `rest`.
template <bool Transposed, class Factors, class Y, class Residual>
bool refine_from_zero(const Factors& factors, Y (&x)[1], Y (&rest)[1], const Residual& residual,
                      int most) {
  const auto refined = [&](double tolerance) {
    fill(x[0], scalar_t<Y>(0));
    return refine(
        x, rest, residual, [&] { solve_roughly<Transposed>(factors, tolerance, rest[0]); }, most);
  };
  if (refined(1e-8)) return true;
  if constexpr (requires { factors.template solve_to<Transposed>(0.0, rest[0]); })
    return refined(0);
  return false;
}

/// Whether factors of an earlier step of a sweep serve on: of the same sweep, which goes on where
/// its last step ended, and with nearly the same shift. A sweep visits its steps in the same order
/// whatever the schedule and never shares factors with replays, so that bits do not depend on it.
class sweep_factors {
 public:
  /// Begins a step at t, `close` ends it; elsewhere than at the last end a sweep begins.
  void open(double t) {
    if (!(t == end_)) shift_ = 0;
    end_ = std::numeric_limits<double>::quiet_NaN();
  }
  void close(double t) { end_ = t; }

  bool serve(double shift) const { return std::abs(shift - shift_) <= 0.01 * std::abs(shift); }
  void renew(double shift) { shift_ = shift; }

 private:
  double end_ = std::numeric_limits<double>::quiet_NaN(), shift_ = 0;
};

/// Does a scratch keep factors, by which later steps of a sweep are solved too? It says so with a member.
template <class Scratch>
constexpr bool keeps_factors(const Scratch& w) {
  if constexpr (requires { w.keeps_factors(); })
    return w.keeps_factors();
  else
    return false;
}

/// Sweeps of refinement with older factors that cost less than new ones.
template <class Matrix>
int sweeps_worth_trying(const Matrix& j) {
  if constexpr (requires { j.pattern; })
    return 16;
  else if constexpr (requires { j.near; })  // products alone have no factors to save
    return 0;
  else if constexpr (requires { j.lower(); })
    return 5;
  else if constexpr (requires { j(0, 0); })
    return j.rows() < 40 ? 5 : (j.rows() < 160 ? j.rows() / 8 : 20);
  else
    return 5;
}

}  // namespace revode
