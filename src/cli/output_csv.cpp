// SPDX-License-Identifier: Apache-2.0
#include <cli/output_csv.hpp>

#include <string>

#include <cli/text.hpp>

namespace revode::cli {
namespace {

void add_row(std::string& text, double t, const vector& y) {
  text += shortest(t);
  for (const double x : y) text.append(",").append(shortest(x));
  text += '\n';
}

}  // namespace

void write_csv(const run_request& r, const solution_type& s) {
  std::string text = "t";
  for (const std::string& label : r.problem.labels) text.append(",").append(label);
  text += '\n';
  for (std::size_t k = 0; k < s.ts.size(); ++k) add_row(text, s.ts[k], s.ys[k]);
  if (s.ts.empty()) {
    add_row(text, r.problem.t0, r.start());
    add_row(text, s.t, s.y);
  }
  write_file("--out", r.out, text);
}

void write_events(const run_request& r, const solution_type& s) {
  std::string text = "t,event,step\n";
  for (const occurrence& e : s.events)
    text += shortest(e.t) + "," + r.event_name(e) + "," + std::to_string(e.step) + "\n";
  write_file("--events", r.events, text);
}

}  // namespace revode::cli
