// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <utility>

#include <revode/interop/odeint/as_stepper.hpp>
#include <revode/solve/controller.hpp>
#include <revode/solve/options.hpp>

namespace revode::odeint {

/// How a method chooses its steps in odeint's loops; as in revode::options.
struct step_control {
  double rtol = 1e-6;
  double atol = 1e-9;
  double max_step = 0;
  pid_controller controller{};
};

/// A method as an odeint ControlledStepper, with revode's error norm and controller.
///   integrate_adaptive(odeint::as_controlled_stepper<tsit5, state>({.rtol = 1e-8}), lorenz, y,
///                      0.0, 10.0, 0.01);
/// The steps are those of solve(…, {.first_step = dt}), bit for bit, but for the last one: solve
/// stretches a step by up to 1 % to end at t1.
/// errors  std::runtime_error where no step is left
template <revode::method M, class Y>
class as_controlled_stepper : public stepping<M, Y> {
  static_assert(has_estimate_v<M>,
                "this method has no error estimate (a controlled stepper chooses its steps by it) "
                "take revode::odeint::as_stepper, or a method such as tsit5?");

 public:
  using stepper_category = library::controlled_stepper_tag;

  explicit as_controlled_stepper(const step_control& control = {}, const M& m = {})
      : stepping<M, Y>(m),
        control_(control) {
    const options o{.rtol = control.rtol,
                    .atol = control.atol,
                    .max_step = control.max_step,
                    .controller = control.controller};
    validate(o, 0, 1, true, M::name, false);
  }

  template <class System>
  library::controlled_step_result try_step(System system, Y& y, double& t, double& dt) {
    return try_step(system, y, t, y, dt);
  }
  template <class System>
  library::controlled_step_result try_step(System system, const Y& in, double& t, Y& out,
                                           double& dt) {
    typename library::unwrap_reference<System>::type& plain = system;
    typename stepping<M, Y>::template bound<decltype(plain)> with(plain);
    this->go_to(with.sys, t, in);
    if (!advance(with.sys, dt)) return library::fail;
    t = this->t_;
    out = this->current();
    return library::success;
  }

 protected:
  /// One trial; dt becomes the length to try next.
  template <class Sys>
  bool advance(Sys& sys, double& dt) {
    if (control_.max_step > 0 && std::abs(dt) > control_.max_step)
      dt = std::copysign(control_.max_step, dt);
    const double t_new = this->t_ + dt;
    const auto found =
        this->attempt_step(sys, {.rtol = control_.rtol, .atol = control_.atol}, t_new);
    auto& carries = *this->memory_;
    dt = (t_new - this->t_) *
         propose(this->method_, control_.controller, controller_, found, carries.now, carries.next);
    if (!(found.error_squared <= 1)) return false;
    this->accept(t_new);
    return true;
  }

 private:
  step_control control_;
  controller_memory controller_;
};

/// A method as an odeint DenseOutputStepper: integrate_const and integrate_times then take their
/// points from the method's dense output, without a step ending at each.
template <revode::method M, class Y>
class as_dense_output_stepper : public as_controlled_stepper<M, Y> {
  static_assert(has_dense_output_v<M>,
                "this method has no dense output (points inside steps come from it) take "
                "revode::odeint::as_controlled_stepper, or a method such as tsit5?");

 public:
  using stepper_category = library::dense_output_stepper_tag;
  using as_controlled_stepper<M, Y>::as_controlled_stepper;

  void initialize(const Y& y, double t, double dt) {
    start_ = y;
    start_t_ = before_t_ = t;
    dt_ = dt;
    started_ = false;
  }
  /// One accepted step, however many trials it takes; its two ends.
  template <class System>
  std::pair<double, double> do_step(System system) {
    typename library::unwrap_reference<System>::type& plain = system;
    typename stepping<M, Y>::template bound<decltype(plain)> with(plain);
    if (!std::exchange(started_, true)) this->go_to(with.sys, start_t_, start_);
    before_t_ = this->t_;
    start_ = this->current();
    while (!this->advance(with.sys, dt_)) continue;
    auto& step = *this->memory_;
    extend(this->method_, with.sys, before_t_, this->t_, step.tape, step.scratch);
    return {before_t_, this->t_};
  }
  /// y at a time of the last step.
  void calc_state(double t, Y& y) const {
    if (!started_ || t == before_t_) {
      y = start_;
      return;
    }
    const auto& step = *this->memory_;
    if (t == this->t_) {
      y = this->current();
      return;
    }
    interpolate(this->method_, before_t_, this->t_, step.tape, step.scratch,
                (t - before_t_) / (this->t_ - before_t_), y);
  }

  const Y& current_state() const { return started_ ? this->current() : start_; }
  double current_time() const { return started_ ? this->t_ : start_t_; }
  const Y& previous_state() const { return start_; }
  double previous_time() const { return before_t_; }
  double current_time_step() const { return dt_; }

 private:
  Y start_{};
  double start_t_ = 0, before_t_ = 0, dt_ = 0;
  bool started_ = false;
};

}  // namespace revode::odeint
