// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <vector>

#include <revode/mpi/block_event.hpp>

#include "spread_problems.hpp"

namespace revode {

/// All of u together reaches a level that moves with t and p.
struct total {
  static constexpr auto direction = crossing::rising;
  double level;
  template <class T, class P>
  void add(const block_place& b, const T&, block_rows<const T> u, const P&,
           std::span<T> sum) const {
    for (int i = 0; i < b.rows; ++i) sum[0] += u(i);
  }
  template <class T, class P>
  T condition(const T& t, std::span<const T> sum, const P& p) const {
    return sum[0] - level * (1 + 0.1 * t + 0.01 * p[1]);
  }
};
/// One element passes a level; a part of all of u is then taken away, and the solution goes on.
struct harvest {
  static constexpr auto direction = crossing::rising;
  static constexpr bool passes = true;
  double level;
  template <class T, class P>
  void add(const block_place& b, const T&, block_rows<const T> u, const P&,
           std::span<T> sum) const {
    if (b.holds(43)) sum[0] += u(b.at(43));
  }
  template <class T, class P>
  T condition(const T&, std::span<const T> sum, const P&) const {
    return sum[0] - level;
  }
  template <class T, class P>
  void jump(const block_place& b, const T& t, block_rows<const T> u, const P& p,
            block_rows<T> u_new) const {
    for (int i = 0; i < b.rows; ++i) u_new(i) = u(i) - (0.05 + 0.1 * t) * p[1] * u(i) * u(i);
  }
};
/// The greatest element falls below 0.55 of the norm per element, by numbers of both kinds; the end.
struct flat {
  static constexpr auto direction = crossing::falling;
  static constexpr bool terminal = true;
  static constexpr int sums = 1, most = 1;
  double ratio;
  template <class T, class P>
  void add(const block_place& b, const T&, block_rows<const T> u, const P&, std::span<T> of) const {
    for (int i = 0; i < b.rows; ++i) {
      of[0] += u(i) * u(i) / 60.0;
      if (u(i) > of[1]) of[1] = u(i);
    }
  }
  template <class T, class P>
  T condition(const T&, std::span<const T> of, const P& p) const {
    using std::sqrt;
    return of[1] / sqrt(of[0]) - ratio + 0.001 * (p[0] - 30.0);
  }
};
/// A dose at a time that is a parameter.
struct dose {
  template <class P>
  auto time(const P& p) const {
    return 0.0175 * p[1];
  }
  template <class T, class P>
  void jump(const block_place& b, const T&, block_rows<const T> u, const P&,
            block_rows<T> u_new) const {
    for (int i = 0; i < b.rows; ++i) u_new(i) = u(i) + (b.begins() ? 0.125 : 0.0625);
  }
};

/// Doses at times of a list.
struct doses {
  std::vector<double> times{0.011, 0.037};
  template <class T, class P>
  void jump(const block_place& b, const T& t, block_rows<const T> u, const P& p,
            block_rows<T> u_new) const {
    for (int i = 0; i < b.rows; ++i) u_new(i) = u(i) + (0.01 + 0.1 * t) * p[1] * u(i);
  }
};

}  // namespace revode
