// SPDX-License-Identifier: Apache-2.0
// What is below the tolerance and grows is not stepped over (growth.hpp).
#include <revode/linalg/banded.hpp>
#include <revode/solvers/all.hpp>

#include "ignition.hpp"

namespace revode {
namespace {

TEST_CASE("an ignition that the tolerance does not see is not stepped over, whatever the factors") {
  using methods = method_list<rosenbrock23, kencarp4, radau, bdf5>;
  for_each_method(methods{}, [](const auto& m) { check_ignites(m, vec<double, 3>{}); });
  check_ignites(radau_iia5{}, vec<double, 7>{});
  check_ignites(rodas3{}, vec<double, 11>{});
  check_ignites(kencarp4{}, std::vector<double>(7));
}

TEST_CASE("an ignition is seen by banded factors in the steps that dense ones take") {
  const banded below{.lower = 1, .upper = 0};
  const std::vector<double> y0(21);  // backwards an odd number is another sign
  check_ignites_as_dense<rosenbrock23>(y0, below);
  check_ignites_as_dense<radau_iia5>(y0, below);
  check_ignites_as_dense<bdf5>(y0, below);
}

struct growth {  // y' = p y
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    dy[0] = p[0] * y[0];
  }
};
struct decay_by_mass : growth {  // −y' = p y
  template <class Matrix>
  void mass(Matrix& m) const {
    m(0, 0) = -1.0;
  }
};

TEST_CASE("steps over growth are shortened until they are none, and fixed ones are taken") {
  const problem q{growth{}, vec{1e-9}, 0.0, 1.0, vec{2.5}};
  const options loose{.rtol = 1, .atol = 1, .first_step = 1};  // nothing else shortens them
  const auto s = solve(q, implicit_euler{}, loose);
  CHECK(s.status == status::success);
  CHECK(s.stats.rejected >= 2);  // 2.5 h > 1 for h = 1 and ½
  CHECK(s.y[0] > 1e-9);
  const auto fixed = solve(q, implicit_euler{}, {.fixed_step = 1});
  CHECK(fixed.status == status::success);
  CHECK(fixed.y[0] == doctest::Approx(1e-9 / (1 - 2.5)));

  const problem with_mass{decay_by_mass{}, vec{1e-9}, 0.0, 1.0, vec{2.5}};
  const auto decayed = solve(with_mass, rodas3{}, loose);
  CHECK(decayed.status == status::success);
  CHECK(decayed.stats.rejected == 0);
}

}  // namespace
}  // namespace revode
