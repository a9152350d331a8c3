// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "event_models.hpp"

#include <revode/problems/lorenz.hpp>
#include <revode/solve/dense_output.hpp>
#include <revode/solvers/tsit5.hpp>
#include <revode/solvers/vern7.hpp>
#include <revode/testing/references.hpp>

namespace revode {
namespace {

using lorenz_problem = problem<lorenz, vec<double, 3>, vec<double, 3>>;
const lorenz_problem chaotic{lorenz{}, {1, 0, 0}, 0, 5, lorenz{}.parameters()};
const options precise{.rtol = 1e-9, .atol = 1e-9};

std::vector<double> some_times(double a, double b, int n) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> uniform(a, b);
  std::vector<double> ts;
  for (int k = 0; k < n; ++k) ts.push_back(uniform(random));
  return ts;
}

template <class M>
void equals_save_points(const lorenz_problem& q) {
  auto y = solve(q, M{}, precise, dense_output{});
  auto ts = some_times(q.t0 < q.t1 ? q.t0 : q.t1, q.t0 < q.t1 ? q.t1 : q.t0, 200);
  const auto any_order = y.at(ts);
  options saving = precise;
  saving.save = {.t0 = true, .ts = ts, .t1 = true};
  std::sort(saving.save.ts.begin(), saving.save.ts.end(),
            [&](double a, double b) { return q.t0 < q.t1 ? a < b : a > b; });
  const auto saved = solve(q, M{}, saving);
  CHECK(saved.y == y.y);
  CHECK(y(q.t0) == saved.ys.front());
  CHECK(y(q.t1) == saved.ys.back());
  for (std::size_t k = 0; k < saved.ts.size(); ++k) REQUIRE(y(saved.ts[k]) == saved.ys[k]);
  for (std::size_t k = 0; k < ts.size(); ++k) REQUIRE(any_order[k] == y(ts[k]));
}

}  // namespace

TEST_CASE("dense output is what save points would have been, at any time and in any order") {
  equals_save_points<tsit5>(chaotic);
  equals_save_points<vern7>(chaotic);
  const lorenz_problem back{lorenz{}, {1, 0, 0}, 1, 0.5, lorenz{}.parameters()};
  equals_save_points<tsit5>(back);
}

TEST_CASE("its derivative is that of the polynomial, close to the field") {
  auto y = solve(chaotic, vern7{}, precise, dense_output{});
  for (const double t : some_times(0.1, 4.9, 50)) {
    const auto slope = y.derivative(t);
    vec<double, 3> f{};
    lorenz{}(t, y(t), chaotic.p, f);
    const double e = 1e-6;
    for (int i = 0; i < 3; ++i) {
      CHECK(std::abs(slope[i] - f[i]) < 1e-3);
      CHECK(std::abs(slope[i] - (y(t + e)[i] - y(t - e)[i]) / (2 * e)) < 1e-5);
    }
  }
}

TEST_CASE("a solve without steps is its initial state, with the slope of the field") {
  auto y = solve(lorenz_problem{lorenz{}, {1, 0, 0}, 2, 2, lorenz{}.parameters()}, tsit5{}, {},
                 dense_output{});
  CHECK(y.steps() == 0);
  CHECK(y(2.0) == vec<double, 3>{1, 0, 0});
  CHECK(y.derivative(2.0) == vec<double, 3>{-10, 28, 0});
}

namespace {

struct landing : bounce {
  static constexpr bool terminal = true;
};
/// Behind it the ball is heavier.
struct gain {
  std::vector<double> times;
  template <class T, class Y, class P>
  void jump(const T&, const Y&, const P& p, Y&, P& p_new) const {
    p_new[0] = 2 * p[0];
  }
};

}  // namespace

TEST_CASE("across events there are two values at their times and one everywhere else") {
  const problem q{falling_ball{}, vec{1., 0.}, 0., 1., vec{8., 1.}};
  const auto list = events(bounce{}, gain{{0, 0.9}});
  const options o{.stops = {0.25}, .discontinuities = {0.6}};
  auto y = solve(q, tsit5{}, o, list, dense_output{});
  REQUIRE(y.events.size() == 3);
  // the ball is twice as heavy from the start on, hence down at t = √(1/8)
  const double down = std::sqrt(1.0 / 8), speed = 16 * down;
  CHECK(y(0) == q.y0);
  CHECK(y.derivative(0)[1] == -8);
  CHECK(y.derivative(0, side::behind)[1] == doctest::Approx(-16));
  CHECK(y(0, side::behind) == q.y0);
  const double at = y.events[1].t;
  CHECK(at == doctest::Approx(down).epsilon(1e-14));
  CHECK(y(at)[1] == doctest::Approx(-speed).epsilon(1e-13));
  CHECK(y(at, side::behind)[1] == doctest::Approx(speed).epsilon(1e-13));
  CHECK(y.derivative(at)[0] == doctest::Approx(-speed).epsilon(1e-13));
  CHECK(y.derivative(at, side::behind)[0] == doctest::Approx(speed).epsilon(1e-13));
  CHECK(y.derivative(0.9)[1] == doctest::Approx(-16).epsilon(1e-12));
  CHECK(y.derivative(0.9, side::behind)[1] == doctest::Approx(-32).epsilon(1e-12));
  for (const double t : {0.1, 0.25, 0.3, 0.6, 0.7, 0.9, 0.95}) {
    CHECK(y(t) == y(t, side::behind));
    const double left = t - down, late = std::fmax(0, t - 0.9);
    const double height =
        left < 0 ? 1 - 8 * t * t : speed * left - 8 * left * left - 8 * late * late;
    CHECK(y(t)[0] == doctest::Approx(height).epsilon(1e-12));
  }
  options saving = o;
  saving.save.ts = {0, 0.1, 0.25, at, 0.6, 0.7, 0.9, 1};
  const auto saved = solve(q, tsit5{}, saving, list).ys, asked = y.at(saving.save.ts);
  for (std::size_t i = 0; i < saved.size();
       ++i)  // where the event is, as far as its time is rounded
    CHECK((i == 3 ? relative_difference(saved[i], asked[i]) < 1e-14 : saved[i] == asked[i]));
  CHECK(y(1) == y.y);
}

TEST_CASE("a solve that an event ends, and one that ends at once") {
  const problem q{falling_ball{}, vec{1., 0.}, 0., 9., vec{8., 0.5}};
  auto y = solve(q, tsit5{}, {}, events(landing{}, gain{{0}}), dense_output{});
  CHECK(y(y.t)[1] == doctest::Approx(-std::sqrt(32)).epsilon(1e-13));
  CHECK(y(y.t, side::behind) == y.y);
  CHECK(y.y[1] == doctest::Approx(std::sqrt(8)).epsilon(1e-13));
  CHECK(y.derivative(y.t, side::behind)[1] == doctest::Approx(-16));
  CHECK_THROWS_AS(y(y.t + 1e-9), std::invalid_argument);
}

TEST_CASE("a time outside is refused word by word, also behind a solve that ended early") {
  auto y = solve(chaotic, tsit5{}, {.max_steps = 5}, dense_output{});
  CHECK(y.status == status::max_steps);
  CHECK(y(y.t) == y.y);
  auto whole = solve(chaotic, tsit5{}, {}, dense_output{});
  CHECK_THROWS_WITH_AS(whole(7),
                       "dense output at t = 7 (the solution covers 0 to 5) ask within, or solve "
                       "farther?",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(whole.derivative(5.0000001),
                       "derivative at t = 5.0000001 (the solution covers 0 to 5) ask within, or "
                       "solve farther?",
                       std::invalid_argument);
  auto brief = solve(lorenz_problem{lorenz{}, {1, 0, 0}, 0, 1e-9, lorenz{}.parameters()}, tsit5{},
                     {}, dense_output{});
  CHECK_THROWS_WITH_AS(brief(1.5e-9),
                       "dense output at t = 1.5e-09 (the solution covers 0 to 1e-09) ask within, "
                       "or solve farther?",
                       std::invalid_argument);
}

TEST_CASE("what a solve with events refuses, one with dense output refuses in the same words") {
  const problem q{falling_ball{}, vec{1., 0.}, 0., 9., vec{8., 0.5}};
  const auto list = events(landing{}, gain{{0}});
  const auto said = [](const auto& act) -> std::string {
    try {
      act();
    } catch (const std::invalid_argument& misuse) {
      return misuse.what();
    }
    return "accepted";
  };
  for (const options& o : {options{.rtol = -1}, options{.event_samples = 0}}) {
    const std::string plain = said([&] { solve(q, tsit5{}, o, list); });
    CHECK(plain != "accepted");
    CHECK(said([&] { solve(q, tsit5{}, o, list, dense_output{}); }) == plain);
    CHECK(said([&] { solve(problem(q), tsit5{}, o, list, dense_output{}); }) == plain);
  }
}

}  // namespace revode
