// SPDX-License-Identifier: Apache-2.0
// prints: rates [0-9.]+ and [0-9.]+ after [0-9]+ iterations
// prints: the true rates lie inside: [0-9.]+ of 9\.21
#include <cassert>
#include <cmath>
#include <cstdio>
#include <random>

#include <Eigen/Dense>

#include <revode/adjoint/hessian_vector_product.hpp>
#include <revode/revode.hpp>

using namespace revode;
using state = vec<double, 2>;
using rates = vec<double, 2>;

/// Prey and predators; p = (birth of the prey, death of the predators).
struct predation {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    dy[0] = p[0] * y[0] - 1.3 * y[0] * y[1];
    dy[1] = y[0] * y[1] - p[1] * y[1];
  }
};

/// −log likelihood of counts with an error of 5 %: half the squares of (log y − log counted) / 0.05.
struct misfit {
  std::vector<state> counted;
  template <class Y>
  auto operator()(const Y&, const std::vector<Y>& ys) const {
    using std::log;
    auto sum = 0 * ys[0][0];
    for (std::size_t k = 0; k < ys.size(); ++k)
      for (int i = 0; i < 2; ++i) {
        const auto r = (log(ys[k][i]) - std::log(counted[k][i])) / 0.05;
        sum += 0.5 * r * r;
      }
    return sum;
  }
};

// Two rates from forty counts by Newton's method, and the ellipse that holds them with 99 %.
int main() {
  const rates truth{1.1, 0.8};
  problem q{predation{}, state{1.0, 0.5}, 0.0, 20.0, truth};
  options o{.rtol = 1e-9, .atol = 1e-9};
  for (int k = 1; k <= 20; ++k) o.save.ts.push_back(k);
  misfit loss{solve(q, tsit5{}, o).ys};
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  for (state& y : loss.counted)
    for (double& count : y) count *= std::exp(0.05 * normal(random));

  q.p = {1.0, 0.9};
  Eigen::Matrix2d hessian;
  int iterations = 0;
  for (double step = 1; step > 1e-9 && iterations < 20; ++iterations) {
    Eigen::Vector2d slope;
    for (int j = 0; j < 2; ++j) {
      const rates along{j == 0 ? 1.0 : 0.0, j == 1 ? 1.0 : 0.0};
      const auto r = hessian_vector_product(q, tsit5{}, o, loss, {.y0 = {}, .p = along});
      slope[j] = r.gradient->p[j];
      for (int i = 0; i < 2; ++i) hessian(i, j) = r.product->p[i];
    }
    // far from the least misfit the Hessian may bend the wrong way: its eigenvalues' sizes do not
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix2d> axes(hessian);
    const Eigen::Vector2d newton =
        -axes.eigenvectors() *
        (axes.eigenvectors().transpose() * slope).cwiseQuotient(axes.eigenvalues().cwiseAbs());
    const double length = std::fmin(1, 0.1 / newton.norm());
    for (int i = 0; i < 2; ++i) q.p[i] += length * newton[i];
    step = newton.norm();
  }

  // The covariance of the rates is the inverse of the Hessian; 9.21 is the 99 % point of χ² with 2.
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix2d> axes(hessian);
  const Eigen::Vector2d off(truth[0] - q.p[0], truth[1] - q.p[1]);
  const double distance = off.dot(hessian * off);
  std::printf("rates %.4f and %.4f after %d iterations\n", q.p[0], q.p[1], iterations);
  for (int i = 0; i < 2; ++i)
    std::printf("half axis %.5f along (%+.3f, %+.3f)\n", std::sqrt(9.21 / axes.eigenvalues()[i]),
                axes.eigenvectors()(0, i), axes.eigenvectors()(1, i));
  std::printf("the true rates lie inside: %.2f of 9.21\n", distance);
  assert(iterations < 20 && distance < 9.21);
  assert(std::abs(hessian(0, 1) - hessian(1, 0)) < 1e-10 * hessian.norm());  // exact on the grid
}
