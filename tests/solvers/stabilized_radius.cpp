// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/problems/brusselator_2d.hpp>
#include <revode/solve/solve.hpp>
#include <revode/solvers/rkc.hpp>
#include <revode/solvers/rkl2.hpp>
#include <revode/solvers/rock2.hpp>
#include <revode/solvers/rock4.hpp>
#include <revode/testing/laws.hpp>

namespace revode {
namespace {

using states = std::vector<double>;

/// −2d ± Σ of the neighbours on a grid of `width`^d cells and `species` in each, of which the first alone
/// diffuses (the others decay), next to each other or one behind the other; plus, along the first axis, an
/// upwind difference of `wind` times as much.
struct grid_operator {
  int d, width;
  bool periodic;
  int species = 1;
  bool interleaved = false;
  double wind = 0;

  int cells() const {
    int count = 1;
    for (int axis = 0; axis < d; ++axis) count *= width;
    return count;
  }
  void operator()(double, const states& y, states& dy) const {
    const int n = cells();
    const auto place = [&](int cell, int s) {
      return static_cast<std::size_t>(interleaved ? cell * species + s : s * n + cell);
    };
    for (int cell = 0; cell < n; ++cell) {
      for (int s = 1; s < species; ++s) dy[place(cell, s)] = -0.1 * y[place(cell, s)];
      double sum = -2 * d * y[place(cell, 0)];
      for (int axis = 0, apart = 1; axis < d; ++axis, apart *= width) {
        const int at = cell / apart % width;
        const auto value = [&](int there) {
          if (there >= 0 && there < width) return y[place(cell + (there - at) * apart, 0)];
          return periodic ? y[place(cell + ((there + width) % width - at) * apart, 0)] : 0.0;
        };
        sum += value(at - 1) + value(at + 1);
        if (axis == 0) sum += wind * (value(at - 1) - y[place(cell, 0)]);
      }
      dy[place(cell, 0)] = sum;
    }
  }
  double estimate(bool rejected = false) const {
    const auto n = static_cast<std::size_t>(cells() * species);
    states y(n, 1.0), f(n), v(n), fv(n);
    (*this)(0, y, f);
    return estimate_spectral_radius(*this, 0, y, f, rejected, v, fv);
  }
};

TEST_CASE(
    "the spectral radius is estimated within a fifth above and 2 % below on grids of any kind") {
  for (const int d : {1, 2, 3})
    for (const int width : {15, 16})
      for (const bool periodic : {false, true})
        for (const int species : {1, 2, 3})
          for (const bool interleaved : {false, true})
            for (const bool rejected : {false, true}) {
              CAPTURE(d);
              CAPTURE(width);
              CAPTURE(periodic);
              CAPTURE(species);
              CAPTURE(interleaved);
              CAPTURE(rejected);
              const double found =
                  grid_operator{d, width, periodic, species, interleaved}.estimate(rejected);
              CHECK(found >= 0.98 * 4 * d);
              CHECK(found <= 1.2 * 4 * d);
            }
}

TEST_CASE("the spectral radius of a field that is not normal is not estimated too small") {
  for (const double wind : {0.5, 4.0, 100.0}) {  // 4 + 2 wind on the torus
    CAPTURE(wind);
    for (const int width : {63, 64}) {
      const grid_operator f{.d = 1, .width = width, .periodic = true, .wind = wind};
      CHECK(f.estimate() >= 0.95 * (4 + 2 * wind));
      CHECK(f.estimate() <= 1.2 * (4 + 2 * wind));
    }
  }
}

TEST_CASE("a spectral radius found exactly is made a fifth larger, and no more") {
  states y{2.0}, f(1), v(1), fv(1);
  const auto decays = [](double, const states& at, states& dy) { dy[0] = -7 * at[0]; };
  decays(0, y, f);
  CHECK(estimate_spectral_radius(decays, 0, y, f, false, v, fv) ==
        doctest::Approx(1.2 * 7).epsilon(1e-6));
  const auto rests = [](double, const states&, states& dy) { dy[0] = 3; };
  rests(0, y, f);
  CHECK(estimate_spectral_radius(rests, 0, y, f, false, v, fv) == 0);

  // y0' = 5 y1: J v = 5 (v1, 0) and J² v = 0, so the first quotient is all there is
  states two{0.0, 0.0}, of_two(2), u(2), fu(2);
  const auto shifts = [](double, const states& at, states& dy) { dy[0] = 5 * at[1], dy[1] = 0; };
  const double size = start_vector(of_two, false, u), quotient = 5 * std::abs(u[1]);
  CHECK(estimate_spectral_radius(shifts, 0, two, of_two, false, u, fu) ==
        doctest::Approx(1.2 * quotient / std::sqrt(size)).epsilon(1e-6));
}

template <class M>
index brusselator_evaluations(const M& m, int n) {
  const brusselator_2d f{n};
  const problem q{f, f.y0(), 0.0, 1.1, f.parameters()};
  const auto s = solve(q, m, {.rtol = 1e-4, .atol = 1e-4});
  CHECK(s.status == status::success);
  return s.stats.field_evaluations;
}

TEST_CASE_TEMPLATE("stabilised methods cost as much on an even grid as on its odd neighbour", M,
                   rkc, rkl2, rock2, rock4) {
  for (const int n : {15, 47, 63}) {
    CAPTURE(n);
    const index odd = brusselator_evaluations(M{}, n), even = brusselator_evaluations(M{}, n + 1);
    CHECK(10 * even <= 11 * odd);
  }
}

/// n components that follow cos t with a rate of 100; that of one of them grows a hundredfold within
/// a few steps (where = its index).
struct stiffening {
  int where;
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    using std::cos, std::exp;
    for (int i = 0; i < length(y); ++i) {
      const T grown = i == where ? T(100) / (T(1) + exp(T(-200) * (t - T(0.5)))) : T(0);
      dy.data()[i] = -p[0] * (T(1) + grown) * (y.data()[i] - cos(t));
    }
  }
};

TEST_CASE_TEMPLATE("a radius that grows between two estimates is noticed by the first rejection", M,
                   rkc, rkl2, rock2, rock4) {
  const problem q{stiffening{77}, states(400, 1.0), 0.0, 1.5, vec{100.0}};
  const auto s = solve(q, M{}, {.rtol = 1e-4, .atol = 1e-4});
  CHECK(s.status == status::success);
  CHECK(s.stats.rejected < s.stats.accepted / 5);
  double error = 0;
  for (int i = 0; i < 400; ++i) {
    const double rate = i == 77 ? 100 * 101 : 100, r = rate * rate / (1 + rate * rate);
    const double exact = r * (std::cos(1.5) + std::sin(1.5) / rate);
    error = std::fmax(error, std::abs(s.y[static_cast<std::size_t>(i)] - exact));
  }
  CHECK(error < 1e-3);
}

TEST_CASE_TEMPLATE(
    "with estimates repeated after rejections, gradients have equal bits for every schedule", M,
    rkc, rkl2, rock2, rock4) {
  const problem q{stiffening{5}, states(12, 1.0), 0.0, 1.5, vec{100.0}};
  const options o{.rtol = 1e-4, .atol = 1e-4};
  const recursive_checkpoint all{.schedule = schedule_kind::store_all};
  CHECK(solve(q, M{}, o).stats.rejected > 0);
  for (const step_replay log : {step_replay::automatic, step_replay::controller})
    for (const index slots : {2, 3, 7, 30}) {
      CAPTURE(slots);
      for (const schedule_kind kind :
           {schedule_kind::binomial, schedule_kind::online, schedule_kind::wang_moin}) {
        const recursive_checkpoint other{.slots = slots, .schedule = kind, .log = log};
        const law_result same = equal_gradients_law(q, M{}, o, all, other);
        CHECK_MESSAGE(same.holds, same.what);
      }
    }
  for (const index budget : {20'000, 40'000, 100'000}) {
    const law_result same = equal_gradients_law(q, M{}, o, all, {.budget = budget});
    CHECK_MESSAGE(same.holds, same.what);
  }
}

}  // namespace
}  // namespace revode
