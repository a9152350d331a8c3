// SPDX-License-Identifier: Apache-2.0
// The loops over lanes, each in a function that check.cmake disassembles. Never run. Where a system
// has no recording inside, nothing but always_inline brings the steps into the loops: in a large
// program other inlining has limits.
#include <revode/batch/lane/lane_round.hpp>
#include <revode/batch/lane/lane_state.hpp>
#include <revode/batch/place.hpp>
#include <revode/problems/lorenz.hpp>
#include <revode/problems/lorenz96.hpp>
#include <revode/problems/rober.hpp>
#include <revode/solvers/explicit/runge_kutta_adjoint.hpp>
#include <revode/solvers/rosenbrock23.hpp>
#include <revode/solvers/tsit5.hpp>

namespace revode {

template <int N, int NP, int W = lane_width(host_lanes, N), class M = tsit5>
struct lanes {
  static constexpr int width = W;
  using method_type = M;
  using state = typename lane_state<vec<double, N>, W>::type;
  lane_group<M, state, vec<double, NP>, width> group;
  lane_bars<M, state, vec<double, NP>, width> bars;
  double t_new[width];
};

template <class F, class Lanes>
REVODE_HD bool attempt_all(const F& f, const lane_rules& rules, Lanes& all) {
  no_tapes none;
  return attempt_all_lanes<false>(typename Lanes::method_type{}, f, rules, all.group, none);
}

template <lane_vjp Kind, class F, class Lanes>
REVODE_HD void pull_all(const F& f, Lanes& all) {
  using M = typename Lanes::method_type;
  using body = pull_body<Kind, M, F, decltype(all.group), decltype(all.bars)>;
  for_all_lanes<Lanes::width>(body{M{}, f, all.group, all.bars, all.t_new, 0});
}

extern "C" {
bool attempt_lorenz(const lorenz& f, const lane_rules& r, lanes<3, 3>& all) {
  return attempt_all(f, r, all);
}
[[gnu::flatten]] void pull_lorenz(const lorenz& f, lanes<3, 3>& all) {
  pull_all<lane_vjp::recorded>(f, all);
}
[[gnu::flatten]] bool attempt_ring(const lorenz96& f, const lane_rules& r, lanes<16, 1>& all) {
  return attempt_all(f, r, all);
}
[[gnu::flatten]] void pull_ring(const lorenz96& f, lanes<16, 1, pull_width(host_lanes, 16)>& all) {
  pull_all<lane_vjp::as_alone>(f, all);
}
[[gnu::flatten]] bool attempt_wide_ring(const lorenz96& f, const lane_rules& r, lanes<20, 1>& all) {
  return attempt_all(f, r, all);
}
using stiff_lanes = lanes<3, 3, lane_width(host_lanes, 3), rosenbrock23>;
bool attempt_stiff(const rober& f, const lane_rules& r, stiff_lanes& all) {
  return attempt_all(f, r, all);
}
[[gnu::flatten]] void pull_stiff(const rober& f, stiff_lanes& all) {
  pull_all<lane_vjp::recorded>(f, all);
}
using factors_of_eight = lane_factors<double, 8, host_lanes>;
void eliminate_eight(factors_of_eight& f) { eliminate_in_lanes(f); }
void solve_eight(const factors_of_eight& f, double (*b)[host_lanes]) { solve_in_lanes(f, b); }
}

}  // namespace revode
