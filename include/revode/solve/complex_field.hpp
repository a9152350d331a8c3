// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include <revode/ad/faces.hpp>
#include <revode/problem.hpp>
#include <revode/solve/mass/mass_matrix.hpp>

namespace revode {

/// A complex number over any scalar that revode differentiates with (std::complex is for the three
/// floating-point types only). Mixes with real numbers and with std::complex.
template <class T>
struct complex_value {
  T re, im;

  complex_value() = default;
  REVODE_HD complex_value(const T& real, const T& imaginary) : re(real), im(imaginary) {}
  template <class S>
  requires std::constructible_from<T, S> REVODE_HD complex_value(const S& real)
      : re(real),
        im(T(0)) {}
  template <class S>
  REVODE_HD complex_value(const std::complex<S>& z) : re(T(z.real())),
                                                      im(T(z.imag())) {}

  REVODE_HD friend complex_value operator+(const complex_value& a, const complex_value& b) {
    return {a.re + b.re, a.im + b.im};
  }
  REVODE_HD friend complex_value operator-(const complex_value& a, const complex_value& b) {
    return {a.re - b.re, a.im - b.im};
  }
  REVODE_HD friend complex_value operator-(const complex_value& a) { return {-a.re, -a.im}; }
  REVODE_HD friend complex_value operator*(const complex_value& a, const complex_value& b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
  REVODE_HD friend complex_value operator/(const complex_value& a, const complex_value& b) {
    const T n = norm(b);
    return {(a.re * b.re + a.im * b.im) / n, (a.im * b.re - a.re * b.im) / n};
  }
  template <class S>
  requires(std::is_arithmetic_v<S> || std::same_as<S, T>) REVODE_HD friend complex_value operator*(
      const S& a, const complex_value& z) {
    return {T(a) * z.re, T(a) * z.im};
  }
  template <class S>
  requires(std::is_arithmetic_v<S> || std::same_as<S, T>) REVODE_HD friend complex_value operator*(
      const complex_value& z, const S& a) {
    return a * z;
  }
  template <class S>
  requires(std::is_arithmetic_v<S> || std::same_as<S, T>) REVODE_HD friend complex_value operator/(
      const complex_value& z, const S& a) {
    return {z.re / T(a), z.im / T(a)};
  }
  REVODE_HD complex_value& operator+=(const complex_value& z) { return *this = *this + z; }
  REVODE_HD complex_value& operator-=(const complex_value& z) { return *this = *this - z; }
  REVODE_HD complex_value& operator*=(const complex_value& z) { return *this = *this * z; }

  REVODE_HD friend T real(const complex_value& z) { return z.re; }
  REVODE_HD friend T imag(const complex_value& z) { return z.im; }
  REVODE_HD friend complex_value conj(const complex_value& z) { return {z.re, -z.im}; }
  /// |z|²
  REVODE_HD friend T norm(const complex_value& z) { return z.re * z.re + z.im * z.im; }
  REVODE_HD friend T abs(const complex_value& z) {
    using std::sqrt;
    return sqrt(norm(z));
  }
  REVODE_HD friend complex_value exp(const complex_value& z) {
    using std::cos, std::exp, std::sin;
    const T size = exp(z.re);
    return {size * cos(z.im), size * sin(z.im)};
  }
};

/// Pairs (Re, Im) that lie side by side, as complex numbers.
template <class S>
class complex_view {
 public:
  using number = std::conditional_t<std::is_const_v<S>, const complex_value<std::remove_const_t<S>>,
                                    complex_value<S>>;

  REVODE_HD complex_view(S* pairs, int n) : at_(reinterpret_cast<number*>(pairs)), n_(n) {}
  REVODE_HD number& operator[](int i) const { return at_[i]; }
  REVODE_HD int size() const { return n_; }
  REVODE_HD number* begin() const { return at_; }
  REVODE_HD number* end() const { return at_ + n_; }

 private:
  number* at_;
  int n_;
};

template <class F>
struct complex_rule {
  using field = std::remove_cvref_t<F>;
  static constexpr bool autonomous = says_autonomous<field>, complex_pairs = true;
  static_assert(!has_mass_v<field>,
                "a field with a mass matrix for complex states (M would act on pairs) write the "
                "real field of the pairs?");
  F callable;

  template <class Y>
  using seen = complex_view<const scalar_t<Y>>;
  template <class Y>
  using given = complex_view<scalar_t<Y>>;

  template <class Face, class T, class Y, class P>
  requires requires(const field& f, const T& t, const P& p, seen<Y> z, given<Y> dz) {
    Face::value(f, t, z, p, dz);
  }
  REVODE_HD void value(Face, const T& t, const Y& y, const P& p, Y& dy) const {
    const int n = length(y) / 2;
    given<Y> dz(dy.data(), n);
    Face::value(callable, t, seen<Y>(y.data(), n), p, dz);
  }
  template <class Face, class T, class Y, class P>
  requires requires(const field& f, const T& t, const P& p, T& gt, P& gp, seen<Y> z, given<Y> gz) {
    Face::vjp(f, t, z, p, z, gt, gz, gp);
  }
  REVODE_HD void pull(Face, const T& t, const Y& y, const P& p, const Y& w, T& gt, Y& gy,
                      P& gp) const {
    const int n = length(y) / 2;
    given<Y> gz(gy.data(), n);
    Face::vjp(callable, t, seen<Y>(y.data(), n), p, seen<Y>(w.data(), n), gt, gz, gp);
  }
  template <class Face, class T, class Y, class P>
  requires requires(const field& f, const T& t, const P& p, seen<Y> z, given<Y> dz) {
    Face::jvp(f, t, z, p, t, z, p, dz);
  }
  REVODE_HD void push(Face, const T& t, const Y& y, const P& p, const T& dt, const Y& dy,
                      const P& dp, Y& out) const {
    const int n = length(y) / 2;
    given<Y> dz(out.data(), n);
    Face::jvp(callable, t, seen<Y>(y.data(), n), p, dt, seen<Y>(dy.data(), n), dp, dz);
  }
};

/// The field f(t, z, p, dz) of complex states z as that of its real 2n map, over states of pairs (Re,
/// Im): solved and differentiated as any other. Steps are chosen by moduli. f is generic: z and dz are
/// complex_views, z[i] a complex_value. Its vjp is the adjoint of the real map: a cotangent is
/// w̄ = ∂L/∂Re + i ∂L/∂Im. Parts, and derivatives that f brings, see complex numbers as well.
template <class F>
using complex_field = field_by<complex_rule<F>>;

template <class Z>
struct pairs_of {
  using type = std::vector<typename scalar_t<Z>::value_type>;
};
template <class Z>
requires(static_size_v<Z> >= 0) struct pairs_of<Z> {
  using type = vec<typename scalar_t<Z>::value_type, 2 * static_size_v<Z>>;
};

/// (Re z₀, Im z₀, Re z₁, …) of a container of std::complex.
template <class Z>
typename pairs_of<Z>::type as_pairs(const Z& z) {
  typename pairs_of<Z>::type y{};
  const int n = length(z);
  if constexpr (static_size_v<Z> < 0) y.resize(2 * static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) {
    y.data()[2 * i] = z.data()[i].real();
    y.data()[2 * i + 1] = z.data()[i].imag();
  }
  return y;
}
/// The way back, into a container of std::complex shaped like this one: a state or a cotangent.
template <class Z, class Y>
Z as_complex(const Y& pairs, Z like) {
  for (int i = 0, n = length(like); i < n; ++i)
    like.data()[i] = {pairs.data()[2 * i], pairs.data()[2 * i + 1]};
  return like;
}

/// The initial value problem z' = f(t, z, p), z(t0) = z0 of complex numbers.
///
///   const vec<std::complex<double>, 2> z0{1, 0};
///   auto s = solve(complex_problem(f, z0, 0.0, 1.0, p), tsit5{});
///   auto z = as_complex(s.y, z0);
template <class F, class Z, class P = vec<double, 0>>
auto complex_problem(F&& f, const Z& z0, double t0, double t1, const P& p = {}) {
  return problem{complex_field<F>{{std::forward<F>(f)}}, as_pairs(z0), t0, t1, p};
}

}  // namespace revode
