// SPDX-License-Identifier: Apache-2.0
#include "stiff_lanes.hpp"

#include <type_traits>

namespace revode {
namespace {

template <class E, class M = rosenbrock23>
using few_lanes = ensemble_solver<M, typename E::field_type, typename E::state_type,
                                  typename E::parameter_type, place, 16, false>;

TEST_CASE("stiff lanes: a Rosenbrock method has the bits, counts and status of single solves") {
  const auto e = reactions(40);
  few_lanes<decltype(e)> solver(e, rosenbrock23{}, {});
  solver.run();
  const auto s = solver.result();
  check_against_single_solves(e, rosenbrock23{}, {}, s);
  CHECK(s.status[7] == status::non_finite_field);
  CHECK(s.status[8] == status::success);
}

struct growth {  // y' = p y
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    dy[0] = p[0] * y[0];
  }
};

TEST_CASE("stiff lanes: a singular matrix is the status of its lane") {
  ensemble<growth, vec<double, 1>, vec<double, 1>> e{.y0 = {{1.0}}, .p = {}};
  for (int l = 0; l < 20; ++l) e.p.push_back({-1.0 * l});
  e.p[11][0] = 1 / (0.5 * rosenbrock23::rosenbrock.gamma);  // 1/(h γ) − J = 0
  const options o{.fixed_step = 0.5};
  few_lanes<decltype(e)> solver(e, rosenbrock23{}, o);
  solver.run();
  const auto s = solver.result();
  check_against_single_solves(e, rosenbrock23{}, o, s);
  CHECK(s.status[11] == status::linear_solve_failure);
  CHECK(s.failed() == 1);
}

struct wheel {  // every element drives the next one, in some lanes faster than 1/(h γ)
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    for (int i = 0; i < 5; ++i) dy[i] = (i + 1) * p[0] * y[(i + 4) % 5] - y[(i + 2) % 5];
  }
};
TEST_CASE("stiff lanes: rows change places in some lanes and in others not") {
  ensemble<wheel, vec<double, 5>, vec<double, 1>> e{.y0 = {{1.0, 0.5, -0.25, 0.0, 2.0}}, .p = {}};
  for (int l = 0; l < 20; ++l) e.p.push_back({0.1 + 1.5 * l});
  const options o{.fixed_step = 0.5};
  const auto check = [&](const auto& m) {
    few_lanes<decltype(e), std::remove_cvref_t<decltype(m)>> solver(e, m, o);
    solver.run();
    check_against_single_solves(e, m, o, solver.result());
  };
  check(rosenbrock23{});
  check(rodas4{});  // it is not FSAL
}

/// y₀ ignites, faster in some lanes than their first steps are short; the others follow it. Forwards or backwards.
template <int Direction>
struct ignitions {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    dy[0] = Direction * (p[0] * y[0] * (1.0 - y[0] * y[0]));
    for (int i = 1; i < y.size(); ++i) dy[i] = Direction * (10.0 * (y[i - 1] - y[i]));
  }
};
template <int N, int Direction>
void check_ignitions() {
  using lanes = ensemble<ignitions<Direction>, vec<double, N>, vec<double, 1>>;
  lanes e{.y0 = {{1e-12}}, .t1 = {1.0 * Direction}, .p = {}};
  for (int l = 0; l < 20; ++l) e.p.push_back({l % 3 == 0 ? -1.0 : 200.0 * l});
  const options o{.rtol = 1e-3, .atol = 1e-6};
  few_lanes<decltype(e)> solver(e, rosenbrock23{}, o);
  solver.run();
  const auto s = solver.result();
  check_against_single_solves(e, rosenbrock23{}, o, s);
  for (std::size_t l = 0; l < 20; ++l)
    CHECK(std::abs(s.y[l][0]) == doctest::Approx(l % 3 == 0 ? 0.0 : 1.0).epsilon(1e-3));
}
TEST_CASE("stiff lanes: an ignition is not stepped over, as in single solves") {
  check_ignitions<2, 1>();
  check_ignitions<5, -1>();
  check_ignitions<6, 1>();
}

TEST_CASE("stiff lanes: methods and sizes that lanes do not take") {
  const auto e = reactions(8);
  CHECK(misuse_of([&] { solve(e, radau_iia5{}, {}, place{}); }) ==
        "method radau_iia5 in an ensemble (lanes take explicit Runge-Kutta and Rosenbrock methods, "
        "whose steps are the same operations every time) choose a method such as rodas5p, or solve "
        "lane by lane with events()?");
  ensemble<growth, vec<double, 9>, vec<double, 1>> large{.y0 = {{}}};
  CHECK(misuse_of([&] { solve(large, rodas5p{}, {}, place{}); }) ==
        "method rodas5p with states of 9 in an ensemble (a lane keeps matrices of up to 8 rows) "
        "solve lane by lane with events()?");
}

}  // namespace
}  // namespace revode
