// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include <revode/adjoint/resolved_gradient.hpp>
#include <revode/problems/bouncing_ball.hpp>
#include <revode/problems/lorenz.hpp>
#include <revode/solvers/euler.hpp>
#include <revode/solvers/rodas5p.hpp>
#include <revode/solvers/tsit5.hpp>
#include <revode/solvers/vern7.hpp>

using namespace revode;

namespace {

struct growth {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    dy[0] = p[0] * y[0];
  }
};

/// R(z) and R(z) − R̂(z), the factors of one step of y' = z y with h = 1, from the tableau.
template <class M>
struct stability {
  double step = 1, error = 0;
  explicit stability(double z) {
    constexpr int s = coefficients<M>::stages;
    double k[s];
    for (int i = 0; i < s; ++i) {
      k[i] = 1;
      for (int j = 0; j < i; ++j) k[i] += z * M::tableau.a[i][j] * k[j];
      step += z * M::tableau.b[i] * k[i];
      error += z * (M::tableau.b[i] - M::tableau.b_embedded[i]) * k[i];
    }
  }
};

/// What gradients of the same solve have in common whatever is kept of it.
template <class M, class F, class Y, class P>
void check_bits(const problem<F, Y, P>& q, const M& m, const options& o) {
  const auto of = [&](recursive_checkpoint a) {
    auto s = solve(q, m, o, a);
    Y w = q.y0;
    fill(w, scalar_t<Y>(1));
    return s.pullback(w);
  };
  const auto plain = of({.slots = 3});
  const auto all = of({.schedule = schedule_kind::store_all, .estimate_error = true});
  for (const auto& g : {all, of({.slots = 3, .estimate_error = true}),
                        of({.schedule = schedule_kind::nested, .base = 4, .estimate_error = true}),
                        of({.slots = 5,
                        .schedule = schedule_kind::online,
                        .log = step_replay::controller,
                        .estimate_error = true})}) {
    for (int i = 0; i < length(g.y0); ++i) {
      CHECK(g.y0.data()[i] == plain.y0.data()[i]);
      CHECK(g.error->y0.data()[i] == all.error->y0.data()[i]);
    }
    for (int i = 0; i < length(g.p); ++i) {
      CHECK(g.p.data()[i] == plain.p.data()[i]);
      CHECK(g.error->p.data()[i] == all.error->p.data()[i]);
    }
    CHECK(g.t1 == plain.t1);
    CHECK(g.error->loss == all.error->loss);
  }
  CHECK_FALSE(plain.error);
}

}  // namespace

TEST_CASE("the error of a linear problem's gradient is that of its steps, summed") {
  const double h = 0.25, rate = -0.8;
  const revode::index n = 16;
  problem q{growth{}, vec<double, 1>{2.0}, 0.0, h * static_cast<double>(n), vec<double, 1>{rate}};
  auto s = solve(q, tsit5{}, {.fixed_step = h}, recursive_checkpoint{.estimate_error = true});
  const auto g = s.pullback(vec<double, 1>{1.0});
  const stability<tsit5> of(h * rate);
  const double e = std::abs(of.error) / (1 + std::abs(of.error));
  const double share = std::pow(e, 0.5 / 5);  // orders 5 and 4
  const double y0 =
      static_cast<double>(n) * share * of.error * std::pow(of.step, static_cast<double>(n - 1));
  CHECK(g.error->y0[0] == doctest::Approx(y0).epsilon(1e-9));
  CHECK(g.error->loss == doctest::Approx(2 * y0).epsilon(1e-9));
  CHECK(g.error->relative > 0);
  CHECK(g.status == status::success);
}

TEST_CASE("a gradient and its error have the same bits for every schedule") {
  const lorenz f;
  problem q{f, f.y0(), 0.0, 4.0, f.parameters()};
  check_bits(q, tsit5{}, {.rtol = 1e-6, .atol = 1e-6});
  check_bits(q, vern7{}, {.rtol = 1e-6, .atol = 1e-6});
  check_bits(q, rodas5p{}, {.rtol = 1e-5, .atol = 1e-5});
}

TEST_CASE("the error of a gradient costs one more pull a step") {
  const lorenz f;
  problem q{f, f.y0(), 0.0, 4.0, f.parameters()};
  const auto vjps = [&](const auto& m, bool error) {
    auto s = solve(q, m, {}, recursive_checkpoint{.slots = 8, .estimate_error = error});
    return s.pullback(f.y0()).reverse.vjp_evaluations / s.stats.accepted;
  };
  CHECK(vjps(rodas5p{}, false) == 8);
  CHECK(vjps(rodas5p{}, true) == 16);
  CHECK(vjps(vern7{}, false) == 9);  // the last stage makes the estimate alone,
  CHECK(vjps(vern7{}, true) == 19);  // those of dense output nothing
}

TEST_CASE("the error of a gradient goes through events, and is of the tolerance's size") {
  const bouncing_ball f;
  problem q{f, f.y0(), bouncing_ball::t0, bouncing_ball::t1, f.parameters()};
  const auto of = [&](double tol) {
    auto s = solve(q, tsit5{}, {.rtol = tol, .atol = tol}, f.events(),
                   recursive_checkpoint{.estimate_error = true});
    return s.pullback(vec<double, 2>{1.0, 0.1});
  };
  const auto coarse = of(1e-5), fine = of(1e-11);
  CHECK(coarse.error->relative < 1e-2);
  CHECK(fine.error->relative <= coarse.error->relative);
  CHECK(fine.status == status::success);
}

TEST_CASE("a gradient that is solved again has the error that was asked for") {
  const lorenz f;
  problem q{f, f.y0(), 0.0, 10.0, f.parameters()};
  const auto loss = [](const auto& y) { return y[0] * y[0]; };
  const auto right = value_and_gradient(q, vern7{}, {.rtol = 1e-13, .atol = 1e-13}, loss);
  const auto r = resolved_value_and_gradient(q, tsit5{}, {.rtol = 1e-3, .atol = 1e-3}, loss, 1e-4);
  REQUIRE(r.gradient);
  CHECK(r.gradient->status == status::success);
  CHECK(r.gradient->error->relative <= 1e-4);
  double error = 0, size = 0;
  for (int i = 0; i < 3; ++i) {
    error += std::pow(r.gradient->p[i] - right.gradient->p[i], 2);
    size += std::pow(right.gradient->p[i], 2);
  }
  CHECK(std::sqrt(error / size) <= 1e-4);
}

TEST_CASE("misuse of gradient errors is told before any work") {
  problem q{growth{}, vec<double, 1>{2.0}, 0.0, 1.0, vec<double, 1>{1.0}};
  CHECK_THROWS_WITH_AS(
      solve(q, euler{}, {.fixed_step = 0.1}, recursive_checkpoint{.estimate_error = true}),
      "estimate_error with method euler (it has no estimate of its steps' errors) leave it out, or "
      "choose a method such as tsit5?",
      std::invalid_argument);
  const auto loss = [](const auto& y) { return y[0]; };
  CHECK_THROWS_WITH_AS(resolved_value_and_gradient(q, tsit5{}, {}, loss, 2.0),
                       "gradient_rtol = 2.000000 (a share of the gradient's norm) give one from "
                       "1e-12 to 1?",
                       std::invalid_argument);
}
