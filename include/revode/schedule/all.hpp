// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>
#include <utility>
#include <variant>

#include <revode/schedule/binomial.hpp>
#include <revode/schedule/nested.hpp>
#include <revode/schedule/online.hpp>
#include <revode/schedule/store.hpp>

namespace revode {

/// The schedules by name; the only registry.
enum class schedule_kind : std::uint8_t { store_all, store_states, binomial, nested, online };

inline constexpr std::array schedule_names{
    std::pair{schedule_kind::store_all, std::string_view("store_all")},
    std::pair{schedule_kind::store_states, std::string_view("store_states")},
    std::pair{schedule_kind::binomial, std::string_view("binomial")},
    std::pair{schedule_kind::nested, std::string_view("nested")},
    std::pair{schedule_kind::online, std::string_view("online")}};

constexpr std::string_view name(schedule_kind kind) {
  for (const auto& [known, text] : schedule_names)
    if (known == kind) return text;
  return "unknown";
}

/// Is it made for a number of snapshots?
constexpr bool takes_slots(schedule_kind kind) {
  return kind == schedule_kind::binomial || kind == schedule_kind::online;
}

/// What a schedule may depend on.
struct schedule_request {
  index slots = 1;           ///< binomial, online: snapshots alive at once
  index base = 16;           ///< nested
  index max_steps = 0;       ///< nested: the loop's bound
  index steps = unbounded;   ///< the count, where it is known beforehand
};

/// Any of them, chosen at run time.
class any_schedule {
 public:
  any_schedule(schedule_kind kind, const schedule_request& r) : plan_(make(kind, r)) {}

  action next() {
    return std::visit([](auto& plan) { return plan.next(); }, plan_);
  }
  void finalize(index n) {
    std::visit([n](auto& plan) { plan.finalize(n); }, plan_);
  }
  index snapshot_slots() const {
    return std::visit([](const auto& plan) { return plan.snapshot_slots(); }, plan_);
  }
  index tape_slots() const {
    return std::visit([](const auto& plan) { return plan.tape_slots(); }, plan_);
  }

 private:
  using plan = std::variant<store_all, store_states, binomial, nested, online_greedy>;

  static plan make(schedule_kind kind, const schedule_request& r) {
    switch (kind) {
      case schedule_kind::store_states: return store_states{};
      case schedule_kind::binomial:
        return r.steps == unbounded ? binomial(r.slots) : binomial(r.slots, r.steps);
      case schedule_kind::nested: return nested(r.base, r.max_steps);
      case schedule_kind::online: return online_greedy(r.slots);
      case schedule_kind::store_all: break;
    }
    return store_all{};
  }

  plan plan_;
};

static_assert(schedule<any_schedule>);

}  // namespace revode
