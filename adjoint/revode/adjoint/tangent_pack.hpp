// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include <revode/ad/dual.hpp>
#include <revode/adjoint/forward.hpp>
#include <revode/adjoint/hessian_loop.hpp>

namespace revode {

/// A solution and its derivatives in K directions.
template <class Y, std::size_t K>
struct pack_solution : solution<Y> {
  std::array<Y, K> y_dot;
  std::vector<std::array<Y, K>> ys_dot{};  ///< of each save point
};

/// Forward mode in K directions of y0 and p at once: the steps of the solve are taken again over
/// duals with K directions, so that every stage value is computed once for all of them.
///   auto s = solve(q, tsit5{}, {}, std::array{along_a, along_b, along_c});    // s.y_dot[2]
/// For explicit methods and fields that are generic in their scalar.
/// cost    a solve and one replay over duals
/// errors  std::invalid_argument: a direction of another size, or one that moves times
template <method M, class F, class Y, class P, std::size_t K>
pack_solution<Y, K> solve(const problem<F, Y, P>& q, const M& m, const options& o,
                          const std::array<tangents<Y, P>, K>& along) {
  using D = dual<scalar_t<Y>, static_cast<int>(K)>;
  using E = dual<scalar_t<P>, static_cast<int>(K)>;
  validate(q, m, o);
  for (const auto& v : along) {
    check(q, o, v);
    if (v.t0 != 0 || v.t1 != 0 || !v.ts.empty())
      throw std::invalid_argument(
          "several tangents that move times (they are constants of the "
          "replayed steps) leave t0, t1 and ts at 0, or push one at a "
          "time?");
  }
  pack_solution<Y, K> s;
  s.y = q.y0;
  const auto steps = solve_and_note(q, m, o, static_cast<solution<Y>&>(s));
  rebind_t<Y, D> y0 = rebind_like<D>(q.y0);
  rebind_t<P, E> p = rebind_like<E>(q.p);
  copy(q.y0, y0);
  copy(q.p, p);
  for (std::size_t k = 0; k < K; ++k) {
    const int d = static_cast<int>(k);
    for (int i = 0, n = length(y0); i < n; ++i) y0.data()[i].d[d] = along[k].y0.data()[i];
    for (int i = 0, n = length(p); i < n; ++i) p.data()[i].d[d] = along[k].p.data()[i];
  }
  save_at points = o.save;
  points.t1 = true;
  const auto all = saved_states<M, std::remove_cvref_t<F>>(q.f, y0, p, m, points, steps);
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
  return s;
}

}  // namespace revode
