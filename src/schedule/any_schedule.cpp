// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include <revode/schedule/all.hpp>

namespace revode {

any_schedule::any_schedule(schedule_kind kind, const schedule_request& r)
    : plan_(all_schedules::make(kind, r)) {}
any_schedule::any_schedule(const any_schedule& other) : plan_(other.plan_) {}
any_schedule::any_schedule(any_schedule&& other) noexcept : plan_(std::move(other.plan_)) {}
any_schedule& any_schedule::operator=(const any_schedule& other) {
  plan_ = other.plan_;
  rest_ = nullptr;
  return *this;
}
any_schedule::~any_schedule() = default;

action any_schedule::next_of_plan() {
  return std::visit([](auto& plan) { return plan.next(); }, plan_);
}
void any_schedule::finalize(index n) {
  std::visit(
      [&](auto& plan) {
        plan.finalize(n);
        if constexpr (requires { plan.rest(); }) rest_ = &plan.rest();
      },
      plan_);
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
