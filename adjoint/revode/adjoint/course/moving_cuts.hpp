// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <type_traits>
#include <vector>

#include <revode/adjoint/course/cut_adjoint.hpp>
#include <revode/adjoint/gradient.hpp>
#include <revode/solve/course/moving_step.hpp>

namespace revode {

/// The cuts of a solve for states over duals: which they are is the solve's, when they happen moves
/// with its inputs. A time is a dual of the value that the solve knows.
template <class Events, class Y, class P>
class moving_cuts {
 public:
  using set = event_set<Events, Y, P>;
  using time_type = scalar_t<Y>;

  /// `cuts` must outlive it; `stops` of its known times are options::stops.
  template <class Direction>
  moving_cuts(const cut_list& cuts, std::size_t stops, const Events& events, const P& p,
              const Direction& along)
      : cuts_(cuts),
        events_(events),
        p0_(p),
        p_(p),
        root_(cuts.cut_count(), time_type(0)),
        start_(cuts.cut_count(), time_type(0)),
        times_(cuts.event_count(), time_type(0)),
        flows_(cuts.event_count(), time_type(0)) {
    if constexpr (set::moves_parameters) behind_.assign(cuts.cut_count(), p);
    for (std::size_t k = 0; k < cuts.known_count(); ++k) {
      const known_time& at = cuts.known(k);
      time_type moved(at.t);
      if (at.which < 0 && !along.stops.empty())
        moved.d[0] =
            static_cast<inner_t<time_type>>(along.stops[at.number + (at.which == -2 ? stops : 0)]);
      events_.visit(at.which, [&](auto& e) {
        using E = std::remove_cvref_t<decltype(e.event)>;
        if constexpr (listed_times<E>) {
          if (!along.times.empty())
            moved.d[0] = static_cast<inner_t<time_type>>(
                along.times[static_cast<std::size_t>(at.which)][at.number]);
        } else if constexpr (timed_event<E, P>) {
          moved.d = time_type(e.event.time(p)).d;
        }
      });
      known_.push_back(moved);
    }
  }
  moving_cuts(const moving_cuts&) = delete;
  moving_cuts& operator=(const moving_cuts&) = delete;

  set& events() { return events_; }
  std::size_t cut_count() const { return cuts_.cut_count(); }
  const cut& cut_at(std::size_t k) const { return cuts_.cut_at(k); }
  bool begins_at_start() const { return cuts_.begins_at_start(); }
  const cut_event& event(std::size_t e) const { return cuts_.event(e); }
  std::size_t event_count() const { return cuts_.event_count(); }
  const known_time& known(std::size_t k) const { return cuts_.known(k); }
  std::size_t known_count() const { return cuts_.known_count(); }
  std::size_t cuts_before(index step) const { return cuts_.cuts_before(step); }

  const time_type& known_at(std::size_t k) const { return known_[k]; }
  const std::vector<time_type>& known_times() const { return known_; }
  const time_type& time_of(std::size_t e) const { return times_[e]; }
  const time_type& time_of(const cut&, std::size_t e) const { return times_[e]; }
  /// The event happens then.
  void happens(const cut& c, std::size_t e, const time_type& t) {
    times_[e] = with_value(t, cuts_.time_of(c, e));
  }
  /// What lies between an event and the one before it, a number of value 0.
  time_type& flow(std::size_t e) { return flows_[e]; }
  /// θ of the k-th cut, and when the solution goes on behind it.
  time_type& root(std::size_t k) { return root_[k]; }
  time_type& start(std::size_t k) { return start_[k]; }
  const time_type& start(std::size_t k) const { return start_[k]; }

  /// Those in use; those of the k-th stretch; those behind the k-th cut.
  P& parameters() { return p_; }
  void use_parameters(std::size_t k) {
    if constexpr (set::moves_parameters) p_ = k > 0 ? behind_[k - 1] : p0_;
  }
  void keep_parameters(std::size_t k, const P& p) {
    if constexpr (set::moves_parameters) behind_[k] = p;
  }

 private:
  const cut_list& cuts_;
  set events_;
  P p0_, p_;
  std::vector<P> behind_;
  std::vector<time_type> known_, root_, start_, times_, flows_;
};

/// Dense output of a step at a place θ that moves: the tangent by θ is that of the polynomial.
template <class M, class Y>
class moving_place {
 public:
  using scalar = scalar_t<Y>;  ///< a dual
  static constexpr int nodes = M::dense_order + 3;

  explicit moving_place(const scalar& theta)
      : theta_(theta.value),
        motion_(theta.d[0]),
        slope_(theta.value) {}

  template <class Tape, class Scratch>
  void interpolate_at(const M& m, const Tape& tape, const Scratch& w, Y& y) const {
    interpolate(m, tape.t, tape.t_new, tape.stages, w, static_cast<double>(theta_), y);
    add_motion(m, tape, w, y);
  }
  /// y += (dy/dθ) θ_dot
  template <class Tape, class Scratch>
  void add_motion(const M& m, const Tape& tape, const Scratch& w, Y& y) const {
    if (motion_ == 0) return;
    Y at = y;
    for (int j = 0; j < nodes; ++j) {
      interpolate(m, tape.t, tape.t_new, tape.stages, w, slope_type::node(j), at);
      axpy(share(j), at, y);
    }
  }
  /// As pull_interpolate. `whole`: the seeds get y_bar as well, not its motion alone.
  template <class Stages, class Scratch, class Seeds>
  interpolation_bar<scalar> pull_at(const M& m, double t, double t_new, const Stages& stages,
                                    const Scratch& w, const Y& y_bar, Seeds* seeds,
                                    bool whole) const {
    Seeds* const none = nullptr;
    interpolation_bar<scalar> bar;
    pull_interpolate(m, t, t_new, stages, w, static_cast<double>(theta_), y_bar,
                     whole ? seeds : none, bar);
    if (!whole) bar.h = scalar(0);
    Y moved = y_bar;
    for (int j = 0; j < nodes && motion_ != 0; ++j) {
      fill(moved, scalar(0));
      axpy(share(j), y_bar, moved);
      pull_interpolate(m, t, t_new, stages, w, slope_type::node(j), moved, seeds, bar);
    }
    return bar;
  }

 private:
  using number = inner_t<scalar>;
  using slope_type = polynomial_slope<nodes>;
  scalar share(int j) const {
    scalar s(0);
    s.d[0] = static_cast<number>(slope_.weight[static_cast<std::size_t>(j)]) * motion_;
    return s;
  }

  number theta_, motion_;
  slope_type slope_;
};

/// As in solve/course/rules.hpp, at a place that moves.
template <class M, class Stages, class Scratch, differentiable Time, class Y, class Seeds>
auto pull_place(const M& m, double t, double t_new, const Stages& stages, const Scratch& w,
                const Time& theta, const Y& y_bar, Seeds* seeds, bool whole) {
  return moving_place<M, Y>(theta).pull_at(m, t, t_new, stages, w, y_bar, seeds, whole);
}

}  // namespace revode
