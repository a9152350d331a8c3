// SPDX-License-Identifier: Apache-2.0
// The gate as its network is drawn: C(y) y' = f(t, y), node by node.
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include <Eigen/LU>

#include <revode/problems/nand.hpp>
#include <revode/problems/stiff_accuracy.hpp>
#include <revode/solvers/radau_iia13.hpp>
#include <revode/solvers/radau_iia5.hpp>
#include <revode/solvers/radau_iia9.hpp>
#include <revode/solvers/rodas4.hpp>
#include <revode/testing/laws.hpp>

namespace revode {
namespace {

using vector = Eigen::Matrix<double, 14, 1>;
using matrix = Eigen::Matrix<double, 14, 14>;

/// Two poles joined by a conductance g and a capacity c; below 0 stands for one whose voltage is given, u.
void join(int a, int b, double g, double c, double u, const vector& y, matrix& all, vector& f) {
  const double other = b < 0 ? u : y[b];
  f[a] += g * (other - y[a]);
  all(a, a) += c;
  if (b < 0) return;
  f[b] += g * (y[a] - other);
  all(b, b) += c;
  all(a, b) -= c;
  all(b, a) -= c;
}

double junction(double u) {
  return u > 0 ? 2.4e-5 * (1 + u / 1.74) : 2.4e-5 / std::sqrt(1 - u / 0.87);
}
double leak(double u) { return u > 0 ? 0.0 : -1e-14 * std::expm1(u / 25.85); }

/// From drain to source, of a transistor of the lower two or the upper one.
double drain(bool load, double drain_at, double source, double gate, double bulk_of_source,
             double bulk_of_drain) {
  const double t0 = load ? -2.43 : 0.2, gamma = load ? 0.2 : 0.035, phi = load ? 1.28 : 1.01;
  const bool turned = drain_at < source;
  const double low = turned ? drain_at : source, u = std::abs(drain_at - source),
               bulk = turned ? bulk_of_drain : bulk_of_source,
               over = gate - low - t0 - gamma * (std::sqrt(phi - bulk) - std::sqrt(phi)),
               beta = load     ? 5.35e-4
                      : turned ? 1.748e-4
                               : 1.748e-3;
  if (over <= 0) return 0;
  const double i = beta * (1 + 0.02 * u) * (u < over ? 2 * over * u - u * u : over * over);
  return turned ? -i : i;
}

vector slope_of_network(const vector& y, double v1, double v1_dot, double v2, double v2_dot) {
  matrix c = matrix::Zero();
  vector f = vector::Zero();
  const auto bulk = [&](int node, int at, double u) {  // a junction to node `at`, or to u
    const double across = y[node] - (at < 0 ? u : y[at]), current = leak(across);
    join(node, at, 0, junction(across), u, y, c, f);
    f[node] += current;
    if (at >= 0) f[at] -= current;
    f[node] += (-2.5 - y[node]) / 10;
  };
  const auto through = [&](int from, int to, double i) { f[from] -= i, f[to] += i; };
  join(0, 4, 1 / 4.0, 6e-5, 0, y, c, f);  // the load, its gate on its source
  join(1, 4, 0, 6e-5, 0, y, c, f);
  join(1, -1, 1 / 4.0, 0, 5, y, c, f);
  through(1, 0, drain(true, y[1], y[0], y[4], y[2] - y[4], y[3] - 5));
  bulk(2, 4, 0), bulk(3, -1, 5);
  join(6, 4, 1 / 4.0, 0, 0, y, c, f);  // the first input's transistor
  join(5, 9, 1 / 4.0, 0, 0, y, c, f);
  c(5, 5) += 6e-5, f[5] += 6e-5 * v1_dot;
  c(6, 6) += 6e-5, f[6] += 6e-5 * v1_dot;
  through(6, 5, drain(false, y[6], y[5], v1, y[7] - y[9], y[8] - y[4]));
  bulk(7, 9, 0), bulk(8, 4, 0);
  join(11, 9, 1 / 4.0, 0, 0, y, c, f);  // the second's
  join(10, -1, 1 / 4.0, 0, 0, y, c, f);
  c(10, 10) += 6e-5, f[10] += 6e-5 * v2_dot;
  c(11, 11) += 6e-5, f[11] += 6e-5 * v2_dot;
  through(11, 10, drain(false, y[11], y[10], v2, y[12], y[13] - y[9]));
  bulk(12, -1, 0), bulk(13, 9, 0);
  c(4, 4) += 5e-5, c(9, 9) += 5e-5;  // to the ground
  return c.partialPivLu().solve(f);
}

TEST_CASE("nand: the slopes are those of its network") {
  struct moment {
    double t, v1, v1_dot, v2, v2_dot;
  };
  random_numbers random(4);
  for (const moment& at : {moment{0, 0, 0, 0, 0}, moment{7, 2, 1, 0, 0}, moment{12, 5, 0, 0, 0},
                           moment{18, 2, -1, 3, 1}, moment{20, 0, -1, 5, 1}, moment{33, 5, 0, 5, 0},
                           moment{36, 4, -1, 4, -1}, moment{45, 0, 0, 0, 0},
                           moment{59, 1, -1, 4, 1}, moment{80, 0, -1, 0, -1}}) {
    CAPTURE(at.t);
    for (int round = 0; round < 20; ++round) {
      vector y;
      const nand f;
      for (int i = 0; i < 14; ++i) y[i] = f.y0()[i] + 1.2 * random();
      vec<double, 14> state, slope;
      for (int i = 0; i < 14; ++i) state[i] = y[i];
      f(at.t, state, f.parameters(), slope);
      const vector expected = slope_of_network(y, at.v1, at.v1_dot, at.v2, at.v2_dot);
      for (int i = 0; i < 14; ++i)
        CHECK(slope[i] == doctest::Approx(expected[i]).epsilon(1e-9).scale(1));
    }
  }
}

TEST_CASE("nand: its reference is found") {
  const nand f;
  const auto s = solve_stiff(f, f.y0(), rodas4{}, {.rtol = 1e-7, .atol = 1e-7});
  CHECK(s.status == status::success);
  CHECK(mixed_digits(f, s.y, 1e-7) >= 6);
}

/// The error in tolerances, its geometric mean over tolerances of 1e-5 to 1e-10.
template <class M>
double mean_error(const M& m) {
  const nand f;
  double sum = 0;
  int solves = 0;
  for (int k = 0; k <= 40; k += 4, ++solves) {
    const double tolerance = std::pow(10.0, -5 - k / 8.0);
    const auto s = solve_stiff(f, f.y0(), m, {.rtol = tolerance, .atol = tolerance});
    CHECK(s.status == status::success);
    sum += std::log10(std::fmax(1e-3, std::pow(10, -mixed_digits(f, s.y, tolerance)) / tolerance));
  }
  return std::pow(10, sum / solves);
}

TEST_CASE(
    "nand bends: Radau's errors are some tolerances, where a trust in smoothness leaves a "
    "hundred") {
  CHECK(mean_error(radau_iia5{}) < 10);
  CHECK(mean_error(radau_iia9{}) < 20);
  CHECK(mean_error(radau_iia13{}) < 20);
}

}  // namespace
}  // namespace revode
