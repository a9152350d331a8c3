// SPDX-License-Identifier: Apache-2.0
#include "tables.hpp"

#include <cstdio>

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

}  // namespace

const curve* fastest(const problem_report& q, bool peer, double digits) {
  const curve* best = nullptr;
  for (const curve& c : q.curves)
    if (c.peer == peer && !std::isnan(seconds_at(c, digits)) &&
        (best == nullptr || seconds_at(c, digits) < seconds_at(*best, digits)))
      best = &c;
  return best;
}

table times(const problem_report& q) {
  table t{{"solver", "4 digits", "6 digits", "8 digits", "steps", "f", "J", "LU"}};
  for (const curve& c : q.curves) {
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

}  // namespace revode::wpd
