// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include <revode/config.hpp>
#include <revode/state/vec.hpp>

namespace revode {

/// Advection, diffusion and a logistic reaction in the unit cube, zero on its faces, n³ inner points
/// x = ((i + 1)/(n + 1), …) with i fastest, central differences of second order:
///   u' = D (n+1)² (Σ u_near − 6 u) − (n+1)/2 Σ_a v_a (u_{+a} − u_{−a}) + r u (1 − u),
/// near the six neighbours, ±a those along axis a; p = (D, v_x, v_y, v_z, r). It starts from
/// Π_a 4 x_a (1 − x_a). The matrix has seven diagonals, n² away from the middle at most, and is not
/// symmetric; its spectral radius is some 12 D (n+1)².
/// memory  none beside the state: n = 100 are 10⁶ unknowns
struct advection_diffusion_3d {
  static constexpr const char* name = "advection_diffusion_3d";
  static constexpr const char* summary =
      "advection, diffusion and reaction in a cube, advection_diffusion_3d:N, N x N x N points, p "
      "= "
      "(D, vx, vy, vz, r)";
  static constexpr const char* source =
      "Hundsdorfer, Verwer, Numerical Solution of Time-Dependent ADR Equations, I.3 and IV";
  static constexpr double t0 = 0, t1 = 0.5;
  static constexpr int digits = 15;
  static constexpr int default_size = 5, least_size = 1;
  static constexpr bool autonomous = true;
  static constexpr double atol(double rtol) { return rtol; }

  int n = default_size;

  auto y0() const -> std::vector<double> {
    const auto width = static_cast<std::size_t>(n);
    std::vector<double> along, y;
    for (int i = 1; i <= n; ++i) {
      const double x = static_cast<double>(i) / (n + 1);
      along.push_back(4 * x * (1 - x));
    }
    y.reserve(width * width * width);
    for (const double c : along)
      for (const double b : along)
        for (const double a : along) y.push_back(a * b * c);
    return y;
  }
  constexpr auto parameters() const { return vec<double, 5>{0.1, 1, 0.5, 0.25, 2}; }

  /// Five points of a diagonal and three beside it.
  auto reference_components() const -> std::vector<int> {
    return {0, 12, 31, 50, 62, 93, 100, 124};
  }
  auto reference() const -> std::vector<double> {
    if (n != default_size) return {};
    return {0.0027184893293624715, 0.076329602915348164, 0.047606351498959563,
            0.0072699892630896086, 0.19521623633456037,  0.33426988331283847,
            0.0049867738020814264, 0.21828781880944132};
  }

  template <class T, class Y, class P>
  REVODE_HD void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    const auto* u = y.data();
    const auto* q = p.data();
    const T squared = T(static_cast<double>(n + 1) * (n + 1)), half = T(0.5 * (n + 1));
    over_points([&](const place& at) {
      const auto spread = at.template spread<T>(u);
      const auto drift = q[1] * at.template slope<T>(u, 0) + q[2] * at.template slope<T>(u, 1) +
                         q[3] * at.template slope<T>(u, 2);
      dy.data()[at.k] =
          squared * (q[0] * spread) - half * drift + q[4] * (u[at.k] - u[at.k] * u[at.k]);
    });
  }

  template <class T, class Y, class P, class D, class DP>
  REVODE_HD void jvp(const T&, const Y& y, const P& p, const T&, const D& d, const DP& dp,
                     D& out) const {
    const auto *u = y.data(), *du = d.data();
    const auto* q = p.data();
    const T squared = T(static_cast<double>(n + 1) * (n + 1)), half = T(0.5 * (n + 1));
    over_points([&](const place& at) {
      const std::size_t k = at.k;
      const auto drift = q[1] * at.template slope<T>(du, 0) + q[2] * at.template slope<T>(du, 1) +
                         q[3] * at.template slope<T>(du, 2);
      auto sum = squared * (q[0] * at.template spread<T>(du)) - half * drift +
                 q[4] * (du[k] - T(2) * u[k] * du[k]);
      if (dp.size() > 0) {
        const auto* dq = dp.data();
        const auto turned = dq[1] * at.template slope<T>(u, 0) +
                            dq[2] * at.template slope<T>(u, 1) + dq[3] * at.template slope<T>(u, 2);
        sum = sum + squared * (dq[0] * at.template spread<T>(u)) - half * turned +
              dq[4] * (u[k] - u[k] * u[k]);
      }
      out.data()[k] = sum;
    });
  }

  /// What is transposed of a central difference is its negative.
  template <class T, class Y, class P, class W, class GT, class GY, class GP>
  REVODE_HD void vjp(const T&, const Y& y, const P& p, const W& w, GT&, GY& gy, GP& gp) const {
    const auto *u = y.data(), *a = w.data();
    const auto* q = p.data();
    const T squared = T(static_cast<double>(n + 1) * (n + 1)), half = T(0.5 * (n + 1));
    T of[5] = {T(0), T(0), T(0), T(0), T(0)};
    over_points([&](const place& at) {
      const std::size_t k = at.k;
      const auto drift = q[1] * at.template slope<T>(a, 0) + q[2] * at.template slope<T>(a, 1) +
                         q[3] * at.template slope<T>(a, 2);
      gy.data()[k] = gy.data()[k] + squared * (q[0] * at.template spread<T>(a)) + half * drift +
                     q[4] * (a[k] - T(2) * u[k] * a[k]);
      if (gp.size() == 0) return;
      of[0] = of[0] + a[k] * at.template spread<T>(u);
      for (int axis = 0; axis < 3; ++axis)
        of[1 + axis] = of[1 + axis] - a[k] * at.template slope<T>(u, axis);
      of[4] = of[4] + a[k] * (u[k] - u[k] * u[k]);
    });
    if (gp.size() == 0) return;
    gp.data()[0] = gp.data()[0] + squared * of[0];
    for (int i = 1; i < 4; ++i) gp.data()[i] = gp.data()[i] + half * of[i];
    gp.data()[4] = gp.data()[4] + of[4];
  }

 private:
  /// A point k, how far its neighbours along each axis are, and whether they lie inside.
  struct place {
    std::size_t k;
    std::size_t far[3];
    bool low[3], high[3];

    template <class T, class S>
    REVODE_HD S before(const S* u, int axis) const {
      return low[axis] ? u[k - far[axis]] : S(0);
    }
    template <class T, class S>
    REVODE_HD S after(const S* u, int axis) const {
      return high[axis] ? u[k + far[axis]] : S(0);
    }
    template <class T, class S>
    REVODE_HD S slope(const S* u, int axis) const {
      return after<T>(u, axis) - before<T>(u, axis);
    }
    template <class T, class S>
    REVODE_HD S spread(const S* u) const {
      return (before<T>(u, 0) + after<T>(u, 0)) + (before<T>(u, 1) + after<T>(u, 1)) +
             (before<T>(u, 2) + after<T>(u, 2)) - T(6) * u[k];
    }
  };

  template <class Visit>
  REVODE_HD void over_points(const Visit& visit) const {
    const auto width = static_cast<std::size_t>(n);
    place at{0, {1, width, width * width}, {}, {}};
    for (int z = 0; z < n; ++z) {
      at.low[2] = z > 0, at.high[2] = z + 1 < n;
      for (int y = 0; y < n; ++y) {
        at.low[1] = y > 0, at.high[1] = y + 1 < n;
        for (int x = 0; x < n; ++x, ++at.k) {
          at.low[0] = x > 0, at.high[0] = x + 1 < n;
          visit(at);
        }
      }
    }
  }
};

}  // namespace revode
