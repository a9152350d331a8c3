// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <optional>
#include <vector>

#include <Eigen/Core>

#include <revode/interop/eigen.hpp>
#include <revode/problems/catalog.hpp>
#include <revode/solvers/bs5.hpp>
#include <revode/solvers/dopri5.hpp>

#include "switching_problems.hpp"

namespace revode {
namespace {

struct lorenz_equations {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    dy[0] = p[0] * (y[1] - y[0]);
    dy[1] = y[0] * (p[1] - y[2]) - y[1];
    dy[2] = y[0] * y[1] - p[2] * y[2];
  }
};
const problem chaos{lorenz_equations{}, vec{1.0, 2.0, 3.0}, 0.0, 10.0, vec{10.0, 28.0, 8.0 / 3}};

TEST_CASE("switching: stability intervals follow from the tableaus") {
  // Hairer & Wanner, Solving ODEs II, IV.2: 3.3 of DOPRI5; Julia's AutoSwitch: 3.5068 and 4.64
  CHECK(stability_extent<dopri5>() == doctest::Approx(3.3066).epsilon(0.003));
  CHECK(stability_extent<tsit5>() == doctest::Approx(3.5068).epsilon(0.003));
  CHECK(stability_extent<vern7>() == doctest::Approx(4.64).epsilon(0.003));
  CHECK(stability_polynomial<tsit5>(-1.0) == doctest::Approx(std::exp(-1.0)).epsilon(2e-3));
  CHECK(stages_at_end<bs5>().first == 6);
}

TEST_CASE("switching: stiffness is that of the step, whatever the method at work") {
  // y' = −300 (y − cos t): |h λ| = 300 h
  const auto field = [](const auto& t, const auto& y, const auto&, auto& dy) {
    using std::cos;
    dy[0] = -300.0 * (y[0] - cos(t));
  };
  const problem q{field, vec<double, 1>{0.5}, 0.0, 1.0};
  system<std::remove_cvref_t<decltype(field)>, vec<double, 1>, decltype(q.p)> sys(q.f, q.p);
  const tsit5 m{};
  auto from = make_carry<tsit5>(q.y0), next = from;
  auto tape = make_like<method_types<tsit5, vec<double, 1>>::tape>(q.y0);
  begin(m, sys, 0.0, q.y0, from);
  const tolerance tol{1e-6, 1e-6};
  attempt(m, sys, tol, 0.0, 0.004, from, tape, next);
  CHECK(stiffness_of_step(tol, 0.004, tape, next.state) == doctest::Approx(1.2).epsilon(1e-3));
  vec<double, 1> v, jv, jjv;
  const fastest_part at = fastest_at(sys, tol, 0.0, q.y0, v, jv, jjv);
  CHECK(at.rate == doctest::Approx(300).epsilon(1e-12));
  CHECK(!at.oscillates);
}

TEST_CASE("switching: the fastest part of a field, and whether it oscillates") {
  const auto at = [](double decay, double turn) {
    const auto field = [=](const auto&, const auto& y, const auto&, auto& dy) {
      dy[0] = -decay * y[0] - turn * y[1];
      dy[1] = turn * y[0] - decay * y[1];
    };
    const problem q{field, vec{0.5, 0.1}, 0.0, 1.0};
    system<std::remove_cvref_t<decltype(field)>, vec<double, 2>, decltype(q.p)> sys(q.f, q.p);
    vec<double, 2> v, jv, jjv;
    return fastest_at(sys, tolerance{1e-6, 1e-6}, 0.0, q.y0, v, jv, jjv);
  };
  CHECK(at(300, 400).rate == doctest::Approx(500).epsilon(0.3));
  CHECK(at(300, 400).oscillates);
  CHECK(!at(400, 300).oscillates);
  CHECK(at(0, 300).oscillates);
  CHECK(!at(-300, 0).oscillates);
  CHECK(at(0, 0).rate == 0);
}

TEST_CASE("switching: what is not stiff is explicit to the bit, equal steps are implicit") {
  const options o{.rtol = 1e-8, .atol = 1e-8};
  for (const tsit5_rodas5p& m : {tsit5_rodas5p{}, begins_explicitly}) {
    const auto s = solve(chaos, m, o), explicitly = solve(chaos, tsit5{}, o);
    CHECK(equal_bits(s.y, explicitly.y));
    CHECK(s.stats.field_evaluations == explicitly.stats.field_evaluations);
    CHECK(s.stats.jacobian_evaluations == 0);
  }
  const auto a = solve(chaos, tsit5_rodas5p{}, {.fixed_step = 0.01});
  CHECK(equal_bits(a.y, solve(chaos, rodas5p{}, {.fixed_step = 0.01}).y));
}

TEST_CASE("switching: a relaxation oscillation is explicit in its jumps, and twice a period only") {
  const double periods = 3000 / 1614.3;
  for (const double rtol : {1e-4, 1e-6, 1e-8}) {
    CAPTURE(rtol);
    const options o{.rtol = rtol, .atol = rtol};
    const auto stiffly = methods_of<tsit5_rodas5p>(oscillation, o);
    CHECK(switches(stiffly) >= 4);
    CHECK(switches(stiffly) <= 1 + 4 * periods);
    const auto s = solve(oscillation, tsit5_rodas5p{}, o);
    const auto implicitly = solve(oscillation, rodas5p{}, o);
    CHECK(s.stats.factorizations < 0.7 * static_cast<double>(implicitly.stats.factorizations));
    // an implicit step costs four explicit ones
    CHECK(s.stats.accepted + s.stats.rejected + 3 * s.stats.factorizations <
          4 * implicitly.stats.factorizations);
  }
}

TEST_CASE("switching: Robertson's problem over eleven decades") {
  const problem q{robertson{}, vec{1.0, 0.0, 0.0}, 0.0, 1e11, robertson_rates};
  const options o{.rtol = 1e-6, .atol = 1e-12};
  const auto s = solve(q, tsit5_rodas5p{}, o), implicitly = solve(q, rodas5p{}, o);
  CHECK(s.status == status::success);
  CHECK(std::abs(s.y[0] / 0.2083340149701255e-7 - 1) < 1e-4);
  CHECK(s.stats.accepted < implicitly.stats.accepted + 30);
  CHECK(switches(methods_of(q, o, begins_explicitly)) == 1);
  CHECK(switches(methods_of<tsit5_rodas5p>(q, o)) <= 2);
}

TEST_CASE("switching: replays, products and duals agree, of either method and across") {
  for (const double stiffness : {2.0, 40.0, 4e4}) {
    check_implicit_laws(tsit5_rodas5p{}, vec{0.5, 1.0}, vec{stiffness, 1.3});
    check_implicit_laws(begins_explicitly, vec{0.5, 1.0}, vec{stiffness, 1.3});
    check_implicit_laws(vern7_rodas5p{}, vec{0.5, 1.0}, vec{stiffness, 1.3});
  }
  const recursive_checkpoint adjoint{.slots = 3};
  options o{.rtol = 1e-5, .atol = 1e-7};
  for (int k = 1; k < 300; ++k) o.save.ts.push_back(10.0 * k);
  CHECK(replay_law(oscillation, tsit5_rodas5p{}, o).what == "");
  CHECK(dot_product_law(oscillation, tsit5_rodas5p{}, o, adjoint, 1).worst < 1e-10);
  for (const schedule_kind kind : {schedule_kind::store_all, schedule_kind::store_states,
                                   schedule_kind::online, schedule_kind::nested})
    CHECK(equal_gradients_law(oscillation, tsit5_rodas5p{}, o, adjoint, {.schedule = kind}).what ==
          "");
  for (const step_replay log : {step_replay::controller, step_replay::steps})
    CHECK(equal_gradients_law(oscillation, tsit5_rodas5p{}, o, adjoint, {.slots = 2, .log = log})
              .what == "");
}

TEST_CASE(
    "switching: from every snapshot the rest of the solve has the same bits, whatever the log") {
  for (const index log_bytes : {index{0}, index{8 + 40 * 20}, unbounded}) {
    stepper<tsit5_rodas5p, relaxation, vec<double, 2>, vec<double, 1>> loop(
        oscillation, tsit5_rodas5p{}, options{.rtol = 1e-5, .atol = 1e-6, .stops = {700.0}},
        log_bytes);
    using snapshot_type = decltype(loop)::snapshot_type;
    std::vector<snapshot_type> kept;
    while (!loop.finished()) {
      std::optional<snapshot_type> slot;
      loop.save(slot);
      kept.push_back(*slot);
      loop.step(loop.work_tape());
    }
    CHECK(loop.result().stats.rejected >= 10);
    const auto end = loop.state();
    for (std::size_t k = 0; k < kept.size(); k += 7) {
      loop.load(kept[k]);
      while (!loop.finished()) loop.step(loop.work_tape());
      REQUIRE(equal_bits(loop.state(), end));
    }
  }
}

TEST_CASE("switching: what a rejected attempt has met decides nothing") {
  // √ of a negative number in explicit attempts that go too far
  const auto field = [](const auto& t, const auto& y, const auto& p, auto& dy) {
    using std::sqrt;
    dy[0] = -p[0] * (y[0] - 1.0 / (1.0 + t)) - 0.1 * sqrt(y[0]);
  };
  const problem q{field, vec<double, 1>{1.0}, 0.0, 5.0, vec<double, 1>{2000.0}};
  const options o{.rtol = 1e-3, .atol = 1e-5, .first_step = 0.1};
  CHECK(solve(q, begins_explicitly, o).status == status::success);
  CHECK(replay_law(q, begins_explicitly, o).what == "");
  CHECK(equal_gradients_law(q, begins_explicitly, o, recursive_checkpoint{.slots = 2},
                            {.slots = 1, .log = step_replay::controller})
            .what == "");
}

TEST_CASE("switching: undamped oscillations that only implicit steps pass over") {
  const erased_problem beam = make_problem("beam");
  const problem<const erased_field&, Eigen::VectorXd, Eigen::VectorXd> q{beam.f, beam.y0, beam.t0,
                                                                         beam.t1, beam.p};
  const options o{.rtol = 1e-6, .atol = beam.atol(1e-6)};
  CHECK(solve(q, tsit5_rodas5p{}, o).stats.accepted <
        1.1 * static_cast<double>(solve(q, rodas5p{}, o).stats.accepted));
}

}  // namespace
}  // namespace revode
