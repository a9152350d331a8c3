// SPDX-License-Identifier: Apache-2.0
#include "page.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <ostream>

namespace revode::honesty {
namespace {

auto number(double x, const char* format = "%.2g") -> std::string {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), format, x);
  return text.data();
}

/// A cell: off, or why there is none.
auto cell(const row& r) -> std::string {
  if (r.status == status::max_steps) return "·";
  if (!is_claimed(r)) return name(r.status);
  return r.relative() > 100 ? "**" + number(r.off) + "**" : number(r.off);
}

void write_summary(std::ostream& out, const std::string& what, const std::vector<row>& rows) {
  const summary s = summary_of(rows);
  const auto failed = std::count_if(rows.begin(), rows.end(), [](const row& r) {
    return !is_claimed(r) && r.status != status::max_steps;
  });
  const auto share = [&](std::size_t n) {
    return std::to_string(n) + " (" +
           number(100.0 * static_cast<double>(n) /
                  static_cast<double>(std::max<std::size_t>(s.rows, 1))) +
           " %)";
  };
  out << "| " << what << " | " << s.rows << " | " << number(s.median) << " | " << number(s.worst)
      << " | " << share(s.over) << " | " << number(s.worst_relative) << " | "
      << share(s.over_condition) << " | " << failed << " |\n";
}

auto chosen(const std::vector<row>& rows, bool untuned) -> std::vector<row> {
  std::vector<row> some;
  for (const row& r : rows)
    if (is_untuned(r.problem) == untuned) some.push_back(r);
  return some;
}

void write_conditions(std::ostream& out, const std::vector<row>& rows) {
  std::map<std::string, double> of;
  for (const row& r : rows) of[r.problem] = r.condition;
  for (const auto& [problem, condition] : of)
    out << "| " << problem << (is_untuned(problem) ? "" : " (tuned on)") << " | "
        << number(condition, "%.3g") << " |\n";
}

void write_exceptions(std::ostream& out, const std::vector<row>& rows) {
  for (const row& r : rows) {
    if (!is_claimed(r) || !(r.off > 100)) continue;
    const std::string reason = reason_of(r);
    if (reason == "condition") continue;
    out << "| " << r.method << " | " << r.problem << " | 1e-" << r.digits << " | " << number(r.off)
        << " | " << number(r.condition) << " | " << r.steps << " | "
        << (reason.empty() ? "none found" : reason) << " |\n";
  }
}

/// One line a method and problem, one column a tolerance.
void write_rows(std::ostream& out, const std::vector<row>& rows) {
  std::string before;
  for (const row& r : rows) {
    const std::string line = r.method + " | " + r.problem;
    if (line != before) out << (before.empty() ? "| " : " |\n| ") << line;
    out << " | " << cell(r);
    before = line;
  }
  out << " |\n";
}

constexpr const char* summary_head =
    "| rows | solves | median | worst | over 100 | worst / condition | over 100 conditions | "
    "failed |\n|---|---|---|---|---|---|---|---|\n";
constexpr const char* rows_head =
    "| method | problem | 1e-3 | 1e-4 | 1e-5 | 1e-6 | 1e-7 | 1e-8 | 1e-9 | 1e-10 |\n"
    "|---|---|---|---|---|---|---|---|---|---|\n";

}  // namespace

auto measure(bool stiff, int first_digits, int last_digits, std::ostream& progress)
    -> std::vector<row> {
  const family f = family_of(stiff);
  std::map<std::string, double> conditions;
  for (const erased_problem& q : f.problems) conditions[q.name] = condition_of(q);
  std::vector<row> rows;
  for (const cli::method_entry& m : f.methods) {
    progress << m.name << std::endl;
    for (const erased_problem& q : f.problems)
      for (int k = first_digits; k <= last_digits; ++k) {
        rows.push_back(solve_row(m, q, k, stiff ? limit_implicit : limit_explicit));
        rows.back().condition = conditions[q.name];
      }
  }
  return rows;
}

auto reason_of(const row& r) -> std::string {
  if (r.relative() <= 100) return "condition";
  if (10 * r.broken >= r.off)
    return "rounding of a linear invariant, " + number(r.broken) + " tolerances";
  const auto steps = static_cast<double>(r.steps);
  double rounding = 2.3e-16 * steps;
  for (int k = 0; k < r.digits; ++k) rounding *= 10;
  if (r.relative() <= rounding) return "rounding";
  if (r.relative() <= steps) return "drift of " + number(r.relative() / steps) + " a step";
  return {};
}

void write_page(std::ostream& out, const std::vector<row>& explicit_rows,
                const std::vector<row>& implicit_rows) {
  out << R"(# Honesty

What a tolerance buys. Every adaptive method of the command (but for IMEX ones, which take fields in parts) on every named problem, rtol from 1e-3 to 1e-10: explicit
methods on problems that are not stiff (atol = rtol), Rosenbrock and implicit ones on stiff problems of at most 100
elements (the problem's own atol). A number is the final error in tolerances, the largest |y − r| / (atol + rtol |r|) over
the components of the problem's reference r; 1 is what was asked for. A solve that says success and is far off is what
this page is to find: tests hold the medians and the exceptions (`tests/cli/honesty.cpp`, all rows with `--nightly`).

This page is written by

    cmake --build build/release --target revode-bench-honesty && build/release/revode-bench-honesty > docs/honesty.md

`·` marks a solve left out, one of more than 10⁶ steps × elements (3·10⁵ where steps solve linear systems). The condition of
a problem is how many tolerances an error of one tolerance in every element, at the worst of about 32 times (an accurate
solve takes equally many steps between them), has become at the end, from that solve's pullbacks; errors are held to it where it is large, since no method can know better. Rows
in bold are over a hundred tolerances by themselves and relative to it.

The rules for steps and iterations were tuned on the problems marked so; all others are tried unseen.

)" << summary_head;
  write_summary(out, "explicit, problems tuned on", chosen(explicit_rows, false));
  write_summary(out, "explicit, others", chosen(explicit_rows, true));
  write_summary(out, "stiff, problems tuned on", chosen(implicit_rows, false));
  write_summary(out, "stiff, others", chosen(implicit_rows, true));
  out << "\n## Conditions\n\n| problem | condition |\n|---|---|\n";
  write_conditions(out, explicit_rows);
  write_conditions(out, implicit_rows);
  out << "\n## Over a hundred tolerances and a hundred conditions\n\n"
         "| method | problem | rtol | off | condition | steps | reason "
         "|\n|---|---|---|---|---|---|---|\n";
  write_exceptions(out, explicit_rows);
  write_exceptions(out, implicit_rows);
  out << "\n## All rows\n\n" << rows_head;
  write_rows(out, explicit_rows);
  write_rows(out, implicit_rows);
}

}  // namespace revode::honesty
