// SPDX-License-Identifier: Apache-2.0
// The loops over lanes, each in a function that check.cmake disassembles. Never run.
#include <revode/batch/lane_control.hpp>
#include <revode/batch/lane_pull.hpp>
#include <revode/batch/place.hpp>
#include <revode/problems/lorenz.hpp>
#include <revode/problems/lorenz96.hpp>
#include <revode/solvers/runge_kutta_adjoint.hpp>
#include <revode/solvers/tsit5.hpp>

namespace revode {

template <int N, int NP, int W = lane_width(host_lanes, N)>
struct lanes {
  static constexpr int width = W;
  lane_group<tsit5, vec<double, N>, vec<double, NP>, width> group;
  lane_bars<tsit5, vec<double, N>, vec<double, NP>, width> bars;
  double t_new[width];
};

template <class F, class Lanes>
REVODE_HD bool attempt_all(const F& f, const lane_rules& rules, Lanes& all) {
  no_tapes none;
  return attempt_lanes<false>(tsit5{}, f, rules, all.group, none);
}

template <lane_vjp Kind, class F, class Lanes>
REVODE_HD void pull_all(const F& f, Lanes& all) {
  using body = pull_body<Kind, tsit5, F, decltype(all.group), decltype(all.bars)>;
  for_each_lane_apart<Lanes::width>(body{tsit5{}, f, all.group, all.bars, all.t_new, 0});
}

extern "C" {
[[gnu::flatten]] bool attempt_lorenz(const lorenz& f, const lane_rules& r, lanes<3, 3>& all) {
  return attempt_all(f, r, all);
}
[[gnu::flatten]] void pull_lorenz(const lorenz& f, lanes<3, 3>& all) {
  pull_all<lane_vjp::directions>(f, all);
}
[[gnu::flatten]] bool attempt_ring(const lorenz96& f, const lane_rules& r, lanes<16, 1>& all) {
  return attempt_all(f, r, all);
}
[[gnu::flatten]] void pull_ring(const lorenz96& f, lanes<16, 1, pull_width(host_lanes, 16)>& all) {
  pull_all<lane_vjp::as_alone>(f, all);
}
}

}  // namespace revode
