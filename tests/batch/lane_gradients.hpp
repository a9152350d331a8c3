// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/batch/ensemble_solver.hpp>

#include "lanes.hpp"

namespace revode {

using state = vec<double, 3>;

/// Σ cᵢ yᵢ² / 2 of the end, without save points.
struct end_loss {
  template <class Y>
  REVODE_HD auto operator()(index lane, const Y& y) const {
    return 0.5 * (y[0] * y[0] + y[1] * y[1]) + (1 + 0.01 * static_cast<double>(lane)) * y[2];
  }
};

/// The same of the end, and of every save point a term of its own.
struct points_loss {
  template <class Y, class Points, class Bars>
  REVODE_HD auto operator()(index lane, const Y& y, const Points& ys, Y& y_bar, Bars& bars) const {
    const double weight = 1 + 0.01 * static_cast<double>(lane);
    auto sum = 0.5 * (y[0] * y[0] + y[1] * y[1]) + weight * y[2];
    y_bar = {y[0], y[1], weight};
    for (index k = 0; k < ys.size(); ++k) {
      const Y at = ys.at(k);
      sum += 0.25 * at[0] * at[1];
      bars.add(k, Y{0.25 * at[1], 0.25 * at[0], 0});
    }
    return sum;
  }
};

struct first_component {
  template <class Y>
  auto operator()(index, const Y& y) const {
    return y[0];
  }
};

/// Are the lane's derivatives by times those of its pullback, where they were asked for?
template <class G, class Single>
bool same_times(const G& g, std::size_t l, const Single& single) {
  return g.t0.empty() || (g.t0[l] == single.t0 && g.t1[l] == single.t1 && g.ts[l] == single.ts);
}

template <class E, class M, class G>
void check_against_pullbacks(const E& e, const M& m, const options& o, bool points, const G& g) {
  index wrong = 0;
  for (index l = 0; l < lanes_of(e); ++l) {
    const auto at = static_cast<std::size_t>(l);
    const auto q = problem_of(e, l);
    auto alone = solve(q, m, options_of(e, o, l),
                       recursive_checkpoint{.schedule = schedule_kind::store_all});
    state y0{}, p{};
    double loss = 0;
    bool same = true;
    if (alone.status == status::success) {
      const double weight = 1 + 0.01 * static_cast<double>(l);
      loss = 0.5 * (alone.y[0] * alone.y[0] + alone.y[1] * alone.y[1]) + weight * alone.y[2];
      cotangents<state> w{.y = state{alone.y[0], alone.y[1], weight}};
      for (std::size_t k = 0; points && k < alone.ys.size(); ++k) {
        loss += 0.25 * alone.ys[k][0] * alone.ys[k][1];
        w.ys.push_back({0.25 * alone.ys[k][1], 0.25 * alone.ys[k][0], 0});
      }
      const auto single = alone.pullback(w);
      y0 = single.y0, p = single.p;
      same = same_times(g, at, single);
    }
    same = same && g.y0[at] == y0 && g.p[at] == p && g.loss[at] == loss;
    wrong += !same;
    if (!same && wrong < 4)
      CHECK_MESSAGE(same, "lane ", l, ": ", g.y0[at][0], " ", y0[0], " ", g.p[at][1], " ", p[1],
                    " ", g.loss[at], " ", loss);
  }
  CHECK(wrong == 0);
}

template <int W, class E, class M, class Loss>
auto gradient_by(const E& e, const M& m, const options& o, const Loss& loss,
                 const lane_memory& memory = {}) {
  constexpr bool saves = !std::is_same_v<Loss, end_loss>;
  ensemble_solver<M, typename E::field_type, typename E::state_type, typename E::parameter_type,
                  place, W, saves>
      solver(e, m, o);
  return solver.gradient(loss, memory);
}

/// With the derivatives by times.
template <int W, class E, class M, class Loss>
auto gradient_of_times(const E& e, const M& m, const options& o, const Loss& loss,
                       const lane_memory& memory = {}) {
  ensemble_solver<M, typename E::field_type, typename E::state_type, typename E::parameter_type,
                  place, W>
      solver(e, m, o);
  return solver.gradient(loss, memory, of_times{});
}

}  // namespace revode
