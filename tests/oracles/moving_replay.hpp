// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <revode/solve/course/moving_step.hpp>
#include <revode/solve/stepper.hpp>

namespace revode {

/// All that a solve depends on, over duals.
template <class Y, class P>
struct moving_inputs {
  Y y0;
  P p;
  scalar_t<Y> t0{}, t1{};
  std::vector<scalar_t<Y>> ts{}, stops{};         ///< as in gradient
  std::vector<std::vector<scalar_t<Y>>> times{};  ///< of each event that has a list of them
};
/// All that it gives.
template <class Y>
struct moving_solution {
  Y y;
  std::vector<Y> ys{};
  std::vector<scalar_t<Y>> events{};
};

/// A solve that can be taken again over duals, with its grid held still but for what moves by
/// itself: the outer ends, stops, events. All is derived anew, without any pull or push: a step with moving
/// ends has a field that moves with them, an event's time is the root of its condition on that interpolant
/// (one iteration of Newton over duals from the root found), events of one time lie steps of length 0 apart.
/// For one-step methods with dense output of a degree ≤ dense_order + 2, and fields and events that
/// are generic in their scalar. Only listed save points, no save.every.
/// Duals of duals give second derivatives; a step of length 0 is then one of second order.
template <class M, class F, class Y, class P, class Events = no_events, class D = dual<double, 1>>
class moving_replay {
 public:
  using DY = rebind_t<Y, D>;
  using DP = rebind_t<P, D>;
  using inputs = moving_inputs<DY, DP>;

  template <class Field>
  moving_replay(const problem<Field, Y, P>& q, const M& m, const options& o,
                const Events& events = {})
      : f_(q.f),
        method_(m),
        events_(events),
        points_(o.save),
        loop_(q, m, o, {}, events) {
    static_assert(!is_multistep_v<M> && has_dense_output_v<M>);
    while (!loop_.finished()) {
      const index i = loop_.position();
      loop_.step(loop_.work_tape());
      if (loop_.position() == i) break;
      steps_.push_back({loop_.work_tape().t, loop_.work_tape().t_new, loop_.work_tape().record});
    }
    if (!is_complete(loop_.status()))
      throw std::runtime_error(std::string("no replay of a solve by ") + M::name +
                               " that ended with status " + name(loop_.status()));
    base_ = {rebind_like<D>(q.y0), rebind_like<D>(q.p), D(q.t0), D(q.t1), {}, {}, {}};
    copy(q.y0, base_.y0);
    copy(q.p, base_.p);
    base_.ts.assign(o.save.ts.begin(), o.save.ts.end());
    base_.stops.assign(o.stops.begin(), o.stops.end());
    for (const double t : o.discontinuities) base_.stops.push_back(D(t));
    std::apply([&](const auto&... e) { (base_.times.push_back(times_of(e)), ...); }, events.each);
  }

  const inputs& constant() const { return base_; }  ///< the inputs of the solve
  const solution<Y>& result() { return loop_.result(); }

  /// The solution's derivative along the tangents of the inputs.
  moving_solution<DY> operator()(const inputs& in) {
    moving_solution<DY> s{in.y0};
    state now{in.y0, in.p, in.t0};
    auto c = make_carry<M>(in.y0);
    bool begun = false;
    std::size_t cut = 0, saved = 0;
    if (points_.t0) s.ys.push_back(in.y0);
    if (cuts().cut_count() > 0 && cuts().cut_at(0).step < 0)
      take(cuts().cut_at(cut++), in, now, s.events);
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const bool is_cut = cut < cuts().cut_count() && cuts().cut_at(cut).step == index(i);
      const auto* behind = is_cut ? &cuts().cut_at(cut) : nullptr;
      step(i, cut, in, now, c, std::exchange(begun, behind == nullptr || !behind->begins), saved,
           behind, s);
      cut += is_cut ? 1 : 0;
    }
    const bool cut_at_end =
        cut > 0 && cuts().cut_at(cut - 1).step + 1 == static_cast<index>(steps_.size());
    if (cut_at_end && loop_.status() == status::success) flow(now, in.t1 - now.t);
    s.y = now.y;
    if (points_.t1) s.ys.push_back(s.y);
    return s;
  }

 private:
  using record_type = typename method_types<M, Y>::record;
  static constexpr int nodes = M::dense_order + 3;
  using slope_type = polynomial_slope<nodes>;
  struct known_step {
    double t, t_new;
    [[no_unique_address]] record_type record;
  };
  struct state {
    DY y;
    DP p;
    D t;
  };

  template <class E>
  static std::vector<D> times_of(const E& e) {
    if constexpr (listed_times<E>)
      return {e.times.begin(), e.times.end()};
    else
      return {};
  }
  const cut_list& cuts() const { return loop_.stretches(); }
  static D at(double value, const D& moving) { return moving - value_of(moving) + value; }

  /// f(event) for the event of that number.
  template <class Visit>
  void visit(int which, Visit&& f) const {
    std::apply(
        [&](const auto&... e) {
          int i = 0;
          ((i++ == which ? f(e) : void()), ...);
        },
        events_.each);
  }

  D known(std::size_t k, const inputs& in) const {
    const known_time& time = cuts().known(k);
    D moved(time.t);
    if (time.which < 0) moved = in.stops[time.number + (time.which == -2 ? loop_.stops() : 0)];
    visit(time.which, [&](const auto& e) {
      using E = std::remove_cvref_t<decltype(e)>;
      if constexpr (listed_times<E>)
        moved = in.times[static_cast<std::size_t>(time.which)][time.number];
      else if constexpr (timed_event<E, P>)
        moved = e.time(in.p);
    });
    return moved;
  }
  /// The end of step i behind so many cuts.
  D end_of(std::size_t i, std::size_t cuts_before, const inputs& in) const {
    const cut* before = cuts_before > 0 ? &cuts().cut_at(cuts_before - 1) : nullptr;
    const std::size_t due = before != nullptr ? before->due : 0;
    const double t_new = steps_[i].t_new;
    if (due < cuts().known_count() && cuts().known(due).end == t_new)
      return at(t_new, known(due, in));
    if (const index n = loop_.log().equal_steps(); n > 0) {
      const index k = static_cast<index>(i) + 1 - (before != nullptr ? before->extra : 0);
      return at(t_new, in.t0 + (in.t1 - in.t0) * (static_cast<double>(k) / static_cast<double>(n)));
    }
    return t_new == loop_.t1() ? at(t_new, in.t1) : D(t_new);
  }

  /// A step by the midpoint rule of a length δ whose value is 0: exact to second order in it.
  void flow(state& s, const D& by) const {
    DY slope = s.y, middle = s.y;
    f_(s.t, s.y, s.p, slope);
    axpy(0.5 * by, slope, middle);
    f_(D(s.t + 0.5 * by), middle, s.p, slope);
    axpy(by, slope, s.y);
    s.t = s.t + by;
  }

  /// A step taken over duals: its end, and its dense output at a moving θ.
  struct taken_step {
    using types = method_types<M, DY>;
    const M& m;
    double t;
    D t_new;
    DY y, y_new;
    typename types::tape tape;
    typename types::scratch scratch;

    /// P + P' δ + P'' δ²/2 around the value of θ
    DY operator()(const D& theta) const {
      const double value = value_of(theta), end = value_of(t_new);
      const D by = theta - value;
      DY at = y, node = y;
      interpolate(m, t, end, tape, scratch, value, at);
      const slope_type slope(value);
      std::array<double, nodes> bend{};
      for (int j = 0; j < nodes; ++j) {
        const slope_type there(slope_type::node(j));
        for (std::size_t k = 0; k < nodes; ++k)
          bend[k] += slope.weight[static_cast<std::size_t>(j)] * there.weight[k];
      }
      for (int j = 0; j < nodes; ++j) {
        const auto k = static_cast<std::size_t>(j);
        interpolate(m, t, end, tape, scratch, slope_type::node(j), node);
        axpy(by * (slope.weight[k] + 0.5 * bend[k] * by), node, at);
      }
      return at;
    }
    /// At the end that is y_new itself.
    DY at_end(const D& theta) const {
      DY at = (*this)(theta), still = (*this)(D(value_of(theta)));
      for (int k = 0, n = length(y); k < n; ++k)
        at.data()[k] = at.data()[k] - still.data()[k] + y_new.data()[k];
      return at;
    }
  };
  taken_step take_step(const known_step& known_one, const D& t_new, const state& now, bool begun,
                       carry<M, DY>& c) {
    using types = method_types<M, DY>;
    const double t = known_one.t, end = value_of(t_new);
    const moving_step_field<F, D> field{{f_, t, end, now.t - value_of(now.t), t_new - end}};
    system<moving_step_field<F, D>, DY, DP> sys(field, now.p);
    taken_step s{method_,
                 t,
                 t_new,
                 now.y,
                 now.y,
                 make_like<typename types::tape>(now.y),
                 make_like<typename types::scratch>(now.y)};
    if (begun)
      refresh(method_, sys, t, c);
    else
      begin(method_, sys, t, now.y, c);
    replay(method_, sys, t, end, known_one.record, c, s.tape);
    s.y_new = value(method_, c.state);
    extend(method_, sys, t, end, s.tape, s.scratch);
    return s;
  }

  /// A step with its save points, and the cut behind it.
  void step(std::size_t i, std::size_t cuts_before, const inputs& in, state& now, carry<M, DY>& c,
            bool begun, std::size_t& saved, const cut* behind, moving_solution<DY>& s) {
    const D from = now.t, t_new = end_of(i, cuts_before, in);
    const taken_step dense = take_step(steps_[i], t_new, now, begun, c);
    for (; saved < loop_.saved() && loop_.save_step(saved) <= index(i); ++saved) {
      D theta = (in.ts[saved] - from) / (t_new - from);
      const bool at_end = value_of(in.ts[saved]) == value_of(t_new);
      if (at_end) theta = at(1, theta);
      s.ys.push_back(at_end ? dense.at_end(theta) : dense(theta));
    }
    now.y = dense.y_new;
    now.t = t_new;
    if (behind == nullptr) return;
    const cut_event& first = cuts().event(behind->first);
    if (first.due >= 0) {
      const auto due = static_cast<std::size_t>(first.due);
      now.t = at(behind->begins ? cuts().known(due).t : behind->t, known(due, in));
    } else {
      const D theta = root(behind->theta, first.which, [&](const D& x) {
        return state{dense(x), now.p, from + x * (t_new - from)};
      });
      now.y = dense(theta);
      now.t = from + theta * (t_new - from);
    }
    take(*behind, in, now, s.events);
  }

  /// x with condition(along(x)) = 0, from the root found: an iteration of Newton for every layer of
  /// duals.
  template <class Along>
  D root(double x, int which, const Along& along) const {
    D found(x);
    visit(which, [&](const auto& e) {
      if constexpr (located_event<std::remove_cvref_t<decltype(e)>, Y, P>) {
        const auto g = [&](const D& theta) {
          const state s = along(theta);
          return D(e.condition(s.t, s.y, s.p));
        };
        const D rest = g(found);
        const double slope = value_of((g(found + unit()) - rest).d[0]);
        if (slope == 0) return;
        for (int k = 0; k < 2; ++k) found = found - (g(found) - value_of(rest)) / slope;
      }
    });
    return found;
  }
  static D unit() {
    D one(0);
    one.d[0] = 1;
    return one;
  }

  /// The events of a cut. Behind the first each flows to a time of its own; a located one that a jump
  /// before has moved off its surface stays with that one.
  void take(const cut& c, const inputs& in, state& now, std::vector<D>& times) {
    const state first = now;
    for (std::size_t e = c.first; c.begins && e < c.past; ++e) {
      const cut_event& event = cuts().event(e);
      now.t = at(cuts().time_of(c, e), now.t);
      if (event.due >= 0) {
        flow(now, known(static_cast<std::size_t>(event.due), in) - now.t);
      } else if (e > c.first || c.step < 0) {
        const auto along = [&](const D& by) {
          state s = now;
          flow(s, by);
          return s;
        };
        if (on_surface(event.which, first, now)) flow(now, root(0, event.which, along));
      }
      if (event.which >= 0) times.push_back(now.t);
      visit(event.which, [&](const auto& jumping) {
        using E = std::remove_cvref_t<decltype(jumping)>;
        const state before = now;
        if constexpr (jumps_parameters<E, DY, DP>)
          jumping.jump(before.t, before.y, before.p, now.y, now.p);
        else if constexpr (jumps_state<E, DY, DP>)
          jumping.jump(before.t, before.y, before.p, now.y);
      });
    }
    now.t = at(c.t, now.t);
  }
  bool on_surface(int which, const state& first, const state& now) const {
    double was = 0, is = 0, rate = 0;
    visit(which, [&](const auto& e) {
      if constexpr (located_event<std::remove_cvref_t<decltype(e)>, Y, P>) {
        state later = now;
        flow(later, unit());
        was = value_of(D(e.condition(now.t, first.y, first.p)));
        const D here = e.condition(now.t, now.y, now.p);
        is = value_of(here);
        rate = value_of((D(e.condition(later.t, later.y, later.p)) - here).d[0]);
      }
    });
    const double at = value_of(now.t), near = 16 * time_resolution(at, at) * std::abs(rate);
    return rate != 0 && std::abs(is) <= std::fmax(2 * std::abs(was), near);
  }

  const F& f_;
  M method_;
  Events events_;
  save_at points_;
  stepper<M, F, Y, P, Events> loop_;
  std::vector<known_step> steps_;
  inputs base_;
};

template <class M, class Field, class Y, class P>
moving_replay(const problem<Field, Y, P>&, const M&, const options&)
    -> moving_replay<M, std::remove_cvref_t<Field>, Y, P>;
template <class M, class Field, class Y, class P, class Events>
moving_replay(const problem<Field, Y, P>&, const M&, const options&, const Events&)
    -> moving_replay<M, std::remove_cvref_t<Field>, Y, P, Events>;

}  // namespace revode
