// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>

#include <revode/problems/transamp.hpp>
#include <revode/state/vec.hpp>

namespace revode {

/// M = L diag(1, 1, 0) R, of rank 2 without a zero, and f = L g of a driven, nonlinear g.
struct blended {
  static constexpr double l[3][3] = {{1, 0.5, 0.3}, {-0.4, 1, 0.2}, {0.6, -0.3, 1}};
  static constexpr double r[2][3] = {{1, 0.2, -0.5}, {0.3, 1, 0.4}};

  static vec<double, 3> start() { return {1, 0.5, 0.2}; }
  /// r null = 0
  static vec<double, 3> null_vector() {
    return {r[0][1] * r[1][2] - r[0][2] * r[1][1], r[0][2] * r[1][0] - r[0][0] * r[1][2],
            r[0][0] * r[1][1] - r[0][1] * r[1][0]};
  }
  template <class Matrix>
  void mass(Matrix& m) const {
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 3; ++k) m(i, k) = l[i][0] * r[0][k] + l[i][1] * r[1][k];
  }
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    using std::cos;
    using std::sin;
    const auto a = -p[0] * y[0] * y[1] + sin(t) * p[1] - y[2];
    const auto b = -40.0 * (y[1] - cos(t)) + p[0] * y[2];
    const auto c = y[0] * y[0] - p[1] * y[1] + 3.0 * y[2] + y[2] * y[2] * y[2] + cos(2.0 * t);
    for (int i = 0; i < 3; ++i) dy[i] = l[i][0] * a + l[i][1] * b + l[i][2] * c;
  }
};

/// y' = −p₀ y z + sin t, 0 = 2 z + p₁ y² − cos t
struct semi_explicit {
  static vec<double, 2> start() { return {0.4, 3}; }
  template <class Matrix>
  void mass(Matrix& m) const {
    m(0, 0) = 1;
  }
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    using std::cos;
    using std::sin;
    dy[0] = sin(t) - p[0] * y[0] * y[1];
    dy[1] = 2.0 * y[1] + p[1] * y[0] * y[0] - cos(t);
  }
  template <class T, class Y, class P>
  static Y algebraic(const T& t, const Y& y, const P& p) {
    using std::cos;
    return 0.5 * (cos(t) - p[1] * y * y);
  }
};

/// The same equations, each in both rows: rows (1, 3), (−2, 1) of the two.
struct mixed_rows {
  template <class Matrix>
  void mass(Matrix& m) const {
    m(0, 0) = 1;
    m(1, 0) = -2;
  }
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    semi_explicit{}(t, y, p, dy);
    const auto a = dy[0], b = dy[1];
    dy[0] = a + 3.0 * b;
    dy[1] = b - 2.0 * a;
  }
};

/// The same without z.
struct eliminated {
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    using std::sin;
    dy[0] = sin(t) - p[0] * y[0] * semi_explicit::algebraic(t, y[0], p);
  }
};

/// Linear finite elements of u_t = u_xx/10 − p₀ u³ + p₁ sin t: M is regular.
struct elements {
  static vec<double, 4> start() { return {0.2, 0.7, -0.3, 0.5}; }
  template <class Matrix>
  void mass(Matrix& m) const {
    for (int i = 0; i < 4; ++i) {
      m(i, i) = 4.0 / 6;
      if (i > 0) m(i, i - 1) = 1.0 / 6;
      if (i < 3) m(i, i + 1) = 1.0 / 6;
    }
  }
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    using std::sin;
    for (int i = 0; i < 4; ++i) {
      dy[i] = -0.2 * y[i] - p[0] * y[i] * y[i] * y[i] + p[1] * sin(t);
      if (i > 0) dy[i] = dy[i] + 0.1 * y[i - 1];
      if (i < 3) dy[i] = dy[i] + 0.1 * y[i + 1];
    }
  }
};

/// The position of a pendulum's bob as an algebraic equation that λ is not in.
struct of_index_two {
  template <class Matrix>
  void mass(Matrix& m) const {
    m(0, 0) = m(1, 1) = 1;
  }
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P&, Y& dy) const {
    dy[0] = y[1] - y[0] * y[2];
    dy[1] = -y[0] - y[1] * y[2];
    dy[2] = y[0] * y[0] + y[1] * y[1] - 1.0;
  }
};

struct mass_of_two {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P&, Y& dy) const {
    dy[0] = -y[0];
    dy[1] = y[0] - y[1];
  }
};
struct too_large : mass_of_two {
  template <class Matrix>
  void mass(Matrix& m) const {
    m(0, 2) = 1;
  }
};
struct not_finite : mass_of_two {
  template <class Matrix>
  void mass(Matrix& m) const {
    m(0, 0) = std::numeric_limits<double>::infinity();
  }
};

/// 0 = z² + y with y = 1.
struct unsolvable {
  template <class Matrix>
  void mass(Matrix& m) const {
    m(0, 0) = 1;
  }
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P&, Y& dy) const {
    dy[0] = -y[0];
    dy[1] = y[1] * y[1] + y[0] + 0.1 * y[1];
  }
};

}  // namespace revode
