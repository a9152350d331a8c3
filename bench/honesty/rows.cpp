// SPDX-License-Identifier: Apache-2.0
#include "rows.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <revode/solvers/all.hpp>

namespace revode::honesty {
namespace {

bool is_implicit(std::string_view name) {
  bool found = false;
  for_each_method(joined(rosenbrock_methods{}, implicit_methods{}, multistep_methods{}),
                  [&](auto m) { found = found || m.name == name; });
  return found;
}

/// A dense matrix of more rows is for sparse algebra.
constexpr Eigen::Index most_dense = 100;

}  // namespace

auto family_of(bool stiff) -> family {
  family f;
  for (const cli::method_entry& m : compiled::method_table())
    if (m.has_estimate && !m.asks_parts && is_implicit(m.name) == stiff) f.methods.push_back(m);
  for (const catalog_entry& entry : catalog()) {
    if (entry.stiff != stiff || entry.events || entry.massive) continue;
    if (entry.name == "detest") {
      for (const char c : std::string_view("ABCDE"))
        for (const char n : std::string_view("12345")) {
          f.problems.push_back(make_problem(std::string("detest:") + c + n));
          f.problems.back().name = std::string("detest:") + c + n;
        }
      continue;
    }
    erased_problem q = make_problem(entry.name);
    if (q.reference.size() > 0 && (!stiff || q.y0.size() <= most_dense))
      f.problems.push_back(std::move(q));
  }
  return f;
}

bool is_untuned(const std::string& problem) {
  constexpr std::array<std::string_view, 13> tuned{
      "lorenz", "lotka_volterra", "arenstorf",   "pleiades", "lorenz96", "brusselator_1d", "rober",
      "orego",  "hires",          "vdpol_stiff", "pollu",    "e5",       "vdpol_fast"};
  return std::find(tuned.begin(), tuned.end(), problem) == tuned.end();
}

auto solve_row(const cli::method_entry& m, const erased_problem& q, int digits, double limit)
    -> row {
  const double rtol = std::pow(10, -digits), atol = q.stiff() ? q.atol(rtol) : rtol;
  options o{.rtol = rtol, .atol = atol};
  o.max_steps = static_cast<index>(limit / static_cast<double>(q.y0.size()));
  o.discontinuities = q.jumps;
  const auto s = m.plain.solve({q.f, q.y0, q.t0, q.t1, q.p}, o, {});
  row r{std::string(m.name), q.name, digits, s.status, error_in_tolerances(q, s.y, rtol, atol), 1,
        s.stats.accepted};
  if (is_claimed(r) && r.off > 100) r.broken = broken_invariants(q, s.y, rtol, atol);
  return r;
}

auto summary_of(const std::vector<row>& rows) -> summary {
  summary s;
  std::vector<double> off;
  for (const row& r : rows) {
    if (!is_claimed(r)) continue;
    off.push_back(r.off);
    s.worst = std::max(s.worst, r.off);
    s.worst_relative = std::max(s.worst_relative, r.relative());
    s.over += r.off > 100 ? 1 : 0;
    s.over_condition += r.relative() > 100 ? 1 : 0;
  }
  s.rows = off.size();
  if (off.empty()) return s;
  const auto middle = off.begin() + static_cast<std::ptrdiff_t>(off.size() / 2);
  std::nth_element(off.begin(), middle, off.end());
  s.median = *middle;
  return s;
}

}  // namespace revode::honesty
