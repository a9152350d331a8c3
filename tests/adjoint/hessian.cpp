// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <vector>

#include <revode/adjoint/gradients.hpp>
#include <revode/adjoint/hessian_vector_product.hpp>
#include <revode/adjoint/tangent/tangent_pack.hpp>
#include <revode/adjoint/value_and_gradient.hpp>
#include <revode/solvers/reversible_heun.hpp>
#include <revode/solvers/tsit5.hpp>
#include <solve/event_models.hpp>

namespace revode {
namespace {

/// y' = −p y², y = y0 / (1 + p y0 t)
struct square_decay {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    dy[0] = -(p[0] * y[0] * y[0]);
  }
};
using one = vec<double, 1>;
const problem<square_decay, one, one> q{square_decay{}, {1.5}, 0, 2, {0.5}};
const options tight{.rtol = 1e-11, .atol = 1e-12};
/// y(t1)² + Σ y_k³
const auto loss = [](const auto& y, const auto& ys) {
  auto sum = y[0] * y[0];
  for (std::size_t k = 0; k < ys.size(); ++k) sum += ys[k][0] * ys[k][0] * ys[k][0];
  return sum;
};

/// All of it in closed form, over any scalar: inputs y0, v0, gravity, restitution, t0, t1.
template <class D>
D thrown(const D (&x)[6], double until, int& bounces) {
  using std::sqrt;
  D t = x[4] + (x[1] + sqrt(x[1] * x[1] + 2.0 * x[2] * x[0])) / x[2];
  D v = x[3] * (x[2] * (t - x[4]) - x[1]), times = t;
  for (bounces = 1; value_of(t) + 2 * value_of(v) / value_of(x[2]) < until; ++bounces) {
    t = t + 2.0 * v / x[2];
    v = v * x[3];
    times = times + t;
  }
  const D left = x[5] - t, height = v * left - 0.5 * x[2] * left * left, speed = v - x[2] * left;
  return height * height + speed * height + 0.25 * times;
}
const auto loss_of_bounces = [](const auto& y, const auto&, const auto& times) {
  auto sum = y[0] * y[0] + y[1] * y[0];
  for (const auto& t : times) sum = sum + 0.25 * t;
  return sum;
};
using two = vec<double, 2>;

double relative(double a, double b) { return std::abs(a - b) / std::abs(b); }

}  // namespace

TEST_CASE("a Hessian times the directions of y0 and p: closed forms, and the gradient's own bits") {
  const auto g = value_and_gradient(q, tsit5{}, tight, loss);
  const auto along_y0 =
      hessian_vector_product(q, tsit5{}, tight, loss, {.y0 = one{1}, .p = one{0}});
  const auto along_p =
      hessian_vector_product(q, tsit5{}, tight, loss, {.y0 = one{0}, .p = one{1}}, 3);
  CHECK(along_p.value == g.value);
  CHECK(along_p.gradient->y0 == g.gradient->y0);
  CHECK(along_p.gradient->p == g.gradient->p);
  CHECK(along_p.gradient->t0 == g.gradient->t0);
  CHECK(along_p.gradient->t1 == g.gradient->t1);
  // L = y0² / D², D = 1 + p y0 t
  const double y0 = 1.5, p = 0.5, t = 2, d = 1 + p * y0 * t, d4 = std::pow(d, 4);
  CHECK(relative(along_y0.product->y0[0], (2 - 4 * p * y0 * t) / d4) < 1e-8);
  CHECK(relative(along_y0.product->p[0], -6 * y0 * y0 * t / d4) < 1e-8);
  CHECK(relative(along_p.product->y0[0], -6 * y0 * y0 * t / d4) < 1e-8);
  CHECK(relative(along_p.product->p[0], 6 * std::pow(y0, 4) * t * t / d4) < 1e-8);
  CHECK(relative(along_p.product->t1,
                 -2 * std::pow(y0, 3) / std::pow(d, 3) + 6 * p * std::pow(y0, 4) * t / d4) < 1e-6);
  CHECK(std::abs(along_p.product->y0[0] - along_y0.product->p[0]) < 1e-13);  // symmetric
  CHECK(along_p.product->reverse.peak_states == 3);
  CHECK(along_p.product->reverse.pulled_steps == along_p.solution.stats.accepted);
}

TEST_CASE("a Hessian through save points: symmetric, exact for the loss of them") {
  options o{.rtol = 1e-10, .atol = 1e-10, .save = {.t0 = true, .ts = {0, 0.7, 1.3, 2}}};
  const auto g = value_and_gradient(q, tsit5{}, o, loss);
  const auto hu = hessian_vector_product(q, tsit5{}, o, loss, {.y0 = one{0}, .p = one{1}}, 5);
  const auto hv = hessian_vector_product(q, tsit5{}, o, loss, {.y0 = one{1}, .p = one{0}});
  CHECK(hu.value == g.value);
  CHECK(hu.gradient->y0 == g.gradient->y0);
  CHECK(hu.gradient->p == g.gradient->p);
  CHECK(hu.gradient->ts == g.gradient->ts);
  CHECK(relative(hu.product->y0[0], hv.product->p[0]) < 1e-12);
  double bend = 0;  // d²/dp² of y² and y³, with y' = −y0² t / D², y'' = 2 y0³ t² / D³
  const double y0 = 1.5, p = 0.5;
  const auto add_point = [&](double t, int power) {
    const double d = 1 + p * y0 * t, y = y0 / d;
    const double y_p = -y0 * y0 * t / (d * d), y_pp = 2 * std::pow(y0, 3) * t * t / std::pow(d, 3);
    bend += power * std::pow(y, power - 2) * ((power - 1) * y_p * y_p + y * y_pp);
  };
  add_point(2, 2);
  for (const double t : {0.7, 1.3, 2.0}) add_point(t, 3);
  CHECK(relative(hu.product->p[0], bend) < 1e-6);
}

TEST_CASE("several losses in one reverse pass: the bits of each, the replays of one") {
  const options o{.rtol = 1e-8, .atol = 1e-8, .save = {.ts = {0.5, 1.7}, .t1 = true}};
  std::vector<cotangents<one>> w;
  for (const double a : {1.0, -2.0, 0.0}) {
    cotangents<one> of_loss;
    if (a != 0) of_loss.y = one{a};
    if (a != 1) of_loss.ys = {{1}, {a}, {-1}};
    w.push_back(of_loss);
  }
  const auto all = gradients(q, tsit5{}, o, w, {.slots = 4});
  REQUIRE(all.size() == 3);
  for (std::size_t k = 0; k < 3; ++k) {
    auto s = solve(q, tsit5{}, o, recursive_checkpoint{.slots = 4});
    const auto g = s.pullback(w[k]);
    CHECK(all[k].y0 == g.y0);
    CHECK(all[k].p == g.p);
    CHECK(all[k].t0 == g.t0);
    CHECK(all[k].t1 == g.t1);
    CHECK(all[k].ts == g.ts);
    CHECK(all[k].reverse.replayed_steps <= g.reverse.replayed_steps);
  }
}

TEST_CASE("several tangents in one replay: each is that of forward mode by itself") {
  const options o{.rtol = 1e-8, .atol = 1e-8, .save = {.t0 = true, .ts = {0.5, 1.7}}};
  const tangents<one, one> a{.y0 = one{1}, .p = one{0}}, b{.y0 = one{-0.3}, .p = one{2}};
  const auto both = solve(q, tsit5{}, o, std::array{a, b});
  REQUIRE(both.ys_dot.size() == 3);
  for (std::size_t k = 0; k < 2; ++k) {
    const auto alone = solve(q, tsit5{}, o, k == 0 ? a : b);
    CHECK(both.y == alone.y);
    CHECK(relative(both.y_dot[k][0], alone.y_dot[0]) < 1e-13);
    for (std::size_t i = 0; i < 3; ++i)
      CHECK(relative(both.ys_dot[i][k][0], alone.ys_dot[i][0]) < 1e-13);
  }
}

TEST_CASE("through stops and discontinuities: the gradient's bits, and the change of its own") {
  for (const double h : {0.26, 0.0}) {
    options o{.rtol = 1e-6, .fixed_step = h, .stops = {0.7, 2}, .discontinuities = {1.3}};
    o.save = {.t0 = true, .ts = {0.5, 1.5}};
    const auto of = [&](double p) {
      problem moved = q;
      moved.p[0] = p;
      return *value_and_gradient(moved, tsit5{}, o, loss).gradient;
    };
    const auto g = of(0.5);
    const auto r = hessian_vector_product(q, tsit5{}, o, loss, {.y0 = one{0}, .p = one{1}}, 3);
    CHECK(r.gradient->y0 == g.y0);
    CHECK(r.gradient->p == g.p);
    CHECK(r.gradient->t0 == g.t0);
    CHECK(r.gradient->t1 == g.t1);
    CHECK(r.gradient->ts == g.ts);
    REQUIRE(r.gradient->stops.size() == 3);
    for (std::size_t k = 0; k < 3; ++k) CHECK(r.gradient->stops[k] == g.stops[k]);
    if (h == 0) continue;
    const double e = 1e-5;
    const auto up = of(0.5 + e), down = of(0.5 - e);
    CHECK(std::abs(r.product->p[0] - (up.p[0] - down.p[0]) / (2 * e)) < 1e-8);
    CHECK(std::abs(r.product->t0 - (up.t0 - down.t0) / (2 * e)) < 1e-8);
    CHECK(std::abs(r.product->t1 - (up.t1 - down.t1) / (2 * e)) < 1e-8);
    for (std::size_t k = 0; k < 3; ++k)
      CHECK(std::abs(r.product->stops[k] - (up.stops[k] - down.stops[k]) / (2 * e)) < 1e-8);
  }
}

TEST_CASE("the Hessian of a bouncing ball is that of the closed form") {
  for (const double until : {1.0, 3.0, 4.0})
    for (const double h : {0.0, 0.11}) {
      const problem ball{falling_ball{}, two{1, 0.3}, 0.1, until, two{9.81, 0.8}};
      using D = dual<double, 6>;
      using DD = dual<D, 6>;
      const double at[6] = {ball.y0[0], ball.y0[1], ball.p[0], ball.p[1], ball.t0, ball.t1};
      DD x[6];
      for (int i = 0; i < 6; ++i) {
        x[i] = DD(D::input(at[i], i));
        x[i].d[i] = D(1);
      }
      int bounces = 0;
      const DD expected = thrown(x, until, bounces);
      for (int j = 0; j < 6; ++j) {
        tangents<two, two> along{.y0 = {0, 0}, .p = {0, 0}};
        double* inputs[6] = {&along.y0[0], &along.y0[1], &along.p[0],
                             &along.p[1],  &along.t0,    &along.t1};
        *inputs[j] = 1;
        const auto r = hessian_vector_product(ball, tsit5{}, {.fixed_step = h}, events(bounce{}),
                                              loss_of_bounces, along, 3);
        REQUIRE(static_cast<int>(r.solution.events.size()) == bounces);
        CHECK(*r.value == doctest::Approx(value_of(expected)).epsilon(1e-10));
        const auto& g = *r.product;
        const double given[6] = {g.y0[0], g.y0[1], g.p[0], g.p[1], g.t0, g.t1};
        for (int i = 0; i < 6; ++i) {
          CAPTURE(until);
          CAPTURE(h);
          CAPTURE(i);
          CAPTURE(j);
          CHECK(given[i] == doctest::Approx(expected.d[i].d[j]).epsilon(1e-9));
        }
      }
    }
}

TEST_CASE("no Hessian product without success") {
  const tangents<one, one> along{.y0 = one{1}, .p = one{0}};
  CHECK_FALSE(hessian_vector_product(q, tsit5{}, {.max_steps = 2}, loss, along).product);
}

TEST_CASE("a Hessian without steps, with every second step saved, of a state that is more than y") {
  const tangents<one, one> by_y0{.y0 = one{1}, .p = one{0}}, by_p{.y0 = one{0}, .p = one{1}};
  problem still = q;
  still.t1 = still.t0;
  const auto at_once = hessian_vector_product(still, tsit5{}, {.save = {.ts = {0}}}, loss, by_y0);
  CHECK(at_once.product->y0[0] == 2 + 6 * 1.5);
  CHECK(at_once.product->t1 == -2 * 2 * 0.5 * 1.5 * 1.5 - 2 * 1.5 * 0.5 * 1.5);  // d(2 y0 f)/dy0

  const auto symmetric = [&](const auto& m, const options& o) {
    const auto of_y0 = hessian_vector_product(q, m, o, loss, by_y0, 3);
    const auto of_p = hessian_vector_product(q, m, o, loss, by_p, 3);
    const auto g = value_and_gradient(q, m, o, loss);
    CHECK(of_p.gradient->y0 == g.gradient->y0);
    CHECK(of_p.gradient->p == g.gradient->p);
    CHECK(relative(of_y0.product->p[0], of_p.product->y0[0]) < 1e-12);
    return of_p.product->p[0];
  };
  symmetric(reversible_heun{}, {.fixed_step = 0.1, .save = {.ts = {1}}});
  const options every{.fixed_step = 0.25, .save = {.every = 2}};
  options listed = every;
  listed.save = {.ts = {0.5, 1, 1.5, 2}};
  CHECK(relative(symmetric(tsit5{}, every), symmetric(tsit5{}, listed)) < 1e-13);
}

}  // namespace revode
