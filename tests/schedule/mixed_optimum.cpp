// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include <revode/schedule/auditor.hpp>
#include <revode/schedule/mixed.hpp>

namespace revode {
namespace {

index fewest(const mixed_optimum& table, index n, index u) {
  return table.steps(start_kind::passing, n, u);
}

/// The recurrences with every split.
struct stated_programme {
  static constexpr index never = index{1} << 30;

  stated_programme(index steps, index units, tape_costs c) : units(units), costs(c) {
    for (auto* table : {&a, &x, &t})
      table->assign(static_cast<std::size_t>((steps + 1) * (units + 1)), never);
    for (index n = 1; n <= steps; ++n)
      for (index u = 0; u <= units; ++u) {
        at(x, n, u) = std::min(split(x, n, u), tape(n, u + 1));
        at(t, n, u) = n == 1 ? 1 : std::min(split(t, n, u), tape(n, u));
        at(a, n, u) = n == 1 ? 1 : std::min(u > 0 ? at(x, n, u - 1) : never, tape(n, u));
      }
  }

  index& at(std::vector<index>& table, index n, index u) {
    return table[static_cast<std::size_t>(n * (units + 1) + u)];
  }
  index tape(index n, index u) {
    if (n == 1) return 1;
    index least = never;
    if (costs.restart > 0 && u >= costs.restart) least = 1 + at(t, n - 1, u - costs.restart);
    if (costs.stage > 0 && u >= costs.stage)
      least = std::min(least, 1 + at(a, n - 1, u - costs.stage));
    return least;
  }
  index split(std::vector<index>& from, index n, index u) {
    index least = never;
    for (index i = 1; i < n; ++i) least = std::min(least, i + at(a, n - i, u) + at(from, i, u));
    return least;
  }

  index units;
  tape_costs costs;
  std::vector<index> a, x, t;
};

/// The cheapest way through all configurations of memory: adjoint, working carry (n + 1: none), the
/// snapshots, the tapes (0 none, 1 stage only, 2 resumes; two bits a step). Moves in memory are
/// free, a step costs 1; a step that is the adjoint's next is pulled at once.
class every_strategy {
 public:
  every_strategy(int steps, index units, tape_costs c) : n_(steps), units_(units), costs_(c) {
    reach({n_, 0, 0, 0}, 0);
    while (!open_.empty()) {
      const state s = open_.front();
      open_.pop_front();
      if (!closed_.emplace(s, true).second) continue;
      if (s.adjoint == 0) {
        least = best_[s];
        return;
      }
      follow(s, best_[s]);
    }
  }

  index least = -1;

 private:
  struct state {
    int adjoint, carry, snapshots, tapes;
    auto key() const { return std::tie(adjoint, carry, snapshots, tapes); }
    bool operator<(const state& o) const { return key() < o.key(); }
  };

  index used(const state& s) const {
    index sum = 0;
    for (int i = 0; i < n_; ++i) {
      const int tape = s.tapes >> 2 * i & 3;
      sum += (s.snapshots >> i & 1) + (tape == 1 ? costs_.stage : tape == 2 ? costs_.restart : 0);
    }
    return sum;
  }
  void reach(const state& s, index cost) {
    if (used(s) > units_) return;
    const auto [found, fresh] = best_.emplace(s, cost);
    if (!fresh && found->second <= cost) return;
    found->second = cost;
    if (fresh && cost > last_)
      open_.push_back(s);
    else
      open_.push_front(s);
  }

  void follow(const state& s, index cost) {
    last_ = cost;
    for (int i = 0; i < s.adjoint; ++i) {
      const int tape = s.tapes >> 2 * i & 3;
      if (s.snapshots >> i & 1) {
        reach({s.adjoint, i, s.snapshots, s.tapes}, cost);
        reach({s.adjoint, s.carry, s.snapshots & ~(1 << i), s.tapes}, cost);
      }
      if (tape > 0) reach({s.adjoint, s.carry, s.snapshots, s.tapes & ~(3 << 2 * i)}, cost);
      if (tape == 2 && i + 1 < s.adjoint) reach({s.adjoint, i + 1, s.snapshots, s.tapes}, cost);
      if (tape > 0 && i == s.adjoint - 1)
        reach({i, s.carry < i ? s.carry : n_ + 1, s.snapshots & ~(1 << i), s.tapes & ~(3 << 2 * i)},
              cost);
    }
    if (s.carry >= s.adjoint) return;
    const int i = s.carry;
    reach({s.adjoint, i, s.snapshots | 1 << i, s.tapes}, cost);
    if (i == s.adjoint - 1) {
      reach({i, n_ + 1, s.snapshots & ~(1 << i), s.tapes & ~(3 << 2 * i)}, cost + 1);
      return;
    }
    const int others = s.tapes & ~(3 << 2 * i);
    reach({s.adjoint, i + 1, s.snapshots, s.tapes}, cost + 1);
    if (costs_.stage > 0) reach({s.adjoint, i + 1, s.snapshots, others | 1 << 2 * i}, cost + 1);
    if (costs_.restart > 0) reach({s.adjoint, i + 1, s.snapshots, others | 2 << 2 * i}, cost + 1);
  }

  int n_;
  index units_;
  tape_costs costs_;
  std::map<state, index> best_;
  std::map<state, bool> closed_;
  std::deque<state> open_;
  index last_ = -1;
};

}  // namespace

TEST_CASE("mixed: every row of the golden table, its schedule carried out within its units") {
  std::ifstream file(REVODE_GOLDEN_DIR "/mixed_optimal.csv");
  std::string line;
  int rows = 0;
  while (std::getline(file, line)) {
    if (line.empty() || line[0] == '#' || line[0] == 'n') continue;
    CAPTURE(line);
    std::replace(line.begin(), line.end(), ',', ' ');
    std::istringstream fields(line);
    index n, u, total, binomial_total;
    tape_costs costs;
    fields >> n >> u >> costs.stage >> costs.restart >> total >> binomial_total;
    REQUIRE(fields);
    ++rows;

    REQUIRE(fewest(mixed_optimum(n, u, costs), n, u) == total);
    REQUIRE(n + extra_steps(n, std::min(n, u)) == binomial_total);
    if (costs.stage > 0 && costs.restart > 0) continue;
    const bool resume = costs.restart > 0;
    const index tape = resume ? costs.restart : costs.stage;
    const audit_counts counts = audit(mixed(u, tape, resume, n), n);
    REQUIRE(counts.forward_steps == total);
    REQUIRE(counts.peak_units <= u);
    REQUIRE(counts.pulls == n);
  }
  CHECK(rows == 4536);
}

TEST_CASE("mixed: no strategy at all is cheaper") {
  for (const tape_costs costs : {tape_costs{1, 0}, tape_costs{2, 0}, tape_costs{0, 2},
                                 tape_costs{0, 3}, tape_costs{0, 5}, tape_costs{2, 3}})
    for (int n = 1; n <= 7; ++n)
      for (index u = 1; u <= 8; ++u) {
        CAPTURE(costs.stage);
        CAPTURE(costs.restart);
        CAPTURE(n);
        CAPTURE(u);
        REQUIRE(fewest(mixed_optimum(n, u, costs), n, u) == every_strategy(n, u, costs).least);
      }
}

TEST_CASE("mixed: looking for a split near the one before loses nothing") {
  for (const tape_costs costs :
       {tape_costs{1, 0}, tape_costs{7, 0}, tape_costs{0, 2}, tape_costs{0, 7}, tape_costs{4, 5}}) {
    const index steps = 240, units = 90;
    const mixed_optimum table(steps, units, costs);
    stated_programme stated(steps, units, costs);
    for (index n = 1; n <= steps; ++n)
      for (index u = 0; u <= units; ++u) {
        CAPTURE(n);
        CAPTURE(u);
        REQUIRE(table.steps(start_kind::passing, n, u) == stated.at(stated.a, n, u));
        REQUIRE(table.steps(start_kind::stored, n, u) == stated.at(stated.x, n, u));
      }
  }
}

TEST_CASE("mixed: fewer with each unit, never more than binomial, n with room for all tapes") {
  for (const index tape : {1, 2, 5, 8})
    for (const bool resume : {false, true}) {
      const index steps = 60, units = 8 * 60;
      const mixed_optimum table(steps, units, {.stage = tape, .restart = resume ? tape : 0});
      for (index n = 1; n <= steps; ++n)
        for (index u = 1; u <= units; ++u) {
          CAPTURE(n);
          CAPTURE(u);
          if (u < units) REQUIRE(fewest(table, n, u + 1) <= fewest(table, n, u));
          REQUIRE(fewest(table, n, u) <= n + extra_steps(n, u));
          REQUIRE((fewest(table, n, u) == n) == (u >= tape * (n - 1)));
        }
    }
}

}  // namespace revode
