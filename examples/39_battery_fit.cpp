// SPDX-License-Identifier: Apache-2.0
// prints: empty after 0\.[0-9]+ h, [0-9.]+ h later with a tenth more of the second diffusivity
// prints: rate of reactions +1\.[3-7][0-9]+ \(1\.5\), one standard deviation 0\.0
// prints: the gradient by reverse mode is that of forward mode to [0-9.]+e-(0[89]|1[0-9])
#include <cassert>
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include <Eigen/Dense>

#include <revode/adjoint/forward.hpp>
#include <revode/revode.hpp>

using namespace revode;

// A cell of a battery: lithium diffuses in balls, of two sizes in the one electrode and of one in the other, each of
// ten shells. The balls of an electrode share its potential, so that their currents add up to the cell's: two
// algebraic equations, which give the potential φ of the first electrode and the voltage V. Of a current that jumps
// and of voltages with an error of a millivolt: rate, diffusivities and resistance, by Gauss and Newton.
constexpr int shells = 10, balls = 3, phi = shells * balls, volts = phi + 1;
using state =
    vec<double, volts + 1>;  // which share of the places lithium has taken, shell by shell; φ, V
using parameters = vec<double, 4>;  // rate, diffusivities of the two electrodes in R²/h, resistance
const double jumps[] = {0.25, 0.4, 0.6, 0.7};

struct cell {
  bool constant = false;
  double current(double t) const {
    if (constant) return 1;
    return t < 0.25 ? 0.5 : t < 0.4 ? 0 : t < 0.6 ? 1 : t < 0.7 ? -0.25 : 0.5;
  }
  template <class Matrix>
  void mass(Matrix& m) const {
    for (int i = 0; i < phi; ++i) m(i, i) = 1;
  }
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    using std::exp, std::sqrt;
    constexpr double share[] = {0.6, 0.4, 1}, radius[] = {1, 1.6, 1};
    const double i_cell = current(static_cast<double>(value_of(t)));
    dy[phi] = 0.0 * y[phi] - i_cell;
    for (int b = 0; b < balls; ++b) {
      const bool first = b < 2;
      const auto x = y[shells * b + shells - 1];  // at the surface
      auto over = y[phi] - 0.05 - 0.8 * exp(-5.0 * x);
      if (!first)
        over = y[volts] + y[phi] + p[3] * i_cell - 4.2 + 0.8 * x + 0.3 * exp(15.0 * (x - 1.0));
      const auto e = exp(over / 0.0514);
      const auto j = p[0] * sqrt(x * (1.0 - x)) * (e - 1.0 / e);
      if (first)
        dy[phi] = dy[phi] + share[b] * j;
      else
        dy[volts] = j + i_cell;
      auto inner = 0.0 * x;  // what comes into a shell from within
      for (int k = 0; k < shells; ++k) {
        const double r0 = double(k) / shells, r1 = double(k + 1) / shells;
        const int at = shells * b + k;
        auto outer = j / (-3 * radius[b]);
        if (k + 1 < shells)
          outer =
              p[first ? 1 : 2] * (shells * r1 * r1 / (radius[b] * radius[b])) * (y[at + 1] - y[at]);
        dy[at] = (outer - inner) * (3 / (r1 * r1 * r1 - r0 * r0 * r0));
        inner = outer;
      }
    }
  }
};

/// The cell is empty where its voltage falls to 3.
struct empty {
  static constexpr bool terminal = true;
  static constexpr auto direction = crossing::falling;
  auto condition(const auto&, const auto& y, const auto&) const { return y[volts] - 3.0; }
};

state charged() {
  state y;
  for (int i = 0; i < phi; ++i) y[i] = i < 2 * shells ? 0.8 : 0.4;
  y[phi] = 0.1, y[volts] = 3.7;  // where the search for the consistent ones begins
  return y;
}

int main() {
  const parameters truth{1.5, 2, 1, 0.05};
  options o{.rtol = 1e-8, .atol = 1e-8};
  auto discharge = solve(problem{cell{true}, charged(), 0.0, 1.0, truth}, rodas5p{}, o,
                         events(empty{}), tangents{state{}, parameters{0, 0, 0.1, 0}});
  assert(discharge.events.size() == 1);
  std::printf("empty after %.4f h, %.4f h later with a tenth more of the second diffusivity\n",
              discharge.events[0].t, discharge.events_dot[0]);

  o.discontinuities.assign(std::begin(jumps), std::end(jumps));
  for (int k = 1; k <= 40; ++k) o.save.ts.push_back(0.0225 * k - 0.001);
  problem q{cell{}, charged(), 0.0, 0.9, truth};
  Eigen::VectorXd measured(40), rest(40), step(4);
  std::mt19937_64 random(3);
  std::normal_distribution<double> noise(0, 1e-3);
  const auto exact = solve(q, rodas5p{}, o);
  for (int k = 0; k < 40; ++k) measured[k] = exact.ys[std::size_t(k)][volts] + noise(random);

  q.p = {0.8, 1.2, 1.8, 0.1};
  Eigen::MatrixXd slopes(40, 4);  // of the voltages, by logarithms of p
  for (int iteration = 0; iteration < 6; ++iteration) {
    for (int i = 0; i < 4; ++i) {
      tangents along{state{}, parameters{}};
      along.p[i] = q.p[i];
      const auto s = solve(q, rodas5p{}, o, along);
      assert(s.status == status::success);
      for (int k = 0; k < 40; ++k) {
        slopes(k, i) = s.ys_dot[std::size_t(k)][volts];
        rest[k] = measured[k] - s.ys[std::size_t(k)][volts];
      }
    }
    step = slopes.householderQr().solve(rest);
    if (iteration < 5)
      for (int i = 0; i < 4; ++i) q.p[i] *= std::exp(std::fmax(-1.0, std::fmin(1.0, step[i])));
  }
  const Eigen::MatrixXd spread = (slopes.transpose() * slopes).inverse() * 1e-6;
  const char* names[] = {"rate of reactions", "first diffusivity", "second diffusivity",
                         "resistance"};
  for (int i = 0; i < 4; ++i) {
    std::printf("%-18s %.4f (%.4g), one standard deviation %.4f\n", names[i], q.p[i], truth[i],
                q.p[i] * std::sqrt(spread(i, i)));
    assert(std::abs(std::log(q.p[i] / truth[i])) < 4 * std::sqrt(spread(i, i)));
  }

  // One reverse pass has the gradient of the sum of squares, through the jumps and their consistent starts.
  auto s = solve(q, rodas5p{}, o, recursive_checkpoint{.slots = 10});
  cotangents<state> bar{.y = {}, .ys = std::vector<state>(40)};
  for (std::size_t k = 0; k < 40; ++k) bar.ys[k][volts] = -rest[Eigen::Index(k)];
  const auto g = s.pullback(bar);
  const Eigen::VectorXd forward = -slopes.transpose() * rest, scale = slopes.colwise().norm();
  double off = 0;
  for (int i = 0; i < 4; ++i)
    off = std::fmax(off, std::abs(g.p[i] * q.p[i] - forward[i]) / (scale[i] * rest.norm()));
  std::printf("the gradient by reverse mode is that of forward mode to %.1e\n", off + 1e-17);
}
