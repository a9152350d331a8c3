// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include <revode/solvers/rosenbrock/rosenbrock_conditions.hpp>
#include <revode/testing/order.hpp>

#include "rosenbrock_methods.hpp"

namespace revode {
namespace {

/// Until t1 = 0.5: at 1.3 the error of methods of order 4 on the driven pair changes its sign for
/// some ten steps, and a line through their logarithms is no longer theirs.
template <class M, class F>
void check_order(const M& m, const F& f) {
  const law_result at_end = order_law(m, f, -0.7, 0.5);
  CHECK_MESSAGE(at_end.holds, at_end.what);
  const law_result inside =
      dense_order_law(m, f, std::min(M::order, M::dense_order + 1), -0.7, 0.5);
  CHECK_MESSAGE(inside.holds, inside.what);
}

TEST_CASE("Rosenbrock methods have their order, inside steps too, driven or not") {
  for_each_rosenbrock([](const auto& m) {
    if (!is_exact_v<std::remove_cvref_t<decltype(m)>>) return;  // the same steps again
    check_order(m, pendulum);
    check_order(m, driven_pair);
  });
}

TEST_CASE("fixed steps commute with linear changes of variables") {
  const problem q{driven_pair, driven_pair.solution(-0.7), -0.7, 1.3};
  for_each_rosenbrock([&](const auto& m) {
    const auto sheared =
        equivariance_law(q, m, options{.fixed_step = 0.02}, change_of_variables::shear, 1e-13);
    CHECK_MESSAGE(sheared.holds, sheared.what, " ", sheared.worst);
  });
}

/// Rodas4 with the sign of γ₄ wrong, as in the rosenbrock4 of Boost.Odeint 1.81 and later.
struct wrong_sign : rodas4 {
  static constexpr const char* name = "wrong_sign";
  static constexpr rosenbrock_tableau<6> rosenbrock = [] {
    auto u = rodas4::rosenbrock;
    u.driven[3] = -u.driven[3];
    return u;
  }();
};

TEST_CASE("a wrong sign in a weight of ∂f/∂t: found by the row sums, and by order 1 when driven") {
  CHECK(is_consistent(rodas4::rosenbrock));
  CHECK_FALSE(is_consistent(wrong_sign::rosenbrock));

  CHECK(order_law(wrong_sign{}, pendulum).holds);
  const law_result driven = order_law(wrong_sign{}, driven_pair);
  CHECK_FALSE(driven.holds);
  CHECK(driven.worst == doctest::Approx(1).epsilon(0.1));
}

}  // namespace
}  // namespace revode
