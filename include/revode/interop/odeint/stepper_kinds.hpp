// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>
#include <utility>

#include <boost/numeric/odeint/stepper/controlled_runge_kutta.hpp>
#include <boost/numeric/odeint/stepper/euler.hpp>
#include <boost/numeric/odeint/stepper/extrapolation_stepper.hpp>
#include <boost/numeric/odeint/stepper/modified_midpoint.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta4.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta4_classic.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta_cash_karp54.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta_cash_karp54_classic.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta_dopri5.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta_fehlberg78.hpp>
#include <boost/numeric/odeint/stepper/stepper_categories.hpp>

#include <revode/interop/odeint/trace.hpp>

namespace revode::odeint {

namespace library = boost::numeric::odeint;

// Which of odeint's steppers become methods: those whose step is a function of (t, y, dt) alone and
// is made of the algebra's linear combinations and calls of the system. They are run over nodes.

/// A stepper over nodes of Y: value type Value, time with its derivatives.
template <template <class, class, class, class, class, class, class> class Stepper, class Y,
          class Value>
using over_nodes = Stepper<node<Y>, Value, node<Y>, step_time, library::vector_space_algebra,
                           library::default_operations, library::never_resizer>;

/// What has to be said of a family of steppers: its name, and how often a step calls the system, the
/// call at its start included (0: that is not fixed; its stages are then not kept). To add one's own
/// stepper, derived from one of odeint's bases with these seven parameters:
///   template <> struct revode::odeint::family<ralston> { … name = "ralston"; … calls = 2; };
template <template <class, class, class, class, class, class, class> class Stepper>
struct family {};
template <>
struct family<library::euler> {
  static constexpr const char* name = "odeint::euler";
  static constexpr int calls = 1;
};
template <>
struct family<library::modified_midpoint> {
  static constexpr const char* name = "odeint::modified_midpoint";
  static constexpr int calls = 0;
};
template <>
struct family<library::runge_kutta4> {
  static constexpr const char* name = "odeint::runge_kutta4";
  static constexpr int calls = 4;
};
template <>
struct family<library::runge_kutta4_classic> {
  static constexpr const char* name = "odeint::runge_kutta4_classic";
  static constexpr int calls = 4;
};
template <>
struct family<library::runge_kutta_cash_karp54> {
  static constexpr const char* name = "odeint::runge_kutta_cash_karp54";
  static constexpr int calls = 6;
};
template <>
struct family<library::runge_kutta_cash_karp54_classic> {
  static constexpr const char* name = "odeint::runge_kutta_cash_karp54_classic";
  static constexpr int calls = 6;
};
template <>
struct family<library::runge_kutta_dopri5> {
  static constexpr const char* name = "odeint::runge_kutta_dopri5";
  static constexpr int calls = 7;
};
template <>
struct family<library::runge_kutta_fehlberg78> {
  static constexpr const char* name = "odeint::runge_kutta_fehlberg78";
  static constexpr int calls = 13;
};

/// How an object of this stepper differs from a default one.
struct same_as_default {
  template <class Stepper>
  static same_as_default of(const Stepper&) {
    return {};
  }
  template <class Stepper>
  Stepper make() const {
    return {};
  }
};
template <class Stepper>
concept has_substeps = requires(const Stepper& s) {
  s.steps();
};
struct number_of_substeps {
  unsigned short steps = 2;

  template <class Stepper>
  static number_of_substeps of(const Stepper& s) {
    return {s.steps()};
  }
  template <class Stepper>
  Stepper make() const {
    return Stepper(steps);
  }
};

/// The orders of a stepper, as odeint says them.
template <class Stepper>
struct stepper_orders {
  using plain = Stepper;
  using controller = void;
  static constexpr int order = Stepper::order_value;
  static constexpr int embedded_order = [] {
    if constexpr (requires { Stepper::error_order_value; })
      return static_cast<int>(Stepper::error_order_value);
    else
      return 0;
  }();
  static constexpr bool first_same_as_last =
      std::is_same_v<typename Stepper::stepper_category, library::explicit_error_stepper_fsal_tag>;
};

// Why the others do not.
template <class Stepper>
concept has_history = requires {
  Stepper::steps;
}
|| requires { typename Stepper::coeff_type; }
|| requires { typename Stepper::initializing_stepper_type; };
template <class Stepper>
concept is_implicit = requires {
  typename Stepper::pmatrix_type;
};
template <class Stepper>
concept is_partitioned = requires {
  typename Stepper::coor_type;
};
template <class Stepper>
concept wraps_a_stepper = requires {
  requires std::is_same_v<typename Stepper::stepper_category, library::dense_output_stepper_tag>;
};
template <class Stepper>
concept controls_by_itself = requires {
  requires std::is_base_of_v<library::controlled_stepper_tag, typename Stepper::stepper_category>;
};

/// A stepper that becomes a method: its family, how to make it over nodes, what an object of it was
/// told, and its orders.
template <class Stepper>
struct one_step {
  static_assert(!has_history<Stepper>,
                "this odeint stepper is a multi-step method (its step depends on earlier steps, "
                "which it keeps to itself, so that it cannot be run again from a state) take a "
                "one-step stepper such as runge_kutta_dopri5?");
  static_assert(!is_implicit<Stepper>,
                "this odeint stepper is implicit (its step solves linear systems element by "
                "element) take one of revode's stiff methods, such as rodas4 or radau_iia5?");
  static_assert(!is_partitioned<Stepper>,
                "this odeint stepper is partitioned (its state is a pair, and its system gives the "
                "derivative of one half) take one of revode's partitioned methods?");
  static_assert(!wraps_a_stepper<Stepper>,
                "this odeint stepper is a dense-output wrapper (it keeps the step it is in to "
                "itself) take the stepper inside it?");
  static_assert(has_history<Stepper> || !controls_by_itself<Stepper>,
                "this odeint stepper chooses its order (Bulirsch-Stoer: what a step computes "
                "depends on the error found in it) take runge_kutta_fehlberg78 or "
                "extrapolation_stepper?");
  static_assert(has_history<Stepper> || is_implicit<Stepper> || is_partitioned<Stepper> ||
                    wraps_a_stepper<Stepper> || controls_by_itself<Stepper>,
                "this is not one of odeint's explicit one-step steppers (a step is run over "
                "states of another type, and out of place, for which it must be known how to "
                "make it) specialise revode::odeint::family for its template?");
};

template <template <class, class, class, class, class, class, class> class Stepper, class State,
          class Value, class Deriv, class Time, class Algebra, class Operations, class Resizer>
requires requires { family<Stepper>::calls; }
struct one_step<Stepper<State, Value, Deriv, Time, Algebra, Operations, Resizer>>
    : family<Stepper>,
      stepper_orders<Stepper<State, Value, Deriv, Time, Algebra, Operations, Resizer>> {
  template <class Y, class V>
  using over = over_nodes<Stepper, Y, V>;
  using settings = std::conditional_t<
      has_substeps<Stepper<State, Value, Deriv, Time, Algebra, Operations, Resizer>>,
      number_of_substeps, same_as_default>;
};

template <unsigned short Order, class State, class Value, class Deriv, class Time, class Algebra,
          class Operations, class Resizer>
struct one_step<
    library::extrapolation_stepper<Order, State, Value, Deriv, Time, Algebra, Operations, Resizer>>
    : stepper_orders<library::extrapolation_stepper<Order, State, Value, Deriv, Time, Algebra,
                                                    Operations, Resizer>> {
  static constexpr const char* name = "odeint::extrapolation_stepper";
  static constexpr int calls = 1 + Order / 2 * (Order / 2 + 1);  // 2, 4, … substeps
  template <class Y, class V>
  using over = library::extrapolation_stepper<Order, node<Y>, V, node<Y>, step_time,
                                              library::vector_space_algebra,
                                              library::default_operations, library::never_resizer>;
  using settings = same_as_default;
};

/// A controlled stepper: the stepper inside it, with odeint's own error norm and step rule.
template <class ErrorStepper, class Checker, class Adjuster, class Resizer, class Category>
struct one_step<library::controlled_runge_kutta<ErrorStepper, Checker, Adjuster, Resizer, Category>>
    : one_step<ErrorStepper> {
  using controller =
      library::controlled_runge_kutta<ErrorStepper, Checker, Adjuster, Resizer, Category>;
};

}  // namespace revode::odeint
