// SPDX-License-Identifier: Apache-2.0
#include <cli/schedule_run.hpp>

#include <algorithm>

#include <cli/text.hpp>
#include <revode/schedule/binomial.hpp>

namespace revode::cli {
namespace {

constexpr index most_steps = 50'000'000;
constexpr index most_evaluations = 5'000'000'000;
constexpr index most_drawn = 2000;

void refuse_endless(const schedule_arguments& s) {
  const std::string steps = "--steps " + std::to_string(s.steps);
  if (s.steps < 0 || s.steps > most_steps)
    misuse(steps + " (every step is counted: 0 to " + std::to_string(most_steps) +
           ") give a number between?");
  if (!s.plot.empty() && s.steps > most_drawn)
    misuse(steps + " with --plot (no picture shows more than " + std::to_string(most_drawn) +
           ") give fewer, or leave --plot out?");
  if (!takes_slots(s.kind) || *s.slots < 1) return;
  const index extra = extra_steps(s.steps, *s.slots);
  if (extra <= most_evaluations) return;
  misuse(steps + " with --slots " + std::to_string(*s.slots) + " (" +
         (extra >= saturated ? "2^60" : std::to_string(s.steps + extra)) +
         " step evaluations are too many to count one by one) give more slots?");
}

}  // namespace

auto run_schedule(const schedule_arguments& s) -> schedule_run {
  if (takes_slots(s.kind) && !s.slots)
    misuse("no --slots (" + std::string(s.kind == schedule_kind::online ? "an " : "a ") +
           std::string(name(s.kind)) +
           " schedule is made for a number of snapshots) give e.g. --slots 3?");
  refuse_endless(s);
  const schedule_request request{
      .slots = s.slots.value_or(1), .base = s.base, .max_steps = s.steps, .steps = s.steps};
  schedule_run r;
  r.slots = s.slots;
  const bool drawn = !s.plot.empty();
  r.counts = audit(any_schedule(s.kind, request), s.steps, [&](const action& a) {
    if (drawn) r.actions.push_back(a);
  });
  const bool bounded = takes_slots(s.kind) || s.kind == schedule_kind::nested;
  if (!bounded) return r;
  if (!r.slots || *r.slots < 1) r.slots = std::max<index>(1, r.counts.peak_snapshots);
  r.optimum = s.steps + extra_steps(s.steps, *r.slots);
  return r;
}

}  // namespace revode::cli
