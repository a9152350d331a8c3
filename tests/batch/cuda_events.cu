// SPDX-License-Identifier: Apache-2.0
// Lanes with events in one CUDA translation unit, compared with single solves: `host` runs them by
// Thrust's host system; `device` on a device, through the launcher and through Thrust's for_each, or
// ends with 77 (skipped) where there is none.
#include <cmath>
#include <cstdio>
#include <cstring>

#include <revode/batch/ensemble_solver.hpp>
#include <revode/solvers/tsit5.hpp>

#include "event_checks.hpp"

namespace revode {

using ball = vec<double, 2>;

struct fall {
  template <class T, class Y, class P>
  REVODE_HD void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    dy[0] = y[1];
    dy[1] = -p[0];
  }
};
struct bounce {
  static constexpr auto direction = crossing::falling;
  template <class T, class Y, class P>
  REVODE_HD T condition(const T&, const Y& y, const P&) const {
    return y[0];
  }
  template <class T, class Y, class P>
  REVODE_HD void jump(const T&, const Y& y, const P& p, Y& y_new) const {
    y_new[1] = -p[1] * y[1];
  }
};
struct taken_away {
  static constexpr bool terminal = true;
  template <class P>
  REVODE_HD auto time(const P& p) const {
    return 1.7 + p[1];
  }
};

/// A device fuses products: its bits are those of a host that does so too.
#if defined(__FMA__)
inline constexpr bool host_fuses = true;
#else
inline constexpr bool host_fuses = false;
#endif

/// Lanes that differ from their single solve; as many events occur in each that room for them has to
/// be made twice.
template <class Place>
int wrong_lanes(int lanes) {
  const auto list = events(bounce{}, taken_away{});
  static_assert(events_side_by_side_v<tsit5, fall, ball, ball, Place, bounce, taken_away>);
  ensemble<fall, ball, ball> e{.t1 = {2.5}, .p = {}};
  for (int l = 0; l < lanes; ++l) {
    const double x = static_cast<double>(l) / lanes;
    e.y0.push_back({0.05 + 0.2 * x, 0.0});
    e.p.push_back({9.81 - x, 0.7 + 0.2 * x});
  }
  const auto s = solve(e, tsit5{}, options{}, list, Place{});
  int wrong = 0;
  for (int l = 0; l < lanes; ++l) {
    const auto at = static_cast<std::size_t>(l);
    const auto alone = solve(problem_of(e, l), tsit5{}, options{}, list);
    const bool near = s.status[at] == alone.status && s.events[at].size() == alone.events.size() &&
                      std::fabs(s.t[at] - alone.t) < 1e-9 &&
                      std::fabs(s.y[at][0] - alone.y[0]) < 1e-6;
    wrong += Place::catches || host_fuses ? !same_as_alone(s, l, alone) : !near;
  }
  return wrong;
}

}  // namespace revode

template <class Place>
int check(const char* path) {
  const int wrong = revode::wrong_lanes<Place>(101);
  std::printf("%s: %d of 101 lanes with events differ from their single solves\n", path, wrong);
  return wrong == 0 ? 0 : 1;
}

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "host") == 0) return check<revode::on_host>("host path");
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::printf("launcher and for_each: skipped: no device\n");
    return 77;
  }
  return check<revode::on_device>("launcher") + check<revode::on_device_by_for_each>("for_each");
}
