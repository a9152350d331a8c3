// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <random>

#include <Eigen/SVD>

#include "rows.hpp"

namespace revode::honesty {
namespace {

/// Columns w with wᵀf = 0 for all states and parameters of order 1, which are drawn: those of the left
/// null space of as many values of f as tell it. A field that is not finite there has none.
Eigen::MatrixXd linear_invariants(const erased_problem& q) {
  const Eigen::Index n = q.y0.size();
  std::mt19937 draw(1);
  std::uniform_real_distribution<double> number(0.5, 1.5);
  Eigen::MatrixXd values(n, 3 * n);
  for (Eigen::Index k = 0; k < values.cols(); ++k) {
    const auto drawn = [&] { return number(draw); };
    const Eigen::VectorXd y = Eigen::VectorXd::NullaryExpr(n, drawn);
    const Eigen::VectorXd p = Eigen::VectorXd::NullaryExpr(q.p.size(), drawn);
    Eigen::VectorXd dy(n);
    q.f(q.t0 + number(draw), y, p, dy);
    values.col(k) = dy;
  }
  if (!values.allFinite()) return {};
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(values, Eigen::ComputeFullU);
  Eigen::Index rank = 0;
  while (rank < n && svd.singularValues()[rank] > 1e-12 * svd.singularValues()[0]) ++rank;
  return svd.matrixU().rightCols(n - rank);
}

/// What element i is measured by: the reference, where it is known.
double size_of(const erased_problem& q, const Eigen::VectorXd& y, int i) {
  const auto& known = q.reference_components;
  const auto at = std::find(known.begin(), known.end(), i);
  return std::abs(at == known.end() ? y[i] : q.reference[at - known.begin()]);
}

}  // namespace

double broken_invariants(const erased_problem& q, const Eigen::VectorXd& y, double rtol,
                         double atol) {
  if (q.y0.size() > 100 || q.f.has_mass()) return 0;
  const Eigen::MatrixXd all = linear_invariants(q);
  double worst = 0;
  for (Eigen::Index k = 0; k < all.cols(); ++k) {
    double tolerances = 0, broken = 0;
    for (int i = 0; i < length(y); ++i) {
      const double w = all(i, k);
      if (std::abs(w) < 1e-10) continue;  // rounding: the element is no part of it
      tolerances += std::abs(w) * (atol + rtol * size_of(q, y, i));
      broken += w * (y[i] - q.y0[i]);
    }
    worst = std::max(worst, std::abs(broken) / tolerances);
  }
  return worst;
}

}  // namespace revode::honesty
