// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <type_traits>

#include <revode/linalg/algebra.hpp>
#include <revode/state/elements.hpp>

namespace revode {

/// out = J x
template <class Y>
using jacobian_products = std::function<void(const Y& x, Y& out)>;
/// Those at (t, y), of a method whose matrices have a structure; empty: the field's own.
template <class Y>
using jacobian_holder = std::function<jacobian_products<Y>(double t, const Y& y)>;
/// Where there is no mass matrix.
struct no_holder {};

/// Consistent starts take a product for each algebraic equation: of J by this algebra, if that is in a band or on a
/// pattern, where a group of columns costs one call of the field.
template <class L, class System>
void hold_jacobians(const L& algebra, System& sys) {
  using Y = typename System::state_type;
  if constexpr (!std::is_same_v<L, dense_algebra> && !is_differentiable_v<scalar_t<Y>>)
    sys.held = [algebra, &sys](double t, const Y& y) -> jacobian_products<Y> {
      auto j = std::make_shared<typename L::template jacobian<Y>>();
      algebra.evaluate(sys, t, y, *j);
      return [j](const Y& x, Y& out) {
        fill(out, scalar_t<Y>(0));
        add_product(*j, x, out);
      };
    };
}

/// `y` must outlive them.
template <class System, class Y>
jacobian_products<Y> products_at(System& sys, double t, const Y& y) {
  if (sys.held) return sys.held(t, y);
  return [&sys, t, &y](const Y& x, Y& out) { multiply_by_jacobian(sys, t, y, x, out); };
}

}  // namespace revode
