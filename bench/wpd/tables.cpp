// SPDX-License-Identifier: Apache-2.0
#include "tables.hpp"

#include <cstdio>
#include <iterator>
#include <map>
#include <numeric>

namespace revode::wpd {
namespace {

std::string text(const char* format, double value) {
  if (std::isnan(value)) return "-";
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, format, value);
  return buffer;
}
std::string micros(double seconds) {
  const double us = 1e6 * seconds;
  return text(us < 100 ? "%.1f" : "%.0f", us);
}
std::string count(index n) { return std::to_string(n); }

const curve* of_solver(const problem_report& q, const std::string& solver) {
  for (const curve& c : q.curves)
    if (c.solver == solver) return &c;
  return nullptr;
}

std::vector<std::string> peer_names(const report& all) {
  std::vector<std::string> names;
  for (const auto& q : all.problems)
    for (const curve& c : q.curves)
      if (c.peer && std::find(names.begin(), names.end(), c.solver) == names.end())
        names.push_back(c.solver);
  return names;
}

/// revode's curves that reach `digits` of a problem, the fastest first.
std::vector<const curve*> by_time(const problem_report& q, double digits) {
  std::vector<const curve*> found;
  for (const curve& c : q.curves)
    if (!c.peer && !std::isnan(seconds_at(c, digits))) found.push_back(&c);
  std::sort(found.begin(), found.end(), [&](const curve* a, const curve* b) {
    return seconds_at(*a, digits) < seconds_at(*b, digits);
  });
  return found;
}

constexpr int small = 20;  ///< the most equations of a problem in a ranking

/// Logarithms of a method's times over the fastest method's, at each of the targets.
struct rank {
  std::vector<double> logs[std::size(targets)];
  double mean(std::size_t k) const {
    if (logs[k].empty()) return NAN;
    return std::exp(std::accumulate(logs[k].begin(), logs[k].end(), 0.0) / double(logs[k].size()));
  }
};

const std::vector<std::string> judged{"radau_iia5", "rodas5p", "esdirk547"};

/// The digits asked of run k of a problem.
double wanted_digits(const problem_report& q, const point& p, std::size_t k) {
  const curve* cvode = of_solver(q, "CVODE");
  const double wanted = -std::log10(p.rtol) - 2;
  if (cvode == nullptr || k >= cvode->points.size() || cvode->points[k].end.status != "success")
    return wanted;
  return std::fmin(wanted, cvode->points[k].mixed - 0.5);
}

/// Is this solver's row for readers in a hurry?
bool is_chosen(const problem_report& q, const curve& c) {
  bool chosen = c.peer || std::find(judged.begin(), judged.end(), c.solver) != judged.end();
  for (const double digits : targets) chosen = chosen || fastest(q, false, digits) == &c;
  return chosen;
}

}  // namespace

const curve* fastest(const problem_report& q, bool peer, double digits) {
  const curve* best = nullptr;
  for (const curve& c : q.curves)
    if (c.peer == peer && !std::isnan(seconds_at(c, digits)) &&
        (best == nullptr || seconds_at(c, digits) < seconds_at(*best, digits)))
      best = &c;
  return best;
}

table ratios(const report& all) {
  const auto peers = peer_names(all);
  table t{{"problem", "n", "digits", "fastest", "µs"}};
  t[0].insert(t[0].end(), peers.begin(), peers.end());
  for (const auto& q : all.problems) {
    for (const double digits : targets) {
      const curve* best = fastest(q, false, digits);
      if (best == nullptr) continue;
      const double time = seconds_at(*best, digits);
      t.push_back({q.name, std::to_string(q.n), text("%.0f", digits), best->solver, micros(time)});
      for (const auto& name : peers) {
        const curve* c = of_solver(q, name);
        t.back().push_back(c == nullptr ? "" : text("%.2f", seconds_at(*c, digits) / time));
      }
    }
  }
  return t;
}

table ranking(const report& all) {
  std::map<std::string, rank> ranks;
  std::size_t problems = 0;
  for (const auto& q : all.problems) {
    if (q.n > small) continue;
    ++problems;
    for (std::size_t k = 0; k < std::size(targets); ++k) {
      const auto found = by_time(q, targets[k]);
      for (const curve* c : found)
        ranks[c->solver].logs[k].push_back(
            std::log(seconds_at(*c, targets[k]) / seconds_at(*found[0], targets[k])));
    }
  }
  std::vector<std::pair<std::string, rank>> sorted(ranks.begin(), ranks.end());
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    const auto reached = [](const rank& r) { return r.logs[1].size(); };
    if (reached(a.second) != reached(b.second)) return reached(a.second) > reached(b.second);
    return a.second.mean(1) < b.second.mean(1);
  });
  table t{{"method", "4 digits", "6 digits", "8 digits"}};
  for (const auto& [name, r] : sorted) {
    t.push_back({name});
    for (std::size_t k = 0; k < std::size(targets); ++k) {
      const std::size_t reached = r.logs[k].size();
      t.back().push_back(text("%.2f", r.mean(k)));
      if (reached > 0 && reached < problems)
        t.back().back() += " (" + std::to_string(reached) + ")";
    }
  }
  return t;
}

table leaders(const report& all) {
  table t{{"problem", "digits", "fastest, µs", "next, times as long"}};
  for (const auto& q : all.problems)
    for (const double digits : targets) {
      const auto found = by_time(q, digits);
      if (found.empty()) continue;
      const double least = seconds_at(*found[0], digits);
      std::string next;
      for (std::size_t i = 1; i < std::min<std::size_t>(6, found.size()); ++i)
        next += (i > 1 ? ", " : "") + found[i]->solver + " " +
                text("%.2f", seconds_at(*found[i], digits) / least);
      t.push_back({q.name, text("%.0f", digits), found[0]->solver + " " + micros(least), next});
    }
  return t;
}

table times(const problem_report& q, bool every) {
  table t{{"solver", "4 digits", "6 digits", "8 digits", "steps", "f", "J", "LU"}};
  for (const curve& c : q.curves) {
    if (!every && !is_chosen(q, c)) continue;
    t.push_back({c.solver});
    for (const double digits : targets) t.back().push_back(micros(seconds_at(c, digits)));
    const auto add = [&](auto of) {
      t.back().push_back(text("%.0f", at_digits(c, 6, [&](const point& p) {
                                return std::fmax(1, static_cast<double>(of(p.end)));
                              })));
    };
    add([](const ending& e) { return e.accepted + e.rejected; });
    add([](const ending& e) { return e.fields; });
    add([](const ending& e) { return e.jacobians; });
    add([](const ending& e) { return e.factorizations; });
  }
  return t;
}

table runs(const problem_report& q) {
  table t{
      {"solver", "rtol", "mescd", "scd", "µs", "median", "steps", "rejected", "f", "J", "LU", ""}};
  for (const curve& c : q.curves)
    for (const point& p : c.points)
      t.push_back({c.solver, text("%.0e", p.rtol), text("%.2f", p.mixed), text("%.2f", p.relative),
                   micros(p.least), micros(p.median), count(p.end.accepted), count(p.end.rejected),
                   count(p.end.fields), count(p.end.jacobians), count(p.end.factorizations),
                   p.end.status == "success" ? "" : p.end.status});
  return t;
}

table successes(const report& all) {
  table t{{"problem"}};
  t[0].insert(t[0].end(), judged.begin(), judged.end());
  for (const auto& q : all.problems) {
    t.push_back({q.name});
    for (const auto& name : judged) {
      const curve* c = of_solver(q, name);
      if (c == nullptr) {
        t.back().push_back("");
        continue;
      }
      int reached = 0;
      double margin = INFINITY;
      for (std::size_t k = 0; k < c->points.size(); ++k) {
        const point& p = c->points[k];
        if (p.end.status == "success") ++reached;
        margin = std::fmin(margin, p.mixed - wanted_digits(q, p, k));
      }
      t.back().push_back(std::to_string(reached) + " of " + std::to_string(c->points.size()) +
                         ", least margin " + text("%.2f", margin));
    }
  }
  return t;
}

table shortfalls(const report& all) {
  const std::vector<std::string> others{"CVODE", "RADAU5", "RADAU", "RODAS", "odeint rosenbrock4"};
  table t{{"problem", "method", "rtol", "digits", "asked"}};
  t[0].insert(t[0].end(), others.begin(), others.end());
  for (const auto& q : all.problems) {
    for (const auto& name : judged) {
      const curve* c = of_solver(q, name);
      for (std::size_t k = 0; c != nullptr && k < c->points.size(); ++k) {
        const point& p = c->points[k];
        const double wanted = wanted_digits(q, p, k);
        if (p.mixed >= wanted && p.end.status == "success") continue;
        t.push_back(
            {q.name, name, text("%.0e", p.rtol), text("%.2f", p.mixed), text("%.2f", wanted)});
        for (const auto& other : others) {
          const curve* o = of_solver(q, other);
          const bool there = o != nullptr && k < o->points.size();
          t.back().push_back(!there ? ""
                             : o->points[k].end.status == "success"
                                 ? text("%.2f", o->points[k].mixed)
                                 : o->points[k].end.status);
        }
      }
    }
  }
  return t;
}

}  // namespace revode::wpd
