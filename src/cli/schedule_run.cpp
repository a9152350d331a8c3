// SPDX-License-Identifier: Apache-2.0
#include <cli/schedule_run.hpp>

#include <algorithm>
#include <utility>

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

std::string heading(const schedule_arguments& s, std::optional<index> slots) {
  const auto part = [](const char* what, index count) {
    return std::string(", ") + what + std::to_string(count);
  };
  std::string text = std::string(name(s.kind)) + " schedule, " + std::to_string(s.steps) + " steps";
  if (!s.count_known) text += " (not known beforehand)";
  if (takes_slots(s.kind))
    text += part("", slots.value_or(1)) + (s.kind == schedule_kind::mixed ? " units" : " slots");
  if (s.kind == schedule_kind::nested) text += part("base ", s.request.base);
  if (s.kind == schedule_kind::mixed) text += part("units a tape ", s.request.tape_units);
  if (s.kind == schedule_kind::periodic && s.request.interval > 0)
    text += part("interval ", s.request.interval);
  if (s.kind == schedule_kind::two_tier) text += part("slow ", s.request.slow_slots);
  return text;
}

auto run_schedule(const schedule_arguments& s) -> schedule_run {
  if (takes_slots(s.kind) && !s.slots)
    misuse("no --slots (" + std::string(s.kind == schedule_kind::online ? "an " : "a ") +
           std::string(name(s.kind)) +
           " schedule is made for a number of snapshots) give e.g. --slots 3?");
  refuse_endless(s);
  schedule_request request = s.request;
  request.slots = s.slots.value_or(1);
  request.max_steps = s.steps;
  request.steps = s.count_known ? s.steps : unbounded;
  any_schedule plan(s.kind, request);
  schedule_run r;
  r.slots = s.slots;
  r.tape_slots = plan.tape_slots();
  r.slow_slots = plan.slow_slots();
  const bool drawn = !s.plot.empty();
  r.counts = audit(std::move(plan), s.steps, [&](const action& a) {
    if (drawn) r.actions.push_back(a);
  });
  const bool bounded = takes_slots(s.kind) || s.kind == schedule_kind::nested;
  if (!bounded || s.kind == schedule_kind::mixed) return r;
  if (!r.slots || *r.slots < 1) r.slots = std::max<index>(1, r.counts.peak_snapshots);
  r.optimum = s.steps + extra_steps(s.steps, *r.slots);
  return r;
}

}  // namespace revode::cli
