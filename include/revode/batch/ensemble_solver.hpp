// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include <revode/batch/ensemble_events.hpp>
#include <revode/batch/group/gradient_store.hpp>
#include <revode/batch/lane/lane_state.hpp>
#include <revode/batch/lane/lane_store.hpp>

namespace revode {

/// Lanes stepped together where a place takes `most`. With AVX2 an attempt of an explicit method loads
/// more constants than registers hold, and eight vectors share them.
template <class M, int Most>
inline constexpr int explicit_lanes =
#if defined(__AVX2__) && !defined(__AVX512F__) && !defined(REVODE_LANES)
    Most > 1 && !is_linearly_implicit_v<M> ? 2 * Most : Most;
#else
    Most;
#endif

/// An ensemble where its lanes run, for solving it more than once (with other parameters, in an
/// order learned from the last time). W is the number of lanes stepped together by one worker (0:
/// lane_width, and pull_width for gradients); without Saves there can be no save points, and half as
/// much is compiled.
template <class M, class F, class Y, class P, class Place = on_device, int W = 0, bool Saves = true>
class ensemble_solver {
 public:
  using T = scalar_t<Y>;
  static constexpr int most = explicit_lanes<M, Place::width>;
  static constexpr int width = W > 0 ? W : lane_width(most, static_size_v<Y>);
  static constexpr bool taken = lanes_take_v<M, Y> && fits_lanes_v<M, Y>;
  static constexpr int reverse_width = W > 0
                                           ? W
                                           : pull_width(static_size_v<Y> > 8 ? Place::width : most,
                                                        static_size_v<Y>);

  ensemble_solver(const ensemble<F, Y, P>& e, const M& m, const options& o)
      : m_(m),
        f_(e.f),
        options_(o),
        parameters_(e.p.size()) {
    store_.upload(e, o, validate(e, m, o));
    if (!Saves && store_.points() > 0)
      throw std::invalid_argument(
          "save points in an ensemble (this ensemble_solver has Saves = false) leave them out, or "
          "let it be true?");
    t_ = e.t0[0], y_ = e.y0[0], p_ = e.p[0];
  }

  /// Integrates all lanes. An exception of the field (on the host) ends its lane with user_error,
  /// and the first is thrown again when all lanes have ended.
  void run() {
    if (options_.fixed_step > 0)
      run<true>();
    else
      run<false>();
    swept_ = true;
    changed_ = false;
    failures_.rethrow();
  }

  /// Lanes begun in the pass under way, for another thread to look at; on a device 0.
  index begun() const { return store_.begun(); }

  ensemble_solution<Y> result() const { return store_.template download<Y>(); }

  /// Other parameters for the same lanes: one P a lane, or one for all, as many as before.
  void set_parameters(const std::vector<P>& p) {
    if (p.size() != parameters_)
      throw std::invalid_argument(std::to_string(p.size()) + " parameter sets in place of " +
                                  std::to_string(parameters_) +
                                  " (the lanes stay the same) give as many?");
    store_.set_parameters(p);
    changed_ = true;
  }

  /// Starts the lanes by the number of attempts that they made last time.
  void sort_by_last_counts() { store_.sort(store_.last_attempts()); }

  /// The loss of every lane, its derivative with respect to the lane's y0 and p, and their sums over
  /// the lanes (for parameters that all lanes share), with the solution: see lane_loss.hpp and
  /// lane_memory. The first call makes one more forward sweep to learn what memory the lanes need;
  /// later ones start from the counts of the last.
  template <class Loss>
  ensemble_gradient<Y, P> gradient(const Loss& loss, const lane_memory& memory = {}) {
    return gradient_by<false>(loss, memory);
  }
  template <class Loss>
  ensemble_gradient<Y, P> gradient(const Loss& loss, const lane_memory& memory, of_times) {
    return gradient_by<true>(loss, memory);
  }

 private:
  template <bool Times, class Loss>
  ensemble_gradient<Y, P> gradient_by(const Loss& loss, const lane_memory& memory) {
    validate(memory);
    if (!swept_ && memory.plan != lane_memory_plan::controller) run();
    for (;;) {
      if (store_.unsorted()) sort_by_last_counts();
      const bool done = options_.fixed_step > 0 ? pull<true, Times>(loss, memory)
                                                : pull<false, Times>(loss, memory);
      if (done) break;
      run();  // the steps have changed since: count them again
    }
    failures_.rethrow();
    return gradients_.template download<Y, P>(store_);
  }

  template <bool Fixed>
  void run() {
    if constexpr (Saves)
      if (store_.points() > 0) return run<Fixed, true>();
    run<Fixed, false>();
  }
  template <bool Fixed, bool Saved>
  void run() requires(!taken) {}  // the constructor has thrown
  template <bool Fixed, bool Saved>
  void run() requires taken {
    using state = typename lane_state<Y, width>::type;
    const forward_group<M, F, state, P, width, Fixed, Saved> group{
        m_, f_, rules_of(options_), store_.inputs(), store_.outputs(), store_.queue(), &failures_};
    const index groups = (store_.lanes() + width - 1) / width;
    store_.begin();
    Place::for_each(std::min(Place::workers(group), groups), group);
  }

  template <bool Fixed, bool Times, class Loss>
  bool pull(const Loss& loss, const lane_memory& memory) {
    if constexpr (Saves)
      if (store_.points() > 0) return pull<Fixed, Times, true>(loss, memory);
    return pull<Fixed, Times, false>(loss, memory);
  }
  template <bool Fixed, bool Times, bool Saved, class Loss>
  bool pull(const Loss&, const lane_memory&) requires(!taken) {
    return true;
  }
  template <bool Fixed, bool Times, bool Saved, class Loss>
  bool pull(const Loss& loss, const lane_memory& memory) requires taken {
    constexpr int together = reverse_width;
    const index groups = (store_.lanes() + together - 1) / together;
    using state = typename lane_state<Y, together>::type;
    gradient_group<M, F, state, P, together, Fixed, Saved, Loss, Times> group{
        {m_, f_, rules_of(options_), store_.inputs(), store_.outputs(), store_.queue(), &failures_},
        loss,
        {},
        {},
        lane_vjp_of(f_, t_, y_, p_)};
    const index workers = std::min(Place::workers(group), groups);
    group.arena = gradients_.template prepare<M, Y, P>(store_, memory, workers, together, Fixed,
                                                       changed_, Times);
    group.out = gradients_.outputs();
    store_.begin();
    Place::for_each(workers, group);
    return !gradients_.overflowed();
  }

  M m_;
  F f_;
  options options_;
  lane_store<Place, T> store_;
  gradient_store<Place, T> gradients_;
  bool swept_ = false;
  lane_failures failures_;
  std::size_t parameters_;
  double t_ = 0;  // of the first lane
  Y y_{};
  P p_{};
  bool changed_ = false;  // since the last run: its counts are a guess
};

/// Integrates every lane of an ensemble, each with its own steps.
///
///   auto s = solve(e, tsit5{}, options{.rtol = 1e-8, .atol = 1e-8});   // s.y[l], s.status[l], …
///
/// place   on_device{}: the Thrust system of the build; on_host{}: Thrust's host system
/// bits    those of problem_of(e, l) solved alone, for any number of lanes, threads and places that
///         compute with the same operations
/// errors  std::invalid_argument for misuse; an exception from the field after all lanes have ended
template <method M, class F, class Y, class P, class Place = on_device>
ensemble_solution<Y> solve(const ensemble<F, Y, P>& e, const M& m, const options& o = {},
                           Place = {}) requires(requires { Place::catches; }) {
  ensemble_solver<M, F, Y, P, Place> solver(e, m, o);
  solver.run();
  return solver.result();
}

}  // namespace revode
