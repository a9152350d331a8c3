// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include <revode/schedule/all.hpp>

namespace revode {

any_schedule::any_schedule(schedule_kind kind, const schedule_request& r)
    : plan_(all_schedules::make(kind, r)) {
  look();
}
any_schedule::any_schedule(const any_schedule& other) : plan_(other.plan_) { look(); }
any_schedule::any_schedule(any_schedule&& other) noexcept : plan_(std::move(other.plan_)) {
  look();
}
any_schedule& any_schedule::operator=(const any_schedule& other) {
  plan_ = other.plan_;
  rest_ = nullptr;
  look();
  return *this;
}
any_schedule::~any_schedule() = default;

/// Where the parts of the plan are that next() asks without a call.
void any_schedule::look() {
  std::visit(
      [&](auto& plan) {
        if constexpr (requires { plan.sweep(); }) sweep_ = plan.sweep();
      },
      plan_);
}
action any_schedule::next_of_plan() {
  return std::visit(
      [&](auto& plan) {
        if constexpr (requires { plan.sweep(); }) sweep_ = plan.sweep();
        return plan.next();
      },
      plan_);
}
void any_schedule::decide() {
  std::visit(
      [](auto& plan) {
        if constexpr (requires { plan.decide(); }) plan.decide();
      },
      plan_);
}
void any_schedule::finalize(index n) {
  std::visit(
      [&](auto& plan) {
        plan.finalize(n);
        if constexpr (requires { plan.rest(); }) rest_ = plan.rest();
      },
      plan_);
  look();
}
index any_schedule::snapshot_slots() const {
  return std::visit([](const auto& plan) { return plan.snapshot_slots(); }, plan_);
}
index any_schedule::tape_slots() const {
  return std::visit([](const auto& plan) { return plan.tape_slots(); }, plan_);
}
index any_schedule::units() const {
  return std::visit([](const auto& plan) { return revode::units(plan); }, plan_);
}
index any_schedule::tape_units() const {
  return std::visit([](const auto& plan) { return revode::tape_units(plan); }, plan_);
}
index any_schedule::slow_slots() const {
  return std::visit([](const auto& plan) { return revode::slow_slots(plan); }, plan_);
}

}  // namespace revode
