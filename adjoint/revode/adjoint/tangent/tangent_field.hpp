// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>
#include <utility>

#include <revode/ad/derivatives.hpp>
#include <revode/adjoint/continuous/continuous_pass.hpp>
#include <revode/solve/quadrature.hpp>
#include <revode/solve/split.hpp>

namespace revode {

/// A state, or parameters, with K tangents behind it: (y, ẏ¹, …, ẏᴷ).
template <class Y, int K>
using with_tangents_t = stacked_t<Y, vec<scalar_t<Y>, 0>, K + 1>;

/// The field of a state with its tangents in K directions, z = (y, ẏ¹, …), whose parameters are
/// q = (p, ṗ¹, …):
///   z' = (f, f_y ẏ¹ + f_p ṗ¹, …)
/// One call of f over duals is all of it; over duals of duals it is the derivative of that, so every
/// method that takes f takes this. Faces of f (ad/faces.hpp) have tangents of their own, each as follows.
/// A face with one scalar type brings vjp over dual<T, 1> (as erased_field does), or else jvp and
/// jacobian; the Jacobian of z' is then only approximate (without f_yy ẏ), which is enough for Newton.
/// An object serves one solve at a time.
template <class F, class Y, class P, int K>
struct tangent_rule {
  static_assert(!has_mass_v<F>,
                "a field with a mass matrix for tangents behind a state (they would have algebraic "
                "equations of their own) take forward_mode, or a gradient?");
  using T = scalar_t<Y>;
  using Z = with_tangents_t<Y, K>;
  using Q = with_tangents_t<P, K>;
  using push_scalar = dual<T, 1>;

  static constexpr bool autonomous = says_autonomous<F>;
  static constexpr bool complex_pairs = says_complex_pairs<F>;
  /// A face is there over a scalar: as duals, or by products of its own.
  template <class Face, class S>
  static constexpr bool over = has_face<Face, F, Y, P, dual<S, K>>;
  template <class Face, class S>
  static constexpr bool by_products =
      std::is_same_v<S, T>&& has_face<Face, F, Y, P, T>&& has_face_jvp<Face, F, Y, P, T>;
  template <class Face>
  static constexpr bool generic = over<Face, dual<T, 1>>;
  template <class Face>
  static constexpr bool by_rows = !generic<Face> && has_face_vjp<Face, F, Y, P, push_scalar>;
  /// Is its Jacobian the derivative of its values?
  template <class Face>
  static constexpr bool exact_jacobian = generic<Face> || by_rows<Face>;

  const F& f;
  Y y;  ///< of y's and p's shapes
  P p;
  mutable scratch_by_type scratch{};

  template <class Face, class S, class ZS, class QS>
  requires(over<Face, S> || by_products<Face, S>) void value(Face, const S& t, const ZS& z,
                                                             const QS& q, ZS& dz) const {
    if constexpr (by_products<Face, S>)
      multiply<Face>(t, z, q, dz);
    else
      evaluate<Face>(t, z, q, dz);
  }

  /// J = (f_y, 0; f_yy ẏ + f_yp ṗ, f_y; …): the columns of y by duals of duals, or row by row, or
  /// without what is below the diagonal.
  template <class Face, class J>
  requires has_face<Face, F, Y, P, T>
  void matrix(Face, T t, const Z& z, const Q& q, J& j) const {
    const int n = length(y), size = length(z);
    for (int i = 0; i < size; ++i)
      for (int k = 0; k < size; ++k) j(i, k) = T(0);
    if constexpr (generic<Face>) {
      columns<Face>(t, z, q, j);
    } else if constexpr (by_rows<Face>) {
      for (int i = 0; i < n; ++i)
        pull_row<Face>(i, t, z, q, [&](int k, const auto& row) {
          for (int c = 0; c < n; ++c) j(i, c) = row.y.data()[c].value;
          for (int c = 0; c < n; ++c) j((k + 1) * n + i, c) = row.y.data()[c].d[0];
        });
    } else {
      using part = field_by<face_of<Face, F>>;
      auto& of_part =
          scratch.template get<derivatives<part, Y, P>>([] { return derivatives<part, Y, P>{}; });
      with_parts<T>(
          z, q, [&](const Y& at, const P& with) { of_part.jacobian(part{{f}}, t, at, with, j); });
    }
    for (int k = 1; k <= K; ++k)
      for (int i = 0; i < n; ++i)
        for (int c = 0; c < n; ++c) j(k * n + i, k * n + c) = j(i, c);
  }

  /// out = z'_t dt + z'_z dz + z'_q dq, where duals of duals cannot have it.
  /// cost    K n VJPs over duals
  template <class Face>
  requires(by_rows<Face>) void push(Face, T t, const Z& z, const Q& q, T dt, const Z& dz,
                                    const Q& dq, Z& out) const {
    const int n = length(y), np = length(p);
    for (int i = 0; i < n; ++i)
      pull_row<Face>(i, t, z, q, [&](int k, const auto& row) {
        T first = row.t.value * dt, second = row.t.d[0] * dt;
        const auto add = [&](const auto& of, const auto& by, int size) {
          for (int c = 0; c < size; ++c) {
            const T moved = by.data()[c], turned = by.data()[(k + 1) * size + c];
            first = muladd(of.data()[c].value, moved, first);
            second = muladd(of.data()[c].d[0], moved, second);
            second = muladd(of.data()[c].value, turned, second);
          }
        };
        add(row.y, dz, n);
        add(row.p, dq, np);
        out.data()[i] = first;
        out.data()[(k + 1) * n + i] = second;
      });
  }

  /// The k-th part of what is stacked, and into it.
  template <class From, class To>
  static void take(int k, const From& from, To& to) {
    for (int i = 0, n = length(to); i < n; ++i) to.data()[i] = from.data()[k * n + i];
  }
  template <class From, class To>
  static void put(int k, const From& from, To& to) {
    for (int i = 0, n = length(from); i < n; ++i) to.data()[k * n + i] = from.data()[i];
  }
  /// use(y, p), both over S.
  template <class S, class ZS, class QS, class Use>
  void with_parts(const ZS& z, const QS& q, Use&& use) const {
    with_arrays<S>([&](auto& a) {
      take(0, z, a.y);
      take(0, q, a.p);
      use(std::as_const(a.y), std::as_const(a.p));
    });
  }

 private:
  template <class S>
  struct row_of {
    S t;
    rebind_t<Y, S> y, w;
    rebind_t<P, S> p;
  };

  /// use(arrays over S): on the stack where sizes are fixed, otherwise kept.
  template <class S, class Use>
  void with_arrays(Use&& use) const {
    using arrays = field_arrays<Y, P, S>;
    if constexpr (static_size_v<Y> >= 0 && static_size_v<P> >= 0) {
      arrays a;
      use(a);
    } else {
      arrays& a = scratch.template get<arrays>([] { return arrays{}; });
      a.fit(y, p);
      use(a);
    }
  }
  /// to = (x, ẋ¹, …) from their places behind each other.
  template <class From, class To>
  static void seed(const From& from, To& to) {
    for (int i = 0, n = length(to); i < n; ++i) {
      to.data()[i] = scalar_t<To>(from.data()[i]);
      for (int k = 0; k < K; ++k) to.data()[i].d[k] = from.data()[(k + 1) * n + i];
    }
  }

  template <class Face, class S, class ZS, class QS>
  void evaluate(const S& t, const ZS& z, const QS& q, ZS& dz) const {
    using D = dual<S, K>;
    with_arrays<D>([&](auto& a) {
      seed(z, a.y);
      seed(q, a.p);
      Face::value(f, D(t), std::as_const(a.y), std::as_const(a.p), a.dy);
      for (int i = 0, n = length(y); i < n; ++i) {
        dz.data()[i] = a.dy.data()[i].value;
        for (int k = 0; k < K; ++k) dz.data()[(k + 1) * n + i] = a.dy.data()[i].d[k];
      }
    });
  }

  struct products {
    Y y, y_dot, out;
    P p, p_dot;
  };
  template <class Face>
  void multiply(T t, const Z& z, const Q& q, Z& dz) const {
    const auto use = [&](products& a) {
      const int n = length(y);
      take(0, z, a.y);
      take(0, q, a.p);
      Face::value(f, t, std::as_const(a.y), std::as_const(a.p), a.out);
      for (int i = 0; i < n; ++i) dz.data()[i] = a.out.data()[i];
      for (int k = 1; k <= K; ++k) {
        take(k, z, a.y_dot);
        take(k, q, a.p_dot);
        Face::jvp(f, t, std::as_const(a.y), std::as_const(a.p), T(0), std::as_const(a.y_dot),
                  std::as_const(a.p_dot), a.out);
        for (int i = 0; i < n; ++i) dz.data()[k * n + i] = a.out.data()[i];
      }
    };
    const auto make = [this] { return products{y, y, y, p, p}; };
    if constexpr (static_size_v<Y> >= 0 && static_size_v<P> >= 0) {
      products a = make();
      use(a);
    } else {
      use(scratch.template get<products>(make));
    }
  }

  template <class Face, class J>
  void columns(T t, const Z& z, const Q& q, J& j) const {
    constexpr int chunk = static_size_v < Y >> 0 && static_size_v<Y> < 8 ? static_size_v<Y> : 8;
    using S = dual<T, chunk>;
    const int n = length(y);
    with_arrays<dual<S, K>>([&](auto& a) {
      for (int first = 0; first < n; first += chunk) {
        seed(z, a.y);
        seed(q, a.p);
        for (int c = first; c < first + chunk && c < n; ++c)
          a.y.data()[c].value = S::input(z.data()[c], c - first);
        Face::value(f, dual<S, K>(S(t)), std::as_const(a.y), std::as_const(a.p), a.dy);
        for (int c = first; c < first + chunk && c < n; ++c)
          for (int i = 0; i < n; ++i) {
            j(i, c) = a.dy.data()[i].value.d[c - first];
            for (int k = 0; k < K; ++k) j((k + 1) * n + i, c) = a.dy.data()[i].d[k].d[c - first];
          }
      }
    });
  }

  /// use(k, row) for each direction: the gradient of fᵢ, and of its derivative along the direction.
  template <class Face, class Use>
  void pull_row(int i, T t, const Z& z, const Q& q, Use&& use) const {
    using S = push_scalar;
    using row = row_of<S>;
    row& r = scratch.template get<row>([this] {
      return row{S(0), rebind_like<S>(y), rebind_like<S>(y), rebind_like<S>(p)};
    });
    with_arrays<S>([&](auto& a) {
      for (int k = 0; k < K; ++k) {
        for (int c = 0, n = length(y); c < n; ++c) {
          a.y.data()[c] = S(z.data()[c]);
          a.y.data()[c].d[0] = z.data()[(k + 1) * n + c];
        }
        for (int c = 0, n = length(p); c < n; ++c) {
          a.p.data()[c] = S(q.data()[c]);
          a.p.data()[c].d[0] = q.data()[(k + 1) * n + c];
        }
        r.t = S(0);
        fill(r.y, S(0));
        fill(r.p, S(0));
        fill(r.w, S(0));
        r.w.data()[i] = S(1);
        Face::vjp(f, S(t), std::as_const(a.y), std::as_const(a.p), std::as_const(r.w), r.t, r.y,
                  r.p);
        use(k, r);
      }
    });
  }
};

template <class F, class Y, class P, int K>
using tangent_field = field_by<tangent_rule<F, Y, P, K>>;

}  // namespace revode
