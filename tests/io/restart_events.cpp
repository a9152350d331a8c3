// SPDX-License-Identifier: Apache-2.0
// Runs through events that are killed at every stage of their writes go on to the same bits.
#include <vector>

#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/solve/events.hpp>
#include <revode/solvers/tsit5.hpp>

#include "restart_kills.hpp"

namespace revode {
namespace {

struct ball {  // y = (height, speed), p = (gravity, restitution)
  void operator()(const auto&, const auto& y, const auto& p, auto& dy) const {
    dy[0] = y[1];
    dy[1] = -p[0];
  }
};
struct bounce {
  static constexpr auto direction = crossing::falling;
  auto condition(const auto&, const auto& y, const auto&) const { return y[0]; }
  void jump(const auto&, const auto& y, const auto& p, auto& y_new) const {
    y_new[1] = -p[1] * y[1];
  }
};
/// Of the times of a ball's bounces, and of where it is at the end, behind a stop.
found bounced(options o) {
  o.save.ts = {0.3, 0.9, 1.5};
  o.stops = {1.0};
  const problem q{ball{}, vec{1.0, 0.0}, 0.0, 2.4, vec{9.81, 0.8}};
  auto s = solve(q, tsit5{}, o, events(bounce{}), recursive_checkpoint{.slots = 3});
  const auto g =
      s.pullback({.y = vec{1.0, 2.0}, .events = std::vector<double>(s.events.size(), 1)});
  found all = g.stops;
  for (const occurrence& e : s.events) all.push_back(e.t);
  for (const auto& y : s.ys) all.push_back(y[0]);
  for (int i = 0; i < 2; ++i) all.insert(all.end(), {s.y[i], g.y0[i], g.p[i]});
  for (const index count : {s.stats.field_evaluations, g.reverse.field_evaluations,
                            g.reverse.vjp_evaluations, g.reverse.replayed_steps})
    all.push_back(static_cast<double>(count));
  return all;
}

TEST_CASE("a gradient through events and stops that is killed goes on to the same bits") {
  check_kills(31, 3, [](const options& o) { return bounced(o); });
}

struct dose {
  std::vector<double> times;
  void jump(const auto&, const auto&, const auto&, auto& y_new) const { y_new[1] += 1.0; }
};
struct last_dose : dose {
  static constexpr bool terminal = true;
};

TEST_CASE("a file of a solve with other events is refused") {
  const run_file file;
  const problem q{ball{}, vec{1.0, 0.0}, 0.0, 2.4, vec{9.81, 0.8}};
  const auto run = [&](const auto&... of) {
    options o;
    o.restart = kept_in({.file = file.path});
    try {
      if constexpr (sizeof...(of) == 0)
        solve(q, tsit5{}, o);
      else
        solve(q, tsit5{}, o, events(of...));
    } catch (const std::invalid_argument& e) {
      return std::string(e.what());
    }
    return std::string("accepted");
  };
  const std::string other = "the restart file '" + file.path +
                            "' is that of another run (its list of events is 1 of checksum ";
  CHECK(run(dose{{0.5, 1.5}}) == "accepted");
  CHECK(run(dose{{0.5, 1.5}}) == "accepted");
  CHECK(run(dose{{0.1, 0.5, 1.5}}).starts_with(other));
  CHECK(run(last_dose{{{0.5, 1.5}}}).starts_with(other));
  CHECK(run(dose{{0.5, 1.5}}, bounce{}).starts_with(other));
  CHECK(run().starts_with(other));
}

/// Each bounce takes the air thinner, p[2]: what is behind it has other parameters.
struct thinning : bounce {
  void jump(const auto&, const auto& y, const auto& p, auto& y_new, auto& p_new) const {
    y_new[1] = -p[1] * y[1];
    p_new[2] = p[1] * p[2] * p[2];
  }
};
struct ball_in_air {
  void operator()(const auto&, const auto& y, const auto& p, auto& dy) const {
    dy[0] = y[1];
    dy[1] = -p[0] - p[2] * y[1];
  }
};

TEST_CASE("a gradient through events that move parameters, of several losses, goes on as well") {
  check_kills(23, 3, [](options o) {
    o.save.ts = {0.3, 0.9, 1.5};
    const problem q{ball_in_air{}, vec{1.0, 0.0}, 0.0, 2.4, vec{9.81, 0.8, 0.9}};
    auto s = solve(q, tsit5{}, o, events(thinning{}), recursive_checkpoint{.slots = 3});
    cotangents<vec<double, 2>> end{.y = vec{1.0, 2.0}}, way;
    way.ys.assign(s.ys.size(), vec{0.5, -1.0});
    way.events.assign(s.events.size(), 1);
    found all(s.y.data(), s.y.data() + 2);
    for (const auto& g : s.gradients({end, way})) {
      all.insert(all.end(), g.y0.data(), g.y0.data() + 2);
      all.insert(all.end(), g.p.data(), g.p.data() + 3);
      all.push_back(static_cast<double>(g.reverse.vjp_evaluations));
    }
    return all;
  });
}

}  // namespace
}  // namespace revode
