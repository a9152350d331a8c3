// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include <revode/ad/dual.hpp>
#include <revode/adjoint/course/retrace.hpp>
#include <revode/adjoint/forward.hpp>

namespace revode {

/// A solution and its derivatives in K directions.
template <class Y, std::size_t K>
struct pack_solution : solution<Y> {
  std::array<Y, K> y_dot;
  std::vector<std::array<Y, K>> ys_dot{};           ///< of each save point
  std::vector<std::array<double, K>> events_dot{};  ///< of each time in solution::events
  std::array<revode::status, K> tangent_status{};   ///< of each direction, as of pushed_solution
};

/// Looks at each direction of a replay whether it is finite.
template <class Y, std::size_t K>
void settle_tangents(pack_solution<Y, K>& s) {
  for (std::size_t k = 0; k < K; ++k) {
    bool finite = all_finite(s.y_dot[k]);
    for (const auto& ys_dot : s.ys_dot) finite = finite && all_finite(ys_dot[k]);
    if (finite) continue;
    s.tangent_status[k] = status::non_finite_gradient;
    std::vector<Y> unused;
    std::vector<double> none;
    spoil_tangents(static_cast<const solution<Y>&>(s), s.y_dot[k], unused, none);
    for (auto& ys_dot : s.ys_dot) ys_dot[k] = s.y_dot[k];
  }
}

/// K directions carried along with the solve itself.
template <class Mode, std::size_t K, class Y>
void push_all(Mode&& mode, pack_solution<Y, K>& s) {
  static_cast<solution<Y>&>(s) = mode.run();
  s.ys_dot.resize(s.ys.size());
  s.events_dot.resize(s.events.size());
  for (std::size_t k = 0; k < K; ++k) {
    auto& d = mode.ways()[k];
    s.y_dot[k] = d.y_dot;
    s.tangent_status[k] = d.ended;
    for (std::size_t i = 0; i < s.ys.size(); ++i) s.ys_dot[i][k] = d.ys_dot[i];
    for (std::size_t i = 0; i < s.events.size(); ++i) s.events_dot[i][k] = d.events_dot[i];
  }
}

/// Forward mode in K directions at once:
///   auto s = solve(q, tsit5{}, {}, std::array{along_a, along_b, along_c});    // s.y_dot[2]
/// Where they move y0 and p alone, and the method is explicit, the steps of the solve are taken
/// again over duals with K directions, so that every stage value is computed once for all of them
/// (the field is then generic in its scalar). Otherwise each direction is carried along with the one
/// solve.
/// cost    a solve and one replay over duals; or a solve and one JVP a stage, step and direction
/// errors  std::invalid_argument: a direction of another size
template <method M, class F, class Y, class P, std::size_t K>
pack_solution<Y, K> solve(const problem<F, Y, P>& q, const M& m, const options& o,
                          const std::array<tangents<Y, P>, K>& along) {
  using D = dual<scalar_t<Y>, static_cast<int>(K)>;
  using E = dual<scalar_t<P>, static_cast<int>(K)>;
  validate(q, m, o);
  validate_cuts<M, system<std::remove_cvref_t<F>, Y, P>, Y>(m, o, false);
  bool still = o.stops.empty() && o.discontinuities.empty() && o.save.every == 0;
  for (const auto& v : along) {
    check(q, o, v);
    still = still && v.t0 == 0 && v.t1 == 0 && v.ts.empty();
  }
  pack_solution<Y, K> s;
  s.y = q.y0;
  if (!still) {
    push_all(push_course<M, std::remove_cvref_t<F>, Y, P>(q, m, o, along.begin(), along.end()), s);
    return s;
  }
  using solve_type = stepper<M, std::remove_cvref_t<F>, Y, P>;
  solve_type solved(q, m, o);
  const course<typename solve_type::record_type> steps(solved);
  static_cast<solution<Y>&>(s) = solved.result();
  rebind_t<Y, D> y0 = rebind_like<D>(q.y0);
  rebind_t<P, E> p = rebind_like<E>(q.p);
  copy(q.y0, y0);
  copy(q.p, p);
  for (std::size_t k = 0; k < K; ++k) {
    const int d = static_cast<int>(k);
    for (int i = 0, n = length(y0); i < n; ++i) y0.data()[i].d[d] = along[k].y0.data()[i];
    for (int i = 0, n = length(p); i < n; ++i) p.data()[i].d[d] = along[k].p.data()[i];
  }
  const auto all = saved_states<M, std::remove_cvref_t<F>>(q.f, y0, p, m, steps);
  const auto split = [&](const auto& from, std::array<Y, K>& to) {
    for (std::size_t k = 0; k < K; ++k) {
      to[k] = q.y0;
      for (int i = 0, n = length(from); i < n; ++i)
        to[k].data()[i] = from.data()[i].d[static_cast<int>(k)];
    }
  };
  split(all.back(), s.y_dot);
  s.ys_dot.resize(s.ys.size());
  for (std::size_t i = 0; i < s.ys.size(); ++i) split(all[i], s.ys_dot[i]);
  settle_tangents(s);
  return s;
}

/// The same with events, along with the solve.
template <method M, class F, class Y, class P, class... E, std::size_t K>
pack_solution<Y, K> solve(const problem<F, Y, P>& q, const M& m, const options& o,
                          const event_list<E...>& events,
                          const std::array<tangents<Y, P>, K>& along) {
  validate(q, m, o, events);
  validate_cuts<M, system<std::remove_cvref_t<F>, Y, P>, Y>(m, o, true);
  for (const auto& v : along) check(q, o, events, v);
  pack_solution<Y, K> s;
  push_all(push_course<M, std::remove_cvref_t<F>, Y, P, event_list<E...>>(q, m, o, along.begin(),
                                                                          along.end(), events),
           s);
  return s;
}

}  // namespace revode
