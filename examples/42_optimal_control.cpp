// SPDX-License-Identifier: Apache-2.0
// prints: swung up: angle 3\.14159[0-9]+, speed -?0\.00000[0-9]+
// prints: what no control could still save: [0-9.]+e-(0[5-9]|1[0-9])
#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdio>
#include <numbers>

#include <Eigen/QR>
#include <nlopt.hpp>

#include <revode/revode.hpp>

using namespace revode;

constexpr int knots = 13;
constexpr double horizon = 6, width = horizon / (knots - 1);
using controls = vec<double, knots>;

/// A pendulum with a motor: θ'' = −sin θ + u(t), u linear between its values at equal times.
struct pendulum {
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& u, Y& dy) const {
    using std::sin;
    const int k = std::clamp(static_cast<int>(value_of(t) / width), 0, knots - 2);
    const T s = t / width - T(k);
    dy[0] = y[1];
    dy[1] = u[k] + s * (u[k + 1] - u[k]) - sin(y[0]);
  }
};

/// ∫u² dt and its gradient.
double effort(unsigned, const double* u, double* gradient, void*) {
  double sum = 0;
  for (int k = 0; k + 1 < knots; ++k)
    sum += width / 3 * (u[k] * u[k] + u[k] * u[k + 1] + u[k + 1] * u[k + 1]);
  for (int k = 0; k < knots && gradient; ++k)
    gradient[k] =
        width / 3 * ((k > 0 ? 2 * u[k] + u[k - 1] : 0) + (k + 1 < knots ? 2 * u[k] + u[k + 1] : 0));
  return sum;
}

/// (θ, θ') at the end less (π, 0), and its Jacobian by rows: one solve, pulled back twice.
void miss(unsigned, double* missed, unsigned, const double* u, double* jacobian, void*) {
  problem q{pendulum{}, vec{0.0, 0.0}, 0.0, horizon, controls{}};
  std::copy(u, u + knots, q.p.begin());
  auto s = solve(q, tsit5{}, {.rtol = 1e-9, .atol = 1e-9}, recursive_checkpoint{.slots = 8});
  missed[0] = s.y[0] - std::numbers::pi;
  missed[1] = s.y[1];
  for (int i = 0; i < 2 && jacobian; ++i) {
    const auto g = s.pullback({.y = i == 0 ? vec{1.0, 0.0} : vec{0.0, 1.0}});
    std::copy(g.p.begin(), g.p.end(), jacobian + i * knots);
  }
}

// Swings a pendulum up with the least effort: direct shooting, sequential quadratic programming.
int main() {
  nlopt::opt program(nlopt::LD_SLSQP, knots);
  program.set_min_objective(effort, nullptr);
  program.add_equality_mconstraint(miss, nullptr, {1e-9, 1e-9});
  program.set_xtol_rel(1e-10);
  program.set_maxeval(2000);
  std::vector<double> u(knots, 0.3);
  double least = 0;
  program.optimize(u, least);

  Eigen::Vector2d missed;
  Eigen::Matrix<double, knots, 2> slopes;  // of θ and θ' at the end
  Eigen::Vector<double, knots> slope;      // of the effort
  miss(2, missed.data(), knots, u.data(), slopes.data(), nullptr);
  effort(knots, u.data(), slope.data(), nullptr);
  // At the least effort its slope is a combination of the constraints': the rest could be saved.
  const auto multipliers = slopes.colPivHouseholderQr().solve(slope).eval();
  const double left = (slope - slopes * multipliers).norm() / slope.norm();

  for (int k = 0; k < knots; ++k) std::printf("u(%.1f) = %+.4f\n", k * width, u[k]);
  std::printf("effort %.6f after %d evaluations\n", least, program.get_numevals());
  std::printf("swung up: angle %.8f, speed %.8f\n", missed[0] + std::numbers::pi, missed[1]);
  std::printf("what no control could still save: %.1e\n", left);
  assert(missed.norm() < 2e-6 && left < 1e-4);
}
