// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace revode {

/// How a solve ended, or a reverse pass. Everything computed up to that point is in the result of a
/// solve: t and y are those of the last accepted step, ts and ys hold the save points reached. A
/// gradient whose status is not success has no numbers but NaN, and tells how many steps were pulled;
/// only one that is not resolved has them.
enum class status : std::uint8_t {
  success,               ///< t1 was reached
  terminal_event,        ///< an event that ends the solve occurred; t and y are those of the event
  stopped_by_callback,   ///< an observer asked to stop after the last accepted step
  max_steps,             ///< the allowed number of attempts was used up before t1
  step_underflow,        ///< the step fell below the spacing of floating-point times
  non_finite_field,      ///< field or Jacobian gave infinity or NaN however short the step
  non_finite_state,      ///< a step left the finite numbers; y is the state before it
  newton_failure,        ///< the stage equations were not solved however short the step
  linear_solve_failure,  ///< a linear system was singular however short the step, or not solved
  event_not_resolved,    ///< an event whose time cannot be told, or that recurs at once
  checkpoint_io,         ///< a snapshot could not be written to or read from its store
  user_error,            ///< the field threw; the exception has been passed on
  outside_domain,        ///< the solution leaves the domain however short the step
  reconstruction_failure,  ///< a reverse pass did not come back to the states of the solve
  non_finite_gradient,     ///< cotangents or tangents left the finite numbers
  no_error_scale,  ///< an element is 0 or next to it, its absolute tolerance 0, and no step short enough
  gradient_not_resolved  ///< a gradient is exact for its steps, which are too long for it
};

/// The solve ended as it was asked to: at t1, at a terminal event or by a callback.
constexpr bool is_complete(status s) {
  return s == status::success || s == status::terminal_event || s == status::stopped_by_callback;
}

/// One sentence for people.
constexpr const char* explain(status s) {
  switch (s) {
    case status::success: return "the end of the interval was reached";
    case status::terminal_event: return "a terminal event ended the solve";
    case status::stopped_by_callback: return "a callback stopped the solve";
    case status::max_steps: return "the allowed number of step attempts was used up before t1";
    case status::step_underflow:
      return "the step size fell below the spacing of floating-point times";
    case status::non_finite_field:
      return "the field or its Jacobian gave infinity or NaN however short the step";
    case status::non_finite_state: return "a step gave infinity or NaN";
    case status::newton_failure: return "the stage equations could not be solved";
    case status::linear_solve_failure: return "a linear system was singular";
    case status::event_not_resolved:
      return "an event cannot be located, recurs at once, or its jump leads through its surface";
    case status::checkpoint_io: return "a snapshot could not be stored or read back";
    case status::user_error: return "the field threw an exception";
    case status::outside_domain: return "the solution left its domain however short the step";
    case status::reconstruction_failure:
      return "the reverse pass did not come back to the states of the solve";
    case status::non_finite_gradient: return "the derivative became infinite or NaN";
    case status::no_error_scale:
      return "an element of the state is 0, or next to it, without an absolute tolerance: its "
             "error "
             "has no scale";
    case status::gradient_not_resolved:
      return "the gradient is exact for the steps taken, which are too long for it: tighten the "
             "tolerance";
  }
  return "unknown status";
}

/// The enumerator's own name, as the command and its JSON spell it.
constexpr const char* name(status s) {
  switch (s) {
    case status::success: return "success";
    case status::terminal_event: return "terminal_event";
    case status::stopped_by_callback: return "stopped_by_callback";
    case status::max_steps: return "max_steps";
    case status::step_underflow: return "step_underflow";
    case status::non_finite_field: return "non_finite_field";
    case status::non_finite_state: return "non_finite_state";
    case status::newton_failure: return "newton_failure";
    case status::linear_solve_failure: return "linear_solve_failure";
    case status::event_not_resolved: return "event_not_resolved";
    case status::checkpoint_io: return "checkpoint_io";
    case status::user_error: return "user_error";
    case status::outside_domain: return "outside_domain";
    case status::reconstruction_failure: return "reconstruction_failure";
    case status::non_finite_gradient: return "non_finite_gradient";
    case status::no_error_scale: return "no_error_scale";
    case status::gradient_not_resolved: return "gradient_not_resolved";
  }
  return "unknown";
}

}  // namespace revode
