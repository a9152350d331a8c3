// SPDX-License-Identifier: Apache-2.0
// Lanes in one CUDA translation unit: the host path (Thrust's host system) is run and compared with
// single solves; the device path is compiled, and run and compared where a device is. Ends with 77
// (skipped) after the host part where there is none.
#include <cstdio>

#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/batch/ensemble_solver.hpp>
#include <revode/solvers/tsit5.hpp>

#include "lanes.hpp"

namespace revode {

struct end_loss {
  template <class Y>
  REVODE_HD auto operator()(index, const Y& y) const {
    return 0.5 * (y[0] * y[0] + y[1] * y[1]) + y[2];
  }
};

/// Lanes whose result or gradient differs from that of their single solve.
template <class Place>
index wrong_lanes(index lanes) {
  using state = vec<double, 3>;
  auto e = mixed_lanes(lanes);
  add_save_points(e);
  const options o{.save = {.t0 = true, .t1 = true}};
  ensemble_solver<tsit5, lorenz, state, state, Place> solver(e, tsit5{}, o);
  solver.run();
  const auto s = solver.result();
  e.save_ts.clear();
  ensemble_solver<tsit5, lorenz, state, state, Place> plain(e, tsit5{}, {});
  const auto g = plain.gradient(end_loss{}, {.plan = lane_memory_plan::log, .slots = 8});
  index wrong = 0;
  for (index l = 0; l < lanes; ++l) {
    const auto at = static_cast<std::size_t>(l);
    const auto q = problem_of(e, l);
    auto alone = solve(q, tsit5{}, options_of(e, {}, l), recursive_checkpoint{.slots = 8});
    bool same = s.status[at] == alone.status && s.t[at] == alone.t && s.y[at] == alone.y &&
                s.stats[at].accepted == alone.stats.accepted;
    if (alone.status == status::success) {
      const auto single = alone.pullback(state{alone.y[0], alone.y[1], 1});
      same = same && g.y0[at] == single.y0 && g.p[at] == single.p;
    }
    wrong += !same;
  }
  return wrong;
}

}  // namespace revode

int main() {
  const auto host = revode::wrong_lanes<revode::on_host>(101);
  std::printf("host path: %lld of 101 lanes differ from their single solves\n",
              static_cast<long long>(host));
  if (host != 0) return 1;
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::printf("device path: skipped (no device)\n");
    return 77;
  }
  const auto device = revode::wrong_lanes<revode::on_device>(101);
  std::printf("device path: %lld of 101 lanes differ from their single solves\n",
              static_cast<long long>(device));
  return device == 0 ? 0 : 1;
}
