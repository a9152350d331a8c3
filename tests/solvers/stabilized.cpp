// SPDX-License-Identifier: Apache-2.0
#include "stabilized_laws.hpp"

#include <cmath>
#include <numbers>

#include <revode/problems/heat_1d.hpp>
#include <revode/solvers/rkc.hpp>
#include <revode/solvers/rkl2.hpp>
#include <revode/solvers/rock2.hpp>
#include <revode/solvers/rock4.hpp>
#include <revode/solvers/tsit5.hpp>

namespace revode {
namespace {

TEST_CASE("stabilised methods: the laws, with few and with many stages, and order") {
  check_stabilized_laws(rock4{}, 0.2, 1000);
  check_stabilized_order(rock4{.spectral_radius = 40});
}

/// ROCK4 with that many stages, whatever the step.
template <int stages>
struct rock4_of : rock4 {
  static int stages_for(double) { return stages; }
};

TEST_CASE("ROCK4 with a finish within the recurrence: the laws, and order") {
  vec<double, 12> y0{};
  for (int i = 0; i < 12; ++i) y0[i] = 0.5 + 0.1 * std::cos(std::numbers::pi * (i + 0.5) / 12);
  const problem q{driven_fisher{}, y0, 0.0, 1.0, vec{0.2, 3.0, 0.3}};
  for (const double radius : {500.0, 5000.0, 13000.0}) {  // steps of 42, 132 and 200 stages
    const rock4 method{.spectral_radius = radius};
    options o{.rtol = 1e-4, .atol = 1e-5, .fixed_step = 1};
    o.save.ts = {0.0, 0.312, 0.91, 1.0};
    const recursive_checkpoint adjoint{.slots = 3};
    for (const double step : {0.0, 0.125, 1.0}) {
      CAPTURE(radius);
      CAPTURE(step);
      o.fixed_step = step;
      const law_result replayed = replay_law(q, method, o);
      CHECK_MESSAGE(replayed.holds, replayed.what);
      const law_result product = dot_product_law(q, method, o, adjoint, 1, 1e-10);
      CHECK_MESSAGE(product.holds, product.worst);
      const law_result frozen = frozen_grid_law(q, method, o, adjoint, 1e-9);
      CHECK_MESSAGE(frozen.holds, frozen.what, frozen.worst);
      CHECK(
          equal_gradients_law(q, method, o, adjoint, {.schedule = schedule_kind::store_all}).holds);
    }
  }
  check_stabilized_order(rock4_of<16>{});
  check_stabilized_order(rock4_of<42>{});
  CHECK(order_law(rock4_of<132>{}, driven_pair).holds);
  CHECK(order_law(rock4_of<200>{}, driven_pair).holds);
}

/// The stability polynomial and the polynomial of the estimate, by the scheme itself.
struct amplified {
  double y, error;
};
amplified amplification(const stabilized_scheme& s, double z) {
  double before = 1, last = 1, error = 0, k[4];
  int look = 0;
  const auto seen = [&](int stage, double y) {
    for (; look < s.look_count && s.looks[look].stage == stage; ++look)
      error += s.looks[look].weights[0] * y;
  };
  const auto finished = [&](double y) {
    double to = y;
    for (int i = 0; i < s.finish; ++i) {
      double at = y;
      for (int j = 0; j < i; ++j) at += s.a[i][j] * k[j];
      k[i] = z * at;
      to += s.b[i] * k[i];
    }
    return to;
  };
  seen(0, 1);
  for (int j = 1; j <= s.m; ++j) {
    const auto& r = s.rows[j];
    const double y =
        (1 - r.mu - r.nu) + r.mu * last + r.nu * before + z * (r.mu_tilde * last + r.gamma_tilde);
    before = last;
    last = y;
    seen(j, y);
    if (j == s.split) {
      before = finished(before);
      last = finished(last);
    }
  }
  seen(s.m + 1, last);
  if (s.look_count == 0 && s.finish > 0) {
    for (int i = 0; i < s.finish; ++i) error += s.e[i] * k[i];
    error += s.e[4] * z * last;
  } else if (s.look_count == 0) {
    error = 0.8 * (1 - last) + 0.4 * z * (1 + last);
  }
  return {last, error};
}

TEST_CASE_TEMPLATE("stabilised methods: stable as far as the number of stages says", M, rkc, rkl2,
                   rock2, rock4) {
  for (const double z : {5.0, 60.0, 100.0, 250.0, 700.0, 5000.0, 13000.0}) {
    const int stages = M::stages_for(z);
    CAPTURE(stages);
    const auto scheme = M::scheme(stages);
    double worst = 0;
    for (int k = 0; k <= 3000; ++k)
      worst = std::fmax(worst, std::abs(amplification(scheme, -z * k / 3000).y));
    CHECK(worst <= 1 + 1e-9);
    // consistent: R = e^z + O(z^(order + 1))
    CHECK(std::abs(amplification(scheme, -1e-3).y - std::exp(-1e-3)) <
          (M::order == 4 ? 2e-13 : 1e-9));
  }
}

TEST_CASE_TEMPLATE("stabilised methods: of the estimate, its order of z is left", M, rkc, rkl2,
                   rock2, rock4) {
  for (const double z : {5.0, 40.0, 100.0, 250.0, 700.0, 5000.0, 13000.0}) {
    const auto scheme = M::scheme(M::stages_for(z));
    CAPTURE(z);
    const double power = estimate_order<M>() + 1;
    const double coarse = amplification(scheme, -0.1).error / std::pow(0.1, power);
    const double fine = amplification(scheme, -0.05).error / std::pow(0.05, power);
    CHECK(std::abs(coarse) > 1e-4);
    CHECK(std::abs(coarse / fine - 1) < 0.2);
  }
}

struct linear {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    dy[0] = p[0] * y[0];
  }
};
TEST_CASE_TEMPLATE(
    "stabilised methods: the error of a step is its estimate's polynomial in tolerances", M, rkc,
    rock2, rock4) {
  using one = vec<double, 1>;
  int degrees = 0;
  for (double radius = 5, stages = 0; radius < 13000; radius *= 1.02) {
    if (stages == M::stages_for(radius)) continue;
    stages = M::stages_for(radius);
    CAPTURE(stages);
    ++degrees;
    const one y0{1}, p{-0.4};
    const linear f;
    system<linear, one, one> sys(f, p);
    const M m{.spectral_radius = radius};
    auto from = make_carry<M>(y0), next = from;
    auto tape = make_like<typename method_types<M, one>::tape>(y0);
    begin(m, sys, 0.0, y0, from);
    const double told = attempt(m, sys, {0.0, 1e-3}, 0.0, 1.0, from, tape, next).error_squared;
    const double error = 1e3 * amplification(M::scheme(M::stages_for(radius)), p[0]).error;
    CHECK(told == doctest::Approx(error * error).epsilon(1e-6));
  }
  CHECK(degrees > 30);
}

TEST_CASE("ROCK4 on heat_1d:200 takes a tenth of tsit5's evaluations, to the same tolerance") {
  const heat_1d f{200};
  const problem q{f, f.y0(), f.t0, f.t1, f.parameters()};
  const options o{.rtol = 1e-6, .atol = 1e-6};
  const auto explicit_one = solve(q, tsit5{}, o), stabilized = solve(q, rock4{}, o);
  double error = 0;
  for (int i = 0; i < 200; ++i)
    error = std::fmax(error, std::abs(stabilized.y[static_cast<std::size_t>(i)] -
                                      f.reference()[static_cast<std::size_t>(i)]));
  CHECK(stabilized.stats.field_evaluations * 10 <= explicit_one.stats.field_evaluations);
  CHECK(error < 1e-5);
}

/// Solves heat_1d:n and returns its statistics; the largest error at the end and on the way in `error`.
statistics heat(int n, double tolerance, double& error) {
  const heat_1d f{n};
  const problem q{f, f.y0(), f.t0, f.t1, f.parameters()};
  options o{.rtol = tolerance, .atol = tolerance};
  o.save.t1 = true;
  for (int k = 1; k < 20; ++k) o.save.ts.push_back(f.t1 * k / 20);
  const auto s = solve(q, rock4{}, o);
  CHECK(s.status == status::success);
  error = 0;
  constexpr double pi = std::numbers::pi;
  for (std::size_t k = 0; k < s.ts.size(); ++k) {
    const auto decayed = [&](int mode) {
      const double frequency = 2 * (n + 1) * std::sin(mode * pi / (2 * (n + 1)));
      return std::exp(-s.ts[k] * frequency * frequency);
    };
    const double first = decayed(1), third = decayed(3) / 2;
    for (int i = 0; i < n; ++i) {
      const double x = (i + 1.0) / (n + 1);
      const double exact = first * std::sin(pi * x) + third * std::sin(3 * pi * x);
      error = std::fmax(error, std::abs(s.ys[k][static_cast<std::size_t>(i)] - exact));
    }
  }
  return s.stats;
}

TEST_CASE(
    "ROCK4: what rounding leaves in stiff components counts neither as error nor in the result") {
  for (const double tolerance : {1e-3, 1e-5, 1e-7}) {
    CAPTURE(tolerance);
    double coarse = 0, fine = 0;
    const statistics small = heat(100, tolerance, coarse), large = heat(400, tolerance, fine);
    CHECK(large.accepted * 5 <= small.accepted * 6);
    CHECK(large.field_evaluations <= small.field_evaluations * 9 / 2);  // as the root of the radius
    CHECK(coarse < tolerance);
    CHECK(fine < tolerance);
  }
}

TEST_CASE(
    "ROCK4 on heat_1d:1600 at 1e-5 takes at most 110 steps, as many as the most stages ask for") {
  double error = 0;
  const statistics s = heat(1600, 1e-5, error);
  CHECK(s.accepted <= 110);
  CHECK(s.rejected <= 3);
  CHECK(error < 1e-5);
}

}  // namespace
}  // namespace revode
