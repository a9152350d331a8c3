// SPDX-License-Identifier: Apache-2.0
#include <cli/output_text.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <cli/text.hpp>

namespace revode::cli {
namespace {

using table = std::vector<std::vector<std::string>>;

constexpr Eigen::Index most_components = 8;  // of a state, in a table
constexpr std::size_t most_save_points = 20;

std::string status_line(const solution_type& s) {
  return std::string("status: ") + name(s.status) + " (" + explain(s.status) + ")\n";
}

/// The computed minus the reference value, where the problem carries one.
std::string error_of(const run_request& r, const solution_type& s, Eigen::Index i) {
  const auto& listed = r.problem.reference_components;
  const auto found = std::find(listed.begin(), listed.end(), static_cast<int>(i));
  if (found == listed.end()) return "";
  const double reference = r.problem.reference[found - listed.begin()];
  return rounded(s.y[i] - reference, 2);
}

std::string label_of(const run_request& r, Eigen::Index i) {
  return r.problem.labels[static_cast<std::size_t>(i)];
}

std::string rest_of(Eigen::Index size) {
  if (size <= most_components) return "";
  return "  and " + std::to_string(size - most_components) + " more (--json has them all)\n";
}

std::string state_table(const run_request& r, const solution_type& s) {
  const bool compared =
      s.status == status::success && !r.altered && !r.problem.reference_components.empty();
  table rows{{"", "t = " + rounded(r.problem.t0, 6), "t = " + rounded(s.t, 6)}};
  if (compared) rows.front().emplace_back("error");
  const Eigen::Index shown = std::min(s.y.size(), most_components);
  const vector start = r.start();
  for (Eigen::Index i = 0; i < shown; ++i) {
    rows.push_back({"  " + label_of(r, i), rounded(start[i], 10), rounded(s.y[i], 10)});
    if (compared) rows.back().push_back(error_of(r, s, i));
  }
  return aligned(rows) + rest_of(s.y.size());
}

std::string save_table(const run_request& r, const solution_type& s) {
  if (s.ts.empty()) return "";
  const std::string count = std::to_string(s.ts.size()) + " save points";
  if (s.ts.size() > most_save_points)
    return count + (r.out.empty() ? " (--out FILE writes them)" : " in " + r.out) + "\n";
  const Eigen::Index shown = std::min<Eigen::Index>(s.y.size(), 6);
  table rows{{"  t"}};
  for (Eigen::Index i = 0; i < shown; ++i) rows.front().push_back(label_of(r, i));
  for (std::size_t k = 0; k < s.ts.size(); ++k) {
    rows.push_back({"  " + rounded(s.ts[k], 8)});
    for (Eigen::Index i = 0; i < shown; ++i) rows.back().push_back(rounded(s.ys[k][i], 8));
  }
  return count + "\n" + aligned(rows);
}

/// "4 events: bounce at 0.4515, …", a line each where there are several kinds.
std::string event_table(const run_request& r, const solution_type& s) {
  if (!r.has_events()) return "";
  table rows;
  const std::size_t shown = std::min(s.events.size(), most_save_points);
  for (std::size_t k = 0; k < shown; ++k)
    rows.push_back(
        {"  " + std::to_string(k), r.event_name(s.events[k]), "t = " + rounded(s.events[k].t, 10)});
  const std::size_t hidden = s.events.size() - shown;
  return std::to_string(s.events.size()) + (s.events.size() == 1 ? " event\n" : " events\n") +
         aligned(rows, 1) +
         (hidden > 0 ? "  and " + std::to_string(hidden) + " more (--events FILE writes them)\n"
                     : "");
}

std::string ratio(index part, index whole) {
  return rounded(static_cast<double>(part) / static_cast<double>(std::max<index>(1, whole)), 3);
}

/// "12 evaluations of the Jacobian, " and so on, for implicit methods.
std::string implicit_text(const statistics& s) {
  if (s.factorizations + s.jacobian_evaluations + s.newton_iterations == 0) return "";
  return "implicit: " + std::to_string(s.jacobian_evaluations) + " Jacobians, " +
         std::to_string(s.factorizations) + " factorizations, " + std::to_string(s.linear_solves) +
         " linear solves, " + std::to_string(s.newton_iterations) + " Newton iterations\n";
}

std::string work_lines(const timed_solution& s) {
  const statistics& w = s.result.stats;
  return "steps: " + std::to_string(w.accepted) + " accepted, " + std::to_string(w.rejected) +
         " rejected; field evaluations: " + std::to_string(w.field_evaluations) +
         "; time: " + seconds_text(s.seconds) + "\n" + implicit_text(w);
}

/// "estimated error: …", and how it compares with the gradient.
std::string error_line(const gradient_type& g) {
  if (!g.error) return "";
  return "estimated error of the gradient: " + rounded(g.error->relative, 2) +
         " of its norm, of the loss: " + rounded(g.error->loss, 2) + "\n";
}

std::string gradient_table(const run_request& r, const gradient_type& g) {
  table rows;
  const Eigen::Index shown = std::min(g.y0.size(), most_components);
  for (Eigen::Index i = 0; i < shown; ++i)
    rows.push_back({"  y0 " + label_of(r, i), rounded(g.y0[i], 10)});
  const Eigen::Index shown_p = std::min(g.p.size(), most_components);
  for (Eigen::Index i = 0; i < shown_p; ++i)
    rows.push_back(
        {"  p  " + r.problem.parameter_names[static_cast<std::size_t>(i)], rounded(g.p[i], 10)});
  rows.push_back({"  t0", rounded(g.t0, 10)});
  rows.push_back({"  t1", rounded(g.t1, 10)});
  const Eigen::Index hidden = g.y0.size() - shown + g.p.size() - shown_p;
  return aligned(rows) +
         (hidden > 0 ? "  and " + std::to_string(hidden) + " more (--json has them all)\n" : "");
}

std::string memory_line(const reverse_statistics& v) {
  return "memory: snapshots " + bytes_text(v.snapshot_bytes) + " + tapes " +
         bytes_text(v.tape_bytes) + " + log " + bytes_text(v.log_bytes) + " + work " +
         bytes_text(v.work_bytes) + " = " + bytes_text(bytes_held(v)) + "\n";
}

std::string reverse_lines(const differentiated& d) {
  const reverse_statistics& v = d.gradients.front().bar.reverse;
  const index steps = d.result.stats.accepted;
  std::string text = "adjoint: recursive_checkpoint, planned: " + describe(d.plan) +
                     "\nkept: at most " + std::to_string(v.peak_states) + " states";
  if (v.peak_tapes > 0) text += " and " + std::to_string(v.peak_tapes) + " tapes";
  text += "\n" + memory_line(v) + "reverse: " + std::to_string(v.pulled_steps) + " steps pulled, " +
          std::to_string(v.replayed_steps) + " computed again (" + ratio(v.replayed_steps, steps) +
          " a step); a step costs " + ratio(v.field_evaluations, steps) + " field and " +
          ratio(v.vjp_evaluations, steps) +
          " VJP evaluations; time: " + seconds_text(d.gradients.front().seconds) + "\n";
  return text;
}

std::string reconstruction_line(double error) {
  if (error == 0) return "";
  if (std::isinf(error)) return "reconstruction: the state at t0 was not reached\n";
  return "reconstruction: the states of the solve were missed by at most " + rounded(error, 3) +
         " tolerances\n";
}

/// Of the adjoints that may fail.
std::string outcome_lines(const gradient_request& r, const differentiated& d) {
  const reverse_outcome& how = d.outcomes.front();
  const reverse_statistics& v = d.gradients.front().bar.reverse;
  const index back = how.backward.accepted + how.backward.rejected;
  return "adjoint: " + r.adjoint_name +
         (r.exact() ? ", exact" : ", not exact: to the tolerances of the solve") + "\n" +
         memory_line(v) + "reverse: " +
         (back > 0 ? std::to_string(how.backward.accepted) + " steps backwards, " +
                         std::to_string(how.backward.rejected) + " rejected"
                   : std::to_string(v.pulled_steps) + " steps " +
                         (v.peak_states > 0 ? "" : "undone and ") + "pulled") +
         "; " + std::to_string(v.field_evaluations) + " field and " +
         std::to_string(v.vjp_evaluations) +
         " VJP evaluations; time: " + seconds_text(d.gradients.front().seconds) + "\n" +
         reconstruction_line(how.reconstruction_error);
}

std::string no_gradient(const gradient_request& r, const differentiated& d) {
  if (d.gradients.empty()) return "no gradient: only a solve that reaches t1 has one\n";
  return (r.checkpoints() ? reverse_lines(d) : outcome_lines(r, d)) +
         "no gradient: the reverse pass ended with " + name(d.ended()) + " (" + explain(d.ended()) +
         ")\n";
}

std::string check_lines(const gradient_check& c) {
  const auto row = [](const char* what, const agreement& a) {
    return std::vector<std::string>{what, shortest(a.forward), shortest(a.reverse),
                                    rounded(a.difference(), 2), rounded(a.of_terms(), 2)};
  };
  return "check\n" + aligned({{"", "forward mode", "reverse mode", "difference", "of the terms"},
                              row("  dot product <w, Jv> = <J'w, v>", c.dot_product),
                              row("  gradient along v", c.gradient)});
}

}  // namespace

std::string heading(const run_request& r) {
  const options& o = r.settings;
  std::string text = r.problem.name + " from t = " + rounded(r.problem.t0, 6) + " to " +
                     rounded(r.problem.t1, 6) + ", method " + std::string(r.method.name) +
                     (r.chosen ? " (chosen)" : "");
  if (r.algebra != compiled::dense_name) text.append(", algebra ").append(r.algebra);
  text += o.fixed_step > 0 ? ", fixed step " + rounded(o.fixed_step, 6)
                           : ", rtol " + shortest(o.rtol) + ", atol " + shortest(o.atol);
  return text + "\n";
}

std::string text_of_solve(const run_request& r, const timed_solution& s) {
  return heading(r) + status_line(s.result) + state_table(r, s.result) + save_table(r, s.result) +
         event_table(r, s.result) + work_lines(s);
}

std::string text_of_gradient(const gradient_request& r, const differentiated& d,
                             const std::optional<gradient_check>& check) {
  if (!d.has_gradient()) return text_of_solve(r, d) + no_gradient(r, d);
  return heading(r) + status_line(d.result) + event_table(r, d.result) + work_lines(d) +
         "loss: " + describe(r.of, !d.result.ys.empty()) + " = " + shortest(r.of.value(d.result)) +
         "\ngradient\n" + gradient_table(r, d.gradients.front().bar) +
         error_line(d.gradients.front().bar) +
         (r.checkpoints() ? reverse_lines(d) : outcome_lines(r, d)) +
         (check ? check_lines(*check) : "");
}

std::string text_of_schedule(const schedule_arguments& s, const schedule_run& r) {
  const audit_counts& c = r.counts;
  const auto row = [](const char* what, index count) {
    return std::vector<std::string>{what, std::to_string(count)};
  };
  table rows{row("  step evaluations", c.forward_steps),
             row("    of them after the first sweep", c.replayed_steps),
             row("    most of one step", c.max_visits)};
  if (r.optimum)
    rows.push_back(
        row(("  fewest with " + std::to_string(*r.slots) + " slots").c_str(), *r.optimum));
  for (auto& more : table{row("  most snapshots at once", c.peak_snapshots),
                          row("  most tapes at once", c.peak_tapes),
                          row("  snapshots written", c.snapshots_written),
                          row("  snapshots restored", c.restores), row("  pulls", c.pulls),
                          row("  actions", c.actions)})
    rows.push_back(std::move(more));
  if (s.kind == schedule_kind::mixed) {
    rows.push_back(row("  most units at once", c.peak_units));
    rows.push_back(row("  states taken from tapes", c.resumes));
  }
  if (r.slow_slots > 0) {
    rows.push_back(row("  written to slow slots", c.slow_written));
    rows.push_back(row("  restored from slow slots", c.slow_restores));
  }
  return heading(s, r.slots) + "\n" + aligned(rows);
}

}  // namespace revode::cli
