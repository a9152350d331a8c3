// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include <revode/concepts.hpp>
#include <revode/interop/odeint/stepper_kinds.hpp>
#include <revode/solve/adapters.hpp>
#include <revode/solve/options.hpp>
#include <revode/solve/system.hpp>

namespace revode::odeint {

/// A method between two calls of odeint: the carry where the last step ended.
template <revode::method M, class Y>
class stepping {
 public:
  using state_type = Y;
  using deriv_type = Y;
  using value_type = scalar_t<Y>;
  using time_type = double;
  using order_type = unsigned short;

  explicit stepping(const M& m = {}) : method_(m) {}

  static order_type order() { return static_cast<order_type>(M::order); }
  /// For another system at the same point: forgets what the last step knows of its end.
  void reset() { known_ = false; }

 protected:
  using types = method_types<M, Y>;
  using none = vec<value_type, 0>;

  /// An odeint system as a method calls it.
  template <class System>
  struct bound {
    odeint_field<System&> field;
    none p{};
    system<odeint_field<System&>, Y, none> sys{field, p};
    explicit bound(System& s) : field{{{s}}} {}
  };

  struct memory {
    carry<M, Y> now, next;
    typename types::tape tape;
    [[no_unique_address]] typename types::scratch scratch;
    explicit memory(const Y& y)
        : now(make_carry<M>(y)),
          next(make_carry<M>(y)),
          tape(make_like<typename types::tape>(y)),
          scratch(make_like<typename types::scratch>(y)) {}
  };

  /// Goes on from the last step's end if that is (t, y), and begins there otherwise.
  template <class Sys>
  void go_to(Sys& sys, double t, const Y& y) {
    if (memory_ && length(value(method_, memory_->now.state)) != length(y)) memory_.reset();
    if (!memory_) known_ = false, memory_.emplace(y);
    if (known_ && t == t_ && same(y, value(method_, memory_->now.state))) return;
    t_ = t;
    static_assert(
        !is_massive_v<Sys>,
        "a field with a mass matrix as odeint's system (its steppers are given another at each "
        "call) solve it by revode::solve?");
    begin(method_, sys, t, y, memory_->now);
    known_ = true;
  }

  template <class Sys>
  auto attempt_step(Sys& sys, const tolerance& tol, double t_new) {
    if (t_new == t_)
      throw std::runtime_error(
          "no step from t = " + std::to_string(t_) +
          " (t + dt is t itself: the error estimate stays above 1, or is not a number, however "
          "short the step) look at the system there, or give larger tolerances?");
    auto found = attempt(method_, sys, tol, t_, t_new, memory_->now, memory_->tape, memory_->next);
    if (found.what != status::success ||
        (found.error_squared <= 1 && !all_finite(value(method_, memory_->next.state))))
      found.error_squared = std::numeric_limits<double>::infinity();
    return found;
  }
  void accept(double t_new) {
    std::swap(memory_->now, memory_->next);
    t_ = t_new;
  }
  const Y& current() const { return value(method_, memory_->now.state); }

  M method_;
  std::optional<memory> memory_;
  double t_ = 0;
  bool known_ = false;

 private:
  static bool same(const Y& a, const Y& b) {
    bool equal = true;
    for (int i = 0, n = length(a); i < n; ++i) equal = equal && a.data()[i] == b.data()[i];
    return equal;
  }
};

/// A method as an odeint Stepper: steps of the length that is asked for.
///   integrate_const(odeint::as_stepper<tsit5, state>(), lorenz, y, 0.0, 10.0, 0.01);
template <revode::method M, class Y>
class as_stepper : public stepping<M, Y> {
 public:
  using stepper_category = library::stepper_tag;
  using stepping<M, Y>::stepping;

  template <class System>
  void do_step(System system, Y& y, double t, double dt) {
    do_step(system, y, t, y, dt);
  }
  template <class System>
  void do_step(System system, const Y& in, double t, Y& out, double dt) {
    typename library::unwrap_reference<System>::type& plain = system;
    typename stepping<M, Y>::template bound<decltype(plain)> with(plain);
    this->go_to(with.sys, t, in);
    this->attempt_step(with.sys, {.estimate = false}, t + dt);
    this->accept(t + dt);
    out = this->current();
  }
};

}  // namespace revode::odeint
