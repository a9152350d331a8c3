// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

#include <revode/ad/functions.hpp>
#include <revode/solve/adapters.hpp>

namespace revode::odeint {

// odeint's systems s(y, dydt, t) as fields. from_odeint (solve/adapters.hpp) takes one as it is.

/// A family of systems: make(p) is the system with parameters p, of whatever scalar p has.
///   template <class S> struct lorenz { lorenz(S sigma, S R, S b); … operator()(y, dydt, t) const … };
///   from_parameters([](const auto& p) { return lorenz(p[0], p[1], p[2]); })
/// make is called at every evaluation.
template <class F>
struct parameter_field {
  F make;

  template <class T, class Y, class P>
  requires std::invocable < std::invoke_result_t<const F&, const P&>,
  const Y&, Y&, const T& > void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    make(p)(y, dy, t);
  }
};

template <class F>
parameter_field<F> from_parameters(F&& make) {
  return {std::forward<F>(make)};
}

template <class Field>
struct autonomous_rule : passed_derivatives<Field> {
  static constexpr bool autonomous = true;

  template <class Face, class T, class Y, class P>
  requires requires(const Field& f, decltype(value_of(std::declval<const T&>())) t, const Y& y,
                    const P& p, Y& dy) {
    Face::value(f, t, y, p, dy);
  }
  void value(Face, const T& t, const Y& y, const P& p, Y& dy) const {
    Face::value(this->callable, value_of(t), y, p, dy);
  }
};

/// A field that does not depend on t, and may be one whose `double t` takes no other scalar.
template <class Field>
using autonomous_field = field_by<autonomous_rule<Field>>;

template <class Field>
autonomous_field<Field> autonomous(Field&& f) {
  return {{{std::forward<Field>(f)}}};
}

}  // namespace revode::odeint
