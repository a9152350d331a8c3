// SPDX-License-Identifier: Apache-2.0
#include <cli/work_precision.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <cli/gnuplot.hpp>
#include <cli/methods.hpp>
#include <cli/request.hpp>
#include <nlohmann/json.hpp>
#include <revode/problems/catalog.hpp>

namespace revode::cli {
namespace {

struct contest {
  erased_problem q;
  std::vector<method_entry> methods{};
  std::vector<double> tolerances{1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10};
  index repeats = 5;
  double longest = 1;
  std::string plot{};
  bool json = false;
};

struct run_of_method {
  std::string_view method;
  double rtol = 0, digits = 0, seconds = 0;
  status ended{};
  index accepted = 0, rejected = 0, evaluations = 0;
};

struct known_end {
  vector y;
  double digits = 0;
};

/// Explicit methods take none with a mass matrix: an algebraic equation of a model is one.
bool asks_implicit(const erased_problem& q) { return q.stiff() || q.has_mass(); }

double atol_of(const erased_problem& q, double rtol) { return q.stiff() ? q.atol(rtol) : rtol; }

double digits_of(const erased_problem& q, const vector& y, const vector& r) {
  constexpr double usual = 1e-6;
  const double floor = atol_of(q, usual) / usual;
  const double off = ((y - r).array().abs() / (floor + r.array().abs())).maxCoeff();
  return off == 0 ? 17.0 : -std::log10(off);
}

options options_of(const contest& c, double rtol) {
  options o{.rtol = rtol, .atol = atol_of(c.q, rtol)};
  for (const double t : c.q.jumps)
    if (std::min(c.q.t0, c.q.t1) <= t && t <= std::max(c.q.t0, c.q.t1))
      o.discontinuities.push_back(t);
  if (c.q.t1 < c.q.t0) std::reverse(o.discontinuities.begin(), o.discontinuities.end());
  return o;
}

solution_type solve(const contest& c, const method_entry& m, double rtol) {
  return m.uses(c.q.f, c.q.events).solve(bind(c.q, c.q.f), options_of(c, rtol), c.q.events);
}

/// By two methods, which disagree beyond the digits that are known.
known_end accurate(const contest& c) {
  const bool events = !c.q.events.each.empty();
  const std::array<std::string_view, 2> by =
      asks_implicit(c.q)
          ? std::array<std::string_view, 2>{"radau_iia5", events ? "rodas5p" : "radau_iia9"}
          : std::array<std::string_view, 2>{"tsit5", events ? "dop853" : "vern9"};
  std::array<solution_type, 2> ends;
  for (std::size_t i = 0; i < 2; ++i) {
    ends[i] = solve(c, find_method(by[i]), 1e-12);
    if (!is_complete(ends[i].status))
      misuse("no reference for " + c.q.name + " (" + std::string(by[i]) +
             " at rtol 1e-12 ended with " + name(ends[i].status) + ") look at 'revode solve " +
             c.q.name + "' first?");
  }
  return {ends[1].y, digits_of(c.q, ends[0].y, ends[1].y)};
}

std::vector<method_entry> default_methods(const erased_problem& q) {
  std::vector<method_entry> chosen;
  for (const method_entry& m : compiled::method_table())
    if (m.has_estimate && m.asks_jacobian == asks_implicit(q) && m.order > 2 && !m.asks_parts &&
        (!q.has_mass() || m.takes_mass()))
      chosen.push_back(m);
  return chosen;
}

std::vector<run_of_method> measure(const contest& c, const known_end& end) {
  std::vector<run_of_method> rows;
  for (const method_entry& m : c.methods) {
    for (const double rtol : c.tolerances) {
      run_of_method row{.method = m.name, .rtol = rtol, .seconds = INFINITY};
      for (index k = 0; k < c.repeats; ++k) {
        const auto start = std::chrono::steady_clock::now();
        const solution_type s = solve(c, m, rtol);
        row.seconds = std::min(row.seconds, seconds_since(start));
        row.ended = s.status;
        row.digits = is_complete(s.status) ? std::min(digits_of(c.q, s.y, end.y), end.digits) : NAN;
        row.accepted = s.stats.accepted;
        row.rejected = s.stats.rejected;
        row.evaluations = s.stats.field_evaluations;
        if (row.seconds > c.longest) break;
      }
      rows.push_back(row);
      if (row.seconds > c.longest) break;
    }
  }
  return rows;
}

/// "least time for so many digits", by runs that have at least as many.
std::string summary(const std::vector<run_of_method>& rows) {
  std::vector<std::vector<std::string>> table{{"digits", "method", "rtol", "time", "next"}};
  for (const double wanted : {3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0}) {
    std::map<std::string_view, const run_of_method*> best;
    for (const run_of_method& r : rows)
      if (r.digits >= wanted && (!best[r.method] || r.seconds < best[r.method]->seconds))
        best[r.method] = &r;
    std::vector<const run_of_method*> order;
    for (const auto& [method, run] : best)
      if (run != nullptr) order.push_back(run);
    std::sort(order.begin(), order.end(),
              [](const auto* a, const auto* b) { return a->seconds < b->seconds; });
    if (order.empty()) continue;
    std::string next;
    for (std::size_t i = 1; i < std::min<std::size_t>(order.size(), 4); ++i)
      next += (i > 1 ? ", " : "") + std::string(order[i]->method) + " " +
              rounded(order[i]->seconds / order[0]->seconds, 3);
    table.push_back({rounded(wanted, 2), std::string(order[0]->method), rounded(order[0]->rtol, 2),
                     seconds_text(order[0]->seconds), next});
  }
  return "least time for at least so many digits, and the next in its units\n" + aligned(table, 1);
}

std::string text_of(const contest& c, const known_end& end,
                    const std::vector<run_of_method>& rows) {
  std::vector<std::vector<std::string>> table{
      {"method", "rtol", "digits", "time", "accepted", "rejected", "evaluations"}};
  for (const run_of_method& r : rows)
    table.push_back({std::string(r.method), rounded(r.rtol, 2),
                     std::isnan(r.digits) ? name(r.ended) : rounded(r.digits, 3),
                     seconds_text(r.seconds), std::to_string(r.accepted),
                     std::to_string(r.rejected), std::to_string(r.evaluations)});
  return c.q.name + " from t = " + rounded(c.q.t0, 6) + " to " + rounded(c.q.t1, 6) +
         "; its end is known to " + rounded(end.digits, 3) + " digits\n" + aligned(table) + "\n" +
         summary(rows);
}

std::string json_of(const contest& c, const known_end& end,
                    const std::vector<run_of_method>& rows) {
  nlohmann::json all = nlohmann::json::array();
  for (const run_of_method& r : rows)
    all.push_back({{"method", r.method},
                   {"rtol", r.rtol},
                   {"digits", std::isnan(r.digits) ? nlohmann::json() : nlohmann::json(r.digits)},
                   {"seconds", r.seconds},
                   {"status", name(r.ended)},
                   {"accepted", r.accepted},
                   {"rejected", r.rejected},
                   {"field_evaluations", r.evaluations}});
  return nlohmann::json{{"problem", c.q.name}, {"known_digits", end.digits}, {"runs", all}}.dump() +
         "\n";
}

void draw(const contest& c, const std::vector<run_of_method>& rows) {
  gnuplot_program g(c.plot, 900, 640);
  std::string plots;
  for (std::size_t i = 0; i < c.methods.size(); ++i) {
    const std::string data = "$m" + std::to_string(i);
    g << data + " << EOD\n";
    bool any = false;
    for (const run_of_method& r : rows)
      if (r.method == c.methods[i].name && !std::isnan(r.digits)) {
        ((g << r.digits) << " ") << r.seconds << "\n";
        any = true;
      }
    g << "EOD\n";
    if (any)  // eight colours; behind them other points
      plots += std::string(plots.empty() ? "plot " : ", ") + data +
               " using 1:2 with linespoints lt " + std::to_string(i % 8 + 1) + " pt " +
               std::to_string(i / 8 * 2 + 5) + " ps 0.7 title " +
               gnuplot_quoted(std::string(c.methods[i].name));
  }
  g.title(c.q.name + ": time against digits");
  g << "set logscale y\nset format y '10^{%T}'\nset xlabel 'digits'\nset ylabel 's' rotate by 0\n"
       "set key outside right\n" +
           plots + "\n";
  g.run();
}

std::vector<method_entry> methods_of(const std::string& list, const erased_problem& q) {
  std::vector<method_entry> chosen;
  for (std::size_t from = 0; from <= list.size();) {
    const std::size_t to = std::min(list.find(',', from), list.size());
    chosen.push_back(find_method(list.substr(from, to - from)));
    const method_entry& m = chosen.back();
    if (!m.has_estimate)
      misuse("method " + std::string(m.name) +
             " in 'revode bench wpd' (it has no error estimate to choose steps by) leave it out?");
    expect_compiled_for(q, m);
    from = to + 1;
  }
  return chosen;
}

contest read(std::span<const std::string> words) {
  contest c{.q = make_problem(words[0])};
  c.q.name = words[0];
  c.methods = default_methods(c.q);
  constexpr std::array<std::string_view, 6> known{"--methods", "--tolerances", "--repeats",
                                                  "--longest", "--plot",       "--json"};
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& option = words[i];
    if (std::find(known.begin(), known.end(), option) == known.end())
      unknown_name("option", option, "options of 'revode bench wpd PROBLEM'", known,
                   "run 'revode bench wpd' with '--methods A,B', for example");
    if (option == "--json") {
      c.json = true;
      continue;
    }
    if (++i == words.size())
      misuse(option + " without a value (each option but --json takes one) give it?");
    if (option == "--methods") c.methods = methods_of(words[i], c.q);
    if (option == "--tolerances") c.tolerances = number_list(option, words[i]);
    if (option == "--repeats") c.repeats = whole_number(option, words[i]);
    if (option == "--longest") c.longest = number(option, words[i]);
    if (option == "--plot") check_picture(option, c.plot = words[i]);
  }
  for (const double rtol : c.tolerances)
    if (!(rtol >= 1e-14 && rtol < 1))
      misuse("invalid --tolerances " + shortest(rtol) +
             " (relative tolerances lie between 1e-14 and 1) give e.g. 1e-4,1e-6,1e-8?");
  if (c.repeats < 1)
    misuse("invalid --repeats " + std::to_string(c.repeats) +
           " (each solve is timed at least once) give e.g. 5?");
  return c;
}

}  // namespace

report work_precision_command(std::span<const std::string> words) {
  const contest c = read(words);
  const known_end end = accurate(c);
  const std::vector<run_of_method> rows = measure(c, end);
  report r{c.json ? json_of(c, end, rows) : text_of(c, end, rows)};
  if (!c.plot.empty()) add_file(r, [&] { draw(c, rows); });
  return r;
}

}  // namespace revode::cli
