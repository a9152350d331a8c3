// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include <revode/ad/faces.hpp>
#include <revode/config.hpp>
#include <revode/state/elements.hpp>

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

}  // namespace revode
