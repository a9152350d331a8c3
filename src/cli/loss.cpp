// SPDX-License-Identifier: Apache-2.0
#include <cli/loss.hpp>

#include <array>

#include <cli/text.hpp>

namespace revode::cli {
namespace {

double term(const loss& of, const vector& y) {
  double sum = 0;
  switch (of.what) {
    case loss::form::component: return y[of.component];
    case loss::form::squared: return dot(y, y);
    case loss::form::sum:
    case loss::form::event: break;
  }
  for (const double x : y) sum += x;
  return sum;
}

vector slope(const loss& of, const vector& y) {
  switch (of.what) {
    case loss::form::component: return vector::Unit(y.size(), of.component);
    case loss::form::squared: return 2 * y;
    case loss::form::sum:
    case loss::form::event: break;
  }
  return vector::Ones(y.size());
}

/// The time of event I.
double event_time(const loss& of, const solution_type& s) {
  const auto i = static_cast<std::size_t>(of.component);
  if (i < s.events.size()) return s.events[i].t;
  misuse("--loss event:" + std::to_string(i) + " (" + std::to_string(s.events.size()) +
         " events occurred, counted from 0) give an earlier one, or a later --t1?");
}

}  // namespace

double loss::value(const solution_type& s) const {
  if (what == form::event) return event_time(*this, s);
  if (s.ys.empty()) return term(*this, s.y);
  double sum = 0;
  for (const vector& y : s.ys) sum += term(*this, y);
  return sum;
}

cotangents<vector> loss::weigh(const solution_type& s) const {
  if (what == form::event) {
    static_cast<void>(event_time(*this, s));
    cotangents<vector> w;
    w.events.assign(s.events.size(), 0.0);
    w.events[static_cast<std::size_t>(component)] = 1;
    return w;
  }
  if (s.ys.empty()) return {.y = slope(*this, s.y)};
  cotangents<vector> w;
  for (const vector& y : s.ys) w.ys.push_back(slope(*this, y));
  return w;
}

auto read_loss(std::string_view text, const erased_problem& problem, bool has_events) -> loss {
  constexpr std::string_view component = "component:", event = "event:";
  if (text == "sum") return {loss::form::sum};
  if (text == "squared") return {loss::form::squared};
  if (text.starts_with(component)) {
    const int i = place_of(text.substr(component.size()), problem.labels);
    if (i >= 0) return {loss::form::component, i};
    misuse("invalid --loss " + in_quotes(text) + " (the components of " + problem.name +
           " are 0 to " + std::to_string(problem.labels.size() - 1) +
           ", or their names) give e.g. --loss component:" + problem.labels[0] + "?");
  }
  if (text.starts_with(event)) {
    const int i = counted(text.substr(event.size()));
    if (i >= 0 && has_events) return {loss::form::event, i};
    misuse("invalid --loss " + in_quotes(text) + " (" +
           (has_events               ? "events are counted from 0) give e.g. --loss event:0?"
            : problem.events.empty() ? problem.name + " has no events) give e.g. --loss sum?"
                                     : "the time of an event is a loss of single solves) take "
                                       "revode grad, or --loss sum?"));
  }
  constexpr std::array<std::string_view, 4> known{"sum", "component:0", "squared", "event:0"};
  unknown_name("loss", text, "losses", known, "give sum, component:I, squared or event:I");
}

std::string describe(const loss& of, bool over_save_points) {
  const std::string where = over_save_points ? "over the save points" : "of the final state";
  switch (of.what) {
    case loss::form::component:
      return "component " + std::to_string(of.component) + (over_save_points ? " summed " : " ") +
             where;
    case loss::form::squared: return "sum of squares " + where;
    case loss::form::event: return "time of event " + std::to_string(of.component);
    case loss::form::sum: break;
  }
  return "sum " + where;
}

}  // namespace revode::cli
