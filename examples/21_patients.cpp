// SPDX-License-Identifier: Apache-2.0
// prints: 10000 patients fitted to 80000 measurements
// prints: noise found: 0\.0[0-9]+ of 0\.050
#include <cassert>
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include <Eigen/Cholesky>

#include <revode/batch/ensemble_solver.hpp>
#include <revode/revode.hpp>

using namespace revode;
using state = vec<double, 2>;
using rates = vec<double, 3>;
constexpr int patients = 10'000, visits = 8;

/// A dose in the gut and its concentration in the blood; p = (absorption, elimination, volume).
struct absorption {
  template <class T, class Y, class P>
  REVODE_HD void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    dy[0] = -p[0] * y[0];
    dy[1] = p[0] * y[0] / p[2] - p[1] * y[1];
  }
};

/// What visit k of a patient measures.
struct concentration {
  revode::index k;
  REVODE_HD double operator()(revode::index, const state&, const lane_points<state>& ys, state&,
                              lane_point_bars<state>& ys_bar) const {
    ys_bar.add(k, {0, 1});
    return ys.at(k)[1];
  }
};

/// A patient's residuals r = log(computed / measured) at its trial rates and their Jacobian J in the
/// logarithms of these; of the best rates so far JᵀJ, Jᵀr and rᵀr.
struct patient {
  Eigen::Vector<double, visits> measured, residuals;
  Eigen::Matrix<double, visits, 3> jacobian;
  Eigen::Matrix3d curvature;
  Eigen::Vector3d slope;
  double squares = 1e300, damping = 1e-2;
  rates p{1.2, 0.15, 25}, trial = p;  // starts as the mean patient
};

// Fits 10,000 patients at once, each to its eight measurements, by Levenberg and Marquardt's method.
int main() {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  ensemble<absorption, state, rates> e{.y0 = {{100.0, 0.0}}, .t1 = {24.0}, .p = {}};
  for (int l = 0; l < patients; ++l)
    e.p.push_back({1.2 * std::exp(0.2 * normal(random)), 0.15 * std::exp(0.2 * normal(random)),
                   25 * std::exp(0.2 * normal(random))});
  options o{.rtol = 1e-5, .atol = 1e-8};
  o.save.ts = {0.5, 1, 2, 4, 6, 9, 14, 24};
  ensemble_solver<tsit5, absorption, state, rates> solver(e, tsit5{}, o);
  solver.run();
  const auto truth = solver.result().ys;
  std::vector<patient> all(patients);
  for (int l = 0; l < patients; ++l)
    for (int k = 0; k < visits; ++k)
      all[l].measured[k] = truth.at(l, k)[1] * std::exp(0.05 * normal(random));

  double squares = 0;
  for (int n = 0; n < 6; ++n) {
    for (int l = 0; l < patients; ++l) e.p[l] = all[l].trial;
    solver.set_parameters(e.p);
    for (int k = 0; k < visits; ++k) {
      const auto g = solver.gradient(concentration{k});
      for (int l = 0; l < patients; ++l) {
        all[l].residuals[k] = std::log(g.loss[l] / all[l].measured[k]);
        for (int i = 0; i < 3; ++i) all[l].jacobian(k, i) = g.p[l][i] / g.loss[l] * all[l].trial[i];
      }
    }
    squares = 0;
    for (patient& a : all) {
      const bool better = a.residuals.squaredNorm() < a.squares;
      a.damping *= better ? 0.1 : 10;
      if (better) {
        a.p = a.trial;
        a.squares = a.residuals.squaredNorm();
        a.curvature = a.jacobian.transpose() * a.jacobian;
        a.slope = a.jacobian.transpose() * a.residuals;
      }
      squares += a.squares;
      Eigen::Matrix3d damped = a.curvature;
      damped.diagonal() *= 1 + a.damping;
      const Eigen::Vector3d step = damped.ldlt().solve(a.slope);
      for (int i = 0; i < 3; ++i) a.trial[i] = a.p[i] * std::exp(-step[i]);
    }
    std::printf("iteration %d: mean square %.6f\n", n, squares / (visits * patients));
  }
  // 8 measurements less 3 unknowns a patient are free: their mean square is the noise's
  const double noise = std::sqrt(squares / ((visits - 3.0) * patients));
  std::printf("%d patients fitted to %d measurements\n", patients, visits * patients);
  std::printf("noise found: %.4f of 0.050\n", noise);
  assert(std::abs(noise - 0.05) < 0.001);
}
