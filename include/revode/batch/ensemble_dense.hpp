// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include <revode/batch/ensemble_solver.hpp>
#include <revode/batch/group/dense_group.hpp>
#include <revode/solve/dense_output.hpp>

namespace revode {

/// The solution of every lane at every time (see ensemble's solve with dense_output below).
template <class M, class F, class Y, class P, class Place, int W>
class dense_ensemble : public ensemble_solution<Y> {
 public:
  using T = scalar_t<Y>;

  dense_ensemble(const ensemble<F, Y, P>& e, const M& m, const options& o)
      : m_(m),
        f_(e.f),
        t0_(e.t0) {
    store_.upload(e, o, validate(e, m, o));
    if (o.fixed_step > 0)
      record<true>(o);
    else
      record<false>(o);
  }
  dense_ensemble(dense_ensemble&&) = default;
  dense_ensemble& operator=(dense_ensemble&&) = default;

  /// Every lane at time t.
  std::vector<Y> operator()(double t) { return at({t}); }
  /// Lane l at ts[l], or all at the only one.
  /// cost    one search among the lane's steps and one value of dense output a lane
  /// errors  std::invalid_argument for a time that a lane does not cover
  std::vector<Y> at(const std::vector<double>& ts) {
    check(ts);
    const array<double> times(ts.begin(), ts.end());
    const dense_group<M, F, state, P, W> group{m_,
                                               f_,
                                               store_.inputs(),
                                               store_.outputs(),
                                               pieces(),
                                               {elements(times), 1, ts.size() > 1 ? 1 : 0},
                                               elements(values_)};
    Place::for_each((store_.lanes() + W - 1) / W, group);
    return store_.template rows<Y>(values_);
  }
  /// The number of steps of all lanes.
  index steps() const { return static_cast<index>(times_.size() / 2); }

 private:
  template <class X>
  using array = typename Place::template array<X>;
  using state = typename lane_state<Y, W>::type;
  static constexpr index tape_numbers = lane_group<M, state, P, W>::tape_numbers;

  lane_pieces<T> pieces() {
    return {elements(first_), elements(times_), elements(numbers_), tape_numbers};
  }

  /// Twice: once to count the steps, once to keep them.
  template <bool Fixed>
  void record(const options& o) {
    lane_failures failures;
    const auto forward = [&] {
      return forward_group<M, F, state, P, W, Fixed, true>{
          m_, f_, rules_of(o), store_.inputs(), store_.outputs(), store_.queue(), &failures};
    };
    const auto run = [&](const auto& group, index lanes) {
      store_.begin();
      Place::for_each(std::min(Place::workers(group), (lanes + W - 1) / W), group);
    };
    run(forward(), store_.lanes());
    failures.rethrow();
    make_room(store_.template download<Y>());
    run(recording_group<M, F, state, P, W, Fixed>{forward(), pieces()}, store_.lanes());
    static_cast<ensemble_solution<Y>&>(*this) = store_.template download<Y>();
  }

  void make_room(const ensemble_solution<Y>& s) {
    std::vector<index> first;
    index steps = 0;
    for (const auto& lane : s.stats) {
      first.push_back(steps);
      steps += lane.accepted;
    }
    const index bytes = tape_numbers * static_cast<index>(sizeof(T)) + 16;
    require_memory<Place>(store_.lanes(), steps * bytes / store_.lanes(), "dense output");
    first_ = array<index>(first.begin(), first.end());
    times_.assign(static_cast<std::size_t>(2 * steps), 0.0);
    numbers_.assign(static_cast<std::size_t>(steps * tape_numbers), T(0));
    values_.assign(static_cast<std::size_t>(store_.stride() * static_size_v<Y>), T(0));
  }

  void check(const std::vector<double>& ts) const {
    if (ts.size() != 1 && static_cast<index>(ts.size()) != this->lanes())
      throw std::invalid_argument(std::to_string(ts.size()) + " times for " +
                                  std::to_string(this->lanes()) +
                                  " lanes (each lane has its own, or all share one) give as many?");
    for (index l = 0; l < this->lanes(); ++l) {
      const double from = of_lane(t0_, l), to = this->t[static_cast<std::size_t>(l)];
      const double t = of_lane(ts, l);
      if (!(std::fmin(from, to) <= t && t <= std::fmax(from, to)))
        refuse_time("lane " + std::to_string(l) + ": dense output", t, from, to);
    }
  }

  M m_;
  F f_;
  std::vector<double> t0_;
  lane_store<Place, T> store_;
  array<index> first_;
  array<double> times_;
  array<T> numbers_, values_;
};

/// Integrates every lane and keeps every step, to be asked for all lanes at any time, side by side and
/// on devices as well:
///
///   auto d = solve(e, tsit5{}, o, dense_output{});
///   d(0.3)[l], d.at(times)[l]      // d.status, d.y, … besides
///
/// cost    two solves: the first counts the steps
/// memory  a tape and two times for each step of each lane, where lanes run
/// bits    those of dense output of problem_of(e, l) solved alone
/// errors  std::invalid_argument for misuse; an exception from the field after all lanes have ended
template <method M, class F, class Y, class P, class Place = on_device>
auto solve(const ensemble<F, Y, P>& e, const M& m, const options& o, dense_output, Place = {}) {
  static_assert(has_dense_output_v<M>, "this method has no dense output; choose one such as tsit5");
  static_assert(lanes_take_v<M, Y> && fits_lanes_v<M, Y>,
                "lanes take explicit Runge-Kutta and Rosenbrock methods");
  constexpr int together = lane_width(Place::width, static_size_v<Y>);
  return dense_ensemble<M, F, Y, P, Place, together>(e, m, o);
}

}  // namespace revode
