// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include <revode/solve/solve.hpp>

namespace revode {

/// A solve whose loop is the user's:
///
///   step_by_step s(q, tsit5{}, options{});
///   while (s.step()) look(s.t(), s.y());
///   s.step_to(2.0);        // ends a step exactly there
///   s.set_state(y_other);  // goes on from another state
///
/// Its steps are those of `solve`, to the bit, as long as nothing is asked for on the way. It keeps
/// the problem's y0 and p by value, and its field as the problem does. Events work as in `solve`;
/// there are no save points: what is passed is the caller's to keep.
/// errors  std::invalid_argument for misuse; numerical trouble is a status, and finished()
template <method M, class Field, class Y, class P, class Events = no_events>
class step_by_step {
 public:
  using F = std::remove_cvref_t<Field>;

  step_by_step(problem<Field, Y, P> q, const M& m, const options& o = {}, const Events& events = {})
      : q_(std::move(q)),
        loop_(checked(q_, m, o, events), m, o, {}, events) {}
  step_by_step(const step_by_step&) = delete;
  step_by_step& operator=(const step_by_step&) = delete;

  /// The next accepted step; false if there is none: t1 is reached, or status() says why.
  bool step() {
    if (finished()) return false;
    step_once();
    return has_step_;
  }

  /// Steps until t is reached, where the last one ends exactly; the length is restored behind. False
  /// if the solve ended before.
  bool step_to(double t) {
    if (t == loop_.time()) return true;
    check_aim(t);
    loop_.stretches().pause_at(t);
    while (!finished() && loop_.time() != t) step_once();
    loop_.stretches().go_on(false);
    return loop_.time() == t;
  }

  bool finished() const { return loop_.finished(); }
  revode::status status() const { return loop_.status(); }
  double t() const { return loop_.time(); }
  const Y& y() const { return loop_.y(); }
  /// The length of the next attempt, signed, unless a stop cuts it; with fixed steps 0.
  double h() const { return loop_.length(); }
  /// Statistics and events so far.
  const solution<Y>& result() { return loop_.result(); }

  /// The solution at a time within the last step, from dense output; before the jump at an event.
  Y at(double t) requires has_dense_output_v<M> {
    const auto& tape = loop_.work_tape();
    const double theta = (t - tape.t) / (tape.t_new - tape.t);
    const double end = (loop_.time() - tape.t) / (tape.t_new - tape.t);  // below 1 at an event
    if (!has_step_ || !(theta >= 0 && theta <= std::fmin(end, 1.0)))
      throw std::invalid_argument("time " + shortest(t) +
                                  " outside the last step (dense output is its) ask between its "
                                  "start and t(), before the state is set?");
    Y y = loop_.y0();
    if constexpr (moves_parameters) std::swap(of_step_, loop_.stretches().parameters());
    extend(loop_.scheme(), loop_.sys(), tape.t, tape.t_new, tape.stages, loop_.scratch_of_dense());
    if constexpr (moves_parameters) std::swap(of_step_, loop_.stretches().parameters());
    interpolate(loop_.scheme(), tape.t, tape.t_new, tape.stages, loop_.scratch_of_dense(), theta,
                y);
    return y;
  }

  /// Goes on at t() from another state, where the method begins afresh.
  void set_state(const Y& y) {
    if (length(y) != length(q_.y0))
      throw std::invalid_argument("a state of " + std::to_string(length(y)) +
                                  " elements for one of " + std::to_string(length(q_.y0)) +
                                  " (a solve keeps its size) give as many, or begin another?");
    if constexpr (!is_spread_v<Y>) validate_start(y);
    check_open();
    begin_again(y);
  }
  /// The parameters from t() on; the method begins afresh there.
  void set_parameters(const P& p) {
    check_open();
    q_.p = p;
    if constexpr (moves_parameters) loop_.stretches().parameters() = p;
    begin_again(y());
  }
  /// The length of the next attempt (adaptive steps).
  void set_h(double h) {
    if (!(h * (q_.t1 - q_.t0) > 0) || !std::isfinite(h))
      throw std::invalid_argument("step length " + shortest(h) +
                                  " (a step goes from t0 towards t1) give it the sign of t1 - t0?");
    loop_.length(h);
  }

 private:
  static const problem<Field, Y, P>& checked(const problem<Field, Y, P>& q, const M& m,
                                             const options& o, const Events& events) {
    if constexpr (std::is_same_v<Events, no_events>)
      validate(q, m, o);
    else
      validate(q, m, o, events);
    if (o.save.t0 || o.save.t1 || o.save.every > 0 || !o.save.ts.empty())
      throw std::invalid_argument(
          "save points in a solve by hand (its steps are the caller's to keep) leave options::save "
          "empty, and use at(t)?");
    if (o.restart)
      throw std::invalid_argument(
          "options::restart in a solve by hand (what it does between steps is the caller's) leave "
          "it "
          "out, and keep t(), y() and the parameters?");
    return q;
  }
  void step_once() {
    const index before = loop_.position();
    if constexpr (moves_parameters) of_step_ = loop_.stretches().parameters();
    loop_.step(loop_.work_tape());
    has_step_ = loop_.position() > before;
  }
  void check_open() const {
    if (finished())
      throw std::invalid_argument("a state or parameters at t = " + shortest(t()) +
                                  ", where the solve has ended (" + name(status()) +
                                  ") begin another from there?");
  }
  void begin_again(const Y& y) {
    loop_.begin_again(y);
    has_step_ = false;
  }
  void check_aim(double t) const {
    const double direction = q_.t1 < q_.t0 ? -1 : 1;
    if (direction * (t - loop_.time()) >= 0 && direction * (q_.t1 - t) >= 0) return;
    const bool behind = direction * (t - loop_.time()) < 0;
    throw std::invalid_argument(
        "step_to " + shortest(t) +
        (behind ? " from t = " + shortest(loop_.time()) +
                      " (that lies behind, and steps are not undone) begin another solve?"
                : " outside the interval (it runs from " + shortest(q_.t0) + " to " +
                      shortest(q_.t1) + ") move t1?"));
  }

  using loop = stepper<M, F, Y, P, Events>;
  static constexpr bool moves_parameters = !std::is_const_v<
      std::remove_reference_t<decltype(std::declval<loop&>().stretches().parameters())>>;

  problem<Field, Y, P> q_;
  loop loop_;
  bool has_step_ = false;  // is the last one's tape there, and behind the last start?
  [[no_unique_address]] std::conditional_t<moves_parameters, P, nothing>
      of_step_{};  // its parameters
};

template <class M, class Field, class Y, class P>
step_by_step(problem<Field, Y, P>, const M&) -> step_by_step<M, Field, Y, P>;
template <class M, class Field, class Y, class P>
step_by_step(problem<Field, Y, P>, const M&, const options&) -> step_by_step<M, Field, Y, P>;
template <class M, class Field, class Y, class P, class... E>
step_by_step(problem<Field, Y, P>, const M&, const options&, const event_list<E...>&)
    -> step_by_step<M, Field, Y, P, event_list<E...>>;

}  // namespace revode
