// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <vector>

#include <revode/config.hpp>
#include <revode/state/elements.hpp>
#include <revode/state/vec.hpp>

namespace revode {

/// The twenty-five non-stiff problems of DETEST, classes A (single equations), B (small systems),
/// C (moderate systems), D (orbits) and E (higher order), on their interval [0, 20]: A1 is number
/// 1 of class 0. One field for all, so that a method is compiled once for the set.
///   detest{.family = 'B', .number = 4}
/// Every problem's numbers are the published ones; C1 to C4 are linear, of 10, 10, 10 and 51
/// unknowns, C5 is the motion of the five outer planets, D1 to D5 are ellipses of eccentricity 0.1,
/// 0.3, 0.5, 0.7, 0.9.
/// source  Hull, Enright, Fellen & Sedgwick, SIAM J. Numer. Anal. 9 (1972) 603–637
struct detest {
  static constexpr const char* name = "detest";
  static constexpr const char* summary =
      "the non-stiff test set, detest:A1 to detest:E5: equations, systems, orbits";
  static constexpr double t0 = 0, t1 = 20;
  static constexpr int digits = 15;
  static constexpr const char* source =
      "Hull, Enright, Fellen & Sedgwick, SIAM J. Numer. Anal. 9 (1972) 603-637";

  char family = 'A';
  int number = 1;

  constexpr int size() const {
    constexpr int of_b[] = {2, 3, 3, 3, 3}, of_c[] = {10, 10, 10, 51, 30};
    switch (family) {
      case 'A': return 1;
      case 'B': return of_b[number - 1];
      case 'C': return of_c[number - 1];
      case 'D': return 4;
      default: return 2;
    }
  }

  /// The start, into a state of that size.
  template <class Y>
  void start(Y& y) const {
    fill(y, scalar_t<Y>(0));
    auto* v = y.data();
    switch (family) {
      case 'A': v[0] = number == 5 ? 4 : 1; break;
      case 'B': start_b(v); break;
      case 'C': number == 5 ? start_planets(v) : void(v[0] = 1); break;
      case 'D':
        v[0] = 1 - eccentricity();
        v[3] = std::sqrt((1 + eccentricity()) / (1 - eccentricity()));
        break;
      default: start_e(v);
    }
  }

  auto y0() const -> std::vector<double> {
    std::vector<double> y(static_cast<std::size_t>(size()));
    start(y);
    return y;
  }
  constexpr auto parameters() const { return vec<double, 0>{}; }
  auto reference() const -> std::vector<double>;  ///< in detest_references.hpp

  double eccentricity() const { return (2 * number - 1) / 10.0; }

  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P&, Y& dy) const {
    const auto* v = y.data();
    auto* d = dy.data();
    switch (family) {
      case 'A': class_a(t, v, d); break;
      case 'B': class_b(v, d); break;
      case 'C': number == 5 ? planets(v, d) : class_c(v, d, size()); break;
      case 'D': orbit(v, d); break;
      default: class_e(t, v, d);
    }
  }

 private:
  template <class V>
  void start_b(V* v) const {
    constexpr double starts[5][3] = {{1, 3, 0}, {2, 0, 1}, {1, 0, 0}, {3, 0, 0}, {0, 1, 1}};
    for (int i = 0; i < size(); ++i) v[i] = starts[number - 1][i];
  }
  template <class V>
  void start_e(V* v) const {
    constexpr double starts[5][2] = {
        {0.6713967071418030, 0.09540051444747446}, {2, 0}, {0, 0}, {30, 0}, {0, 0}};
    for (int i = 0; i < 2; ++i) v[i] = starts[number - 1][i];
  }
  /// Jupiter, Saturn, Uranus, Neptune, Pluto: places in units of the earth's orbit, then velocities.
  template <class V>
  static void start_planets(V* v) {
    constexpr double starts[30] = {
        3.42947415189,  3.35386959711,  1.35494901715,  6.64145542550,  5.97156957878,
        2.18231499728,  11.2630437207,  14.6952576794,  6.27960525067,  -30.1552268759,
        1.65699966404,  1.43785752721,  -21.1238353380, 28.4465098142,  15.3882659679,
        -.557160570446, .505696783289,  .230578543901,  -.415570776342, .365682722812,
        .169143213293,  -.325325669158, .189706021964,  .0877265322780, -.0240476254170,
        -.287659532608, -.117219543175, -.176860753121, -.216393453025, -.0148647893090};
    for (int i = 0; i < 30; ++i) v[i] = starts[i];
  }

  template <class T, class V>
  void class_a(const T& t, const V* y, V* d) const {
    using std::cos;
    switch (number) {
      case 1: d[0] = -y[0]; break;
      case 2: d[0] = -(y[0] * y[0] * y[0]) / 2; break;
      case 3: d[0] = y[0] * cos(t); break;
      case 4: d[0] = y[0] / 4 * (1 - y[0] / 20); break;
      default: d[0] = (y[0] - t) / (y[0] + t);
    }
  }
  template <class V>
  void class_b(const V* y, V* d) const {
    using std::sqrt;
    switch (number) {
      case 1:
        d[0] = 2 * (y[0] - y[0] * y[1]);
        d[1] = -(y[1] - y[0] * y[1]);
        break;
      case 2:
        d[0] = y[1] - y[0];
        d[1] = y[0] - 2 * y[1] + y[2];
        d[2] = y[1] - y[2];
        break;
      case 3:
        d[0] = -y[0];
        d[1] = y[0] - y[1] * y[1];
        d[2] = y[1] * y[1];
        break;
      case 4: {
        const V r = sqrt(y[0] * y[0] + y[1] * y[1]);
        d[0] = -y[1] - y[0] * y[2] / r;
        d[1] = y[0] - y[1] * y[2] / r;
        d[2] = y[0] / r;
        break;
      }
      default:
        d[0] = y[1] * y[2];
        d[1] = -(y[0] * y[2]);
        d[2] = -0.51 * (y[0] * y[1]);
    }
  }
  /// C1: y_i' = y_{i−1} − y_i, C2: y_i' = (i − 1) y_{i−1} − i y_i, both with y_n' = its first term;
  /// C3 and C4: second differences.
  template <class V>
  void class_c(const V* y, V* d, int n) const {
    for (int i = 0; i < n; ++i) {
      const V left = i > 0 ? y[i - 1] : V(0), right = i + 1 < n ? y[i + 1] : V(0);
      const double in = number == 2 ? i : 1, out = i + 1 == n ? 0 : number == 2 ? i + 1 : 1;
      d[i] = number < 3 ? in * left - out * y[i] : left - 2 * y[i] + right;
    }
  }
  template <class V>
  static void planets(const V* y, V* d) {
    using std::sqrt;
    constexpr double k2 = 2.95912208286, m0 = 1.00000597682;
    constexpr double m[5] = {.954786104043e-3, .285583733151e-3, .437273164546e-4, .517759138449e-4,
                             .277777777778e-5};
    V from_sun[5];
    for (int j = 0; j < 5; ++j) {
      const V r2 = squared(y[3 * j], y[3 * j + 1], y[3 * j + 2]);
      from_sun[j] = 1 / (r2 * sqrt(r2));
    }
    for (int j = 0; j < 5; ++j) {
      for (int i = 0; i < 3; ++i) {
        d[3 * j + i] = y[15 + 3 * j + i];
        d[15 + 3 * j + i] = -(m0 + m[j]) * y[3 * j + i] * from_sun[j];
      }
      for (int k = 0; k < 5; ++k) {
        if (k == j) continue;
        const V r2 =
            squared(y[3 * k] - y[3 * j], y[3 * k + 1] - y[3 * j + 1], y[3 * k + 2] - y[3 * j + 2]);
        const V between = 1 / (r2 * sqrt(r2));
        for (int i = 0; i < 3; ++i)
          d[15 + 3 * j + i] = d[15 + 3 * j + i] + m[k] * ((y[3 * k + i] - y[3 * j + i]) * between -
                                                          y[3 * k + i] * from_sun[k]);
      }
      for (int i = 0; i < 3; ++i) d[15 + 3 * j + i] = k2 * d[15 + 3 * j + i];
    }
  }
  template <class V>
  static V squared(const V& x, const V& y, const V& z) {
    return x * x + y * y + z * z;
  }
  template <class V>
  static void orbit(const V* y, V* d) {
    using std::sqrt;
    const V r2 = y[0] * y[0] + y[1] * y[1];
    const V pull = 1 / (r2 * sqrt(r2));
    d[0] = y[2];
    d[1] = y[3];
    d[2] = -(pull * y[0]);
    d[3] = -(pull * y[1]);
  }
  template <class T, class V>
  void class_e(const T& t, const V* y, V* d) const {
    using std::sin;
    using std::sqrt;
    d[0] = y[1];
    switch (number) {
      case 1: d[1] = -(y[1] / (t + 1) + (1 - 0.25 / ((t + 1) * (t + 1))) * y[0]); break;
      case 2: d[1] = (1 - y[0] * y[0]) * y[1] - y[0]; break;
      case 3: d[1] = y[0] * y[0] * y[0] / 6 - y[0] + 2 * sin(2.78535 * t); break;
      case 4: d[1] = 0.032 - 0.4 * (y[1] * y[1]); break;
      default: d[1] = sqrt(1 + y[1] * y[1]) / (25 - t);
    }
  }
};

}  // namespace revode
