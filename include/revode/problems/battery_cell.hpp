// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include <revode/ad/functions.hpp>
#include <revode/config.hpp>
#include <revode/state/vec.hpp>

namespace revode {

/// A lithium-ion cell as Doyle, Fuller and Newman describe it: a DAE of index 1, n = 940, t in s. Its thickness, from the
/// collector of graphite over a separator to that of cobalt oxide, is cut into slices. In each slice of an electrode
/// lithium diffuses in a ball of 20 shells and crosses its surface into the electrolyte, where it diffuses and drifts.
/// The potentials of the electrolyte and of the electrodes follow at once: 90 algebraic equations. State: the shells'
/// stoichiometries, ball by ball from within, the electrolyte's concentrations (mol/l), its potentials, and those of the
/// electrodes (V; the last one is the cell's). p are factors of
///   (diffusion in graphite and in cobalt oxide, reactions at both, diffusion in the electrolyte, its conductivity).
/// The current jumps at 300, 600, 900 and 1200 s.
struct battery_cell {
  static constexpr const char* name = "battery_cell";
  static constexpr const char* summary =
      "a lithium-ion cell, current in pulses, index 1, n = 940, p = 6 factors of its constants";
  static constexpr const char* source =
      "Doyle, Fuller, Newman, J. Electrochem. Soc. 140 (1993) 1526; constants of Marquis, Sulzer, "
      "Timms, Please, "
      "Chapman, J. Electrochem. Soc. 166 (2019) A3693";
  static constexpr double t0 = 0, t1 = 1500;
  static constexpr std::array<double, 4> jumps{300, 600, 900, 1200};
  static constexpr int digits = 11;
  static constexpr double atol(double rtol) { return rtol; }

  static constexpr int shells = 20, slices[] = {20, 10, 20}, all = 50, balls = 40;
  /// Where concentrations and potentials begin; all elements.
  static constexpr int salt = balls * shells, liquid = salt + all, metal = liquid + all,
                       size = metal + balls;
  static constexpr double faraday = 96485.33, thermal = 8.314462 * 298.15 / faraday, drift = 0.6;
  static constexpr double thickness[] = {1e-4, 2.5e-5, 1e-4}, porosity[] = {0.3, 1, 0.3};
  static constexpr double radius = 1e-5, most[] = {24983.26, 51217.93}, first[] = {0.8, 0.6},
                          share[] = {0.6, 0.5}, conductivity[] = {100, 10};
  static constexpr int drawn[] = {size - 1};

  bool pulses = true;  ///< false: 24 A/m² throughout

  REVODE_HD constexpr auto parameters() const { return vec<double, 6>{1, 1, 1, 1, 1, 1}; }
  /// Charged, at rest but for the current.
  auto y0() const -> std::vector<double> {
    std::vector<double> y(size, 1.0);
    const double u[] = {open_potential(0, first[0]), open_potential(1, first[1])};
    for (int i = 0; i < salt; ++i) y[std::size_t(i)] = first[i < slices[0] * shells ? 0 : 1];
    for (int i = liquid; i < metal; ++i) y[std::size_t(i)] = -u[0];
    for (int b = 0; b < balls; ++b) y[std::size_t(metal + b)] = b < slices[0] ? 0 : u[1] - u[0];
    return y;
  }
  auto reference_components() const -> std::vector<int> {
    return {shells - 1, salt - 1, salt, liquid - 1, liquid, metal + slices[0] - 1, size - 1};
  }
  auto reference() const -> std::vector<double> {
    return {0.6901340984225, 0.6880000066317,  1.14799363317, 0.8445005596086,
            -0.180731315591, -3.022313862e-05, 3.671641124037};
  }

  double current(double t) const {  // A/m²; 24 empties the cell in an hour
    if (!pulses) return 24;
    return t < jumps[0] ? 24 : t < jumps[1] ? 0 : t < jumps[2] ? 48 : t < jumps[3] ? -24 : 24;
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

  /// All lithium, mol/m², which does not change.
  template <class Y>
  static double lithium(const Y& y) {
    double sum = 0;
    for (int i = 0; i < all; ++i) sum += 1000 * porosity[part(i)] * width(part(i)) * y[salt + i];
    for (int i = 0; i < salt; ++i) {
      const int side = i < slices[0] * shells ? 0 : 1, s = i % shells;
      const double in_ball = (std::pow(s + 1, 3) - std::pow(s, 3)) / std::pow(shells, 3);
      sum += most[side] * share[side] * width(2 * side) * in_ball * y[i];
    }
    return sum;
  }

  static int part(int slice) {
    return slice < slices[0] ? 0 : slice < slices[0] + slices[1] ? 1 : 2;
  }
  static double width(int part) { return thickness[part] / slices[part]; }

 private:
  /// Against lithium, where a share x of the places is taken.
  template <class X>
  static X open_potential(int side, const X& x) {
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
};

}  // namespace revode
