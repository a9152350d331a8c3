// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/batch/lane/lane_stages.hpp>
#include <revode/batch/lane_implicit/lane_factors.hpp>

namespace revode {

// A Rosenbrock step of W lanes whose matrices are too large for registers: loops over lanes for J, each
// column of its factors, each right side and each solve, where step_lane has one loop of whole steps.
// The same operations, the same bits.

template <class M, class Y>
using implicit_slices_of = typename method_types<M, Y>::implicit_slices;

template <class M, class Y, int W>
inline constexpr bool solves_by_stages = [] {
  constexpr int n = static_size_v<Y>;
  if constexpr (requires { typename method_types<M, Y>::implicit_slices; })
    return W > 1 && n > most_written_out && n <= most_in_lane_matrix &&
           !implicit_slices_of<M, Y>::refines;
  else
    return false;
}();

/// What the loops leave for each other.
template <class M, class Y, int W>
struct alignas(64) lane_unknowns {
  using T = scalar_t<Y>;
  static constexpr int n = static_size_v<Y>;
  T u[implicit_slices_of<M, Y>::stages][n][W];
  T f_t[n][W], shared[n][W];
  T y_new[n][W], f_new[n][W];  // of an fsal method
  T j_rest[W], shift_rest[W];  // 0 where J and 1/(h γ) are finite
  lane_factors<T, n, W> matrix;
};

/// J and ∂f/∂t of every lane, and 1/(h γ) − J.
template <lane_jacobian By, class M, class F, class Y, class P, int W>
REVODE_HD void form_lane_matrices(const F& f, const lane_group<M, Y, P, W>& g,
                                  lane_unknowns<M, Y, W>& s) {
  using T = scalar_t<Y>;
  constexpr int n = static_size_v<Y>;
  for_each_lane<W>([&](int l) __attribute__((always_inline)) {
    P p;
    read_lane(g.p, l, p);
    Y y;
    read_lane(g.now, l, y);
    lane_system<F, Y, P, lane_vjp::directions> sys(f, p);
    mat<T, n> j;
    sys.template jacobian_by<By>(g.t[l], y, j);
    if constexpr (!sys.autonomous) {
      Y f_t;
      sys.time_derivative(g.t[l], y, f_t);
      write_lane(f_t, s.f_t, l);
    }
    const double h_gamma = (g.t_new[l] - g.t[l]) * implicit_slices_of<M, Y>::gamma;
    const T shift(1 / h_gamma);
    T rest(0);
    for_constants<0, n * n>([&](auto at) __attribute__((always_inline)) {
      const T x = j.data()[at];
      rest = rest + (x - x);
      s.matrix.a[at][l] = at / n == at % n ? shift - x : -x;
    });
    s.j_rest[l] = rest;
    s.shift_rest[l] = shift - shift;
  });
}

/// The same, in the arithmetic of the single solve.
template <class M, class F, class Y, class P, int W>
REVODE_HD void find_lane_matrices(const F& f, const lane_group<M, Y, P, W>& g,
                                  lane_unknowns<M, Y, W>& s) {
  if constexpr (lane_system<F, Y, P, lane_vjp::directions>::own_jacobian) {
    form_lane_matrices<lane_jacobian::as_alone>(f, g, s);
  } else {
#if !defined(__CUDACC__)
    if constexpr (derivatives<F, Y, P>::trackable) {
      P p;
      read_lane(g.p, 0, p);
      Y y;
      read_lane(g.now, 0, y);
      if (tracked_sweep<F, Y, P>::knows(f, static_cast<scalar_t<Y>>(g.t[0]), y, p))
        return form_lane_matrices<lane_jacobian::tracked>(f, g, s);
    }
#endif
    form_lane_matrices<lane_jacobian::columns>(f, g, s);
  }
}

/// Stages I … Last − 1 of all lanes.
template <int I, int Last, class M, class F, class Y, class P, int W>
REVODE_HD void solve_lane_stages(const F& f, const lane_group<M, Y, P, W>& g,
                                 lane_unknowns<M, Y, W>& s) {
  if constexpr (I < Last) {
    using slices = implicit_slices_of<M, Y>;
    constexpr int n = static_size_v<Y>;
    for_each_lane<W>([&](int l) __attribute__((always_inline)) {
      P p;
      read_lane(g.p, l, p);
      typename method_types<M, Y>::tape tape;
      typename method_types<M, Y>::work w;
      read_lane(g.now, l, tape.y);
      for_constants<0, I>([&](auto j) __attribute__((always_inline)) {
        read_lane(s.u[j], l, slices::template stage<j>(tape, w));
      });
      if constexpr (slices::fsal && I == 0) read_lane(g.now + n, l, w.f);
      if constexpr (slices::fsal && I == slices::stages - 1) read_lane(s.f_new, l, w.f);
      if constexpr (slices::reads_shared(I)) read_lane(s.shared, l, w.shared);
      system<F, Y, P> sys(f, p);
      if constexpr (!sys.autonomous) read_lane(s.f_t, l, w.f_t);
      slices::template right_side<I>(sys, g.t[l], g.t_new[l], tape, w);
      if constexpr (slices::is_shared(I)) write_lane(w.f, s.shared, l);
      write_lane(slices::template stage<I>(tape, w), s.u[I], l);
    });
    solve_in_lanes_apart(s.matrix, s.u[I]);
    solve_lane_stages<I + 1, Last>(f, g, s);
  }
}

/// Lane l's y_n and its first `Count` stages.
template <int Count, class M, class Y, class P, int W>
REVODE_HD void read_unknowns(const lane_group<M, Y, P, W>& g, const lane_unknowns<M, Y, W>& s,
                             int l, typename method_types<M, Y>::tape& tape,
                             typename method_types<M, Y>::work& w) {
  read_lane(g.now, l, tape.y);
  for_constants<0, Count>([&](auto j) __attribute__((always_inline)) {
    read_lane(s.u[j], l, implicit_slices_of<M, Y>::template stage<j>(tape, w));
  });
}

/// The new states of an fsal method, and f there.
template <class M, class F, class Y, class P, int W>
REVODE_HD void reach_new_states(const F& f, const lane_group<M, Y, P, W>& g,
                                lane_unknowns<M, Y, W>& s) {
  using slices = implicit_slices_of<M, Y>;
  for_each_lane<W>([&](int l) __attribute__((always_inline)) {
    P p;
    read_lane(g.p, l, p);
    typename method_types<M, Y>::tape tape;
    typename method_types<M, Y>::work w;
    read_unknowns<slices::kept>(g, s, l, tape, w);
    system<F, Y, P> sys(f, p);
    Y y_new, f_new;
    slices::new_state(tape, w, y_new);
    sys(g.t_new[l], y_new, f_new);
    write_lane(y_new, s.y_new, l);
    write_lane(f_new, s.f_new, l);
  });
}

/// The attempts of all lanes: what step_lane does for one.
template <bool Fixed, class M, class F, class Y, class P, int W, class Tapes>
REVODE_HD void step_implicit_lanes(const M& m, const F& f, lane_group<M, Y, P, W>& g,
                                   Tapes& tapes) {
  using slices = implicit_slices_of<M, Y>;
  constexpr int count = Fixed ? slices::kept : slices::stages;
  lane_unknowns<M, Y, W> s;
  find_lane_matrices(f, g, s);
  eliminate_in_lanes_apart(s.matrix);
  if constexpr (!Fixed) refuse_growth_in_lanes(s.matrix, g.direction);
  solve_lane_stages<0, slices::kept>(f, g, s);
  if constexpr (slices::fsal) reach_new_states(f, g, s);
  solve_lane_stages<slices::kept, count>(f, g, s);
  for_each_lane<W>([&](int l) __attribute__((always_inline)) {
    typename method_types<M, Y>::tape tape;
    typename method_types<M, Y>::work w;
    read_unknowns<count>(g, s, l, tape, w);
    carry<M, Y> next;
    if constexpr (slices::fsal) {
      read_lane(s.y_new, l, next.state);
      read_lane(s.f_new, l, next.cache.k);
    } else {
      slices::new_state(tape, w, next.state);
    }
    double error = 0;
    if constexpr (!Fixed)
      error = slices::error_squared({g.rtol[l], g.atol[l]}, tape, w, next.state);
    const bool has_jacobian = s.j_rest[l] == 0;
    const bool solvable = has_jacobian & (s.shift_rest[l] == 0) & (s.matrix.regular[l] != 0);
    const outcome<nothing> found{error_or_trouble(error, solvable, has_jacobian)};
    keep_attempt<Fixed>(m, g, tapes, l, found, tape, next);
    count_evaluations(g, l, found, slices::evaluations(count));
    g.trouble[l] = code(status::success);
  });
}

}  // namespace revode
