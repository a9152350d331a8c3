// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <revode/adjoint/tangent/tangent_field.hpp>
#include <revode/solve/course/rules.hpp>
#include <revode/solve/events/event_names.hpp>
#include <revode/solve/events/event_vector.hpp>

namespace revode {

/// What the events of a solve with tangents share: where its last cut was, and how its events moved.
template <class F, class Y, class P, int K>
struct tangent_cuts {
  using field = tangent_field<F, Y, P, K>;

  const field& of;
  const typename field::Q& q;  ///< at t0, by which timed events move
  double direction;

  P p = of.p;                                           ///< now
  double t = std::numeric_limits<double>::quiet_NaN();  ///< of the last cut
  Y first = of.y;                                       ///< y and p before its first event
  P p_first = of.p;
  Y slope_behind = of.y;                            ///< y' behind its last
  std::vector<std::array<double, K>> events_dot{};  ///< of every event so far

  void forget() {
    p = of.p;
    t = std::numeric_limits<double>::quiet_NaN();
    events_dot.clear();
  }
};

/// What an event says of itself in its type or as a member.
template <class E>
struct event_sort {
  static constexpr bool terminal = is_terminal_v<E>;
  explicit event_sort(const E&) {}
};
template <class E>
requires std::is_member_object_pointer_v<decltype(&E::terminal)>
struct event_sort<E> {
  bool terminal;
  explicit event_sort(const E& e) : terminal(e.terminal) {}
};
template <listed_times E>
struct event_sort<E> {
  static constexpr bool terminal = is_terminal_v<E>;
  decltype(E::times) times;
  explicit event_sort(const E& e) : times(e.times) {}
};

/// An event of a state with tangents behind it, z = (y, ẏ¹, …), q = (p, ṗ¹, …). Behind one at a time that
/// moves by ṫ a tangent is that of y at the time held still:
///   ẏ⁺ = J_y (ẏ + f ṫ) + J_t ṫ + J_p ṗ − f⁺ ṫ
/// with the jump J and y' before and behind it, f and f⁺; of a located event with the condition g
///   ṫ = −(g_y ẏ + g_p ṗ)/(g_t + g_y f)
/// source  Hiskens, Pai, IEEE Trans. Circuits Syst. I 47 (2000), pp. 204-220, section III
template <class E, class F, class Y, class P, int K>
class tangent_event : public event_sort<E> {
  using field = tangent_field<F, Y, P, K>;
  using T = typename field::T;
  using Z = typename field::Z;
  using Q = typename field::Q;
  using event_type = differentiable_event<E, Y, P>;
  static constexpr bool is_located = located_event<E, Y, P>;
  static constexpr bool is_timed = timed_event<E, P> && !listed_times<E>;
  static constexpr bool occurs = is_located || timed_event<E, P>;

 public:
  static constexpr bool discontinuity = is_discontinuity_v<E>;
  crossing direction;
  /// Its jump must not lead off its surface: it says so, or it left y alone when it last happened.
  mutable bool passes;

  tangent_event(const E& e, tangent_cuts<F, Y, P, K>& cuts)
      : event_sort<E>(e),
        direction(direction_of(e)),
        passes(revode::passes(e) || !event_type::jumps),
        event_(e),
        cuts_(&cuts) {}

  template <class S, class ZS, class QS>
  requires is_located S condition(const S& t, const ZS& z, const QS& q)
  const {
    S g(0);
    cuts_->of.template with_parts<S>(z, q, [&](const auto& y, const auto& p) {
      g = static_cast<S>(event_.event.condition(t, y, p));
    });
    return g;
  }
  auto time(const Q& q) const requires is_timed {
    P p = cuts_->of.p;
    field::take(0, q, p);
    return event_.event.time(p);
  }
  bool inside(const T& t, const Z& z, const Q& q) const requires domain_predicate<E, Y, P> {
    bool is = true;
    cuts_->of.template with_parts<T>(
        z, q, [&](const Y& y, const P& p) { is = event_.event.inside(t, y, p); });
    return is;
  }
  bool after_step(double t, const Z& z, const Q& q) const requires step_observer<E, Y, P> {
    bool stop = false;
    cuts_->of.template with_parts<T>(
        z, q, [&](const Y& y, const P& p) { stop = event_.event.after_step(t, y, p); });
    return stop;
  }
  void after_attempt(const step_attempt& a) const requires attempt_observer<E> {
    event_.event.after_attempt(a);
  }
  void jump(const T& t, const Z& z, const Q& q, Z& z_new) const
      requires(occurs && !event_type::moves_parameters) {
    happen(t, z, q, z_new, [](int, const P&) {});
  }
  void jump(const T& t, const Z& z, const Q& q, Z& z_new, Q& q_new) const
      requires(event_type::moves_parameters) {
    happen(t, z, q, z_new, [&](int k, const P& p) { field::put(k, p, q_new); });
  }

 private:
  /// put(k, p): the k-th part of q behind it.
  template <class Put>
  void happen(double t, const Z& z, const Q& q, Z& z_new, Put&& put) const {
    Y y = cuts_->of.y, slope = y, y_dot = y;
    P p = cuts_->of.p, p_dot = p;
    field::take(0, z, y);
    field::take(0, q, p);
    const bool later = t == cuts_->t;
    if (!later) cuts_->t = t, cuts_->first = y, cuts_->p_first = p;
    slope_at(t, -cuts_->direction, y, p, slope);
    Y y_new = y;
    P& p_new = cuts_->p = p;
    event_.jump(t, y_new, p_new);
    if constexpr (event_type::moves_parameters)
      passes = revode::passes(event_.event) || same_elements(y, y_new);
    slope_at(t, cuts_->direction, y_new, p_new, cuts_->slope_behind);
    field::put(0, y_new, z_new);
    put(0, p_new);
    std::array<double, K> dots;
    for (int k = 0; k < K; ++k) {
      field::take(k + 1, z, y_dot);
      field::take(k + 1, q, p_dot);
      const double t_dot = dots[std::size_t(k)] = moved(k, later, t, y, p, slope, y_dot, p_dot);
      axpy(static_cast<T>(t_dot), slope, y_dot);
      event_.push_jump(t, y, p, t_dot, y_dot, p_dot);
      axpy(static_cast<T>(-t_dot), cuts_->slope_behind, y_dot);
      field::put(k + 1, y_dot, z_new);
      put(k + 1, p_dot);
    }
    cuts_->events_dot.push_back(dots);
  }
  /// y' on one side of the event in time, where the field may jump.
  void slope_at(double t, double side, const Y& y, const P& p, Y& slope) const {
    const double at = discontinuity ? std::nextafter(t, side * HUGE_VAL) : t;
    cuts_->of.f(static_cast<T>(at), y, p, slope);
  }
  /// ṫ. A located event whose condition a jump before it at this time has moved off 0, or which stands
  /// still, has the time of that one (cut_flow of adjoint/course/cut_adjoint.hpp).
  double moved(int k, bool later, double t, const Y& y, const P& p, const Y& slope, const Y& y_dot,
               const P& p_dot) const {
    if constexpr (is_located) {
      const double rate = event_.slope(t, y, p, slope), fall = std::abs(rate);
      const auto off = [&](const Y& at, const P& with) {
        return std::abs(static_cast<double>(event_.condition(static_cast<T>(t), at, with)));
      };
      const double near =
          std::fmax(2 * off(cuts_->first, cuts_->p_first), 16 * time_resolution(t, t) * fall);
      if (fall != 0 && std::isfinite(fall) && off(y, p) <= near)
        return -event_.push_condition(t, y, p, 0, y_dot, p_dot) / rate;
      return later ? cuts_->events_dot.back()[std::size_t(k)] : 0.0;
    } else if constexpr (is_timed) {
      P p0 = p, p0_dot = p;
      field::take(0, cuts_->q, p0);
      field::take(k + 1, cuts_->q, p0_dot);
      return event_.push_time(p0, p0_dot);
    }
    return 0;
  }

  event_type event_;
  tangent_cuts<F, Y, P, K>* cuts_;
};

template <class E, class F, class Y, class P, int K>
inline constexpr bool is_event_of_another<tangent_event<E, F, Y, P, K>> = true;

/// A list of events for a state with tangents behind it.
template <class... E, class F, class Y, class P, int K>
auto with_tangents(const event_list<E...>& list, tangent_cuts<F, Y, P, K>& cuts) {
  return std::apply(
      [&](const auto&... e) { return events(tangent_event<E, F, Y, P, K>(e, cuts)...); },
      list.each);
}
template <class E, class F, class Y, class P, int K>
auto with_tangents(const event_list<event_vector<E, Y>>& list, tangent_cuts<F, Y, P, K>& cuts) {
  using Z = typename tangent_field<F, Y, P, K>::Z;
  const event_vector<E, Y>& from = std::get<0>(list.each);
  event_vector<tangent_event<E, F, Y, P, K>, Z> all;
  for (const E& e : from.each) all.each.emplace_back(e, cuts);
  if (from.after_step)
    all.after_step = [tell = from.after_step, y = cuts.of.y](double t, const Z& z) mutable {
      tangent_field<F, Y, P, K>::take(0, z, y);
      return tell(t, y);
    };
  return events(std::move(all));
}

}  // namespace revode
