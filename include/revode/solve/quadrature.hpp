// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include <revode/problem.hpp>
#include <revode/solve/options.hpp>

namespace revode {

template <class T>
inline constexpr char type_mark = 0;

/// One object of each type that is asked for, made the first time and kept.
class scratch_by_type {
 public:
  template <class T, class Make>
  T& get(Make&& make) {
    for (auto& [mark, object] : kept_)
      if (mark == &type_mark<T>) return *static_cast<T*>(object.get());
    kept_.emplace_back(&type_mark<T>, std::make_shared<T>(make()));
    return *static_cast<T*>(kept_.back().second.get());
  }

 private:
  std::vector<std::pair<const char*, std::shared_ptr<void>>> kept_;
};

/// The options for a state with `more` elements behind its n: they have the tolerances of all, or are
/// outside the error norm.
inline options with_more_elements(options o, int n, int more, bool outside) {
  auto& [rtol, atol, combine, pairs] = o.norm;
  if (outside && atol.empty()) atol.assign(static_cast<std::size_t>(n), o.atol);
  for (int i = 0; i < more; ++i) {
    if (!rtol.empty()) rtol.push_back(o.rtol);
    if (!atol.empty()) atol.push_back(outside ? std::numeric_limits<double>::infinity() : o.atol);
  }
  return o;
}

/// The elements of a state Y and then those of Q: of fixed length where both are.
template <class Y, class Q>
struct elements_of_both {
  using type = std::vector<scalar_t<Y>>;
};
template <class Y, class Q>
requires(static_size_v<Y> >= 0 && static_size_v<Q> >= 0) struct elements_of_both<Y, Q> {
  using type = vec<scalar_t<Y>, static_size_v<Y> + static_size_v<Q>>;
};
template <class Y, class Q>
using with_quadrature_t = typename elements_of_both<Y, Q>::type;

/// The field of (y, q): y' = f(t, y, p), q' = g(t, y, p) with g(t, y, p, dq). Both see y in its own
/// kind of container. Dynamic ones are kept between calls, so an object serves one solve at a time.
template <class F, class G, class Y, class Q>
struct field_with_quadrature {
  F f;
  G g;
  Y y;
  Q q;
  mutable scratch_by_type scratch{};

  template <class T, class P, class Z>
  void operator()(const T& t, const Z& z, const P& p, Z& dz) const {
    using S = scalar_t<Z>;
    struct parts {
      rebind_t<Y, S> y, dy;
      rebind_t<Q, S> dq;
    };
    if constexpr (static_size_v<Z> >= 0) {
      parts work{};
      evaluate(t, z, p, dz, work);
    } else {
      evaluate(t, z, p, dz, scratch.template get<parts>([this] {
        return parts{rebind_like<S>(y), rebind_like<S>(y), rebind_like<S>(q)};
      }));
    }
  }

  /// The options that leave q out of the choice of steps.
  options outside_norm(const options& o) const {
    return with_more_elements(o, length(y), length(q), true);
  }
  /// The two parts of a solution, a save point, a gradient.
  template <class Z>
  Y state_of(const Z& z) const {
    Y part = y;
    for (int i = 0, n = length(y); i < n; ++i) part.data()[i] = z.data()[i];
    return part;
  }
  template <class Z>
  Q integral_of(const Z& z) const {
    Q part = q;
    for (int i = 0, n = length(q); i < n; ++i) part.data()[i] = z.data()[length(y) + i];
    return part;
  }

 private:
  template <class T, class P, class Z, class Parts>
  void evaluate(const T& t, const Z& z, const P& p, Z& dz, Parts& w) const {
    const int n = length(y);
    for (int i = 0; i < n; ++i) w.y.data()[i] = z.data()[i];
    f(t, std::as_const(w.y), p, w.dy);
    g(t, std::as_const(w.y), p, w.dq);
    for (int i = 0; i < n; ++i) dz.data()[i] = w.dy.data()[i];
    for (int i = 0, k = length(q); i < k; ++i) dz.data()[n + i] = w.dq.data()[i];
  }
};

/// The problem of y with q(t) = q0 + ∫ g(t, y, p) dt beside it, solved and differentiated as any other:
///
///   auto z = with_quadrature(q, [](auto, const auto& y, const auto&, auto& dq) { dq[0] = y[0]; },
///                            vec{0.0});
///   auto s = solve(z, tsit5{}, z.f.outside_norm(options{}));
///   z.f.state_of(s.y), z.f.integral_of(s.y);
///
/// A field that q names by reference stays a reference.
template <class F, class Y, class P, class G, class Q>
auto with_quadrature(const problem<F, Y, P>& q, const G& g, const Q& q0) {
  with_quadrature_t<Y, Q> z{};
  const int n = length(q.y0), k = length(q0);
  if constexpr (static_size_v<with_quadrature_t<Y, Q>> < 0)
    z.resize(static_cast<std::size_t>(n + k));
  for (int i = 0; i < n; ++i) z.data()[i] = q.y0.data()[i];
  for (int i = 0; i < k; ++i) z.data()[n + i] = q0.data()[i];
  using field = field_with_quadrature<F, G, Y, Q>;
  return problem<field, with_quadrature_t<Y, Q>, P>{field{q.f, g, q.y0, q0}, z, q.t0, q.t1, q.p};
}

}  // namespace revode
