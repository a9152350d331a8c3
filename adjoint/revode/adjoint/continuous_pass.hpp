// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <revode/adjoint/checked_gradient.hpp>
#include <revode/problem.hpp>
#include <revode/solve/solve.hpp>

namespace revode {

// What the continuous adjoints (backsolve, interpolating, gauss) share: the adjoint equation
//   λ' = −f_yᵀ λ,   p̄ = ∫ f_pᵀ λ dt,   λ(t1) = ȳ(t1),   λ jumps by ȳ_k at the save times,
// is integrated from t1 to t0 by the method of the solve, from one save time to the one before.

/// How the reverse solves are run; 0: as the solve was.
struct reverse_options {
  double rtol = 0;
  double atol = 0;
  index max_steps = 0;  ///< of each; 0: ten times the attempts of the solve, and 1,000
};

/// The options of the reverse solves, after a solve of so many attempts.
inline options options_backwards(const options& o, const reverse_options& r, index attempts) {
  options back;
  back.rtol = r.rtol > 0 ? r.rtol : o.rtol;
  back.atol = r.atol > 0 ? r.atol : o.atol;
  back.fixed_step = o.fixed_step;
  back.max_step = o.max_step;
  back.max_steps = r.max_steps > 0 ? r.max_steps : 10 * attempts + 1000;
  back.controller = o.controller;
  return back;
}

/// Throws for what is wrong with the reverse solves of an adjoint.
inline void check_reverse(const char* adjoint, const reverse_options& r, const options& o,
                          bool seminorm) {
  refuse_stops(adjoint, o, false);
  if (!(r.rtol >= 0) || !(r.atol >= 0))
    throw std::invalid_argument(std::string(adjoint) + " with reverse tolerances rtol=" +
                                std::to_string(r.rtol) + ", atol=" + std::to_string(r.atol) +
                                " (0 is that of the solve, and no other may be negative) give e.g. "
                                "rtol=1e-6, atol=1e-9?");
  if (seminorm && o.fixed_step == 0 && r.atol == 0 && o.atol == 0)
    throw std::invalid_argument(std::string(adjoint) +
                                " with seminorm and atol=0 (a quadrature that starts at 0 has no "
                                "scale then) give reverse.atol > 0?");
}

/// The elements of a state, as often as it has multiples of them, and of parameters besides.
template <class Y, class P, int Multiple>
using stacked_t =
    std::conditional_t<(static_size_v<Y> >= 0 && static_size_v<P> >= 0),
                       vec<scalar_t<Y>, Multiple * static_size_v<Y> + static_size_v<P>>,
                       std::vector<scalar_t<Y>>>;

template <class Z>
Z stacked(int size) {
  Z z{};
  if constexpr (static_size_v<Z> < 0) z.resize(static_cast<std::size_t>(size));
  fill(z, scalar_t<Z>(0));
  return z;
}
template <class Z, class Y>
void unstack(const Z& z, int from, Y& y) {
  for (int i = 0, n = length(y); i < n; ++i) y.data()[i] = z.data()[from + i];
}
template <class Y, class Z>
void stack(const Y& y, scalar_t<Z> factor, int from, Z& z) {
  for (int i = 0, n = length(y); i < n; ++i) z.data()[from + i] = factor * y.data()[i];
}

/// Quadratures outside the error norm without a word to the method: they are integrated `scale` times
/// too small to be seen, and the mean over n elements is made one over the `seen` others.
struct unseen {
  static constexpr double scale = 0x1p-80;
  static void leave_out(int n, int seen, options& o) {
    const double share = std::sqrt(static_cast<double>(seen) / std::max(n, 1));
    o.rtol *= share;
    o.atol *= share;
  }
};

/// One pass over the save times, last to first. The states there are the solution's own.
template <class F, class Y, class P>
class continuous_pass {
 public:
  using scalar = scalar_t<Y>;

  continuous_pass(const solution<Y>& s, const save_at& points, const cotangents<Y>& w,
                  system<F, Y, P>& sys)
      : s_(s),
        points_(points),
        w_(w),
        sys_(sys) {}

  /// advance(t, t_new, y, y_new, λ, p̄, g) → status takes λ and p̄ from t to t_new; y and y_new are
  /// the solve's states there.
  template <class Advance>
  checked_gradient<Y, P> run(double t0, const Y& y0, Advance&& advance) {
    checked_gradient<Y, P> g{{.y0 = zero_like(y0), .p = zero_like(sys_.p)}};
    const evaluation_counts before = sys_.counts;
    const std::size_t first = points_.t0 ? 1 : 0;
    std::size_t k = s_.ys.size() - first - (points_.t1 ? 1 : 0);
    const bool seen = !w_.ys.empty();
    g.ts.assign(k, 0.0);
    Y& lambda = g.y0;
    if (w_.y) add(*w_.y, lambda);
    if (seen && points_.t1) add(w_.ys.back(), lambda);
    double t = s_.t;
    const Y* y = &s_.y;
    g.t1 = along_solution(t, *y, lambda);
    for (;;) {
      for (; k > 0 && (s_.ts[first + k - 1] == t || !seen); --k) {
        if (!seen) continue;
        g.ts[k - 1] = along_solution(t, *y, w_.ys[first + k - 1]);
        add(w_.ys[first + k - 1], lambda);
      }
      if (t == t0) break;
      const double to = k > 0 ? s_.ts[first + k - 1] : t0;
      const Y* y_to = k > 0 ? &s_.ys[first + k - 1] : &y0;
      const status how = advance(t, to, *y, *y_to, lambda, g.p, g);
      count(before, g);
      if (how != status::success) {
        spoil(how, g);
        return g;
      }
      t = to;
      y = y_to;
    }
    g.t0 = -along_solution(t0, y0, lambda);
    g.ts.resize(points_.ts.size());
    if (seen && points_.t0) add(w_.ys.front(), lambda);
    count(before, g);
    return g;
  }

 private:
  double along_solution(double t, const Y& y, const Y& w) {
    Y slope = y;
    sys_(t, y, slope);
    return static_cast<double>(dot(slope, w));
  }
  void count(const evaluation_counts& before, checked_gradient<Y, P>& g) const {
    g.reverse.field_evaluations = sys_.counts.field_evaluations - before.field_evaluations;
    g.reverse.vjp_evaluations = sys_.counts.vjp_evaluations - before.vjp_evaluations;
  }

  const solution<Y>& s_;
  const save_at& points_;
  const cotangents<Y>& w_;
  system<F, Y, P>& sys_;
};

/// Runs a reverse solve to its end; after each step visit(loop). z: the state there.
template <class M, class F, class Z, class Visit>
status run_backwards(const problem<F, Z>& q, const M& m, const options& o, statistics& total, Z& z,
                     Visit&& visit) {
  stepper<M, std::remove_cvref_t<F>, Z, vec<scalar_t<Z>, 0>> loop(q, m, o);
  while (!loop.finished()) {
    const index i = loop.position();
    loop.step(loop.work_tape());
    if (loop.position() > i) visit(loop);
  }
  const solution<Z>& s = loop.result();
  total.accepted += s.stats.accepted;
  total.rejected += s.stats.rejected;
  total.field_evaluations += s.stats.field_evaluations;
  total.jacobian_evaluations += s.stats.jacobian_evaluations;
  total.factorizations += s.stats.factorizations;
  total.linear_solves += s.stats.linear_solves;
  total.newton_iterations += s.stats.newton_iterations;
  z = s.y;
  return s.status;
}

}  // namespace revode
