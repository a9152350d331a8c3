// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include <revode/problems/beam.hpp>
#include <revode/solvers/adams.hpp>
#include <revode/solvers/ndf.hpp>

#include "implicit_fields.hpp"

namespace revode {
namespace {

/// A fast oscillator behind a slow force: y = A cos t + (1 − A) cos ωt, A = ω²/(ω² − 1), from (1, 0).
struct driven {
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    using std::cos;
    dy[0] = y[1];
    dy[1] = -p[0] * p[0] * (y[0] - cos(t));
  }
};
/// A string of 40 points that swings and is damped, u'' = 900 Δu − 5 u': its fastest mode has hλ near the
/// imaginary axis long after it is gone.
struct damped_string {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    for (int i = 0; i < 40; ++i) {
      const auto left = i > 0 ? y[i - 1] : 0 * y[i], right = i < 39 ? y[i + 1] : 0 * y[i];
      dy[i] = y[40 + i];
      dy[40 + i] = p[0] * (left + right - 2 * y[i]) - p[1] * y[40 + i];
    }
  }
};
struct rotor {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    dy[0] = p[0] * y[1];
    dy[1] = -p[0] * y[0];
  }
};

/// The mode that equal steps of order q show behind n of them, of a rotor with ωh = theta.
template <class M>
oscillating_mode mode_of_rotor(int q, double theta, int n = 80) {
  using Y = vec<double, 2>;
  const M m;
  const vec p{theta};
  const rotor f;
  system<rotor, Y, vec<double, 1>> sys(f, p);
  auto from = make_carry<M>(Y{1.0, 0.3});
  auto c = from;
  auto tape = make_like<typename method_types<M, Y>::tape>(Y{});
  begin(m, sys, 0.0, Y{1.0, 0.3}, c);
  const tolerance tol{1e-3, 1e-3, true};
  vec<double, 6> products{};
  for (int i = 0; i < n; ++i) {
    const auto order = static_cast<std::uint8_t>(i + 1 < q ? i + 1 : q);
    const Y before = c.state.correction;
    replay(m, sys, i, i + 1, bdf_record{1, 1, order, order, 3, 3}, c, tape);
    fill_weights(Y{0.0, 0.0}, tol, c.cache.weight);
    if (i + 2 > n - 10)
      products = oscillation_products(tol, q, c.state, before, c.cache.weight, products);
  }
  return dominant_mode<M>(q, typename M::formula(q, 1.0, c.memo.tau), products);
}

TEST_CASE_TEMPLATE("stability: the mode that grows, and hλ, are read from the array", M, bdf5,
                   ndf5) {
  for (int q = 3; q <= 5; ++q)
    for (const double theta : {0.9, 1.5}) {
      CAPTURE(q);
      CAPTURE(theta);
      const oscillating_mode mode = mode_of_rotor<M>(q, theta);
      CHECK(std::abs(mode.real) < 1e-6);
      CHECK(std::abs(mode.imaginary - theta) < 1e-6);
      CHECK(mode.growth > 1);
    }
  // The most that BDF of orders 3 to 5 grow a step on the imaginary axis, at θ = 1.14, 1.86, 2.38.
  CHECK(mode_of_rotor<bdf5>(3, 1.14).growth == doctest::Approx(1.0456).epsilon(1e-3));
  CHECK(mode_of_rotor<bdf5>(4, 1.86).growth == doctest::Approx(1.1910).epsilon(1e-3));
  CHECK(mode_of_rotor<bdf5>(5, 2.38).growth == doctest::Approx(1.3791).epsilon(1e-3));
}

/// Steps of a method whose look at its stability is on or off.
template <class M, class Q>
auto solved(const Q& q, double tol, bool looks) {
  M m;
  m.leaves_unstable_orders = looks;
  return solve(q, m, options{.rtol = tol, .atol = tol, .max_steps = 60'000});
}

TEST_CASE_TEMPLATE("stability: the beam is solved in hundreds of steps", M, bdf5, ndf5) {
  const beam b;
  const problem q{b, b.y0(), 0.0, 5.0, b.parameters()};
  const auto reference = b.reference();
  const auto at = b.reference_components();
  for (const double tol : {1e-3, 1e-4}) {
    CAPTURE(tol);
    const auto s = solved<M>(q, tol, true);
    CHECK(s.status == status::success);
    CHECK(s.stats.accepted < 1100);
    double off = 0;
    for (std::size_t k = 0; k < at.size(); ++k) {
      const double exact = reference[k], y = s.y[static_cast<std::size_t>(at[k])];
      off = std::fmax(off, std::abs(y - exact) / (tol + tol * std::abs(exact)));
    }
    CHECK(off < 100);
  }
}

const problem oscillation{driven{}, vec{1.0, 0.0}, 0.0, 10.0, vec{1000.0}};
const options rough{.rtol = 1e-3, .atol = 1e-3};

TEST_CASE("stability: a damped string is at rest after a third of the steps, and fewer") {
  vec<double, 80> y0{};
  for (int i = 0; i < 40; ++i) y0[i] = std::exp(-0.02 * (i - 12) * (i - 12));
  const problem q{damped_string{}, y0, 0.0, 20.0, vec{900.0, 5.0}};
  bdf5 without;
  without.leaves_unstable_orders = false;
  for (const double tol : {1e-3, 1e-4}) {
    const options o{.rtol = tol, .atol = tol};
    const auto s = solve(q, bdf5{}, o), other = solve(q, without, o);
    CHECK(s.status == status::success);
    CHECK(3 * s.stats.accepted < other.stats.accepted);
    for (int i = 0; i < 80; ++i) CHECK(std::abs(s.y[i]) < 20 * tol);
  }
}

TEST_CASE("stability: an oscillator behind a slow force takes a fifth of the steps, and fewer") {
  const double a = 1e6 / (1e6 - 1), exact = a * std::cos(10.0) + (1 - a) * std::cos(1e4);
  const auto with = solved<bdf5>(oscillation, 1e-3, true);
  const auto without = solved<bdf5>(oscillation, 1e-3, false);
  CHECK(with.status == status::success);
  CHECK(with.stats.accepted * 5 < without.stats.accepted);
  CHECK(std::abs(with.y[0] - exact) < 2e-3);
}

TEST_CASE("stability: an order is left where it amplifies, and every snapshot goes on alike") {
  for (const index log_bytes : {index{0}, index{8 + 40 * 20}, unbounded}) {
    stepper<bdf5, driven, vec<double, 2>, vec<double, 1>> loop(oscillation, bdf5{}, rough,
                                                               log_bytes);
    using snapshot_type = decltype(loop)::snapshot_type;
    std::vector<snapshot_type> kept;
    int left = 0, highest = 0;
    while (!loop.finished()) {
      std::optional<snapshot_type> slot;
      loop.save(slot);
      kept.push_back(*slot);
      loop.step(loop.work_tape());
      const bdf_record& r = loop.work_tape().record;
      left += r.has(bdf_record::amplifies) && r.next_order == r.order - 1 ? 1 : 0;
      highest = r.order > highest ? r.order : highest;
    }
    CHECK(loop.status() == status::success);
    CHECK(left >= 1);
    CHECK(highest >= 3);
    const auto end = loop.state();
    for (std::size_t k = 0; k < kept.size(); k += 20) {
      loop.load(kept[k]);
      while (!loop.finished()) loop.step(loop.work_tape());
      REQUIRE(equal_bits(loop.state(), end));
    }
  }
}

TEST_CASE_TEMPLATE("stability: gradients are those of the steps taken", M, bdf5, ndf5) {
  const recursive_checkpoint adjoint{.slots = 3};
  const M m;
  CHECK(replay_law(oscillation, m, rough).what == "");
  CHECK(dot_product_law(oscillation, m, rough, adjoint, 1).worst < 1e-11);
  CHECK(frozen_grid_law(oscillation, m, rough, adjoint).worst < 1e-9);
  CHECK(equal_gradients_law(oscillation, m, rough, adjoint, {.slots = 1}).what == "");
  CHECK(equal_gradients_law(oscillation, m, rough, adjoint, {.schedule = schedule_kind::store_all})
            .what == "");
}

TEST_CASE("stability: Robertson's problem takes as many steps as without a look at it") {
  const problem q{robertson{}, vec{1.0, 0.0, 0.0}, 0.0, 1e11, robertson_rates};
  bdf5 without;
  without.leaves_unstable_orders = false;
  const options o{.rtol = 1e-6, .atol = 1e-12};
  const auto with = solve(q, bdf5{}, o), other = solve(q, without, o);
  CHECK(with.stats.accepted == other.stats.accepted);
  CHECK(with.stats.factorizations == other.stats.factorizations);
}

TEST_CASE_TEMPLATE("multistep: an oscillation leaves up to a third of a tolerance a step", M, bdf5,
                   ndf<3>, adams12) {
  const problem q{rotor{}, vec{1.0, 0.0}, 0.0, 10.0, vec{40.0}};
  for (const double tol : {1e-4, 1e-6}) {
    CAPTURE(M::name);
    CAPTURE(tol);
    const auto s = solve(q, M{}, options{.rtol = tol, .atol = tol});
    const double off = std::fmax(std::abs(s.y[0] - std::cos(400.0)) / (1 + std::abs(s.y[0])),
                                 std::abs(s.y[1] + std::sin(400.0)) / (1 + std::abs(s.y[1]))) /
                       tol;
    CHECK(s.status == status::success);
    CHECK(off < static_cast<double>(s.stats.accepted) / 3);
  }
}

}  // namespace
}  // namespace revode
