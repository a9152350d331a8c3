// SPDX-License-Identifier: Apache-2.0
#include <cli/report_file.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <cli/report_page.hpp>
#include <cli/solution_picture.hpp>
#include <cli/text.hpp>

namespace revode::cli {
namespace {

constexpr std::size_t most_curves = 8, most_points = 4000, most_lanes = 20'000, most_numbers = 200;

/// A word as a shell takes it.
std::string quoted(const std::string& word) {
  if (!word.empty() && word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                              "0123456789_-+.,:/=@%") == word.npos)
    return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

/// Those that the problem has drawn, or a few of all, from the first to the last.
std::vector<int> shown_components(const erased_problem& p) {
  if (!p.drawn.empty() && p.drawn.size() <= most_curves) return p.drawn;
  const auto n = static_cast<int>(p.y0.size()), count = std::min(n, static_cast<int>(most_curves));
  std::vector<int> shown;
  for (int k = 0; k < count; ++k) shown.push_back(count == n ? k : k * (n - 1) / (count - 1));
  return shown;
}

chart empty_chart(std::string title, std::string across, bool logarithmic) {
  chart c;
  c.title = std::move(title);
  c.across = std::move(across);
  c.logarithmic_across = logarithmic;
  return c;
}

chart curves(const run_request& r, const drawn_curve& curve, const std::vector<int>& shown,
             const std::vector<occurrence>& events) {
  const bool some = shown.size() > 1 && shown.size() < r.problem.labels.size();
  chart c = empty_chart(some ? std::to_string(shown.size()) + " of " +
                                   std::to_string(r.problem.labels.size()) + " components"
                             : "Solution",
                        "t", curve.logarithmic);
  for (const int i : shown) c.names.push_back(r.problem.labels[static_cast<std::size_t>(i)]);
  if (shown.size() == 1) c.title = c.names.front();
  for (std::size_t k = 0; k < curve.points.ts.size(); ++k) {
    c.rows.push_back({curve.points.ts[k]});
    for (const int i : shown) c.rows.back().push_back(curve.points.ys[k][i]);
  }
  for (const occurrence& e : events) c.marks.push_back(e.t);
  return c;
}

chart step_lengths(const run_request& r, const drawn_curve& curve) {
  chart c = empty_chart("Lengths of the steps", "t", curve.logarithmic);
  c.names = {"h"};
  c.logarithmic_up = true;
  double before = r.problem.t0;
  for (const double t : curve.ends) {
    if (t != before) c.rows.push_back({t, std::abs(t - before)});
    before = t;
  }
  return c;
}

/// Some of the rows of a long solve, from the first to the last.
void thin_out(chart& c) {
  const std::size_t count = c.rows.size(), most = 2 * most_points;
  if (count <= most) return;
  for (std::size_t k = 0; k < most; ++k) c.rows[k].swap(c.rows[k * (count - 1) / (most - 1)]);
  c.rows.resize(most);
}

/// Rows of solves backwards in time come in descending order, lanes in any.
void put_in_order(chart& c) {
  std::stable_sort(c.rows.begin(), c.rows.end(),
                   [](const auto& a, const auto& b) { return a[0] < b[0]; });
}

report_page page_of(const arguments& given, const run_request& r, const solution_type& s,
                    const std::string& printed) {
  report_page page{picture_title(r), command_line(given), printed};
  if (s.stats.accepted == 0) return page;
  const drawn_curve curve =
      curve_along(r, s, std::clamp<index>(2 * s.stats.accepted, 500, index{most_points}));
  const std::vector<int> shown = shown_components(r.problem);
  if (r.problem.stiff())  // whose components differ by many powers of ten
    for (const int i : shown) page.charts.push_back(curves(r, curve, {i}, s.events));
  else
    page.charts.push_back(curves(r, curve, shown, s.events));
  page.charts.push_back(step_lengths(r, curve));
  for (chart& c : page.charts) {
    thin_out(c);
    put_in_order(c);
  }
  return page;
}

void add_numbers(std::vector<named_number>& all, const std::string& of,
                 const std::vector<std::string>& names, const vector& values) {
  for (Eigen::Index i = 0; i < values.size() && all.size() < most_numbers; ++i)
    all.push_back({of + names[static_cast<std::size_t>(i)], values[i]});
}

chart final_states(const ensemble_request& r, const lanes_result& found) {
  const std::size_t n = r.problem.labels.size();
  const std::size_t every = (found.ended.size() + most_lanes - 1) / most_lanes;
  const bool swept = !r.sweeps.empty();
  const sweep first = swept ? r.sweeps[0] : sweep{};
  const auto at = static_cast<std::size_t>(first.at);
  const auto& names = first.of_state ? r.problem.labels : r.problem.parameter_names;
  chart c = empty_chart(
      "Final states" + (every > 1 ? ", one lane in " + std::to_string(every) : ""),
      swept ? (first.of_state ? "y0 " : "p ") + names[at] : "lane", swept && first.logarithmic);
  c.dots = true;
  const std::vector<int> shown = shown_components(r.problem);
  for (const int i : shown) c.names.push_back(r.problem.labels[static_cast<std::size_t>(i)]);
  for (std::size_t l = 0; l < found.ended.size(); l += every) {
    if (!is_complete(found.ended[l])) continue;
    const lane_problem q = problem_of_lane(r, l);
    c.rows.push_back({swept ? (first.of_state ? q.y0 : q.p)[at] : static_cast<double>(l)});
    for (const int i : shown) c.rows.back().push_back(found.y[l * n + static_cast<std::size_t>(i)]);
  }
  put_in_order(c);
  return c;
}

chart attempts(const lanes_result& found) {
  std::map<index, index> counts;
  for (std::size_t l = 0; l < found.ended.size(); ++l) ++counts[found.attempts(l)];
  chart c = empty_chart("Attempts", "attempts", false);
  c.names = {"lanes"};
  c.bars = true;
  for (const auto& [count, lanes] : counts) {
    c.rows.push_back({static_cast<double>(count), static_cast<double>(lanes)});
    if (counts.count(count + 1) == 0) c.rows.push_back({static_cast<double>(count + 1), 0});
  }
  return c;
}

}  // namespace

std::string command_line(const arguments& given) {
  std::string text = "revode " + given.command + " " + quoted(given.subject);
  for (const auto& [name, value] : given.values)
    text += " " + name + (value.empty() || value == "true" ? "" : " " + quoted(value));
  return text;
}

void write_report(const arguments& given, const run_request& r, const solution_type& s,
                  const std::string& printed) {
  write_file("--report", r.report, page_of(given, r, s, printed).html());
}

void write_report(const arguments& given, const gradient_request& r, const differentiated& d,
                  const std::string& printed) {
  report_page page = page_of(given, r, d.result, printed);
  if (d.has_gradient()) {
    const gradient_type& g = d.gradients.front().bar;
    add_numbers(page.gradient, "y0 ", r.problem.labels, g.y0);
    add_numbers(page.gradient, "p ", r.problem.parameter_names, g.p);
    page.gradient.push_back({"t0", g.t0});
    page.gradient.push_back({"t1", g.t1});
  }
  write_file("--report", r.report, page.html());
}

void write_report(const arguments& given, const ensemble_request& r, const lanes_result& found,
                  const std::string& printed) {
  const report_page page{r.problem.name + ", " + std::to_string(r.in_lanes.lanes) + " lanes",
                         command_line(given),
                         printed,
                         {final_states(r, found), attempts(found)}};
  write_file("--report", r.report, page.html());
}

}  // namespace revode::cli
