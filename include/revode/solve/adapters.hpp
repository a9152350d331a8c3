// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include <revode/ad/faces.hpp>
#include <revode/config.hpp>
#include <revode/solve/mass/mass_matrix.hpp>
#include <revode/state/elements.hpp>
#include <revode/state/scratch_by_type.hpp>

namespace revode {

// Fields from right-hand sides written for other conventions. Each keeps the callable by reference
// when it is made from an lvalue (which must outlive the field) and by value when made from a
// temporary; none copies a state. A generic callable (`auto` parameters) keeps its exact
// derivatives; one that accepts double only needs by_finite_differences(from_...(f)). Parts of a callable
// are called as it is itself; derivatives that it brings have revode's arguments.

template <class F>
struct returning_rule : passed_derivatives<F> {
  template <class Face, class T, class Y, class P>
  requires requires(const F& f, const T& t, const Y& y, const P& p) { Face::value(f, t, y, p); }
  REVODE_HD void value(Face, const T& t, const Y& y, const P& p, Y& dy) const {
    assign(Face::value(this->callable, t, y, p), dy);
  }
  template <class Face, class T, class Y, class P>
  requires(
      !requires(const F& f, const T& t, const Y& y, const P& p) { Face::value(f, t, y, p); } &&
      requires(const F& f, const T& t, const Y& y) { Face::value(f, t, y); })
      REVODE_HD void value(Face, const T& t, const Y& y, const P&, Y& dy) const {
    assign(Face::value(this->callable, t, y), dy);
  }

 private:
  template <class R, class Y>
  REVODE_HD static void assign(R&& result, Y& dy) {
    if constexpr (static_size_v<Y> < 0) {
      if (static_cast<long>(result.size()) != static_cast<long>(dy.size())) {
        throw std::invalid_argument(
            "the right-hand side returned " + std::to_string(result.size()) +
            " elements for a state of " + std::to_string(dy.size()) +
            " (each state element has one derivative) return a vector of the state's size?");
      }
    }
    dy = std::forward<R>(result);
  }
};

/// f(t, y) -> dy or f(t, y, p) -> dy.
template <class F>
using returning_field = field_by<returning_rule<F>>;

template <class F>
REVODE_HD returning_field<F> from_returning(F&& callable) {
  return {{{std::forward<F>(callable)}}};
}

template <class F>
struct odeint_rule : passed_derivatives<F> {
  template <class Face, class T, class Y, class P>
  requires requires(const F& f, const T& t, const Y& y, Y& dy) { Face::value(f, y, dy, t); }
  REVODE_HD void value(Face, const T& t, const Y& y, const P&, Y& dy) const {
    Face::value(this->callable, y, dy, t);
  }
};

/// f(y, dydt, t), the convention of Boost.Numeric.Odeint. Parameters are not passed on.
template <class F>
using odeint_field = field_by<odeint_rule<F>>;

template <class F>
REVODE_HD odeint_field<F> from_odeint(F&& callable) {
  return {{{std::forward<F>(callable)}}};
}

/// int f(t, y, ydot, user) over plain arrays, as C libraries have it. A result other than 0 throws.
struct callback_field {
  using function = int (*)(double t, const double* y, double* ydot, void* user);
  function callable;
  void* user;

  template <class Y, class P>
  requires std::same_as < scalar_t<Y>,
  double > void operator()(std::same_as<double> auto t, const Y& y, const P&, Y& dy) const {
    const int code = callable(t, y.data(), dy.data(), user);
    if (code != 0) {
      throw std::runtime_error("the right-hand side returned " + std::to_string(code) +
                               " at t = " + std::to_string(t) +
                               " (0 means success) return 0, or shorten the time span?");
    }
  }
};

inline callback_field from_callback(callback_field::function callable, void* user = nullptr) {
  return {callable, user};
}

template <class Face>
concept part_face = std::is_same_v<Face, implicit_face> || std::is_same_v<Face, explicit_face>;

/// The sum of two fields, which are its parts. Where both bring a derivative, the sum brings it.
template <class I, class E>
struct sum_rule {
  using implicit_field = std::remove_cvref_t<I>;
  using explicit_field = std::remove_cvref_t<E>;
  static_assert(!has_mass_v<implicit_field> && !has_mass_v<explicit_field>,
                "a part with a mass matrix (parts are those of y' = f)");
  static constexpr bool autonomous =
      says_autonomous<implicit_field> && says_autonomous<explicit_field>;
  static constexpr bool complex_pairs =
      says_complex_pairs<implicit_field> && says_complex_pairs<explicit_field>;
  static constexpr bool takes_arrays =
      takes_arrays_v<implicit_field> && takes_arrays_v<explicit_field>;
  I of_implicit;
  E of_explicit;

  template <part_face Face>
  REVODE_HD static auto& part(const sum_rule& both) {
    if constexpr (std::is_same_v<Face, implicit_face>)
      return both.of_implicit;
    else
      return both.of_explicit;
  }
  template <class T, class Y, class P>
  REVODE_HD auto value(whole_face f, const T& t, const Y& y, const P& p, Y& dy) const
      -> decltype(f.value(of_implicit, t, y, p, dy), f.value(of_explicit, t, y, p, dy), void()) {
    of_implicit(t, y, p, dy);
    add_to(dy, [&](Y& more) { of_explicit(t, y, p, more); });
  }
  template <class... A>
  REVODE_HD auto pull(whole_face f, A&&... a) const
      -> decltype(f.vjp(of_implicit, a...), f.vjp(of_explicit, a...), void()) {
    of_implicit.vjp(a...);
    of_explicit.vjp(a...);
  }
  template <class T, class Y, class P, class DP>
  REVODE_HD auto push(whole_face f, const T& t, const Y& y, const P& p, const T& dt, const Y& dy,
                      const DP& dp, Y& out) const
      -> decltype(f.jvp(of_implicit, t, y, p, dt, dy, dp, out),
                  f.jvp(of_explicit, t, y, p, dt, dy, dp, out), void()) {
    of_implicit.jvp(t, y, p, dt, dy, dp, out);
    add_to(out, [&](Y& more) { of_explicit.jvp(t, y, p, dt, dy, dp, more); });
  }
  template <class T, class Y, class P, class J>
  requires requires(J& j) { j.data(); }
  REVODE_HD auto matrix(whole_face f, const T& t, const Y& y, const P& p, J& j) const
      -> decltype(f.jacobian(of_implicit, t, y, p, j), f.jacobian(of_explicit, t, y, p, j),
                  void()) {
    J more = j;  // zeros, as j is
    of_implicit.jacobian(t, y, p, j);
    of_explicit.jacobian(t, y, p, more);
    add(more, j);
  }

  // A part is the whole of its field.
  template <part_face Face, class... A>
  REVODE_HD auto value(Face, A&&... a) const
      -> decltype(whole_face::value(part<Face>(*this), a...)) {
    return part<Face>(*this)(a...);
  }
  template <part_face Face, class... A>
  REVODE_HD auto pull(Face, A&&... a) const -> decltype(whole_face::vjp(part<Face>(*this), a...)) {
    return part<Face>(*this).vjp(a...);
  }
  template <part_face Face, class... A>
  REVODE_HD auto push(Face, A&&... a) const -> decltype(whole_face::jvp(part<Face>(*this), a...)) {
    return part<Face>(*this).jvp(a...);
  }
  template <part_face Face, class... A>
  REVODE_HD auto matrix(Face, A&&... a) const
      -> decltype(whole_face::jacobian(part<Face>(*this), a...)) {
    return part<Face>(*this).jacobian(a...);
  }

 private:
  /// dy += what `set` sets; in memory that the thread keeps where that is not known when it is compiled.
  template <class Y, class Set>
  REVODE_HD static void add_to(Y& dy, const Set& set) {
    const auto summed = [&](Y& more) {
      set(more);
      add(more, dy);
    };
    if constexpr (static_size_v<Y> < 0 && std::is_floating_point_v<scalar_t<Y>>) {
      with_kept<Y>([&](Y& more) {
        more = dy;
        summed(more);
      });
    } else {
      Y more = zero_like(dy);
      summed(more);
    }
  }
};

/// y' = f + g for methods of both parts, imex<kencarp5>: f is stiff and taken implicitly, g explicitly. Each is a field
/// with the derivatives that it has, and held like the callables above.
template <class I, class E>
REVODE_HD field_by<sum_rule<I, E>> from_parts(I&& implicit_field, E&& explicit_field) {
  return {{std::forward<I>(implicit_field), std::forward<E>(explicit_field)}};
}

}  // namespace revode
