// SPDX-License-Identifier: Apache-2.0
#include <cli/ensemble_output.hpp>

#include <algorithm>
#include <limits>
#include <numeric>

#include <nlohmann/json.hpp>

#include <cli/output_text.hpp>
#include <cli/text.hpp>

namespace revode::cli {
namespace {

using json = nlohmann::ordered_json;
using table = std::vector<std::vector<std::string>>;

index sum(const std::vector<index>& counts) {
  return std::accumulate(counts.begin(), counts.end(), index{0});
}

std::string lanes_a_second(const ensemble_request& r, double seconds) {
  return seconds_text(seconds) + ", " +
         rounded(static_cast<double>(r.in_lanes.lanes) / seconds, 3) + " lanes/s";
}

std::string list_text(const std::vector<double>& values, int digits) {
  std::string text;
  for (const double x : values) text.append(text.empty() ? "" : ", ").append(rounded(x, digits));
  return text;
}

std::string lanes_line(const ensemble_request& r, const lanes_result& found) {
  std::string text = std::to_string(r.in_lanes.lanes) +
                     (r.in_lanes.lanes == r.all ? "" : " of " + std::to_string(r.all)) +
                     " lanes on " + std::string(found.device) + ", " + std::to_string(found.width) +
                     " at a time, ";
  if (r.sweeps.empty()) return text + "p times 1 to 1.1 at random\n";
  for (const sweep& s : r.sweeps)
    text += std::string(&s == &r.sweeps.front() ? "" : ", ") + (s.of_state ? "y0:" : "p:") +
            (s.of_state ? r.problem.labels
                        : r.problem.parameter_names)[static_cast<std::size_t>(s.at)] +
            " from " + rounded(s.lo, 6) + " to " + rounded(s.hi, 6) +
            (s.logarithmic ? " (logarithmic)" : "");
  return text + "\n";
}

std::string status_line(const lanes_result& found) {
  std::string text;
  for (const auto& [what, count] : count_statuses(found))
    text += (text.empty() ? "statuses: " : ", ") + std::to_string(count) + " " + name(what);
  return text + "\n";
}

std::string slowest_line(const ensemble_request& r, const lanes_result& found) {
  std::string text;
  for (const std::size_t l : slowest_lanes(found))
    text += (text.empty() ? "slowest lanes: " : "; ") +
            std::to_string(r.first + static_cast<index>(l)) + " (" +
            std::to_string(found.attempts(l)) +
            " attempts, p = " + list_text(problem_of_lane(r, l).p, 4) + ")";
  return text + "\n";
}

/// Least, mean and largest of number i of n over the lanes that succeeded.
std::vector<std::string> spread_row(const std::string& label, const lanes_result& found,
                                    const std::vector<double>& numbers, std::size_t i,
                                    std::size_t n) {
  double least = 0, largest = 0, all = 0, count = 0;
  for (std::size_t l = 0; l < found.ended.size(); ++l) {
    if (!is_complete(found.ended[l])) continue;
    const double x = numbers[l * n + i];
    least = count == 0 ? x : std::min(least, x);
    largest = count == 0 ? x : std::max(largest, x);
    all += x;
    ++count;
  }
  if (count == 0) return {label, "none", "", ""};
  return {label, rounded(least, 6), rounded(all / count, 6), rounded(largest, 6)};
}

std::string state_table(const ensemble_request& r, const lanes_result& found) {
  table rows{{"t = " + rounded(r.problem.t1, 6), "least", "mean", "largest"}};
  const std::size_t n = r.problem.labels.size();
  for (std::size_t i = 0; i < n; ++i)
    rows.push_back(spread_row("  " + r.problem.labels[i], found, found.y, i, n));
  return aligned(rows);
}

std::string gradient_text(const ensemble_request& r, const lanes_result& found) {
  const std::size_t n = r.problem.labels.size(), np = static_cast<std::size_t>(r.problem.p.size());
  table rows{{"loss: " + describe(r.of, false), "least", "mean", "largest"},
             spread_row("  loss", found, found.loss, 0, 1)};
  for (std::size_t i = 0; i < n; ++i)
    rows.push_back(spread_row("  y0 " + r.problem.labels[i], found, found.y0_bar, i, n));
  for (std::size_t i = 0; i < np; ++i)
    rows.push_back(spread_row("  p  " + r.problem.parameter_names[i], found, found.p_bar, i, np));
  return aligned(rows) + "reverse: plan " + std::string(found.plan) + ", " +
         std::to_string(found.slots) + " states a lane, " + bytes_text(found.bytes) + " for " +
         std::to_string(found.resident_lanes) + " lanes under way; " +
         std::to_string(found.replayed_rounds) + " of " + std::to_string(found.pulled_rounds) +
         " rounds computed again" +
         (found.reverse_seconds > 0 ? "; time: " + lanes_a_second(r, found.reverse_seconds) : "") +
         "\n";
}

json rows_of(const std::vector<double>& numbers, std::size_t n) {
  json rows = json::array();
  for (auto at = numbers.begin(); at != numbers.end(); at += static_cast<std::ptrdiff_t>(n))
    rows.push_back(std::vector<double>(at, at + static_cast<std::ptrdiff_t>(n)));
  return rows;
}

/// rows, with null for lanes without success.
json of_success(json rows, const lanes_result& found) {
  for (std::size_t l = 0; l < found.ended.size(); ++l)
    if (!is_complete(found.ended[l])) rows[l] = nullptr;
  return rows;
}

json gradient_object(const lanes_result& found, std::size_t n, std::size_t np) {
  return {{"y0", of_success(rows_of(found.y0_bar, n), found)},
          {"p", of_success(rows_of(found.p_bar, np), found)}};
}

json reverse_object(const lanes_result& found) {
  return {{"plan", found.plan},
          {"slots", found.slots},
          {"resident_lanes", found.resident_lanes},
          {"bytes", found.bytes},
          {"pulled_rounds", found.pulled_rounds},
          {"replayed_rounds", found.replayed_rounds},
          {"seconds", found.reverse_seconds}};
}

void add_numbers(std::string& row, const double* first, std::size_t n, bool known = true) {
  for (std::size_t i = 0; i < n; ++i)
    row.append(",").append(shortest(known ? first[i] : std::numeric_limits<double>::quiet_NaN()));
}

void add_names(std::string& row, const std::string& before, const std::vector<std::string>& names) {
  for (const std::string& name : names) row.append(",").append(before).append(name);
}

}  // namespace

auto count_statuses(const lanes_result& found) -> std::map<status, index> {
  std::map<status, index> counts;
  for (const status s : found.ended) ++counts[s];
  return counts;
}

auto slowest_lanes(const lanes_result& found) -> std::vector<std::size_t> {
  std::vector<std::size_t> lanes(found.ended.size());
  std::iota(lanes.begin(), lanes.end(), std::size_t{0});
  const std::size_t few = std::min<std::size_t>(3, lanes.size());
  std::partial_sort(lanes.begin(), lanes.begin() + static_cast<std::ptrdiff_t>(few), lanes.end(),
                    [&](std::size_t a, std::size_t b) {
                      const index left = found.attempts(a), right = found.attempts(b);
                      return left != right ? left > right : a < b;
                    });
  lanes.resize(few);
  return lanes;
}

auto problem_of_lane(const ensemble_request& r, std::size_t lane) -> lane_problem {
  lane_problem q{std::vector<double>(static_cast<std::size_t>(r.problem.y0.size())),
                 std::vector<double>(static_cast<std::size_t>(r.problem.p.size()))};
  r.fill(r.first + static_cast<index>(lane), q.y0.data(), q.p.data());
  return q;
}

std::string text_of_ensemble(const ensemble_request& r, const lanes_result& found) {
  const auto of_attempts = [&](std::size_t l) { return found.attempts(l); };
  index least = of_attempts(0);
  for (std::size_t l = 0; l < found.ended.size(); ++l) least = std::min(least, of_attempts(l));
  return heading(r) + lanes_line(r, found) + status_line(found) + state_table(r, found) +
         "steps: " + std::to_string(sum(found.accepted)) + " accepted, " +
         std::to_string(sum(found.rejected)) +
         " rejected; field evaluations: " + std::to_string(sum(found.evaluations)) +
         "; a lane makes " + std::to_string(least) + " to " +
         std::to_string(of_attempts(slowest_lanes(found).front())) + " attempts\n" +
         slowest_line(r, found) + "time: " + lanes_a_second(r, found.seconds) + "\n" +
         (r.in_lanes.gradient ? gradient_text(r, found) : "");
}

std::string json_of_ensemble(const ensemble_request& r, const lanes_result& found) {
  const std::size_t n = r.problem.labels.size(), np = static_cast<std::size_t>(r.problem.p.size());
  json statuses = json::object(), y0 = json::array(), p = json::array(), slowest = json::array();
  for (const auto& [what, count] : count_statuses(found)) statuses[name(what)] = count;
  for (std::size_t l = 0; l < found.ended.size(); ++l) {
    lane_problem q = problem_of_lane(r, l);
    p.push_back(std::move(q.p));
    if (r.in_lanes.own_y0) y0.push_back(std::move(q.y0));
  }
  for (const std::size_t l : slowest_lanes(found))
    slowest.push_back({{"lane", r.first + static_cast<index>(l)}, {"attempts", found.attempts(l)}});
  json object{{"lanes", r.in_lanes.lanes},
              {"device", found.device},
              {"statuses", std::move(statuses)},
              {"lane_params", std::move(p)},
              {"y", rows_of(found.y, n)},
              {"stats",
               {{"accepted", sum(found.accepted)},
                {"rejected", sum(found.rejected)},
                {"field_evaluations", sum(found.evaluations)},
                {"slowest", std::move(slowest)}}},
              {"seconds", found.seconds},
              {"lanes_per_second", static_cast<double>(r.in_lanes.lanes) / found.seconds}};
  if (r.in_lanes.lanes != r.all) object["first_lane"] = r.first;
  if (r.in_lanes.own_y0) object["lane_y0"] = std::move(y0);
  if (r.in_lanes.gradient) {
    object["loss"] = of_success(found.loss, found);
    object["gradient"] = gradient_object(found, n, np);
    object["reverse"] = reverse_object(found);
  }
  return object.dump() + "\n";
}

void write_csv(const ensemble_request& r, const lanes_result& found) {
  const std::size_t n = r.problem.labels.size(), np = static_cast<std::size_t>(r.problem.p.size());
  std::string text = "lane,status,t,accepted,rejected";
  add_names(text, "p:", r.problem.parameter_names);
  add_names(text, "", r.problem.labels);
  if (r.in_lanes.gradient) {
    text += ",loss";
    add_names(text, "loss/y0:", r.problem.labels);
    add_names(text, "loss/p:", r.problem.parameter_names);
  }
  text += '\n';
  for (std::size_t l = 0; l < found.ended.size(); ++l) {
    text += std::to_string(r.first + static_cast<index>(l)) + "," + name(found.ended[l]) + "," +
            shortest(found.t[l]) + "," + std::to_string(found.accepted[l]) + "," +
            std::to_string(found.rejected[l]);
    add_numbers(text, problem_of_lane(r, l).p.data(), np);
    add_numbers(text, &found.y[l * n], n);
    if (r.in_lanes.gradient) {
      const bool known = is_complete(found.ended[l]);
      add_numbers(text, &found.loss[l], 1, known);
      add_numbers(text, &found.y0_bar[l * n], n, known);
      add_numbers(text, &found.p_bar[l * np], np, known);
    }
    text += '\n';
  }
  write_file("--out", r.out, text);
}

}  // namespace revode::cli
