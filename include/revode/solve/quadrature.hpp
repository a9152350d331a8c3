// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include <revode/ad/derivatives.hpp>
#include <revode/ad/faces.hpp>
#include <revode/ad/field_tape.hpp>
#include <revode/problem.hpp>
#include <revode/solve/options.hpp>
#include <revode/state/scratch_by_type.hpp>

namespace revode {

/// The options for a state with `more` elements behind its n: they have the tolerances of all, or are
/// outside the error norm.
inline options with_more_elements(options o, int n, int more, bool outside) {
  auto& [rtol, atol, combine, pairs, paired, period] = o.norm;
  if (paired < 0) paired = n;
  if (outside && atol.empty()) atol.assign(static_cast<std::size_t>(n), o.atol);
  for (int i = 0; i < more; ++i) {
    if (!rtol.empty()) rtol.push_back(o.rtol);
    if (!atol.empty()) atol.push_back(outside ? std::numeric_limits<double>::infinity() : o.atol);
  }
  return o;
}

/// The block of a matrix from its first row and column on.
template <class J>
struct leading_block {
  J& whole;
  decltype(auto) operator()(int i, int k) const { return whole(i, k); }
};

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

/// (y, q)' = (f, g), or that of the parts of f: g is integrated with the explicit one.
template <class F, class G, class Y, class Q>
struct field_and_integrand {
  using field = std::remove_cvref_t<F>;
  using integrand = std::remove_cvref_t<G>;
  static constexpr bool autonomous = says_autonomous<field> && says_autonomous<integrand>;
  static constexpr bool complex_pairs = says_complex_pairs<field>;
  template <class Face>
  static constexpr bool with_integrand = !std::is_same_v<Face, implicit_face>;
  /// Halves of (y, q) are none of y.
  template <class Face>
  static constexpr bool is_part =
      !std::is_same_v<Face, half_face<0>> && !std::is_same_v<Face, half_face<1>>;

  F f;
  G g;
  Y y;
  Q q;
  mutable scratch_by_type scratch{};

  template <class Entries>
  void mass(Entries& m) const requires requires(const field& of) {
    of.mass(m);
  }
  {
    f.mass(m);
    const int first = length(y);
    for (int i = 0, n = length(q); i < n; ++i) m(first + i, first + i) = 1;
  }
  std::vector<int> index() const requires requires(const field& of) { of.index(); }
  {
    std::vector<int> all = index_list(f);
    if (!all.empty()) all.resize(all.size() + static_cast<std::size_t>(length(q)), 1);
    return all;
  }

  /// y, a cotangent or tangent of y, one of f; the same of q; over S.
  template <class S>
  struct parts {
    rebind_t<Y, S> y, y_more, dy;
    rebind_t<Q, S> dq;
  };

  // What f and g bring, and whether g takes this scalar. A field that is recorded on arrays is pulled by itself.
  template <class Face, class T, class P>
  static constexpr bool by_arrays =
      !has_face_vjp<Face, field, Y, P, T> &&
      array_call_accepts<field_by<face_of<Face, field>>, rebind_t<Y, T>, P, T>;
  template <class Face, class T, class P>
  static constexpr bool own_vjp = has_face_vjp<Face, field, Y, P, T> || by_arrays<Face, T, P>;
  template <class Face, class T, class P>
  static constexpr bool own_jvp = has_face_jvp<Face, field, Y, P, T>;
  template <class T, class P>
  static constexpr bool own_vjp_of_g = requires(const integrand& of, const T& t,
                                                const rebind_t<Y, T>& y, const P& p,
                                                const rebind_t<Q, T>& w, T& gt, rebind_t<Y, T>& gy,
                                                P& gp) {
    of.vjp(t, y, p, w, gt, gy, gp);
  };
  template <class T, class P>
  static constexpr bool own_jvp_of_g = requires(const integrand& of, const T& t,
                                                const rebind_t<Y, T>& y, const P& p,
                                                rebind_t<Q, T>& out) {
    of.jvp(t, y, p, t, y, p, out);
  };
  template <class T, class P>
  static constexpr bool takes_g = requires(const integrand& of, const T& t, const rebind_t<Y, T>& y,
                                           const P& p, rebind_t<Q, T>& dq) {
    of(t, y, p, dq);
  };

  /// The tape of f, and none of g.
  template <class Z, class P>
  requires has_tape<field, Y, P>
  auto tape_size(const Z&, const P& p) const { return f.tape_size(y, p); }
  template <class P, class... Tape>
  static constexpr bool keeps = sizeof...(Tape) == 0 || has_tape<field, Y, P>;

  template <class Face, class T, class P, class Z, class... Tape>
  requires(is_part<Face>&& has_face<Face, field, Y, P, T>&& keeps<P, Tape...> &&
           (!with_integrand<Face> || takes_g<T, P>)) void value(Face, const T& t, const Z& z,
                                                                const P& p, Z& dz,
                                                                Tape*... tape) const {
    evaluate<Face, true, with_integrand<Face>>(t, z, p, dz, tape...);
  }

  /// By the vjp of f or of g where they have one, and of the other as it comes.
  template <class Face, class T, class P, class Z, class... Tape>
  requires(is_part<Face>&& keeps<P, Tape...> &&
           (own_vjp<Face, T, P> ||
            (with_integrand<Face> && own_vjp_of_g<T, P>))) void pull(Face, const T& t, const Z& z,
                                                                     const P& p, const Z& w, T& gt,
                                                                     Z& gz, P& gp,
                                                                     const Tape*... tape) const {
    with_parts<T>([&](parts<T>& a) {
      const int n = length(y);
      copy(z, a.y);
      if constexpr (own_vjp<Face, T, P>) {
        copy(w, a.dy);
        fill(a.y_more, T(0));
        if constexpr (by_arrays<Face, T, P>) {
          using part = field_by<face_of<Face, field>>;
          using derivatives_of_part = derivatives<part, rebind_t<Y, T>, P>;
          scratch.template get<derivatives_of_part>([] { return derivatives_of_part{}; })
              .vjp(part{{f}}, t, a.y, p, a.dy, &gt, a.y_more, gp);
        } else {
          Face::vjp(f, t, std::as_const(a.y), p, std::as_const(a.dy), gt, a.y_more, gp, tape...);
        }
        for (int i = 0; i < n; ++i) gz.data()[i] = gz.data()[i] + a.y_more.data()[i];
      } else {
        of_one<Face, true, false, Z, P>(
            [&](const auto& one, auto& d) { d.vjp(one, t, z, p, w, &gt, gz, gp); });
      }
      if constexpr (with_integrand<Face> && own_vjp_of_g<T, P>) {
        for (int i = 0, k = length(q); i < k; ++i) a.dq.data()[i] = w.data()[n + i];
        fill(a.y_more, T(0));
        g.vjp(t, std::as_const(a.y), p, std::as_const(a.dq), gt, a.y_more, gp);
        for (int i = 0; i < n; ++i) gz.data()[i] = gz.data()[i] + a.y_more.data()[i];
      } else if constexpr (with_integrand<Face>) {
        of_one<Face, false, true, Z, P>(
            [&](const auto& one, auto& d) { d.vjp(one, t, z, p, w, &gt, gz, gp); });
      }
    });
  }

  /// Both can be pushed, one of them by its own jvp.
  template <class Face, class T, class P, class D = dual<T, 1>>
  static constexpr bool pushes =
      (own_jvp<Face, T, P> || (with_integrand<Face> && own_jvp_of_g<T, P>)) &&
      (own_jvp<Face, T, P> ||
       has_face<Face, field, Y, rebind_t<P, D>, D>)&&(!with_integrand<Face> || own_jvp_of_g<T, P> ||
                                                      takes_g<D, rebind_t<P, D>>);

  template <class Face, class T, class P, class Z>
  requires(is_part<Face>&& pushes<Face, T, P>) void push(Face, const T& t, const Z& z, const P& p,
                                                         const T& dt, const Z& along, const P& dp,
                                                         Z& out) const {
    with_parts<T>([&](parts<T>& a) {
      const int n = length(y), k = length(q);
      if constexpr (own_jvp<Face, T, P>) {
        copy(z, a.y);
        copy(along, a.y_more);
        Face::jvp(f, t, std::as_const(a.y), p, dt, std::as_const(a.y_more), dp, a.dy);
      } else {
        of_one<Face, true, false, Z, P>(
            [&](const auto& one, auto& d) { d.jvp(one, t, z, p, dt, along, dp, out); });
        copy(out, a.dy);
      }
      if constexpr (!with_integrand<Face>) {
        fill(a.dq, T(0));
      } else if constexpr (own_jvp_of_g<T, P>) {
        copy(z, a.y);
        copy(along, a.y_more);
        g.jvp(t, std::as_const(a.y), p, dt, std::as_const(a.y_more), dp, a.dq);
      } else {
        of_one<Face, false, true, Z, P>(
            [&](const auto& one, auto& d) { d.jvp(one, t, z, p, dt, along, dp, out); });
        for (int i = 0; i < k; ++i) a.dq.data()[i] = out.data()[n + i];
      }
      for (int i = 0; i < n; ++i) out.data()[i] = a.dy.data()[i];
      for (int i = 0; i < k; ++i) out.data()[n + i] = a.dq.data()[i];
    });
  }

  /// The Jacobian of f where f brings it; rows of q by VJPs of g.
  template <class Face, class T, class P, class Z, class J>
  requires(is_part<Face>&& requires(const field& of, const T& t, const Y& y, const P& p,
                                    leading_block<J>& j) {
    Face::jacobian(of, t, y, p, j);
  }) void matrix(Face face, const T& t, const Z& z, const P& p, J& jac) const {
    const int n = length(y), size = n + length(q);
    leading_block<J> block{jac};
    with_parts<T>([&](parts<T>& a) {
      copy(z, a.y);
      Face::jacobian(f, t, std::as_const(a.y), p, block);
    });
    for (int i = 0; i < n; ++i)
      for (int j = n; j < size; ++j) jac(i, j) = T(0);
    for (int i = n; i < size; ++i)
      for (int j = 0; j < size; ++j) jac(i, j) = T(0);
    if constexpr (with_integrand<Face>) {
      Z unit = zero_like(z), row = unit;
      P unused = zero_like(p);
      T of_time(0);
      for (int i = n; i < size; ++i) {
        fill(row, T(0));
        unit.data()[i] = T(1);
        if constexpr (requires { this->pull(face, t, z, p, unit, of_time, row, unused); })
          this->pull(face, t, z, p, unit, of_time, row, unused);
        else
          of_one<Face, false, true, Z, P>([&](const auto& one, auto& d) {
            d.vjp(one, t, z, p, unit, static_cast<T*>(nullptr), row, unused);
          });
        unit.data()[i] = T(0);
        for (int j = 0; j < n; ++j) jac(i, j) = row.data()[j];
      }
    }
  }

  /// The options that leave q out of the choice of steps.
  options outside_norm(const options& o) const {
    return with_more_elements(o, length(y), length(q), true);
  }
  /// The elements of a solution that are in pairs, see error_norm.
  int paired() const { return length(y); }
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
  /// (f, 0) or (0, g), for what differentiates fields.
  template <class Face, bool State, bool Integral>
  struct one_of {
    const field_and_integrand& both;
    template <class T, class P, class Z>
    void operator()(const T& t, const Z& z, const P& p, Z& dz) const {
      both.template evaluate<Face, State, Integral>(t, z, p, dz);
    }
  };
  template <class Face, bool State, bool Integral, class Z, class P, class Use>
  void of_one(const Use& use) const {
    using one = one_of<Face, State, Integral>;
    use(one{*this},
        scratch.template get<derivatives<one, Z, P>>([] { return derivatives<one, Z, P>{}; }));
  }

  template <class S, class Use>
  void with_parts(const Use& use) const {
    if constexpr (static_size_v<Y> >= 0 && static_size_v<Q> >= 0) {
      parts<S> work{};
      use(work);
    } else {
      use(scratch.template get<parts<S>>([this] {
        return parts<S>{rebind_like<S>(y), rebind_like<S>(y), rebind_like<S>(y), rebind_like<S>(q)};
      }));
    }
  }

  template <class Face, bool State, bool Integral, class T, class P, class Z, class... Tape>
  void evaluate(const T& t, const Z& z, const P& p, Z& dz, Tape*... tape) const {
    using S = scalar_t<Z>;
    with_parts<S>([&](parts<S>& a) {
      const int n = length(y), k = length(q);
      copy(z, a.y);
      if constexpr (State)
        Face::value(f, t, std::as_const(a.y), p, a.dy, tape...);
      else
        fill(a.dy, S(0));
      if constexpr (Integral)
        g(t, std::as_const(a.y), p, a.dq);
      else
        fill(a.dq, S(0));
      for (int i = 0; i < n; ++i) dz.data()[i] = a.dy.data()[i];
      for (int i = 0; i < k; ++i) dz.data()[n + i] = a.dq.data()[i];
    });
  }
};

/// The field of (y, q): y' = f(t, y, p), q' = g(t, y, p) with g(t, y, p, dq), and every face of f. Both see
/// y in its own kind of container. g may bring g.vjp(t, y, p, w, gt, gy, gp), with w a cotangent of q', and
/// g.jvp. Dynamic containers are kept between calls, so an object serves one solve at a time.
template <class F, class G, class Y, class Q>
using field_with_quadrature = field_by<field_and_integrand<F, G, Y, Q>>;

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
  return problem<field, with_quadrature_t<Y, Q>, P>{field{{q.f, g, q.y0, q0}}, z, q.t0, q.t1, q.p};
}

}  // namespace revode
