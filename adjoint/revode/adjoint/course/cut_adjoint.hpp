// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include <revode/adjoint/course/settle.hpp>
#include <revode/solve/stepper.hpp>

namespace revode {

/// Throws for a method whose cuts cannot be differentiated.
template <class M, class System, class Y>
void validate_cuts(const M& m, const options& o, bool events) {
  if (!has_resume_v<M, System, Y> && !has_dense_output_v<M> &&
      (events || !o.stops.empty() || !o.discontinuities.empty()))
    throw std::invalid_argument("derivatives with method " + std::string(m.name) +
                                " through stops or events (it cannot rebuild the state at the end "
                                "of a step from its tape) leave them out, or choose a method such "
                                "as tsit5?");
}

/// The state before a cut, from the tape of its step.
template <class Loop, class Tape>
auto state_before(Loop& loop, const cut& c, const Tape& tape) {
  using M = std::remove_cvref_t<decltype(loop.scheme())>;
  using Y = std::remove_cvref_t<decltype(loop.y0())>;
  if (c.step < 0) return state_at_start(loop.sys(), c.t, loop.y0());
  Y y = loop.y0();
  if constexpr (has_resume_v<M, typename Loop::system_type, Y>) {
    if (c.theta < 0) {
      auto end = make_carry(loop.scheme(), loop.y0());
      resume_carry(loop.scheme(), loop.sys(), tape.t, tape.t_new, tape.stages, end);
      return Y(value(loop.scheme(), end.state));
    }
  }
  if constexpr (has_dense_output_v<M>) {
    extend(loop.scheme(), loop.sys(), tape.t, tape.t_new, tape.stages, loop.scratch());
    interpolate(loop.scheme(), tape.t, tape.t_new, tape.stages, loop.scratch(),
                c.theta < 0 ? 1.0 : c.theta, y);
  }
  return y;
}

/// The states of a cut: y and p before each of its events, and behind the last.
template <class Y, class P>
struct event_states {
  std::vector<Y> y;
  std::vector<P> p;
};

/// Those of a solve again.
template <class Loop, class Y, class P>
struct cut_states : event_states<Y, P> {
  using event_states<Y, P>::y, event_states<Y, P>::p;

  /// The k-th cut, from the tape of its step. Leaves the loop's parameters those before the cut.
  cut_states(Loop& loop, std::size_t k, const typename Loop::tape_type& tape) {
    loop.stretches().use_parameters(k);
    y.push_back(state_before(loop, loop.stretches().cut_at(k), tape));
    go_behind(loop, k);
  }
  /// The same from the state before it.
  cut_states(Loop& loop, std::size_t k, const Y& before) {
    loop.stretches().use_parameters(k);
    y.push_back(before);
    go_behind(loop, k);
  }

 private:
  void go_behind(Loop& loop, std::size_t k) {
    auto& stretches = loop.stretches();
    const cut& c = stretches.cut_at(k);
    if (!c.begins) return;
    p.push_back(stretches.parameters());
    for (std::size_t e = c.first; e < c.past; ++e) {
      y.push_back(y.back());
      p.push_back(p.back());
      stretches.events().visit(stretches.event(e).which, [&](auto& event) {
        event.jump(stretches.time_of(c, e), y.back(), p.back());
      });
    }
  }
};

/// Does the solution go on behind this cut, or does it end there?
template <class Course>
bool goes_on_behind(const cut& c, const Course& course) {
  return c.step + 1 < course.count() || course.status() == status::success;
}

/// How an event's time follows from the root of its condition: dt* = −(∂g/∂y dy + ∂g/∂p dp)/rate.
template <class Y, class P>
struct root_gradient {
  event_time_t<scalar_t<Y>> of_t{0};
  Y of_y;
  P of_p;
};
template <class Stretches, class Y, class P>
root_gradient<Y, P> gradient_of_condition(Stretches& stretches, int which,
                                          const event_time_t<scalar_t<Y>>& t, const Y& y,
                                          const P& p) {
  root_gradient<Y, P> g{event_time_t<scalar_t<Y>>(0), zero_like(y), zero_like(p)};
  stretches.events().visit(which, [&](auto& event) {
    if constexpr (std::remove_cvref_t<decltype(event)>::located)
      event.pull_condition(t, y, p, g.of_t, g.of_y, g.of_p);
  });
  return g;
}

/// At the root of a located event, at θ of the step on this tape (extend was called): dg/dt along dense output, and
/// start_bar + y_barᵀ dy/dt.
template <class Time>
struct root_rates {
  Time condition, y_bar;
};
template <class Loop, class Tape, class Time, class Y, class P>
root_rates<Time> rates_at_root(Loop& loop, const Tape& tape, const Time& theta,
                               const root_gradient<Y, P>& g, const Y& y_bar,
                               const time_bar_t<Y, Time>& start_bar) {
  using M = std::remove_cvref_t<decltype(loop.scheme())>;
  using T = scalar_t<Y>;
  if constexpr (is_spread_v<Y>) {
    Y slope = zero_like(y_bar);
    interpolate_rate(loop.scheme(), tape.t, tape.t_new, tape.stages, loop.scratch(), theta, slope);
    const double h = tape.t_new - tape.t;
    const auto all = whole<Y>::products(slope, g.of_y, y_bar, start_bar * h);
    return {g.of_t + all.a / h, all.b_and_share / h};
  } else {
    const auto along = [&](const Y& bar) {
      step_ends<T> unused;
      const auto rate =
          pull_dense(loop.scheme(), tape.t, tape.t_new, tape.stages, loop.scratch(), theta, bar,
                     static_cast<typename method_types<M, Y>::seeds*>(nullptr), false, unused);
      if constexpr (differentiable<Time>)
        return Time(rate / loop.pace());
      else
        return static_cast<Time>(rate);
    };
    return {g.of_t + along(g.of_y), start_bar + along(y_bar)};
  }
}

/// y' at (t, y), where times are those of the loop: of a known value, or moving.
template <class Loop, class Y>
void slope_at(Loop& loop, double t, const Y& y, Y& slope) {
  slope_of(loop.sys(), t, y, slope);
}
template <class Loop, differentiable Time, class Y>
void slope_at(Loop& loop, const Time& t, const Y& y, Y& slope) {
  loop.move_with(t);
  slope_of(loop.sys(), t.value, y, slope);
}
/// wᵀy' at (t, y).
template <class Loop, class Time, class Y>
time_bar_t<Y, Time> along_solution(Loop& loop, const Time& t, const Y& y, const Y& w) {
  Y slope = y;
  slope_at(loop, t, y, slope);
  return static_cast<time_bar_t<Y, Time>>(dot(slope, w));
}
inline double with_value(double, double value) { return value; }
template <differentiable Time>
Time with_value(Time t, double value) {
  t.value = static_cast<inner_t<Time>>(value);
  return t;
}

/// Behind the first event of a cut the others happen at once, each at a time of its own: between two
/// of them lies a step of length 0 along f. A located one whose condition was moved off 0 by a jump
/// before, or stands still, keeps the time of that one.
template <class Loop, class Y, class P>
class cut_flow {
 public:
  using time_type = event_time_t<scalar_t<Y>>;

  cut_flow(Loop& loop, const cut& c, std::size_t e, const event_states<Y, P>& s)
      : slope(zero_like(s.y[0])),
        gradient{time_type(0), zero_like(s.y[0]), zero_like(s.p[0])} {
    auto& stretches = loop.stretches();
    const std::size_t k = e - c.first;
    const time_type t = stretches.time_of(c, e);
    const int which = stretches.event(e).which;
    located = stretches.event(e).due < 0;
    if constexpr (Loop::event_set_type::moves_parameters) stretches.parameters() = s.p[k];
    slope_at(loop, k == 0 && !located ? with_value(t, c.end) : t, s.y[k], slope);
    if (!located) return;
    gradient = gradient_of_condition(stretches, which, t, s.y[k], s.p[k]);
    rate = gradient.of_t + product_over(slope, gradient.of_y, time_bar_t<Y, time_type>(0));
    double first = 0, now = 0;
    stretches.events().visit(which, [&](auto& event) {
      if constexpr (std::remove_cvref_t<decltype(event)>::located) {
        first = value_of(event.condition(t, s.y[0], s.p[0]));
        now = value_of(event.condition(t, s.y[k], s.p[k]));
      }
    });
    const double at = value_of(t), fall = std::abs(value_of(rate));
    const double near = std::fmax(2 * std::abs(first), 16 * time_resolution(at, at) * fall);
    free = fall != 0 && std::isfinite(fall) && std::abs(now) <= near;
  }

  Y slope;
  root_gradient<Y, P> gradient;
  time_type rate{0};
  bool located = false, free = false;
};

/// Takes y_bar, p_bar and t_bar, the cotangents of what is behind the k-th cut and of its time, to
/// what is before the jump of its first event and to that event's time, which it returns; those of
/// known times go to known_bar, each its own. A cut at t0 is left altogether.
/// `weights` of the events' times end with those of this cut, which are taken off. With
/// `through_first` the first event, too, happens at a time of its own along the solution before it.
template <class Loop, class Y, class P, class Time, class Bar>
Bar pull_chain(Loop& loop, const cut& c, const event_states<Y, P>& s, const Time*& weights,
               Bar t_bar, Y& y_bar, P& p_bar, std::vector<Bar>& known_bar,
               bool through_first = false) {
  auto& stretches = loop.stretches();
  for (std::size_t e = c.past; e-- > c.first;) {
    const std::size_t k = e - c.first;
    const cut_event& at = stretches.event(e);
    if (weights != nullptr && at.which >= 0) t_bar += share_of(y_bar, *--weights);
    stretches.events().visit(at.which, [&](auto& event) {
      event.pull_jump(stretches.time_of(c, e), s.y[k], s.p[k], t_bar, y_bar, p_bar);
    });
    if (k == 0 && c.step >= 0 && !through_first) break;
    const cut_flow<Loop, Y, P> flow(loop, c, e, s);
    if (!flow.located) {
      const Bar along = static_cast<Bar>(dot(y_bar, flow.slope));
      known_bar[static_cast<std::size_t>(at.due)] += t_bar + along;
      t_bar = -along;
    } else if (flow.free) {
      const Time by_root = -product_over(flow.slope, y_bar, t_bar) / flow.rate;
      axpy(static_cast<scalar_t<Y>>(by_root), flow.gradient.of_y, y_bar);
      axpy(static_cast<scalar_t<P>>(by_root), flow.gradient.of_p, p_bar);
      t_bar = -static_cast<Bar>(dot(y_bar, flow.slope));
    }
    if constexpr (differentiable<Time>) loop.pull_flow(e, s.y[k], t_bar, y_bar, p_bar);
  }
  return t_bar;
}

/// The same forwards, for tangents: t_dot of the first event (of t0, for a cut there) in, of the
/// start of the next step out; event_dot gets that of each event of the list.
template <class Loop, class Y, class P>
double push_chain(Loop& loop, const cut& c, const cut_states<Loop, Y, P>& s, double t_dot, Y& y_dot,
                  P& p_dot, const std::vector<double>& known_dot, std::vector<double>& event_dot) {
  auto& stretches = loop.stretches();
  for (std::size_t e = c.first; e < c.past; ++e) {
    const std::size_t k = e - c.first;
    const cut_event& at = stretches.event(e);
    if (k > 0 || c.step < 0) {
      const cut_flow<Loop, Y, P> flow(loop, c, e, s);
      const double before = t_dot;
      if (!flow.located) {
        t_dot = known_dot[static_cast<std::size_t>(at.due)];
      } else if (flow.free) {
        axpy(static_cast<scalar_t<Y>>(-before), flow.slope, y_dot);
        t_dot =
            -static_cast<double>(dot(flow.gradient.of_y, y_dot) + dot(flow.gradient.of_p, p_dot)) /
            flow.rate;
        axpy(static_cast<scalar_t<Y>>(before), flow.slope, y_dot);
      }
      axpy(static_cast<scalar_t<Y>>(t_dot - before), flow.slope, y_dot);
    }
    if (at.which >= 0) event_dot.push_back(t_dot);
    stretches.events().visit(at.which, [&](auto& event) {
      event.push_jump(stretches.time_of(c, e), s.y[k], s.p[k], t_dot, y_dot, p_dot);
    });
  }
  return t_dot;
}

/// p_bar += what the derivatives by known times say of the parameters that they are made of.
template <class Stretches, class Bar, class P>
[[gnu::noinline, gnu::cold]] void pull_known_times(Stretches& stretches,
                                                   const std::vector<Bar>& known_bar, P& p_bar) {
  if constexpr (Stretches::set::count > 0) {
    stretches.use_parameters(0);
    for (std::size_t k = 0; k < known_bar.size(); ++k)
      stretches.events().visit(stretches.known(k).which, [&](auto& event) {
        event.pull_time(stretches.parameters(), known_bar[k], p_bar);
      });
  }
}
/// Those of the times of events.
template <class Stretches, class Time, class Gradient>
void give_event_times(Stretches& stretches, const std::vector<Time>& known_bar, Gradient& g) {
  if constexpr (Stretches::set::listed) {
    g.times.resize(Stretches::set::count);
    stretches.events().for_each([&](int which, auto& event) {
      if constexpr (listed_times<std::remove_cvref_t<decltype(event.event)>>)
        g.times[static_cast<std::size_t>(which)].assign(event.event.times.size(), Time(0));
    });
  }
  for (std::size_t k = 0; k < known_bar.size(); ++k) {
    const known_time& at = stretches.known(k);
    stretches.events().visit(at.which, [&](auto& event) {
      if constexpr (listed_times<std::remove_cvref_t<decltype(event.event)>>)
        g.times[static_cast<std::size_t>(at.which)][at.number] = known_bar[k];
    });
  }
  for (std::size_t k = 0; k < stretches.event_count(); ++k) {
    const cut_event& e = stretches.event(k);
    if (e.which < 0) continue;
    g.events.push_back(Time(0));
    stretches.events().visit(e.which, [&](auto& event) {
      if constexpr (listed_times<std::remove_cvref_t<decltype(event.event)>>)
        if (e.due >= 0) g.events.back() = known_bar[static_cast<std::size_t>(e.due)];
    });
  }
}

/// The derivatives by known times, to whom they belong: stops, times of a list.
template <class Stretches, class Time, class Gradient>
[[gnu::noinline, gnu::cold]] void give_known_times(Stretches& stretches, std::size_t stops,
                                                   std::size_t discontinuities,
                                                   const std::vector<Time>& known_bar,
                                                   Gradient& g) {
  g.stops.assign(stops + discontinuities, Time(0));
  for (std::size_t k = 0; k < known_bar.size(); ++k) {
    const known_time& at = stretches.known(k);
    if (at.which < 0) g.stops[at.number + (at.which == -2 ? stops : 0)] = known_bar[k];
  }
  if constexpr (Stretches::set::count > 0) give_event_times(stretches, known_bar, g);
}

/// Those of t0, t1 and save times, too.
template <class Stretches, class Course, class Times, class Gradient>
void give_times(Stretches& stretches, const Course& course, const Times& of, Gradient& g) {
  g.t0 = of.t0, g.t1 = of.t1, g.ts = of.ts;
  g.ts.resize(course.save_points().every > 0 ? 0 : course.save_points().ts.size());
  give_known_times(stretches, course.stops(), course.discontinuities(), of.known, g);
}

}  // namespace revode
