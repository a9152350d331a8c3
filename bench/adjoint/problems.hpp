// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <vector>

#include <revode/problems/brusselator_2d.hpp>
#include <revode/problems/hires.hpp>
#include <revode/problems/rober.hpp>

namespace revode::bench {

/// brusselator_2d with the products written out, as a user of CVODES has to.
struct written_brusselator : brusselator_2d {
  template <class T, class Y, class P, class D, class DP>
  void jvp(const T&, const Y& y, const P& p, const T&, const D& d, const DP& dp, D& out) const {
    const double squared = static_cast<double>(n) * n;
    over_cells([&](std::size_t k, std::size_t v, const std::size_t(&near)[4]) {
      const auto a = y.data()[k], b = y.data()[v + k];
      const auto da = d.data()[k], db = d.data()[v + k];
      auto du = -4.0 * da, dv = -4.0 * db, lu = -4.0 * a, lv = -4.0 * b;
      for (const std::size_t i : near) {
        du = du + d.data()[i];
        dv = dv + d.data()[v + i];
        if (dp.size() == 0) continue;
        lu = lu + y.data()[i];
        lv = lv + y.data()[v + i];
      }
      const auto turned = (2.0 * (a * b) - p.data()[k]) * da + a * a * db;
      out.data()[k] = turned - da + squared * (p.data()[2 * v + k] * du);
      out.data()[v + k] = squared * (p.data()[3 * v + k] * dv) - turned;
      if (dp.size() == 0) return;
      const auto turning = dp.data()[k] * a;
      out.data()[k] =
          out.data()[k] + dp.data()[v + k] - turning + squared * (dp.data()[2 * v + k] * lu);
      out.data()[v + k] = out.data()[v + k] + turning + squared * (dp.data()[3 * v + k] * lv);
    });
  }

  template <class T, class Y, class P, class W, class GT, class GY, class GP>
  void vjp(const T& t, const Y& y, const P& p, const W& w, GT&, GY& gy, GP& gp) const {
    pull_state(t, y, p, w, gy);
    if (gp.size() > 0) pull_parameters(y, w, gp);
  }

  template <class T, class Y, class P, class W, class GY>
  void pull_state(const T&, const Y& y, const P& p, const W& w, GY& gy) const {
    const double squared = static_cast<double>(n) * n;
    over_cells([&](std::size_t k, std::size_t v, const std::size_t(&near)[4]) {
      const std::size_t alpha = 2 * v, beta = 3 * v;
      const auto of_u = w.data()[k], of_v = w.data()[v + k];
      const auto a = y.data()[k], b = y.data()[v + k];
      auto du = -4.0 * (p.data()[alpha + k] * of_u), dv = -4.0 * (p.data()[beta + k] * of_v);
      for (const std::size_t i : near) {
        du = du + p.data()[alpha + i] * w.data()[i];
        dv = dv + p.data()[beta + i] * w.data()[v + i];
      }
      const auto turned = of_u - of_v;
      gy.data()[k] = gy.data()[k] + (2.0 * (a * b) - p.data()[k]) * turned - of_u + squared * du;
      gy.data()[v + k] = gy.data()[v + k] + a * a * turned + squared * dv;
    });
  }

  template <class Y, class W, class GP>
  void pull_parameters(const Y& y, const W& w, GP& gp) const {
    const double squared = static_cast<double>(n) * n;
    over_cells([&](std::size_t k, std::size_t v, const std::size_t(&near)[4]) {
      const auto of_u = w.data()[k], of_v = w.data()[v + k];
      auto du = -4.0 * y.data()[k], dv = -4.0 * y.data()[v + k];
      for (const std::size_t i : near) {
        du = du + y.data()[i];
        dv = dv + y.data()[v + i];
      }
      gp.data()[k] = gp.data()[k] + y.data()[k] * (of_v - of_u);
      gp.data()[v + k] = gp.data()[v + k] + of_u;
      gp.data()[2 * v + k] = gp.data()[2 * v + k] + squared * (du * of_u);
      gp.data()[3 * v + k] = gp.data()[3 * v + k] + squared * (dv * of_v);
    });
  }

 private:
  /// f(k, all cells, the neighbours of k)
  template <class Visit>
  void over_cells(const Visit& f) const {
    const auto width = static_cast<std::size_t>(n), cells = width * width;
    for (std::size_t k = 0; k < cells; ++k) {
      const std::size_t near[4] = {k % width == 0 ? k + width - 1 : k - 1,
                                   k % width == width - 1 ? k + 1 - width : k + 1,
                                   k < width ? k + width * (width - 1) : k - width,
                                   k + width >= cells ? k + width - cells : k + width};
      f(k, cells, near);
    }
  }
};

/// rober to t = 10⁵: later the loss no longer feels the rates.
struct short_rober : rober {
  static constexpr double t1 = 1e5;
};

/// The spans between which a field jumps.
template <class Problem>
std::vector<std::pair<double, double>> pieces_of() {
  if constexpr (requires { Problem::jump; })
    return {{Problem::t0, Problem::jump},
            {std::nextafter(Problem::jump, Problem::t1), Problem::t1}};
  else
    return {{Problem::t0, Problem::t1}};
}

}  // namespace revode::bench
