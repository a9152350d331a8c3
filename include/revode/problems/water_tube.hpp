// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <type_traits>

#include <revode/ad/functions.hpp>
#include <revode/config.hpp>
#include <revode/state/vec.hpp>

namespace revode {

/// Water in 18 tubes between 13 nodes, two of them with buffers, over 17 hours: 49 elements of index 2, flows φ
/// (m³/s), coefficients of resistance λ, pressures (Pa) of the buffers, those of the other nodes;
/// p = (ν, ρ, roughness, elasticity of the buffers).
///   ρ L/A φᵢⱼ' = pᵢ − pⱼ − friction(φᵢⱼ, λᵢⱼ),  1/√λ = 1.74 − 2 log₁₀(2 k/d + 18.7/(R √λ)), R the Reynolds number,
///   p' of a buffer and 0 of any other node = what flows in − what flows out.
/// Friction jumps threefold where a flow becomes turbulent, at R = 2300, at times that nobody knows. The reference is
/// that of radau_iia5 at rtol = atol = 1e-15 (8,522 steps), which the published one (PSIDE) is within 1e-11 of.
struct water_tube {
  static constexpr int tubes = 18, nodes = 13;
  static constexpr const char* name = "water_tube";
  static constexpr const char* summary =
      "water in 18 tubes, index 2, p = (viscosity, density, roughness, elasticity)";
  static constexpr const char* source =
      "Koppens (1994); de Swart, Lioen, CWI report MAS-R9832; Mazzia, Magherini, Test Set for IVP "
      "Solvers, release 2.4 (2008), water tube system";
  static constexpr bool autonomous = false;
  static constexpr double t0 = 0, t1 = 61200;
  static constexpr int digits = 10;
  static constexpr double atol(double rtol) { return rtol; }
  static constexpr int drawn[] = {0, 3, 12, 17};

  REVODE_HD constexpr auto y0() const {
    vec<double, 49> y{};
    for (int i = 0; i < tubes; ++i) y[tubes + i] = 0.47519404529185289807e-1;
    for (int i = 2 * tubes; i < 49; ++i) y[i] = 109800;
    return y;
  }
  REVODE_HD constexpr auto parameters() const { return vec<double, 4>{1.31e-6, 1e3, 2e-4, 200}; }
  REVODE_HD constexpr auto reference() const {
    return vec<double, 49>{
        0.00229848829647743,  0.0011889846511449,   0.00110950364533253, 0.000158962011624735,
        0.00103002263952017,  0.000871060627895429, 0.00324357148026711, 0.00110950364533253,
        0.000712098616270695, 0.000641461399178293, 0.00094169784498783, 0.00340342851973289,
        0.00239763931111731,  0.00239763931111731,  0.00334858143007626, 0.00135356001544899,
        0.00199502141462727,  0.00574622074119358,  0.0475194045291853,  0.0475194045291853,
        0.0475194045291853,   0.0475194045291853,   0.0475194045291853,  0.0475194045291853,
        0.0431119677904821,   0.0475194045291853,   0.0475194045291853,  0.0475194045291853,
        0.0475194045291853,   0.0424921743336292,   0.047323364393747,   0.047323364393747,
        0.0427000211901314,   0.0475194045291853,   0.0475194045291853,  0.0365142702667565,
        111126.859147745,     111127.004559305,     111127.10787297,     111126.98519293,
        111126.925535483,     111126.932265776,     111126.922170337,    111127.012114099,
        111127.441951642,     111125.515888109,     111127.879343979,    111127.099517215,
        111129.833897234};
  }
  static constexpr auto index() {
    vec<int, 49> k{};
    for (int i = 0; i < 49; ++i) k[i] = i < 38 ? 1 : 2;
    return k;
  }

  template <class Matrix>
  void mass(Matrix& m) const {
    for (int i = 0; i < tubes; ++i) m(i, i) = 1;
    m(36, 36) = m(37, 37) = 1;
  }

  template <class T, class Y, class P>
  REVODE_HD void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    using S = std::remove_cvref_t<decltype(dy[0])>;
    using std::cos;
    using std::exp;
    const T hours = t / 3600.0, wave = 1.0 - cos(exp(-hours) - 1.0);
    for (int i = 2 * tubes; i < 49; ++i) dy[i] = S(0);
    dy[pressure_of[0]] = dy[pressure_of[0]] + wave / 200.0;
    dy[pressure_of[12]] = dy[pressure_of[12]] + wave / 80.0;
    dy[pressure_of[9]] =
        dy[pressure_of[9]] - hours * hours * (3.0 * hours * hours - 92.0 * hours + 720.0) / 1e6;
    for (int i = 0; i < tubes; ++i) {
      const int from = pressure_of[ends[i][0]], to = pressure_of[ends[i][1]];
      dy[from] = dy[from] - y[i];
      dy[to] = dy[to] + y[i];
      flow(i, y[from] - y[to], y, p, dy);
    }
    for (int i = 36; i < 38; ++i) dy[i] = dy[i] * p[1] * 9.8 / p[3];
  }

 private:
  static constexpr double length = 1e3, area = 3.141592653589793238462643 / 4, critical = 2300;
  static constexpr int ends[tubes][2] = {{0, 1}, {1, 2},  {1, 5},   {2, 3},  {2, 4},  {3, 4},
                                         {4, 9}, {5, 4},  {6, 3},   {6, 7},  {7, 4},  {7, 9},
                                         {8, 7}, {10, 8}, {10, 11}, {11, 6}, {11, 7}, {12, 10}};
  static constexpr int pressure_of[nodes] = {38, 39, 40, 41, 36, 42, 43, 37, 44, 45, 46, 47, 48};

  /// φ' and what is left of λ's equation in the i-th tube, all of diameter 1.
  template <class S, class Y, class P>
  REVODE_HD static void flow(int i, const S& fall, const Y& y, const P& p, Y& dy) {
    using std::log10;
    using std::sqrt;
    const auto& lambda = y[tubes + i];
    const S size = y[i] < 0.0 ? S(-y[i]) : S(y[i]), reynolds = size / (p[0] * area);
    const bool turbulent = reynolds > critical;
    const S root = sqrt(lambda), seen = turbulent ? reynolds : S(critical);
    dy[tubes + i] = 1.0 / root - 1.74 + 2.0 * log10(2.0 * p[2] + 18.7 / (seen * root));
    const S friction =
        turbulent ? S(lambda * y[i] * y[i] / (area * area)) : S(32.0 * p[0] * y[i] / area);
    dy[i] = (fall / (p[1] * length) - friction) * area;
  }
};

}  // namespace revode
