// SPDX-License-Identifier: Apache-2.0
#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/solvers/rodas4.hpp>
#include <revode/solvers/tsit5.hpp>

#include "hashes.hpp"

namespace revode::golden {
namespace {

const options of_tolerance{.rtol = 1e-5, .atol = 1e-7};

void print_options(const char* what, const options& o, const recursive_checkpoint& a) {
  print_pulled(std::string("tsit5, ") + what, solve(oscillation(), tsit5{}, o, a));
}
template <class M, class... E>
void print_events(const char* what, const M& m, const options& o, const E&... e) {
  print_pulled(std::string(M::name) + ", " + what,
               solve(oscillation(5), m, o, events(e...), recursive_checkpoint{.slots = 4}));
}

}  // namespace

void print_situations() {
  const recursive_checkpoint few{.slots = 4};
  options o = of_tolerance;
  print_options("store_all", o, {.schedule = schedule_kind::store_all});
  print_options("mixed", o, {.slots = 4, .schedule = schedule_kind::mixed});
  print_options("replays by the controller", o, {.slots = 3, .log = step_replay::controller});
  o.step_rounding = rounding::octave16;
  print_options("octaves", o, few);
  o = of_tolerance;
  o.save.every = 2;
  print_options("every second step saved", o, few);
  o = of_tolerance;
  o.save = {.t0 = true, .ts = {0, 0.3, 0.9, 2.5}, .t1 = true};
  print_options("save points", o, few);
  o.fixed_step = 0.2;
  print_options("save points on equal steps", o, few);
  o.stops = {0.7, 2.5};
  o.discontinuities = {1.3};
  print_options("stops on equal steps", o, few);
  o.fixed_step = 0;
  print_options("stops", o, few);
  o = of_tolerance;
  o.grid = {0, 0.5, 0.8, 1.7, 2.5};
  print_options("a given grid", o, few);

  o = of_tolerance;
  o.save.ts = {0.5, 4};
  print_events("an event", tsit5{}, o, turn{});
  print_events("an event and doses", tsit5{}, o, turn{}, dose{{1, 3}});
  print_events("an event and doses", rodas4{}, o, turn{}, dose{{1, 3}});
}

}  // namespace revode::golden
