// SPDX-License-Identifier: Apache-2.0
// prints: 940 elements, 90 of them at once; 3440 entries of the Jacobian
// prints: pulses: lithium is kept to [0-9.]+e-(0[89]|1[0-9])
// prints: empty after 36[0-9][0-9] s; a tenth more of
// prints: the gradient by reverse mode is that of forward mode to [0-9.]+e-(0[6-9]|1[0-9])
#include <cassert>
#include <cmath>
#include <cstdio>
#include <memory>
#include <vector>

#include <revode/adjoint/forward.hpp>
#include <revode/interop/eigen/sparse.hpp>
#include <revode/revode.hpp>

using namespace revode;

// A lithium-ion cell as Doyle, Fuller and Newman describe it. Its thickness, from the collector of graphite over a
// separator to that of cobalt oxide, is cut into slices. In each slice of an electrode lithium diffuses in a ball of 20
// shells and crosses its surface into the electrolyte, where it diffuses and drifts. The potentials of the electrolyte
// and of the electrodes follow at once: 90 algebraic equations, which a current that jumps makes consistent anew.
// Source: Marquis, Sulzer, Timms, Please, Chapman, J. Electrochem. Soc. 166 (2019) A3693, after Newman's Dualfoil.
constexpr int shells = 20, slices[] = {20, 10, 20}, all = 50, balls = 40;
constexpr int salt = balls * shells, liquid = salt + all, metal = liquid + all,
              size = metal + balls;  // where concentrations and potentials begin; all elements
constexpr double faraday = 96485.33, thermal = 8.314462 * 298.15 / faraday, drift = 0.6;
constexpr double thickness[] = {1e-4, 2.5e-5, 1e-4}, porosity[] = {0.3, 1, 0.3};
constexpr double radius = 1e-5, most[] = {24983.26, 51217.93}, first[] = {0.8, 0.6},
                 share[] = {0.6, 0.5}, conductivity[] = {100, 10};
using parameters = vec<double, 6>;
const char* const names[] = {"diffusion in graphite",        "diffusion in cobalt oxide",
                             "reactions at graphite",        "reactions at cobalt oxide",
                             "diffusion in the electrolyte", "its conductivity"};

/// Against lithium, where a share x of the places is taken.
template <class X>
X open_potential(int side, const X& x) {
  using std::exp, std::tanh;
  if (side == 0)
    return 0.194 + 1.5 * exp(-120.0 * x) + 0.0351 * tanh((x - 0.286) / 0.083) -
           0.0045 * tanh((x - 0.849) / 0.119) - 0.035 * tanh((x - 0.9233) / 0.05) -
           0.0147 * tanh((x - 0.5) / 0.034) - 0.102 * tanh((x - 0.194) / 0.142) -
           0.022 * tanh((x - 0.9) / 0.0164) - 0.011 * tanh((x - 0.124) / 0.0226) +
           0.0155 * tanh((x - 0.105) / 0.029);
  const X s = 1.062 * x;
  return 2.16216 + 0.07645 * tanh(30.834 - 54.4806 * s) + 2.1581 * tanh(52.294 - 50.294 * s) -
         0.14169 * tanh(11.0923 - 19.8543 * s) + 0.2051 * tanh(1.4684 - 5.4888 * s) +
         0.2531 * tanh((0.56478 - s) / 0.1316) - 0.02167 * tanh((s - 0.525) / 0.006);
}

struct cell {
  bool pulses = false;
  double current(double t) const {  // A/m²; 24 empties the cell in an hour
    if (!pulses) return 24;
    return t < 300 ? 24 : t < 600 ? 0 : t < 900 ? 48 : t < 1200 ? -24 : 24;
  }
  template <class Matrix>
  void mass(Matrix& m) const {
    for (int i = 0; i < liquid; ++i) m(i, i) = 1;
  }
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    for (int i = salt; i < metal; ++i) dy[i] = 0.0 * y[i];
    for (int i = 0; i + 1 < all; ++i) cross(y, p, i, dy);
    for (int b = 0; b < balls; ++b) react(y, p, current(static_cast<double>(value_of(t))), b, dy);
    for (int i = 0; i < all; ++i)
      dy[salt + i] = dy[salt + i] / (porosity[part(i)] * width(part(i)));
  }
  static int part(int slice) {
    return slice < slices[0] ? 0 : slice < slices[0] + slices[1] ? 1 : 2;
  }
  static double width(int part) { return thickness[part] / slices[part]; }

  /// Salt and charge that the electrolyte carries from slice i to the next.
  template <class Y, class P>
  static void cross(const Y& y, const P& p, int i, Y& dy) {
    using std::exp, std::log;
    const auto path = [](int k) { return width(k) / (2 * std::pow(porosity[k], 1.5)); };
    const double length = path(part(i)) + path(part(i + 1));
    const auto c = 0.5 * (y[salt + i] + y[salt + i + 1]);
    const auto flux = p[4] * (5.34e-10 / length) * exp(-0.65 * c) * (y[salt + i] - y[salt + i + 1]);
    const auto conducts = p[5] * (0.0911 + c * (1.9101 + c * (c * 0.1554 - 1.052))) / length;
    const auto charge = conducts * (y[liquid + i] - y[liquid + i + 1] +
                                    2 * thermal * drift * log(y[salt + i + 1] / y[salt + i]));
    dy[salt + i] = dy[salt + i] - flux;
    dy[salt + i + 1] = dy[salt + i + 1] + flux;
    dy[liquid + i] = dy[liquid + i] + charge;
    dy[liquid + i + 1] = dy[liquid + i + 1] - charge;
  }

  /// Ball b, what crosses its surface, and the metal around it.
  template <class Y, class P>
  static void react(const Y& y, const P& p, double current, int b, Y& dy) {
    using std::sinh, std::sqrt;
    const int side = b < slices[0] ? 0 : 1, slice = side == 0 ? b : b + slices[1];
    const double rate = (side == 0 ? 2e-5 : 6e-7) * most[side] * std::sqrt(1000.0);
    const double dx = width(2 * side), area = 3 * share[side] / radius;
    const auto x = 1.5 * y[shells * b + shells - 1] - 0.5 * y[shells * b + shells - 2];
    const auto over = y[metal + b] - y[liquid + slice] - open_potential(side, x);
    const auto j = 2 * rate * p[2 + side] * sqrt(y[salt + slice] * x * (1.0 - x)) *
                   sinh(over / (2 * thermal));  // A/m² of surface

    auto inner = 0.0 * x;
    for (int s = 0; s < shells; ++s) {
      const int at = shells * b + s;
      const double r0 = double(s) / shells, r1 = double(s + 1) / shells;
      auto outer = j / (faraday * most[side]);
      if (s + 1 < shells)
        outer = p[side] * ((side == 0 ? 3.9e-14 : 1e-13) * r1 * r1 * shells / radius) *
                (y[at] - y[at + 1]);
      dy[at] = (inner - outer) * (3 / (radius * (r1 * r1 * r1 - r0 * r0 * r0)));
      inner = outer;
    }
    dy[salt + slice] = dy[salt + slice] + (dx * drift * area / (1000 * faraday)) * j;
    dy[liquid + slice] = dy[liquid + slice] - (dx * area) * j;

    const double carries = conductivity[side] * std::pow(share[side], 1.5) / dx;
    auto left = 0.0 * x, right = 0.0 * x;  // the metal's current at the slice's sides
    if (b == 0)
      left = -2 * carries * y[metal];  // the collector is at 0 V
    else if (b != slices[0])
      left = carries * (y[metal + b - 1] - y[metal + b]);
    if (b + 1 == balls)
      right = right + current;
    else if (b + 1 != slices[0])
      right = carries * (y[metal + b] - y[metal + b + 1]);
    dy[metal + b] = right - left + (dx * area) * j;
  }

  static std::vector<double> charged() {
    std::vector<double> y(size, 1.0);
    const double u[] = {open_potential(0, first[0]), open_potential(1, first[1])};
    for (int i = 0; i < salt; ++i) y[std::size_t(i)] = first[i < slices[0] * shells ? 0 : 1];
    for (int i = liquid; i < metal; ++i) y[std::size_t(i)] = -u[0];
    for (int b = 0; b < balls; ++b) y[std::size_t(metal + b)] = b < slices[0] ? 0 : u[1] - u[0];
    return y;
  }
  /// All lithium, mol/m².
  static double lithium(const std::vector<double>& y) {
    double sum = 0;
    for (int i = 0; i < all; ++i)
      sum += 1000 * porosity[part(i)] * width(part(i)) * y[std::size_t(salt + i)];
    for (int i = 0; i < salt; ++i) {
      const int side = i < slices[0] * shells ? 0 : 1, s = i % shells;
      const double in_ball = (std::pow(s + 1, 3) - std::pow(s, 3)) / std::pow(shells, 3);
      sum += most[side] * share[side] * width(2 * side) * in_ball * y[std::size_t(i)];
    }
    return sum;
  }
};

/// The cell is empty where its voltage falls to 3.105 V.
struct empty {
  static constexpr bool terminal = true;
  static constexpr auto direction = crossing::falling;
  auto condition(const auto&, const auto& y, const auto&) const { return y[size - 1] - 3.105; }
};

int main() {
  problem q{cell{true}, cell::charged(), 0.0, 1500.0, parameters{1, 1, 1, 1, 1, 1}};
  const eigen_sparse algebra{std::make_shared<sparsity>(sparsity_of(q))};
  std::printf("%d elements, %d of them at once; %d entries of the Jacobian\n", size, size - liquid,
              algebra.pattern->entries());

  options o{.rtol = 1e-6, .atol = 1e-6, .discontinuities = {300, 600, 900, 1200}};
  o.save.ts = {299, 301, 599, 601, 899, 901, 1199, 1201};
  const auto pulsed = solve(q, with_algebra<bdf5, eigen_sparse>{{}, algebra}, o);
  assert(pulsed.status == status::success);
  for (std::size_t k = 0; k < pulsed.ys.size(); ++k)
    std::printf("%4.0f s %.4f V\n", o.save.ts[k], pulsed.ys[k][size - 1]);
  std::printf("pulses: lithium is kept to %.1e\n",
              std::abs(cell::lithium(pulsed.y) / cell::lithium(q.y0) - 1) + 1e-17);

  const problem hour{cell{}, q.y0, 0.0, 4000.0, q.p};
  const options loose{.rtol = 1e-5, .atol = 1e-6};
  const with_algebra<rodas5p, eigen_sparse> m{{}, algebra};
  auto s = solve(hour, m, loose, events(empty{}), recursive_checkpoint{.slots = 8});
  assert(s.status == status::terminal_event);
  const auto g = s.pullback(cotangents<std::vector<double>>{.events = {1}});
  std::printf("empty after %.0f s; a tenth more of\n", s.t);
  for (std::size_t i = 0; i < 6; ++i)
    std::printf("  %-30s %+8.3f s\n", names[i], 0.1 * g.p[int(i)]);

  tangents along{std::vector<double>(size), parameters{1, 1, 1, 1, 1, 1}};
  const auto forward = solve(hour, m, loose, events(empty{}), along);
  double sum = 0, terms = 0;
  for (int i = 0; i < 6; ++i) sum += g.p[i], terms += std::abs(g.p[i]);
  std::printf("the gradient by reverse mode is that of forward mode to %.1e\n",
              std::abs(sum - forward.events_dot[0]) / terms + 1e-17);
}
