// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <revode/ad/functions.hpp>
#include <revode/config.hpp>
#include <revode/state/vec.hpp>

namespace revode {

/// Elliptic Fekete points: 20 points of the unit sphere repel each other until the product of their distances is as
/// large as it can be near by. State (x, v, λ, μ), three numbers a point of x and v, p = (friction);
///   x' = v + 2 μ x,  v' = Σ (x − xⱼ)/|x − xⱼ|² − p v + 2 λ x,  0 = |x|² − 1,  0 = 2 xᵀv,
/// of index 2 by its multipliers λ and μ. At rest λ = −19/4.
struct fekete {
  static constexpr int points = 20;
  static constexpr const char* name = "fekete";
  static constexpr const char* summary =
      "20 points that repel each other on a sphere, index 2, p = friction";
  static constexpr const char* source =
      "Pardalos (1995), Global Optimization 6; de Swart, CWI thesis (1997); Mazzia, Magherini, "
      "Test "
      "Set for IVP Solvers, release 2.4 (2008), Fekete problem";
  static constexpr bool autonomous = true;
  static constexpr double t0 = 0, t1 = 1000;
  static constexpr int digits = 14;
  static constexpr double atol(double rtol) { return rtol; }
  static constexpr int drawn[] = {0, 1, 2, 3, 4, 5};  // two of the points

  REVODE_HD auto y0() const {
    constexpr double pi = 3.141592653589793238462643;
    vec<double, 8 * points> y{}, dy{};
    const auto put = [&y](int i, double longitude, double latitude) {
      y[3 * i] = std::cos(longitude) * std::cos(latitude);
      y[3 * i + 1] = std::sin(longitude) * std::cos(latitude);
      y[3 * i + 2] = std::sin(latitude);
    };
    for (int i = 1; i <= 3; ++i) put(i - 1, 2 * pi * i / 3 + pi / 13, 3 * pi / 8);
    for (int i = 1; i <= 7; ++i) put(i + 2, 2 * pi * i / 7 + pi / 29, pi / 8);
    for (int i = 1; i <= 6; ++i) put(i + 9, 2 * pi * i / 6 + pi / 7, -2 * pi / 15);
    for (int i = 0; i <= 3; ++i) put(i + 16, 2 * pi * i / 4 + pi / 17, -3 * pi / 10);
    (*this)(0.0, y, vec<double, 1>{}, dy);  // the forces, at rest
    for (int i = 0; i < points; ++i)
      for (int k = 0; k < 3; ++k)
        y[6 * points + i] -= y[3 * i + k] * dy[3 * points + 3 * i + k] / 2;
    return y;
  }
  REVODE_HD constexpr auto parameters() const { return vec<double, 1>{0.5}; }
  REVODE_HD constexpr auto reference() const {
    constexpr vec<double, 3 * points> x{
        -0.40702633803312864, 0.34637587728172037,   0.84519424500209411,  0.077529347524638114,
        -0.26286627199499438, 0.96171228718357213,   0.71005778333431518,  0.12129480555943508,
        0.69361770051712028,  0.2348267744564948,    0.74492779769356084,  0.62445092859389665,
        -0.43411147387728004, 0.87854304422729538,   0.19927204442151971,  -0.95150596003105061,
        0.22035087628037168,  0.21466694982661176,   -0.6385191643616801,  -0.43108332593675309,
        0.63754250277308481,  -0.14641750879265194,  -0.93808716352194931, 0.31393372987670061,
        0.56669740650605138,  -0.67392218850719057,  0.47400731354800197,  0.98432595384383727,
        -0.16969953578330568, -0.048005042905412571, 0.14641750879265194,  0.93808716352194931,
        -0.31393372987670061, -0.70927575499713858,  0.52640626371368296,  -0.46885429388695964,
        -0.86657318192899526, -0.48138780597487227,  -0.13159293529728416, -0.23478977787097137,
        -0.85943404080212904, -0.45414412879373914,  0.55309769400657212,  -0.76743702656296619,
        -0.32422731400177475, 0.77110509699045144,   0.63570418165685789,  0.035736855196436879,
        0.7103951209384288,   0.24035704312558904,   -0.66148867259145023, -0.030382087386571303,
        0.45019232936191943,  -0.89241458714530423,  -0.57729961581070863, -0.17667634149841469,
        -0.79718920209668154, 0.24144817669673543,   -0.34164568183980676, -0.90828465034373203};
    vec<double, 8 * points> y{};
    for (int i = 0; i < 3 * points; ++i) y[i] = x[i];
    for (int i = 6 * points; i < 7 * points; ++i) y[i] = -4.75;
    return y;
  }
  static constexpr auto index() {
    vec<int, 8 * points> k{};
    for (int i = 0; i < 8 * points; ++i) k[i] = i < 6 * points ? 1 : 2;
    return k;
  }

  template <class Matrix>
  void mass(Matrix& m) const {
    for (int i = 0; i < 6 * points; ++i) m(i, i) = 1;
  }
  template <class T, class Y, class P>
  REVODE_HD void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    constexpr int v = 3 * points, lambda = 6 * points, mu = 7 * points;
    for (int i = 0; i < points; ++i) {
      const int a = 3 * i, b = a + 1, c = a + 2;
      for (int k = a; k <= c; ++k) {
        dy[k] = y[v + k] + 2.0 * y[mu + i] * y[k];
        dy[v + k] = 2.0 * y[lambda + i] * y[k] - p[0] * y[v + k];
      }
      dy[lambda + i] = y[a] * y[a] + y[b] * y[b] + y[c] * y[c] - 1.0;
      dy[mu + i] = 2.0 * (y[a] * y[v + a] + y[b] * y[v + b] + y[c] * y[v + c]);
    }
    for (int i = 0; i < points; ++i)
      for (int j = 0; j < i; ++j) {
        const auto a = y[3 * i] - y[3 * j], b = y[3 * i + 1] - y[3 * j + 1],
                   c = y[3 * i + 2] - y[3 * j + 2];
        const auto by = 1.0 / (a * a + b * b + c * c);
        push(dy, v + 3 * i, v + 3 * j, a * by);
        push(dy, v + 3 * i + 1, v + 3 * j + 1, b * by);
        push(dy, v + 3 * i + 2, v + 3 * j + 2, c * by);
      }
  }

 private:
  template <class Y, class S>
  REVODE_HD static void push(Y& dy, int at, int other, const S& force) {
    dy[at] = dy[at] + force;
    dy[other] = dy[other] - force;
  }
};

}  // namespace revode
