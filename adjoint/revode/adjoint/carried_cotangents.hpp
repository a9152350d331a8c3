// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include <revode/adjoint/gradient.hpp>
#include <revode/loop/snapshots.hpp>
#include <revode/solve/step_error.hpp>

namespace revode {

/// What a reverse pass carries from step to step, and what it finds on the way.
template <class M, class Y, class P>
struct carried_cotangents {
  using types = method_types<M, Y>;
  typename types::state state;
  Y y;
  P p;
  [[no_unique_address]] typename types::seeds seeds;
  const cotangents<Y>* weights = nullptr;
  std::vector<double> ts{};
  std::size_t next_save = 0;
  double t0 = 0, t1 = 0;
  double start = 0;                       // of the time at which the step behind a cut begins
  std::vector<double> known{};            // of stops and timed events
  const double* event_weights = nullptr;  // past those of cuts not pulled yet; null: none
  std::size_t cuts_left = 0;
  index last_cut = -2;                 // the step before the last cut not pulled yet
  index quiet_from = 0, quiet_to = 0;  // steps between that are nothing but steps
  bool seeded = false, extended = false;

  carried_cotangents(const typename types::state& state_like, const Y& y_like, const P& p_like)
      : state(state_like),
        y(y_like),
        p(p_like),
        seeds(make_like<typename types::seeds>(y_like)) {}

  index bytes() const {
    return footprint(state) + footprint(y) + footprint(p) + footprint(seeds) +
           static_cast<index>(ts.size() * sizeof(double));
  }
};

/// The reverse pass of a gradient's error, a step behind that of the gradient (solve/step_error.hpp).
/// Its temporaries are its own, so that the gradient has the same bits without it.
template <class M, class Y, class P>
struct error_pass {
  using types = method_types<M, Y>;
  carried_cotangents<M, Y, P> carried;
  typename types::scratch scratch;
  typename types::state lambda;  ///< of the end of the step at hand, and of its dense output
  cotangents<Y> none{};
  double loss = 0;
  bool at_hand = false;  ///< its cotangents are where the gradient's were
  bool failed = false;

  error_pass(const typename types::state& state_like, const Y& y_like, const P& p_like)
      : carried(state_like, y_like, p_like),
        scratch(make_like<typename types::scratch>(y_like)),
        lambda(state_like) {}

  void exchange(carried_cotangents<M, Y, P>& now, typename types::scratch& w) {
    std::swap(carried, now);
    std::swap(scratch, w);
    at_hand = !at_hand;
  }
  index bytes() const { return carried.bytes() + footprint(scratch) + footprint(lambda); }
};

/// Can the error of this method's gradients be estimated?
template <class M, class System, class Y, class P>
inline constexpr bool estimates_gradient_error_v =
    has_estimate_v<M>&& has_pull_estimate_v<M, System, Y, P>;

/// g.error from the derivatives that the error's pass ended with; says so where that is more than
/// `unresolved` of the gradient.
template <class Y, class P>
void give_error(const gradient<Y, P>& of, double loss, bool failed, double unresolved,
                gradient<Y, P>& g) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto share = [](double error, double size) { return error == 0 ? 0 : error / size; };
  gradient_error<Y, P> e{of.y0, of.p, of.t0, of.t1, of.stops, of.events, of.times, loss};
  e.relative = std::fmax(share(norm_of(e.y0), norm_of(g.y0)), share(norm_of(e.p), norm_of(g.p)));
  if (failed || g.status != status::success || !all_finite(of)) e.relative = infinity;
  if (g.status == status::success && !(e.relative <= unresolved))
    g.status = status::gradient_not_resolved;
  g.error = std::move(e);
}

}  // namespace revode
