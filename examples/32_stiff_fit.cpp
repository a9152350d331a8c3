// SPDX-License-Identifier: Apache-2.0
// prints: rates +0.0[34]
// prints: [0-9]+ gradients
#include <cassert>
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include <Eigen/Core>

#include <revode/problems/rober.hpp>
#include <revode/revode.hpp>

using namespace revode;

// The three rates of Robertson's reaction, which lie nine orders of magnitude apart, found from
// noisy measurements over seven decades of time: the sum of squares of relative residuals, its exact
// gradient by the adjoint of Radau IIA with five states of memory, and BFGS in the logarithms of the
// rates.
using state = vec<double, 3>;

struct measurements {
  std::vector<double> ts;
  std::vector<state> ys;
};

auto solved(const vec<double, 3>& rates, const std::vector<double>& ts) {
  options o{.rtol = 1e-8, .atol = 1e-14, .first_step = 1e-6};
  o.save.ts = ts;
  const rober f;
  return solve(problem{f, f.y0(), 0.0, ts.back(), rates}, radau_iia5{}, o,
               recursive_checkpoint{.slots = 5});
}

/// Thirty times, each concentration with an error of one per cent.
measurements measured() {
  measurements m;
  for (int k = 0; k < 30; ++k) m.ts.push_back(std::pow(10, -2 + 7 * k / 29.0));
  m.ys = solved(rober{}.parameters(), m.ts).ys;
  std::mt19937 generator(1);  // the same numbers everywhere, unlike std::normal_distribution
  for (state& y : m.ys)
    for (double& x : y) {
      double sum = -6;
      for (int i = 0; i < 12; ++i) sum += static_cast<double>(generator()) / 4294967296.0;
      x *= 1 + 0.01 * sum;
    }
  return m;
}

struct objective {
  measurements data;
  vec<double, 3> guess;
  int gradients = 0;

  vec<double, 3> rates(const Eigen::Vector3d& logs) const {
    vec<double, 3> k = guess;
    for (int i = 0; i < 3; ++i) k[i] *= std::exp(logs[i]);
    return k;
  }
  /// Half the sum of squares at these logarithms, and its gradient by them.
  double operator()(const Eigen::Vector3d& logs, Eigen::Vector3d& gradient) {
    ++gradients;
    const auto k = rates(logs);
    auto s = solved(k, data.ts);
    if (s.status != status::success) return INFINITY;
    double sum = 0;
    cotangents<state> bar{.y = {}, .ys = s.ys};
    for (std::size_t j = 0; j < data.ts.size(); ++j) {
      for (int i = 0; i < 3; ++i) {
        const double error = 0.01 * data.ys[j][i], residual = (s.ys[j][i] - data.ys[j][i]) / error;
        sum += 0.5 * residual * residual;
        bar.ys[j][i] = residual / error;
      }
    }
    const auto g = s.pullback(bar);
    for (int i = 0; i < 3; ++i) gradient[i] = g.p[i] * k[i];
    return sum;
  }
};

/// BFGS with halved steps.
Eigen::Vector3d minimised(objective& f) {
  Eigen::Vector3d x = Eigen::Vector3d::Zero(), g, g_new;
  Eigen::Matrix3d inverse = Eigen::Matrix3d::Identity();
  double value = f(x, g);
  inverse *= 0.3 / g.norm();
  for (int iteration = 0; iteration < 100 && g.norm() > 1e-3; ++iteration) {
    const Eigen::Vector3d direction = -inverse * g;
    double step = std::fmin(1.0, 1.5 / direction.norm()), next = INFINITY;
    for (; step > 1e-10; step /= 2) {
      next = f(x + step * direction, g_new);
      if (next <= value + 1e-4 * step * direction.dot(g)) break;
    }
    const Eigen::Vector3d s = step * direction, y = g_new - g;
    x += s, g = g_new;
    const double decrease = value - next;
    value = next;
    if (!(decrease > 1e-12 * value)) break;
    const double curvature = s.dot(y);
    if (!(curvature > 0)) continue;
    const Eigen::Matrix3d left = Eigen::Matrix3d::Identity() - s * y.transpose() / curvature;
    inverse = (left * inverse * left.transpose() + s * s.transpose() / curvature).eval();
  }
  std::printf("sum of squares / 2 = %.2f with 90 measurements, gradient %.1e\n", value, g.norm());
  assert(value > 20 && value < 80 && g.norm() < 1);
  return x;
}

int main() {
  objective f{measured(), {0.1, 1e7, 4e3}};  // 2.5 to 3 times off
  const auto k = f.rates(minimised(f)), exact = rober{}.parameters();
  std::printf("rates %.5f %.4e %.4e\n", k[0], k[1], k[2]);
  std::printf("%d gradients\n", f.gradients);
  for (int i = 0; i < 3; ++i) assert(std::abs(k[i] / exact[i] - 1) < 0.02);
  assert(f.gradients < 100);
}
