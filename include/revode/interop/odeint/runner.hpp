// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include <revode/interop/odeint/stepper_kinds.hpp>
#include <revode/interop/odeint/trace.hpp>
#include <revode/state/elements.hpp>

namespace revode::odeint {

/// The step's start and what its calls returned, the first `calls` of them.
template <class Y, int Calls>
struct stages {
  Y y;
  Y k[Calls];

  stages() = default;
  explicit stages(const Y& like) : y(like) {
    for (Y& stage : k) stage = like;
  }
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.y);
    for (auto& stage : self.k) visit(stage);
  }
  Y* derivatives() { return k; }
  const Y* derivatives() const { return k; }
};
template <class Y>
struct stages<Y, 0> {
  Y y;

  stages() = default;
  explicit stages(const Y& like) : y(like) {}
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.y);
  }
  static constexpr Y* derivatives() { return nullptr; }
};

/// The system as a stepper calls it: the first `known` results are there, the others are asked of
/// the field and, where there is a place, kept.
template <class System, class Y, int Calls>
struct traced_system {
  System* sys;
  trace<Y>* log;
  double t_new;
  const Y* known;
  int known_count;
  Y* kept;
  int* count;

  void operator()(const node<Y>& y, node<Y>& dy, const step_time& t) const {
    Y& result = log->call(t, y);
    const int i = (*count)++;
    if (Calls > 0 && i >= Calls) refuse("more");
    if (i < known_count)
      copy(known[i], result);
    else
      (*sys)(trace<Y>::time_of(t, t_new), log->value(y.id), result);
    if (kept != nullptr && kept + i != known) copy(result, kept[i]);
    dy = log->last();
  }

  [[noreturn]] static void refuse(const char* how_many) {
    throw std::invalid_argument("calls = " + std::to_string(Calls) + " for a stepper that makes " +
                                how_many +
                                " in a step (their results are kept, call by call) correct its "
                                "revode::odeint::family?");
  }
};

/// Runs a stepper over nodes. Keeps the stepper and the trace of its last step, and with them all
/// memory that a step takes.
template <class Stepper, class Y>
class runner {
  using facts = one_step<Stepper>;
  using value_type = decltype(value_of(std::declval<scalar_t<Y>>()));
  using stepper_type = typename facts::template over<Y, value_type>;

 public:
  /// One step from `start`; the first `known_count` calls return `known`; all go to `kept`.
  template <class System>
  void run(const typename facts::settings& settings, System& sys, double t, double t_new,
           const Y& start, const Y* known, int known_count, Y* kept) {
    if (!stepper_) stepper_.emplace(settings.template make<stepper_type>());
    const step_time from(t, {}), length(t_new - t, {});
    run(sys, moving(from, 1, 0), moving(length, -1, 1), t_new, start, known, known_count, kept);
  }

  trace<Y>& done() { return trace_; }
  int out() const { return out_.id; }
  Y& result() { return trace_.value(out_.id); }
  Y& error() { return trace_.value(error_.id); }
  /// f at the step's start, and of a stepper with first-same-as-last at its end.
  Y& first_slope() { return trace_.value(first_.id); }
  Y& last_slope() { return trace_.value(last_.id); }

 private:
  static step_time moving(step_time x, double with_t, double with_t_new) {
    x.d[0] = with_t;
    x.d[1] = with_t_new;
    return x;
  }

  template <class System>
  void run(System& sys, const step_time& t, const step_time& dt, double t_new, const Y& start,
           const Y* known, int known_count, Y* kept) {
    int count = 0;
    const traced_system<System, Y, facts::calls> f{&sys,        &trace_, t_new, known,
                                                   known_count, kept,    &count};
    const node<Y> y = trace_.begin(start);
    f(y, first_, t);
    if constexpr (facts::first_same_as_last)
      stepper_->do_step(f, y, first_, t, out_, last_, dt, error_);
    else if constexpr (facts::embedded_order > 0)
      stepper_->do_step(f, y, first_, t, out_, dt, error_);
    else
      stepper_->do_step(f, y, first_, t, out_, dt);
    if (facts::calls > 0 && count < facts::calls) f.refuse("fewer");
  }

  std::optional<stepper_type> stepper_;
  trace<Y> trace_;
  node<Y> first_, out_, last_, error_;
};

}  // namespace revode::odeint
