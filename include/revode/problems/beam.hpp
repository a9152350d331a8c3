// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <vector>

#include <revode/ad/functions.hpp>
#include <revode/config.hpp>
#include <revode/state/vec.hpp>

namespace revode {

/// An elastic beam of length 1 in n elements, clamped at one end, pulled at the other until t = π
/// by a force p (−sin² t, sin² t), p = (1.5). State: angles θ1 … θn, then their velocities:
///   v_l = n⁴ (θ_{l−1} − 2θ_l + θ_{l+1}) + n² (F_y cos θ_l − F_x sin θ_l),
///   θ_0 = −θ_1, θ_{n+1} = θ_n,
///   C w = D v + θ'²,  θ'' = C v + D w,
/// C tridiagonal of −cos(θ_l − θ_{l±1}) around (1, 2, …, 2, 3), D of −sin(θ_l − θ_{l±1}).
struct beam {
  static constexpr const char* name = "beam";
  static constexpr const char* summary = "an elastic beam, beam:N elements, p = (force)";
  static constexpr const char* source = "Hairer, Wanner, Solving ODEs II, IV.1 and IV.10";
  static constexpr double t0 = 0, t1 = 5;
  static constexpr int digits = 10;
  static constexpr int default_size = 40, least_size = 2;
  static constexpr double atol(double rtol) { return rtol; }

  int n = default_size;

  auto y0() const { return std::vector<double>(2 * static_cast<std::size_t>(n)); }
  constexpr auto parameters() const { return vec<double, 1>{1.5}; }

  /// θ1, θ10, θ20, θ30, θ40 and their velocities.
  auto reference_components() const -> std::vector<int> {
    return {0, 9, 19, 29, 39, 40, 49, 59, 69, 79};
  }
  auto reference() const -> std::vector<double> {
    if (n != default_size) return {};
    return {-5.7923665912948e-3, -0.091191346546442, -0.14835954724626, -0.17258218474621,
            -0.17672017610751,   0.037473626805669,  0.59876097023390,  0.98687478213605,
            1.1567921319612,     1.1867246151245};
  }

  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    using S = scalar_of<Y>;
    const auto size = static_cast<std::size_t>(y.size()) / 2;
    const S* angle = y.data();
    const S* rate = angle + size;
    S* out = dy.data();
    std::vector<S> sine(size + 1), cosine(size + 1), v(size), w(size), pivot(size);
    bend(t, angle, p.data()[0], v);
    turn(angle, sine, cosine);
    for (std::size_t i = 0; i < size; ++i) {
      w[i] = rate[i] * rate[i];
      if (i > 0) w[i] = w[i] - sine[i] * v[i - 1];
      if (i + 1 < size) w[i] = w[i] + sine[i + 1] * v[i + 1];
    }
    solve(cosine, pivot, w);
    for (std::size_t i = 0; i < size; ++i) {
      out[i] = rate[i];
      S sum = S(diagonal(i, size)) * v[i];
      if (i > 0) sum = sum - cosine[i] * v[i - 1] - sine[i] * w[i - 1];
      if (i + 1 < size) sum = sum - cosine[i + 1] * v[i + 1] + sine[i + 1] * w[i + 1];
      out[size + i] = sum;
    }
  }

 private:
  template <class Y>
  using scalar_of = std::remove_cvref_t<decltype(*std::declval<Y&>().data())>;

  static double diagonal(std::size_t i, std::size_t size) {
    return i == 0 ? 1 : i + 1 == size ? 3 : 2;
  }

  /// v: elastic forces and the load.
  template <class T, class S, class Q>
  static void bend(const T& t, const S* angle, const Q& force, std::vector<S>& v) {
    using std::cos;
    using std::sin;
    const std::size_t size = v.size();
    const S squared = static_cast<S>(static_cast<double>(size * size));
    const bool pulled = value_of(t) <= 3.14159265358979324;
    const T s = sin(t);
    for (std::size_t i = 0; i < size; ++i) {
      const S left = i == 0 ? S(-angle[0]) : angle[i - 1];
      const S right = i + 1 == size ? angle[i] : angle[i + 1];
      v[i] = squared * squared * (left - 2 * angle[i] + right);
      if (pulled) v[i] = v[i] + squared * (force * (s * s)) * (cos(angle[i]) + sin(angle[i]));
    }
  }

  /// Sine and cosine of θ_i − θ_{i−1}, i counted from 0.
  template <class S>
  static void turn(const S* angle, std::vector<S>& sine, std::vector<S>& cosine) {
    using std::cos;
    using std::sin;
    for (std::size_t i = 1; i + 1 < sine.size(); ++i) {
      sine[i] = sin(angle[i] - angle[i - 1]);
      cosine[i] = cos(angle[i] - angle[i - 1]);
    }
  }

  /// w = C⁻¹ w, from the last unknown to the first and back.
  template <class S>
  static void solve(const std::vector<S>& cosine, std::vector<S>& pivot, std::vector<S>& w) {
    const std::size_t size = w.size();
    for (std::size_t i = 0; i < size; ++i) pivot[i] = S(diagonal(i, size));
    for (std::size_t i = size - 1; i-- > 0;) {
      const S factor = cosine[i + 1] / pivot[i + 1];
      w[i] = w[i] + w[i + 1] * factor;
      pivot[i] = pivot[i] - cosine[i + 1] * factor;
    }
    w[0] = w[0] / pivot[0];
    for (std::size_t i = 1; i < size; ++i) w[i] = (w[i] + cosine[i] * w[i - 1]) / pivot[i];
  }
};

}  // namespace revode
