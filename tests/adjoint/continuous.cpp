// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include <revode/adjoint/backsolve.hpp>
#include <revode/adjoint/gauss.hpp>
#include <revode/adjoint/interpolating.hpp>
#include <revode/problems/decay.hpp>
#include <revode/problems/lorenz.hpp>
#include <revode/solvers/tsit5.hpp>

namespace revode {
namespace {

using scalar_problem = problem<decay, vec<double, 1>, vec<double, 1>>;
const options tight{.rtol = 1e-9, .atol = 1e-9};

/// Every derivative of 7 y(t1) + Σ w_k y(t_k) of a decay, and t0, t1 and each t_k with it.
template <class Adjoint>
void decay_law(const scalar_problem& q, options o, const Adjoint& adjoint) {
  const double p = q.p[0], back = q.t1 - q.t0;
  const std::vector<double> ts{q.t0, q.t0 + 0.15 * back, q.t0 + 0.15 * back, q.t0 + 0.6 * back,
                               q.t1};
  o.save = {.t0 = true, .ts = ts, .t1 = true};
  const std::vector<vec<double, 1>> w{{10}, {1}, {2}, {-3}, {4}, {5}, {-6}};
  auto s = solve(q, tsit5{}, o, adjoint);
  const auto g = s.pullback({.y = vec{7.0}, .ys = w});
  REQUIRE(g.status == status::success);
  double y0 = 10 + std::exp(-p * back), rate = -back * std::exp(-p * back);
  for (std::size_t k = 0; k < ts.size(); ++k) {
    const double weight = w[k + 1][0], y = std::exp(-p * (ts[k] - q.t0));
    y0 += weight * y;
    rate -= (ts[k] - q.t0) * weight * y;
    CHECK(std::abs(g.ts[k] - weight * -p * y) < 1e-6);
  }
  CHECK(std::abs(g.y0[0] - y0) < 1e-7);
  CHECK(std::abs(g.p[0] - rate) < 1e-7);
  CHECK(std::abs(g.t1 + p * std::exp(-p * back)) < 1e-6);
  CHECK(std::abs(g.t0 - p * (y0 - 10)) < 1e-6);
  CHECK(s.pullback({.y = vec{7.0}, .ys = w}).p == g.p);
  CHECK(g.reverse.vjp_evaluations > 0);
}

const problem<lorenz, vec<double, 3>, vec<double, 3>> chaotic{
    lorenz{}, {1, 0, 0}, 0, 5, lorenz{}.parameters()};

double largest(const vec<double, 3>& a, const vec<double, 3>& b) {
  double most = 0;
  for (int i = 0; i < 3; ++i) most = std::fmax(most, std::abs(a[i] - b[i]));
  return most;
}

template <class Run>
std::string refusal(Run&& run) {
  try {
    run();
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "no refusal";
}

}  // namespace

TEST_CASE("continuous adjoints of a decay: every derivative, in either direction of time") {
  for (const double t1 : {2.0, -1.5}) {
    const scalar_problem q{decay{}, {1}, 0.5, t1, {0.5}};
    decay_law(q, tight, backsolve{});
    decay_law(q, tight, backsolve{.seminorm = true, .reset = false});
    decay_law(q, tight, interpolating{});
    decay_law(q, tight, interpolating{.every = 3, .seminorm = true});
    decay_law(q, tight, gauss{});
    decay_law(q, tight, gauss{.kronrod = true, .every = 1});
    decay_law(q, {.fixed_step = 0.02}, interpolating{});
  }
}

TEST_CASE("backsolve says when it fails: Lorenz for 5 units, and a stiff decay") {
  const auto lorenz_end = solve(chaotic, tsit5{}, {}, backsolve{}).pullback(vec{1., 0., 0.});
  CHECK(lorenz_end.status != status::success);
  CHECK(lorenz_end.reconstruction_error > 1000);
  CHECK(std::isnan(lorenz_end.p[0]));
  CHECK(lorenz_end.reverse.vjp_evaluations < 100'000);

  for (const double rate : {30., 1000.}) {
    const scalar_problem q{decay{}, {1}, 0, 1, {rate}};
    const auto g = solve(q, tsit5{}, {}, backsolve{}).pullback(vec{1.0});
    CHECK(g.status == (rate < 100 ? status::reconstruction_failure : status::non_finite_field));
    CHECK(g.reconstruction_error > 1e6);
    CHECK(std::isnan(g.y0[0]));
    CHECK(std::isnan(g.t0));
  }
  // at the user's own risk
  const scalar_problem q{decay{}, {1}, 0, 1, {30}};
  const backsolve any{.limit = std::numeric_limits<double>::infinity()};
  CHECK(solve(q, tsit5{}, {}, any).pullback(vec{1.0}).status == status::success);
}

TEST_CASE("backsolve fails from `limit` tolerances on, a thousand where nobody says how many") {
  const options o{.rtol = 1e-5, .atol = 1e-5};
  bool between = false;
  for (double rate = 2; rate < 12; rate += 0.125) {
    CAPTURE(rate);
    const scalar_problem q{decay{}, {1}, 0, 1, {rate}};
    const auto g = solve(q, tsit5{}, o, backsolve{}).pullback(vec{1.0});
    const double off = g.reconstruction_error;
    CHECK(g.status == (off <= 1000 ? status::success : status::reconstruction_failure));
    between = between || (off > 1000 && off < 10'000);
    const auto with = [&](double limit) {
      return solve(q, tsit5{}, o, backsolve{.limit = limit}).pullback(vec{1.0}).status;
    };
    CHECK(with(off) == status::success);
    CHECK(with(0.999 * off) == status::reconstruction_failure);
  }
  CHECK(between);
}

TEST_CASE("save points mend backsolve: Lorenz for 5 units, reset every tenth of one") {
  options o;
  for (int k = 1; k < 50; ++k) o.save.ts.push_back(0.1 * k);
  cotangents<vec<double, 3>> w{.y = vec{1., 0., 0.}};
  const auto reset = solve(chaotic, tsit5{}, o, backsolve{}).pullback(w);
  CHECK(reset.status != status::success);  // without cotangents of save points none is visited
  w.ys.assign(o.save.ts.size(), {0, 0, 0});
  const auto g = solve(chaotic, tsit5{}, o, backsolve{}).pullback(w);
  REQUIRE(g.status == status::success);
  CHECK(g.reconstruction_error < 1000);

  options fine = tight;
  const auto exact =
      solve(chaotic, tsit5{}, fine, interpolating{.every = 20}).pullback(w.y.value());
  CHECK(largest(g.p, exact.p) < 1e-3);
  CHECK(solve(chaotic, tsit5{}, o, backsolve{.reset = false}).pullback(w).status !=
        status::success);
}

TEST_CASE("segments give the bits of the whole path, in bounded memory") {
  const vec<double, 3> w{1, 0, 0};
  const auto whole = solve(chaotic, tsit5{}, tight, gauss{}).pullback(w);
  auto s = solve(chaotic, tsit5{}, tight, gauss{.every = 16});
  const auto g = s.pullback(w);
  const index n = s.stats.accepted;
  CHECK(g.p == whole.p);
  CHECK(g.y0 == whole.y0);
  CHECK(whole.reverse.peak_tapes == n);
  CHECK(g.reverse.peak_tapes == 32);
  CHECK(g.reverse.peak_states == (n + 15) / 16);
  CHECK(g.reverse.replayed_steps == n);  // each segment once
  CHECK(g.reverse.tape_bytes + g.reverse.snapshot_bytes < whole.reverse.tape_bytes / 4);
}

TEST_CASE("p̄ outside the error norm: fewer steps") {
  const scalar_problem q{decay{}, {1}, 0, 2, {0.5}};
  const auto inside = solve(q, tsit5{}, tight, interpolating{}).pullback(vec{1.0});
  const auto outside = solve(q, tsit5{}, tight, interpolating{.seminorm = true}).pullback(vec{1.0});
  const auto alone = solve(q, tsit5{}, tight, gauss{}).pullback(vec{1.0});
  CHECK(outside.backward.accepted < inside.backward.accepted);
  CHECK(outside.backward.accepted == alone.backward.accepted);  // the steps of λ by itself
}

TEST_CASE("Kronrod's estimate bounds the error of the quadrature") {
  const problem<lorenz, vec<double, 3>, vec<double, 3>> q{
      lorenz{}, {1, 0, 0}, 0, 1, lorenz{}.parameters()};
  const vec<double, 3> w{1, 0, 0};
  const auto exact = solve(q, tsit5{}, {.rtol = 1e-12, .atol = 1e-12}, gauss{}).pullback(w);
  const auto five = solve(q, tsit5{}, {}, gauss{.nodes = 5}).pullback(w);
  const auto by_kronrod = solve(q, tsit5{}, {}, gauss{.kronrod = true}).pullback(w);
  CHECK(five.quadrature_error == 0);
  CHECK(by_kronrod.quadrature_error > 0);
  CHECK(by_kronrod.quadrature_error < 10);
  CHECK(largest(five.p, by_kronrod.p) < 1e-6);
  CHECK(largest(five.p, exact.p) < 1e-4);
}

TEST_CASE("Gauss-Legendre rules of m nodes integrate degree 2m - 1, Kronrod's seven degree 11") {
  for (const int m : {1, 2, 3, 4, 5, 7}) {
    const auto r = quadrature_rule::of(m);
    const int degree = m == 7 ? 11 : 2 * m - 1;
    for (int d = 0; d <= degree + 1; ++d) {
      double sum = 0, embedded = 0;
      for (int i = 0; i < r.size; ++i) {
        sum += r.weight[i] * std::pow(r.node[i], d);
        embedded += r.embedded[i] * std::pow(r.node[i], d);
      }
      CAPTURE(m);
      CAPTURE(d);
      CHECK((std::abs(sum - 1.0 / (d + 1)) < 1e-15) == (d <= degree));
      if (m == 7 && d < 6) CHECK(std::abs(embedded - 1.0 / (d + 1)) < 1e-15);
    }
  }
}

namespace {

/// Euler's method as a user might write it: no dense output.
struct bare_euler {
  static constexpr const char* name = "bare_euler";
  static constexpr int order = 1;
  template <class Y>
  struct types : default_types<Y> {};
};
template <class System, class Y>
outcome<nothing> attempt(const bare_euler&, System& sys, const tolerance&, double t, double t_new,
                         const carry<bare_euler, Y>& c, nothing&, carry<bare_euler, Y>& next) {
  Y slope = c.state;
  sys(t, c.state, slope);
  next.state = c.state;
  axpy(static_cast<scalar_t<Y>>(t_new - t), slope, next.state);
  return {};
}
template <class System, class Y>
void replay(const bare_euler& m, System& sys, double t, double t_new, nothing,
            carry<bare_euler, Y>& c, nothing& tape) {
  carry<bare_euler, Y> next = c;
  attempt(m, sys, tolerance{}, t, t_new, c, tape, next);
  c = next;
}

}  // namespace

TEST_CASE("misuse of the continuous adjoints, word by word") {
  const scalar_problem q{decay{}, {1}, 0, 1, {1}};
  const options relative{.rtol = 1e-6, .atol = 0};
  CHECK(refusal([&] { solve(q, tsit5{}, {}, backsolve{.reverse = {.rtol = -1}}); }) ==
        "backsolve with reverse tolerances rtol=-1.000000, atol=0.000000 (0 is that of the solve, "
        "and no other may be negative) give e.g. rtol=1e-6, atol=1e-9?");
  CHECK(refusal([&] { solve(q, tsit5{}, relative, interpolating{.seminorm = true}); }) ==
        "interpolating with seminorm and atol=0 (a quadrature that starts at 0 has no scale then) "
        "give reverse.atol > 0?");
  CHECK(refusal([&] { solve(q, tsit5{}, {}, backsolve{.limit = 0}); }) ==
        "backsolve with limit = 0.000000 tolerances (a reconstruction that is exact has 0) give a "
        "positive limit?");
  CHECK(refusal([&] { solve(q, tsit5{}, {}, gauss{.every = -2}); }) ==
        "gauss with every = -2 (steps between snapshots; 0 keeps all steps) give every >= 0?");
  CHECK(refusal([&] { solve(q, tsit5{}, {}, gauss{.nodes = 6}); }) ==
        "gauss with nodes = 6 (a step has 1 to 5) give that many, or 0 for the method's?");
  CHECK(refusal([&] { solve(q, bare_euler{}, {.fixed_step = 0.1}, gauss{}); }) ==
        "method bare_euler with the adjoint gauss (it has no dense output to run along) choose a "
        "method such as tsit5, or recursive_checkpoint?");
  const auto back = solve(q, bare_euler{}, {.fixed_step = 0.001}, backsolve{}).pullback(vec{1.0});
  CHECK(back.status == status::success);  // needs none
  CHECK(std::abs(back.p[0] + std::exp(-1)) < 1e-3);
  auto s = solve(q, tsit5{}, {}, gauss{});
  CHECK(refusal([&] { s.pullback({.ys = {{1}}}); }) ==
        "1 cotangents for 0 save points (one belongs to each) give as many, or none?");
  auto failed = solve(q, tsit5{}, {.max_steps = 2}, backsolve{});
  CHECK(failed.status == status::max_steps);
  CHECK(refusal([&] { failed.pullback(vec{1.0}); }) ==
        "no gradient of a solve that ended with status max_steps (the allowed number of step "
        "attempts was used up before t1) look at solution::status first?");
}

}  // namespace revode
