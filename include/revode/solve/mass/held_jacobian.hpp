// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <type_traits>

#include <revode/linalg/algebra.hpp>
#include <revode/solve/mass/mass_matrix.hpp>
#include <revode/solve/mass/row_factors.hpp>
#include <revode/state/elements.hpp>

namespace revode {

/// J = ∂f/∂y at some (t, y), by the algebra of a method, and K of it (consistent_start.hpp).
template <class Y>
struct held_jacobian {
  virtual ~held_jacobian() = default;
  /// out = J x
  virtual void multiply(const Y& x, Y& out) const = 0;
  /// Has the algebra factors of K? Where equations are rows of f alone, not sums of them, K is in its band or on its pattern.
  virtual bool has_factors(const mass_matrix& m) const = 0;
  /// False: K is as good as singular, or not finite.
  virtual bool factor(const mass_matrix& m) = 0;
  virtual void solve(Y& x) const = 0;
  virtual void solve_transposed(Y& x) const = 0;
};

/// Those of an algebra L.
template <class L, class Y>
struct jacobian_by final : held_jacobian<Y> {
  typename L::template jacobian<Y> j;

  void multiply(const Y& x, Y& out) const override {
    fill(out, scalar_t<Y>(0));
    add_product(j, x, out);
  }
  static constexpr bool has_rows = requires(typename L::template jacobian<Y> & of) {
    each_in_row(of, 0, [](int, scalar_t<Y>&) {});
  };
  bool has_factors(const mass_matrix& m) const override {
    for (const auto& c : m.constraints())
      if (c.weights.size() != 1) return false;
    return has_rows;
  }
  bool factor([[maybe_unused]] const mass_matrix& m) override {
    if constexpr (has_rows) return k.factor(j, m);
    return false;
  }
  void solve([[maybe_unused]] Y& x) const override {
    if constexpr (has_rows) k.template solve<false>(x);
  }
  void solve_transposed([[maybe_unused]] Y& x) const override {
    if constexpr (has_rows) k.template solve<true>(x);
  }

  row_factors<L, Y> k;
};

/// That at (t, y) of a method whose matrices have a structure; empty: the field's products take its place.
template <class Y>
using jacobian_holder = std::function<std::shared_ptr<held_jacobian<Y>>(double t, const Y& y)>;
/// Where there is no mass matrix.
struct no_holder {};

/// Consistent starts take J by this algebra, if that is in a band or on a pattern, where a group of columns costs one
/// call of the field, and factors of it.
template <class L, class System>
void hold_jacobians(const L& algebra, System& sys) {
  using Y = typename System::state_type;
  if constexpr (!std::is_same_v<L, dense_algebra> && !is_differentiable_v<scalar_t<Y>>)
    sys.held = [algebra, &sys](double t, const Y& y) {
      auto held = std::make_shared<jacobian_by<L, Y>>();
      algebra.evaluate(sys, t, y, held->j);
      return held;
    };
}

/// out = J x at (t, y), by what is held, if it is.
template <class System, class Y>
void multiply_by(const held_jacobian<Y>* held, System& sys, double t, const Y& y, const Y& x,
                 Y& out) {
  if (held != nullptr)
    held->multiply(x, out);
  else
    multiply_by_jacobian(sys, t, y, x, out);
}

}  // namespace revode
