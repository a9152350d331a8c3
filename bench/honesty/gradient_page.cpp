// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <ostream>

#include "gradients.hpp"

namespace revode::honesty {
namespace {

auto number(double x) -> std::string {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2g", x);
  return text.data();
}

double median_of(std::vector<double> x) {
  if (x.empty()) return 0;
  const auto middle = x.begin() + static_cast<std::ptrdiff_t>(x.size() / 2);
  std::nth_element(x.begin(), middle, x.end());
  return *middle;
}

auto share(std::size_t n, std::size_t of) -> std::string {
  if (of == 0) return "·";
  const double percent = 100.0 * static_cast<double>(n) / static_cast<double>(of);
  return (percent < 99.5 ? number(percent) : "100") + " %";  // not 1e+02
}

/// A method's line: how far its gradients are off, and how well they know it. Estimates are judged
/// where the error can be seen beside the accurate solve.
void write_line(std::ostream& out, const std::string& what, const std::vector<gradient_row>& rows) {
  std::vector<double> off;
  std::size_t over = 0, judged = 0, near = 0, above = 0, far_below = 0, silent = 0;
  for (const gradient_row& r : rows) {
    if (!r.is_counted()) continue;
    off.push_back(r.off());
    over += r.off() > 100 ? 1 : 0;
    silent += r.error > 0.1 && !r.told ? 1 : 0;
    if (!(r.error > r.least)) continue;
    const double ratio = r.estimate / r.error;
    ++judged;
    near += ratio >= 0.1 && ratio <= 10 ? 1 : 0;
    above += ratio > 10 ? 1 : 0;
    far_below += ratio < 0.01 ? 1 : 0;
  }
  out << "| " << what << " | " << off.size() << " | " << number(median_of(off)) << " | "
      << share(over, off.size()) << " | " << judged << " | " << share(near, judged) << " | "
      << share(above, judged) << " | " << far_below << " | " << silent << " |\n";
}

/// Lines by what a row is called, in the order of their first rows.
template <class Name>
void write_lines(std::ostream& out, const std::vector<gradient_row>& rows, const Name& name) {
  std::vector<std::string> order;
  std::map<std::string, std::vector<gradient_row>> of;
  for (const gradient_row& r : rows) {
    const std::string key = name(r);
    if (!of.contains(key)) order.push_back(key);
    of[key].push_back(r);
  }
  for (const std::string& key : order) write_line(out, key, of[key]);
}

constexpr const char* head =
    "| gradients | median off | over 100 | judged | estimate / error in [0.1, 10] | above 10 | "
    "below 0.01 | over 0.1 and not told |\n|---|---|---|---|---|---|---|---|---|\n";

void write_silent(std::ostream& out, const std::vector<gradient_row>& rows) {
  for (const gradient_row& r : rows)
    if (r.is_counted() &&
        ((r.error > 0.1 && !r.told) || (r.error > r.least && r.estimate < 0.01 * r.error)))
      out << "| " << r.method << " | " << r.problem << " | 1e-" << r.digits << " | "
          << number(r.error) << " | " << number(r.estimate) << " | " << number(r.condition)
          << " |\n";
}

}  // namespace

void write_gradient_page(std::ostream& out, const std::vector<gradient_row>& explicit_rows,
                         const std::vector<gradient_row>& implicit_rows,
                         const std::vector<resolved_row>& resolved,
                         const std::vector<std::string>& left_out) {
  out << R"(# Honesty of gradients

The exact gradient of a computed solution is as good as the solution, seen from the gradient: `with_error` estimates how
good, by a second solve at three times the tolerances, and where that tells more than 1 % by a third at a third of them. Here every adaptive method of the command but IMEX ones, on every named problem of at most 30 elements and rtol from 1e-3 to
1e-8, differentiates L = Σ wᵢ yᵢ(t1), with wᵢ about 1/|yᵢ(t1)|, and is held beside the gradient of an accurate solve (vern9
at 1e-13, checked by vern8; radau_iia13 at 1e-12, checked by radau_iia9). Errors are parts of the gradient's 2-norm, of y0 or of p, whichever is larger. *Off* is the
error in rtol and in conditions of the gradient: how many parts in rtol it changes when every number of y0 and p changes
by one. Rows are *judged* where the error is ten times the difference of the two accurate gradients.

This page is written by

    cmake --build build/release --target revode-bench-honesty && build/release/revode-bench-honesty gradients > docs/gradient_honesty.md

## By method

| method )"
      << head;
  for (const auto* rows : {&explicit_rows, &implicit_rows})
    write_lines(out, *rows, [](const gradient_row& r) { return r.method; });
  write_line(out, "all explicit", explicit_rows);
  write_line(out, "all others", implicit_rows);
  if (!left_out.empty()) {
    out << "\nLeft out, since the two accurate gradients are more than 1e-3 apart:";
    for (const std::string& problem : left_out) out << " `" << problem << "`";
    out << ".\n";
  }
  out << "\n## By problem\n\n| problem " << head;
  for (const auto* rows : {&explicit_rows, &implicit_rows})
    write_lines(out, *rows, [](const gradient_row& r) { return r.problem; });
  out << "\n## By tolerance\n\n| rtol " << head;
  const auto tolerance = [](const gradient_row& r) { return "1e-" + std::to_string(r.digits); };
  write_lines(out, explicit_rows, tolerance);
  write_lines(out, implicit_rows, [&](const gradient_row& r) { return tolerance(r) + ", stiff"; });
  out << "\n## Estimates a hundred times too small, and errors over a tenth that were not told\n\n"
         "| method | problem | rtol | error | estimate | condition |\n|---|---|---|---|---|---|\n";
  write_silent(out, explicit_rows);
  write_silent(out, implicit_rows);
  out << "\n## Solved again until `gradient_rtol` = 1e-3 is met, from rtol = 1e-4 on\n\n"
         "The price is all step attempts over those of the first single "
         "solve that meets it "
         "(rtol = 1e-3, 10^-3.5, …).\n\n"
         "| method | problem | error | estimate | solves | attempts | price "
         "|\n|---|---|---|---|---|---|---|\n";
  for (const resolved_row& r : resolved)
    out << "| " << r.method << " | " << r.problem << " | " << (r.estimate ? number(r.error) : "·")
        << " | " << (r.estimate ? number(*r.estimate) : "none") << " | " << r.solves << " | "
        << r.attempts << " | "
        << (r.least > 0 ? number(static_cast<double>(r.attempts) / static_cast<double>(r.least))
                        : "·")
        << " |\n";
}

}  // namespace revode::honesty
