// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>

#include <revode/adjoint/gauss.hpp>
#include <revode/adjoint/hessian_vector_product.hpp>
#include <revode/adjoint/interpolating.hpp>
#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/adjoint/value_and_gradient.hpp>
#include <revode/problems/rober.hpp>
#include <revode/solvers/kvaerno3.hpp>
#include <revode/solvers/rodas5p.hpp>
#include <revode/solvers/tsit5.hpp>

namespace revode {
namespace {

using state = vec<double, 3>;
const problem<rober, state, state> stiff{rober{}, {1, 0, 0}, 0, 100, rober{}.parameters()};
const options tight{.rtol = 1e-8, .atol = 1e-12};

struct pair_decay {
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    dy[0] = -(p[0] * y[0] * y[0]) + p[1] * y[1];
    dy[1] = -(p[0] * y[1] * y[1]) + p[1] * (y[0] + t);
  }
};
using two = vec<double, 2>;
const problem<pair_decay, two, two> quick{pair_decay{}, {1, 2}, 0, 1, {0.5, 0.2}};

template <class M>
void agrees() {
  const state w{1, 0, 0};
  const auto exact = solve(stiff, M{}, tight, recursive_checkpoint{}).pullback(w);
  const auto along = solve(stiff, M{}, tight, interpolating{.every = 30}).pullback(w);
  const auto alone = solve(stiff, M{}, tight, gauss{}).pullback(w);
  REQUIRE(along.status == status::success);
  REQUIRE(alone.status == status::success);
  CHECK(alone.backward.jacobian_evaluations > 0);
  for (int i = 0; i < 3; ++i) {
    CHECK(std::abs(along.p[i] / exact.p[i] - 1) < 1e-5);
    CHECK(std::abs(alone.p[i] / exact.p[i] - 1) < 1e-5);
    CHECK(std::abs(alone.y0[i] / exact.y0[i] - 1) < 1e-5);
  }
}

/// u·H v = v·H u, and the values are the gradient's.
template <class M>
void symmetric() {
  const options o{.fixed_step = 0.02};
  const auto loss = [](const auto& y) { return y[0] * y[1]; };
  const tangents<two, two> u{.y0 = {0.3, -1}, .p = {1, 0.2}}, v{.y0 = {-0.8, 0.1}, .p = {0.4, 1}};
  const auto hu = hessian_vector_product(quick, M{}, o, loss, u);
  const auto hv = hessian_vector_product(quick, M{}, o, loss, v);
  const double vhu = dot(v.y0, hu.product->y0) + dot(v.p, hu.product->p);
  const double uhv = dot(u.y0, hv.product->y0) + dot(u.p, hv.product->p);
  CHECK(std::abs(vhu / uhv - 1) < 1e-10);
  CHECK(hu.gradient->p == hv.gradient->p);
}

/// Directions that move times: H is symmetric, and differences of the gradient on a grid that moves
/// as its own.
template <class M>
void along_times() {
  const auto loss = [](const auto& y) { return y[0] * y[1]; };
  const tangents<two, two> none{.y0 = {0, 0}, .p = {0, 0}};
  for (const double h : {0.04, 0.0}) {
    const options o{.rtol = 1e-7, .fixed_step = h, .stops = {0.31}, .discontinuities = {0.67}};
    // t0, t1, both stops, p₀
    std::vector<tangents<two, two>> along(5, none);
    along[0].t0 = 1;
    along[1].t1 = 1;
    along[2].stops = {1, 0};
    along[3].stops = {0, 1};
    along[4].p[0] = 1;
    const auto figures = [](const gradient<two, two>& g) {
      return vec{g.t0, g.t1, g.stops[0], g.stops[1], g.p[0]};
    };
    const auto g = solve(quick, M{}, o, recursive_checkpoint{});
    std::vector<vec<double, 5>> rows;
    for (const auto& v : along) {
      const auto r = hessian_vector_product(quick, M{}, o, loss, v, 6);
      REQUIRE(r.product);
      CHECK(*r.value == g.y[0] * g.y[1]);
      rows.push_back(figures(*r.product));
    }
    for (int i = 0; i < 5; ++i)
      for (int j = 0; j < i; ++j) {
        const double a = rows[static_cast<std::size_t>(i)][j],
                     b = rows[static_cast<std::size_t>(j)][i];
        CAPTURE(i);
        CAPTURE(j);
        CHECK(std::abs(a - b) < 1e-9 * (std::abs(a) + 1));
      }
    if (h == 0) continue;
    const double e = 1e-5;
    const auto moved = [&](int i, double by) {
      auto q = quick;
      options with = o;
      if (i == 0) q.t0 += by;
      if (i == 1) q.t1 += by;
      if (i == 2) with.stops[0] += by;
      if (i == 3) with.discontinuities[0] += by;
      if (i == 4) q.p[0] += by;
      with.fixed_step = (q.t1 - q.t0) / 25;
      return figures(*value_and_gradient(q, M{}, with, loss).gradient);
    };
    for (int i = 0; i < 5; ++i) {
      const auto up = moved(i, e), down = moved(i, -e);
      for (int j = 0; j < 5; ++j) {
        CAPTURE(i);
        CAPTURE(j);
        CHECK(std::abs(rows[static_cast<std::size_t>(i)][j] - (up[j] - down[j]) / (2 * e)) < 1e-7);
      }
    }
  }
}

}  // namespace

TEST_CASE("Hessians along moving times: t0, t1, stops and discontinuities") {
  along_times<tsit5>();
  along_times<rodas5p>();
}

TEST_CASE("continuous adjoints of Robertson's problem by an implicit method") { agrees<rodas5p>(); }

TEST_CASE("named controllers of implicit methods are repeated from their memory") {
  const state w{1, -2, 0.5};
  const auto same_bits = [&](const auto& m, const pid_controller& c) {
    const options o{.rtol = 1e-5, .controller = c, .stops = {20, 20.01}};
    auto all = solve(stiff, m, o, recursive_checkpoint{.schedule = schedule_kind::store_all});
    auto few = solve(stiff, m, o, recursive_checkpoint{.slots = 3, .log = step_replay::controller});
    const auto g = all.pullback(w), h = few.pullback(w);
    CHECK(all.y == few.y);
    CHECK((g.y0 == h.y0 && g.p == h.p));
    CHECK(h.reverse.replayed_steps > all.stats.accepted);
    CHECK(all.stats.accepted !=
          solve(stiff, m, {.rtol = 1e-5, .stops = {20, 20.01}}).stats.accepted);
  };
  for (const auto& c : {controllers::pi(), controllers::h211b()}) {
    same_bits(rodas5p{}, c);
    same_bits(kvaerno3{}, c);
  }
}

TEST_CASE("Hessian products of implicit methods are symmetric") {
  symmetric<kvaerno3>();
  symmetric<rodas5p>();
}

}  // namespace revode
