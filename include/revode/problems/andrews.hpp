// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <type_traits>

#include <revode/config.hpp>
#include <revode/state/vec.hpp>

namespace revode {

/// Andrews' squeezing mechanism: seven bars in a plane, driven by a torque on the first and held by a spring on
/// the third; M y' = f of index 3, state (q, v, w, λ): the angles β, Θ, γ, Φ, δ, Ω, ε, their velocities and
/// accelerations, six multipliers; p = (torque, c0, l0), a spring's stiffness and length.
///   q' = v, v' = w, 0 = Σ over bars of m ∂x/∂q · x'' + I ∂φ/∂q φ'' − forces + (∂g/∂q)ᵀ λ, 0 = g(q),
/// where x is the centre of a bar, φ its angle, and g says that three chains of bars end where they do.
/// Positions are sums of arms, (a + ib) exp(i (q_j + q_k)). y0 fulfils all constraints; w and λ of it are those of
/// these p.
struct andrews {
  static constexpr const char* name = "andrews";
  static constexpr const char* summary =
      "Andrews' squeezing mechanism of seven bars, index 3, p = (torque, c0, l0)";
  static constexpr const char* source =
      "Hairer, Wanner, Solving ODEs II, VII.7; Mazzia, Magherini, Test Set for IVP Solvers, "
      "release "
      "2.4 (2008), Andrews' squeezing mechanism";
  static constexpr bool autonomous = true;
  static constexpr double t0 = 0, t1 = 0.03;
  static constexpr int digits = 12;
  static constexpr double atol(double rtol) { return rtol; }

  REVODE_HD constexpr auto y0() const {
    return vec<double, 27>{-0.0617138900142764496,
                           0,
                           0.455279819163070380,
                           0.222668390165885884,
                           0.487364979543842550,
                           -0.222668390165885884,
                           1.23054744454982119,
                           0,
                           0,
                           0,
                           0,
                           0,
                           0,
                           0,
                           14222.4439199541138,
                           -10666.8329399655854,
                           0,
                           0,
                           0,
                           0,
                           0,
                           98.5668703962410896,
                           -6.12268834425566265,
                           0,
                           0,
                           0,
                           0};
  }
  REVODE_HD constexpr auto parameters() const { return vec<double, 3>{0.033, 4530, 0.07785}; }
  REVODE_HD constexpr auto reference() const {
    return vec<double, 27>{
        15.810771195153706,  -15.756371058411839, 0.04082224011964578, -0.5347301163420798,
        0.524409965879954,   0.5347301163420798,  1.048080741041938,   1139.9203022591062,
        -1424.3792951775404, 11.032911910618326,  19.293374105031575,  0.5735699148294905,
        -19.293374105031575, 0.3231791492491217,  -24631.763122873712, 51850.319636462824,
        324102.6007075787,   566749.4220009956,   16743.63541834551,   -566749.4220009956,
        9826.50780154411,    199.1753481045387,   -29.75530997497175,  23.066543611622166,
        31.452725275771257,  22.642494786394387,  11.617392352611201};
  }
  static constexpr auto index() {
    vec<int, 27> k{};
    for (int i = 0; i < 27; ++i) k[i] = i < 7 ? 1 : i < 14 ? 2 : 3;
    return k;
  }

  template <class Matrix>
  void mass(Matrix& m) const {
    for (int i = 0; i < 14; ++i) m(i, i) = 1;
  }

  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    using S = std::remove_cvref_t<decltype(y[0])>;
    for (int i = 0; i < 14; ++i) dy[i] = y[7 + i];
    S left[7];
    for (S& of : left) of = S(0);
    for (int body = 0; body < 7; ++body) add_inertia(body, y, left);
    left[0] = left[0] - p[0];
    add_spring(y, p, left);
    for (int chain = 0; chain < 3; ++chain) {
      const S lambda[2] = {y[21 + 2 * chain], y[22 + 2 * chain]};
      S gap[2] = {S(-ends[chain][0]), S(-ends[chain][1])};
      for (const arm& of : chains[chain]) {
        const auto at = placed(of, y);
        gap[0] = gap[0] + at.x, gap[1] = gap[1] + at.y;
        add_to(of, lambda[1] * at.x - lambda[0] * at.y, left);
      }
      dy[21 + 2 * chain] = gap[0];
      dy[22 + 2 * chain] = gap[1];
    }
    for (int i = 0; i < 7; ++i) dy[14 + i] = left[i];
  }

 private:
  /// (a + ib) exp(i α), α = q_j + q_k, or q_j alone where k < 0.
  struct arm {
    int j, k;
    double a, b;
  };
  struct bar {
    double mass, inertia;
    int arms;
    arm arm_of[2];  ///< the last one turns with the bar
  };
  static constexpr double ra = 92e-5, rr = 7e-3, d = 28e-3, da = 115e-4, e = 2e-2, ea = 1421e-5,
                          ss = 35e-3, sa = 1874e-5, sb = 1043e-5, sc = 18e-3, sd = 2e-2,
                          ta = 2308e-5, tb = 916e-5, u = 4e-2, ua = 1228e-5, ub = 449e-5, zf = 2e-2,
                          zt = 4e-2, fa = 1421e-5, xa = -0.06934, ya = -0.00227, xb = -0.03635,
                          yb = 0.03273, xc = 0.014, yc = 0.072;
  static constexpr bar bars[7] = {{0.04325, 2.194e-6, 1, {{0, -1, ra, 0}, {}}},
                                  {0.00365, 4.410e-7, 2, {{0, -1, rr, 0}, {0, 1, -da, 0}}},
                                  {0.02373, 5.255e-6, 1, {{2, -1, sb, -sa}, {}}},
                                  {0.00706, 5.667e-7, 2, {{4, -1, zt, 0}, {3, 4, 0, ea - e}}},
                                  {0.07050, 1.169e-5, 1, {{4, -1, ta, tb}, {}}},
                                  {0.00706, 5.667e-7, 2, {{6, -1, 0, -u}, {5, 6, zf - fa, 0}}},
                                  {0.05498, 1.912e-5, 1, {{6, -1, -ub, -ua}, {}}}};
  static constexpr arm chains[3][4] = {
      {{0, -1, rr, 0}, {0, 1, -d, 0}, {2, -1, 0, ss}, {2, -1, 0, 0}},
      {{0, -1, rr, 0}, {0, 1, -d, 0}, {3, 4, 0, e}, {4, -1, -zt, 0}},
      {{0, -1, rr, 0}, {0, 1, -d, 0}, {5, 6, -zf, 0}, {6, -1, 0, u}}};
  static constexpr double ends[3][2] = {{xb, yb}, {xa, ya}, {xa, ya}};

  template <class S>
  struct place {
    S x, y;
  };
  template <class Y>
  static auto turned(const arm& of, const Y& y, int from) {
    return of.k < 0 ? y[from + of.j] + 0.0 : y[from + of.j] + y[from + of.k];
  }
  template <class Y>
  static auto placed(const arm& of, const Y& y) {
    using std::cos;
    using std::sin;
    const auto angle = turned(of, y, 0);
    const auto c = cos(angle), s = sin(angle);
    using S = std::remove_cvref_t<decltype(c * 1.0)>;
    return place<S>{S(of.a * c - of.b * s), S(of.a * s + of.b * c)};
  }
  template <class S, class X>
  static void add_to(const arm& of, const X& x, S* left) {
    left[of.j] = left[of.j] + x;
    if (of.k >= 0) left[of.k] = left[of.k] + x;
  }
  /// m ∂x/∂q · x'' + I ∂φ/∂q φ''; of an arm r of angle α, r'' = i r α'' − r α'².
  template <class Y, class S>
  static void add_inertia(int body, const Y& y, S* left) {
    const bar& b = bars[body];
    place<S> at[2], bend{S(0), S(0)};
    for (int i = 0; i < b.arms; ++i) {
      const S speed = turned(b.arm_of[i], y, 7), turn = turned(b.arm_of[i], y, 14);
      at[i] = placed(b.arm_of[i], y);
      bend.x = bend.x - turn * at[i].y - speed * speed * at[i].x;
      bend.y = bend.y + turn * at[i].x - speed * speed * at[i].y;
    }
    for (int i = 0; i < b.arms; ++i)
      add_to(b.arm_of[i], b.mass * (bend.y * at[i].x - bend.x * at[i].y), left);
    add_to(b.arm_of[b.arms - 1], b.inertia * turned(b.arm_of[b.arms - 1], y, 14), left);
  }
  template <class Y, class P, class S>
  static void add_spring(const Y& y, const P& p, S* left) {
    using std::sqrt;
    const auto at = placed(arm{2, -1, sd, -sc}, y);
    const S x = at.x + (xb - xc), z = at.y + (yb - yc);
    const S length = sqrt(x * x + z * z), force = p[1] * (length - p[2]) / length;
    left[2] = left[2] + force * (z * at.x - x * at.y);
  }
};

}  // namespace revode
