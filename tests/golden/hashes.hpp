// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include <revode/adjoint/gradient.hpp>
#include <revode/problem.hpp>
#include <revode/solve/events.hpp>
#include <revode/solve/solution.hpp>

/// Solves whose bits, and those of their gradients, are written down in hashes.txt.
namespace revode::golden {

/// Two oscillators (q₀, q₁, p₀, p₁) that push each other; polynomials, so that no library of functions
/// has a say in the bits.
struct oscillators {
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    drift(y, dy.data());
    force(t, y, p, dy.data());
  }
  template <class T, class Y, class P>
  void dq(const T&, const Y& y, const P&, Y& dy) const {
    drift(y, dy.data());
  }
  template <class T, class Y, class P>
  void dp(const T& t, const Y& y, const P& p, Y& dy) const {
    force(t, y, p, dy.data());
  }
  template <class T, class Y, class P>
  void implicit_part(const T& t, const Y& y, const P& p, Y& dy) const {
    force(t, y, p, dy.data());
    dy.data()[0] = dy.data()[1] = T(0) * t;
  }
  template <class T, class Y, class P>
  void explicit_part(const T& t, const Y& y, const P&, Y& dy) const {
    drift(y, dy.data());
    dy.data()[2] = dy.data()[3] = T(0) * t;
  }

 private:
  template <class Y, class S>
  static void drift(const Y& y, S* dy) {
    dy[0] = y.data()[2];
    dy[1] = y.data()[3];
  }
  template <class T, class Y, class P, class S>
  static void force(const T& t, const Y& y, const P& p, S* dy) {
    const auto *q = y.data(), *k = p.data();
    dy[2] = -(k[0] * q[0]) - k[1] * q[0] * q[0] * q[0] + k[1] * (q[1] - q[0]);
    dy[3] = -(k[0] * q[1]) + k[1] * (q[0] - t * q[1]);
  }
};

/// The first element falls through 0.3: the momentum behind it is damped.
struct turn {
  static constexpr auto direction = crossing::falling;
  static constexpr bool passes = true;
  template <class T, class Y, class P>
  T condition(const T&, const Y& y, const P&) const {
    return y.data()[0] - T(0.3);
  }
  template <class T, class Y, class P>
  void jump(const T&, const Y& y, const P& p, Y& y_new) const {
    y_new.data()[2] = y_new.data()[2] - p.data()[1] * y.data()[2];
  }
};
/// At times of its own, and behind it the parameters are others.
struct dose {
  std::vector<double> times;
  template <class T, class Y, class P>
  void jump(const T&, const Y& y, const P& p, Y& y_new, P& p_new) const {
    y_new.data()[3] = y.data()[3] + p.data()[1];
    p_new.data()[0] = p.data()[0] * p.data()[0];
  }
};

using state = vec<double, 4>;
using parameters = vec<double, 2>;

template <class Y = state>
auto start() {
  if constexpr (static_size_v < Y >> 0)
    return Y{0.6f, 0.2f, -0.3f, 0.4f};
  else {
    Y y(4);
    for (int i = 0; i < 4; ++i) y.data()[i] = start()[i];
    return y;
  }
}
template <class Y = state>
auto oscillation(double t1 = 2.5) {
  using P = vec<scalar_t<Y>, 2>;
  return problem{oscillators{}, start<Y>(), 0.0, t1, P{scalar_t<Y>(1.5), scalar_t<Y>(0.4)}};
}

/// 64 bits of all numbers that are given to it, in order.
/// source  Fowler, Noll and Vo's FNV-1a
class hash {
 public:
  template <class X>
  hash& operator()(const X& x) {
    if constexpr (std::is_arithmetic_v<X>)
      take(&x, sizeof x);
    else if constexpr (requires { x.data()->data(); })
      for (const auto& element : x) (*this)(element);
    else
      take(x.data(), static_cast<std::size_t>(length(x)) * sizeof(*x.data()));
    return *this;
  }
  std::uint64_t value() const { return value_; }

 private:
  void take(const void* from, std::size_t bytes) {
    const auto* at = static_cast<const unsigned char*>(from);
    for (std::size_t k = 0; k < bytes; ++k) value_ = (value_ ^ at[k]) * 1099511628211u;
  }
  std::uint64_t value_ = 14695981039346656037u;
};

template <class Y>
void put(hash& h, const solution<Y>& s) {
  h(s.t)(s.y)(s.ts)(s.ys);
  for (const auto& e : s.events) h(e.t)(e.which);
}
template <class Y, class P>
void put(hash& h, const gradient<Y, P>& g) {
  h(g.y0)(g.p)(g.t0)(g.t1)(g.ts)(g.stops)(g.events)(g.times);
}
inline void print(const std::string& what, const hash& of_solution, const hash& of_gradient) {
  std::printf("%s: %016llx, gradient %016llx\n", what.c_str(),
              static_cast<unsigned long long>(of_solution.value()),
              static_cast<unsigned long long>(of_gradient.value()));
}

/// Cotangents of everything that a solution has.
template <class Y>
cotangents<Y> weights_of(const solution<Y>& s) {
  cotangents<Y> w{.y = s.y};
  fill(*w.y, scalar_t<Y>(1));
  for (std::size_t k = 0; k < s.ys.size(); ++k) {
    w.ys.push_back(s.y);
    fill(w.ys.back(), scalar_t<Y>(0.5f * static_cast<float>(k)));
  }
  for (std::size_t k = 0; k < s.events.size(); ++k)
    w.events.push_back(0.25 * static_cast<double>(k + 1));
  return w;
}
template <class S>
void print_pulled(const std::string& what, S&& s) {
  hash of_solution, of_gradient;
  put(of_solution, s);
  put(of_gradient, s.pullback(weights_of<std::remove_cvref_t<decltype(s.y)>>(s)));
  print(what, of_solution, of_gradient);
}

// Of the files beside this one.
void print_methods();
void print_stiff_methods();
void print_situations();
void print_other_derivatives();

}  // namespace revode::golden
