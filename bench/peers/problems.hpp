// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <revode/problems/kepler.hpp>
#include <revode/problems/lorenz.hpp>
#include <revode/problems/lorenz96.hpp>
#include <revode/problems/pleiades.hpp>

#include "neural.hpp"

namespace revode::peers {

// Every library gets the same field and, for its gradients, the same transposed products, written
// out, as a user of CVODES has to.

struct written_lorenz : lorenz {
  template <class T, class Y, class P, class W, class GT, class GY, class GP>
  void vjp(const T&, const Y& y, const P& p, const W& w, GT&, GY& gy, GP& gp) const {
    gy[0] += (p[1] - y[2]) * w[1] + y[1] * w[2] - p[0] * w[0];
    gy[1] += p[0] * w[0] - w[1] + y[0] * w[2];
    gy[2] -= y[0] * w[1] + p[2] * w[2];
    if (gp.size() == 0) return;
    gp[0] += (y[1] - y[0]) * w[0];
    gp[1] += y[0] * w[1];
    gp[2] -= y[2] * w[2];
  }
};

struct written_kepler : kepler {
  template <class T, class Y, class P, class W, class GT, class GY, class GP>
  void vjp(const T&, const Y& y, const P& p, const W& w, GT&, GY& gy, GP& gp) const {
    using std::sqrt;
    const auto r2 = y[0] * y[0] + y[1] * y[1];
    const auto inverse = 1 / (r2 * sqrt(r2));
    const auto pull = p[0] * inverse;
    const auto along = y[0] * w[2] + y[1] * w[3];
    const auto turned = 3 * (pull * along) / r2;
    gy[0] += turned * y[0] - pull * w[2];
    gy[1] += turned * y[1] - pull * w[3];
    gy[2] += w[0];
    gy[3] += w[1];
    if (gp.size() > 0) gp[0] -= along * inverse;
  }
};

/// visit(name, field, t1) for every problem of the contest.
template <class Visit>
void for_each_peer_problem(Visit&& visit) {
  visit(std::string("lorenz"), written_lorenz{}, 10.0);
  visit(std::string("kepler:0.5"), written_kepler{}, 20.0);
  visit(std::string("pleiades"), pleiades{}, 3.0);
  visit(std::string("lorenz96:40"), lorenz96{40}, 3.0);
  visit(std::string("lorenz96:400"), lorenz96{400}, 3.0);
  visit(std::string("neural"), neural{}, 5.0);
}

/// Numbers at some place, as a field takes them; N < 0: as many as n says.
template <int N>
struct view {
  double* place;
  int n = N;
  constexpr int size() const { return N >= 0 ? N : n; }
  double& operator[](int i) const { return place[i]; }
  double* data() const { return place; }
};

}  // namespace revode::peers
