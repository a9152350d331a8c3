// SPDX-License-Identifier: Apache-2.0
// Lanes in one CUDA translation unit, compared with single solves: `host` runs them by Thrust's host
// system; `device` on a device or, where there is none, ends with 77 (skipped) if the library says
// clearly that there is none.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <stdexcept>

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

/// Equal in bits or, where another processor rounds in its own way, to 1e-6 of the largest number.
inline bool agree(const vec<double, 3>& a, const vec<double, 3>& b, bool exact) {
  double scale = 0, apart = 0;
  for (int i = 0; i < 3; ++i) {
    scale = std::fmax(scale, std::fabs(b[i]));
    apart = std::fmax(apart, std::fabs(a[i] - b[i]));
  }
  return exact ? a == b : apart <= 1e-6 * scale;
}

/// A device fuses products: its states are those of a host that does so too. Its gradients are of
/// duals, the host's of recordings in registers.
#if defined(__FMA__)
inline constexpr bool host_fuses = true;
#else
inline constexpr bool host_fuses = false;
#endif

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
    const bool exact = Place::catches || host_fuses;
    bool same = s.status[at] == alone.status && agree(s.y[at], alone.y, exact) &&
                (!exact || (s.t[at] == alone.t && s.stats[at].accepted == alone.stats.accepted));
    if (alone.status == status::success) {
      const auto single = alone.pullback(state{alone.y[0], alone.y[1], 1});
      same = same && agree(g.y0[at], single.y0, Place::catches) &&
             agree(g.p[at], single.p, Place::catches);
    }
    wrong += !same;
  }
  return wrong;
}

}  // namespace revode

template <class Place>
int check(const char* path) {
  const auto wrong = revode::wrong_lanes<Place>(101);
  std::printf("%s path: %lld of 101 lanes differ from their single solves\n", path,
              static_cast<long long>(wrong));
  return wrong == 0 ? 0 : 1;
}

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "host") == 0) return check<revode::on_host>("host");
  int devices = 0;
  if (cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0)
    return check<revode::on_device>("device");
  try {
    revode::wrong_lanes<revode::on_device>(1);
  } catch (const std::runtime_error& clear) {
    std::printf("device path: skipped: %s\n", clear.what());
    return std::strncmp(clear.what(), "lanes cannot run on the device (CUDA says: ", 43) == 0 ? 77
                                                                                              : 1;
  }
  return 1;
}
