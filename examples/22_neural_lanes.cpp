// SPDX-License-Identifier: Apache-2.0
// prints: iteration +0: loss [0-9]
// prints: fit: loss [0-9.]+e-0[3-9]
#include <cassert>
#include <cmath>
#include <cstdio>
#include <vector>

#include <revode/batch/elementary.hpp>
#include <revode/batch/ensemble_solver.hpp>
#include <revode/revode.hpp>

using namespace revode;
using revode::elementary::fast_tanh;
using state = vec<double, 2>;
constexpr int hidden = 8, weights = 5 * hidden + 2, lanes = 64, points = 10;

/// y' = W2 tanh(W1 y + b1) + b2, p = (W1, b1, W2, b2).
struct network {
  template <class T, class Y, class P>
  REVODE_HD void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    dy[0] = p[5 * hidden], dy[1] = p[5 * hidden + 1];
    for (int i = 0; i < hidden; ++i) {
      const auto unit = fast_tanh(p[2 * i] * y[0] + p[2 * i + 1] * y[1] + p[2 * hidden + i]);
      dy[0] = dy[0] + p[3 * hidden + i] * unit;
      dy[1] = dy[1] + p[4 * hidden + i] * unit;
    }
  }
  template <class T, class Y, class P, class GP>
  REVODE_HD void vjp(const T&, const Y& y, const P& p, const Y& w, T&, Y& gy, GP& gp) const {
    for (int i = 0; i < hidden; ++i) {
      const auto unit = fast_tanh(p[2 * i] * y[0] + p[2 * i + 1] * y[1] + p[2 * hidden + i]);
      const auto back = (w[0] * p[3 * hidden + i] + w[1] * p[4 * hidden + i]) * (1.0 - unit * unit);
      gp[2 * i] += back * y[0], gp[2 * i + 1] += back * y[1], gp[2 * hidden + i] += back;
      gp[3 * hidden + i] += w[0] * unit, gp[4 * hidden + i] += w[1] * unit;
      gy[0] += back * p[2 * i], gy[1] += back * p[2 * i + 1];
    }
    gp[5 * hidden] += w[0], gp[5 * hidden + 1] += w[1];
  }
};

/// A damped turn, which the network is to learn.
struct turn {
  template <class T, class Y, class P>
  REVODE_HD void operator()(const T&, const Y& y, const P&, Y& dy) const {
    dy[0] = -0.1 * y[0] + 2.0 * y[1];
    dy[1] = -2.0 * y[0] - 0.1 * y[1];
  }
};

/// Half the mean square distance from the observed points of the lane.
struct distance {
  const state* observed;  // points of a lane together
  REVODE_HD double operator()(revode::index lane, const state&, const lane_points<state>& ys,
                              state&, lane_point_bars<state>& ys_bar) const {
    double sum = 0;
    for (revode::index k = 0; k < points; ++k) {
      const state y = ys.at(k), z = observed[lane * points + k];
      const state d{(y[0] - z[0]) / points, (y[1] - z[1]) / points};
      ys_bar.add(k, d);
      sum += 0.5 * points * (d[0] * d[0] + d[1] * d[1]);
    }
    return sum;
  }
};

// Trains a network shared by 64 trajectories: a lane each, their gradients summed in a fixed order.
int main() {
  options o{.rtol = 1e-5, .atol = 1e-6};
  for (int k = 1; k <= points; ++k) o.save.ts.push_back(0.2 * k);
  ensemble<turn, state> data{.y0 = {}, .t1 = {2.0}};
  for (int l = 0; l < lanes; ++l) data.y0.push_back({2 * std::cos(0.1 * l), 2 * std::sin(0.1 * l)});
  const auto seen = solve(data, tsit5{}, o, on_host{}).ys;
  std::vector<state> observed;
  for (int l = 0; l < lanes; ++l)
    for (int k = 0; k < points; ++k) observed.push_back(seen.at(l, k));

  vec<double, weights> p{}, mean{}, square{};
  for (int i = 0; i < weights - 2; ++i) p[i] = std::sin(7.0 * i * i + i) / 2;  // anything uneven
  ensemble<network, state, vec<double, weights>> e{.y0 = data.y0, .t1 = {2.0}, .p = {p}};
  ensemble_solver<tsit5, network, state, vec<double, weights>, on_host> solver(e, tsit5{}, o);
  double loss = 0;
  for (int n = 0; n <= 300; ++n) {  // Adam
    solver.set_parameters({p});
    const auto g = solver.gradient(distance{observed.data()});
    assert(solver.result().failed() == 0);
    loss = g.total_loss / lanes;
    if (n % 100 == 0) std::printf("iteration %3d: loss %.3e\n", n, loss);
    for (int i = 0; i < weights; ++i) {
      mean[i] += 0.1 * (g.total_p[i] / lanes - mean[i]);
      square[i] += 0.01 * (g.total_p[i] / lanes * g.total_p[i] / lanes - square[i]);
      p[i] -= 0.03 * mean[i] / (1 - std::pow(0.9, n + 1)) /
              (std::sqrt(square[i] / (1 - std::pow(0.99, n + 1))) + 1e-12);
    }
  }
  std::printf("fit: loss %.3e\n", loss);
  assert(loss < 1e-2);
}
