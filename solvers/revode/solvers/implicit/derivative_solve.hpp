// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>
#include <type_traits>

#include <revode/linalg/algebra.hpp>
#include <revode/linalg/refinement.hpp>
#include <revode/solve/mass/mass_matrix.hpp>

namespace revode {

// The linear system of the derivative of a stage, or of a step: (s M − J) x = right, J at the stage itself. A
// sweep, over stages and steps, holds a matrix of an earlier stage and refines with it. What it decides by are
// counts of its own, which no schedule changes, so that bits do not depend on schedules.

/// Systems of up to 8 equations are cheaper solved than refined; of fixed size they pay for nothing else.
template <class Y>
inline constexpr bool may_hold_v = !(static_size_v<Y> >= 0 && static_size_v<Y> <= 8);

/// Products with the Jacobian so far, either way.
template <class System>
index products_so_far([[maybe_unused]] const System& sys) {
  if constexpr (requires { sys.counts.jvp_evaluations + sys.counts.vjp_evaluations; })
    return sys.counts.jvp_evaluations + sys.counts.vjp_evaluations;
  else
    return 0;
}

/// What a sweep knows of the matrix it holds, of whose factors a solve is made, or a preconditioner.
class held_matrix {
 public:
  /// Made with this shift; its Jacobian took `products`, its factors as much as so many solves.
  void made(double with_shift, double products, double solves) {
    shift = with_shift;
    products_ = products;
    solves_ = solves;
    total_ = products + solves;
    uses_ = 1;
    last_ = 0;
  }
  /// Served another stage for so many products and solves.
  void used(double cost) {
    last_ = cost;
    total_ += cost;
    ++uses_;
    pause_ = 0;
  }
  /// Did not serve another stage. Where new ones do not either, the next are not tried for a while, twice as long
  /// each time.
  void tried_in_vain() {
    if (uses_ > 1) return;
    pause_ = pause_ < 63 ? 2 * pause_ + 1 : pause_;
    wait_ = pause_;
  }
  /// Is this stage one of those?
  bool waits() {
    if (wait_ == 0) return false;
    --wait_;
    return true;
  }
  /// The last use cost more than uses have cost on average, the price included: from here on the average would rise. Of
  /// a matrix that is to be factored anew in any case the price is its Jacobian's alone.
  bool is_worn(bool factored_anew) const {
    return last_ * uses_ > total_ - (factored_anew ? solves_ : 0);
  }
  /// Its Jacobian took so many products that fewer of them are worth a trial.
  bool is_dear() const { return products_ >= 6; }
  /// Sweeps of refinement, a product and a solve each, that cost no more than a new one.
  int sweeps() const {
    const double most = (products_ + solves_) / 2 + 1;
    return most < 20 ? static_cast<int>(most) : 20;
  }

  double shift = std::numeric_limits<double>::quiet_NaN();  ///< NaN: there is none

 private:
  double products_ = 0, solves_ = 0, total_ = 0, last_ = 0;
  int uses_ = 0, pause_ = 0, wait_ = 0;
};

/// out = right − s M x + J x, or with the transposes; J at (t, y) by a product of the field.
template <bool Transposed, class System, class Y>
void residual_by_product(System& sys, double t, const Y& y, scalar_t<Y> shift, const Y& right,
                         const Y& x, Y& out) {
  using T = scalar_t<Y>;
  if constexpr (Transposed) {
    vec<T, 0> none{};
    copy(right, out);
    sys.vjp(t, y, x, static_cast<time_bar_t<Y>*>(nullptr), out, none);
  } else {
    multiply_by_jacobian(sys, t, y, x, out);
    add(right, out);
  }
  axpy_of_mass<Transposed>(mass_of(sys), T(-shift), x, out);
}

/// w.x = (s M − J)⁻¹ w.right with the held matrix, by a product and a solve a sweep; for another shift it is factored
/// anew, from the Jacobian that there is. False where a new one would cost less, or refinement does not end.
template <bool Transposed, class System, class Y, class Scratch>
bool refine_by_products(System& sys, double t, const Y& y, scalar_t<Y> shift, Scratch& w) {
  const double now = static_cast<double>(value_of(shift));
  const bool other = !w.kept.serve(now);
  if (w.held.is_worn(other)) return false;
  if (other) {
    count_factorization(sys);
    if (!true_of_all(y, factor_pencil(w.factors, w.jacobian, shift, mass_of(sys)))) return false;
    w.kept.renew(now);
    w.held.shift = now;
  }
  int sweeps = 0;
  const auto residual = [&] {
    if (sweeps++ == 0)
      copy(w.right, w.rest[0]);
    else
      residual_by_product<Transposed>(sys, t, y, shift, w.right, w.x[0], w.rest[0]);
  };
  const bool served =
      refine_from_zero<Transposed>(w.factors, w.x, w.rest, residual, w.held.sweeps());
  served ? w.held.used(2 * sweeps - 1) : w.held.tried_in_vain();
  return served;
}

/// The same by a Krylov space, whose products are those at (t, y) and whose preconditioner is held.
template <bool Transposed, class System, class Y, class Scratch, class Residual>
bool refine_in_space(System& sys, double t, const Y& y, scalar_t<Y> shift, Scratch& w,
                     const Residual& residual) {
  const double longer = w.held.shift / static_cast<double>(value_of(shift));
  if (!(longer >= 0.667 && longer <= 1.5) || w.held.is_worn(false)) return false;
  const index before = products_so_far(sys);
  w.jacobian.move(t, y);
  w.factors.move(t, y, shift);
  if (!refine_from_zero<Transposed>(w.factors, w.x, w.rest, residual, 30)) return false;
  w.held.used(static_cast<double>(products_so_far(sys) - before));
  return true;
}

/// w.x = (s M − J)⁻¹ w.right, or with the transposes, to rounding; J at (t, y). Factors of a stage or step before serve
/// as long as refinement with them is cheaper than new ones; a Jacobian that is made of products, and a
/// preconditioner, as long as they spare products. Reports a system that was not solved.
template <bool Transposed, class L, class System, class Y, class Scratch>
void solve_derivative(const L& algebra, System& sys, double t, const Y& y, scalar_t<Y> shift,
                      Scratch& w) {
  using T = scalar_t<Y>;
  const auto& mass = mass_of(sys);
  const double now = static_cast<double>(value_of(shift));
  const auto residual = [&] {
    copy(w.right, w.rest[0]);
    axpy_of_mass<Transposed>(mass, T(-shift), w.x[0], w.rest[0]);
    if constexpr (Transposed)
      add_transposed_product(w.jacobian, w.x[0], w.rest[0]);
    else
      add_product(w.jacobian, w.x[0], w.rest[0]);
  };
  bool older = may_hold_v<Y> && count_of(y) > 8 && w.kept.serve(w.held.shift);
  if constexpr (may_hold_v<Y>)
    if (!older) w.held = {};  // that of another sweep
  if constexpr (is_differentiable_v<T>) {
    // what is held has other derivatives: it serves as factors alone
  } else if constexpr (requires { w.factors.move(t, y, shift); }) {
    if (older && refine_in_space<Transposed>(sys, t, y, shift, w, residual)) return;
  } else if (older && w.held.is_dear() && !w.held.waits()) {
    if (refine_by_products<Transposed>(sys, t, y, shift, w)) return;
    older = false;
  }
  const index before = products_so_far(sys);
  algebra.evaluate(sys, t, y, w.jacobian);
  [[maybe_unused]] const auto products = static_cast<double>(products_so_far(sys) - before);
  const auto from_zero = [&](int most) {
    return refine_from_zero<Transposed>(w.factors, w.x, w.rest, residual, most);
  };
  if (older && w.kept.serve(now) && from_zero(sweeps_worth_trying(w.jacobian))) return;
  count_factorization(sys);
  const bool factored = true_of_all(y, factor_pencil(w.factors, w.jacobian, shift, mass));
  const bool solved = factored && from_zero(30);
  [[maybe_unused]] const auto in_all =
      static_cast<double>(products_so_far(sys) - before);  // also those of a Krylov space
  w.kept.renew(now);
  if constexpr (may_hold_v<Y>) w.held.made(now, products, in_all - products + price_of(w.factors));
  if (!factored) return report(sys, trouble_of_factors(w.jacobian));
  if (solved) return;
  const double size = std::abs(now) + largest_element(w.jacobian);
  report(sys, trouble_of_solution(&w.right, w.x, w.rest, 1, size, w.jacobian, residual));
}

}  // namespace revode
