// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "hessian_laws.hpp"

#include <revode/solvers/dop853.hpp>
#include <revode/solvers/kencarp4.hpp>
#include <revode/solvers/kvaerno3.hpp>
#include <revode/solvers/radau_iia5.hpp>
#include <revode/solvers/rock4.hpp>
#include <revode/solvers/rodas5p.hpp>

namespace revode {
namespace {

/// at_hand::driven in two parts.
struct parted : at_hand::driven {
  template <class T, class Y, class P>
  void explicit_part(const T& t, const Y& y, const P& p, Y& dy) const {
    using std::cos;
    dy[0] = y[1] * cos(t);
    dy[1] = -p[1] * y[1] + t;
    if (t >= 2) dy[1] = dy[1] + 2;
  }
  template <class T, class Y, class P>
  void implicit_part(const T& t, const Y& y, const P& p, Y& dy) const {
    using std::sin;
    dy[0] = 0.0 * t;
    dy[1] = -(p[0] * sin(y[0]));
  }
};

}  // namespace

// Stages solved to rounding: what Newton leaves is no part of the implicit function theorem.
TEST_CASE("Hessians through events by every family: duals over duals on the moving grid") {
  using hessian_laws::by_duals_of_duals;
  by_duals_of_duals(dop853{}, 1e-9);
  by_duals_of_duals(rock4{}, 1e-9);
  by_duals_of_duals(rodas5p{}, 1e-9);
  by_duals_of_duals(kvaerno3{.newton = 1e-8}, 1e-9);
  by_duals_of_duals(radau_iia5{.newton = 1e-12}, 1e-9);
  by_duals_of_duals(kencarp4{.newton = 1e-8}, 1e-9, parted{});
}

}  // namespace revode
