// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include <revode/schedule/binomial.hpp>
#include <revode/schedule/kind.hpp>
#include <revode/schedule/mixed.hpp>
#include <revode/schedule/nested.hpp>
#include <revode/schedule/online.hpp>
#include <revode/schedule/online/online_seeded.hpp>
#include <revode/schedule/periodic.hpp>
#include <revode/schedule/store.hpp>
#include <revode/schedule/two_tier.hpp>
#include <revode/schedule/wang_moin.hpp>

namespace revode {

/// Schedule types that can be made from a request and told apart by name.
template <schedule... S>
struct schedule_list {
  using any = std::variant<S...>;
  static constexpr index size = sizeof...(S);

  static constexpr auto names() {
    index kind = 0;
    return std::array{std::pair{static_cast<schedule_kind>(kind++), S::name}...};
  }
  static constexpr std::array summaries{S::summary...};
  static any make(schedule_kind kind, const schedule_request& r) {
    using maker = any (*)(const schedule_request&);
    constexpr maker makers[] = {+[](const schedule_request& q) { return any(S::make(q)); }...};
    return makers[static_cast<std::size_t>(kind)](r);
  }
};

/// The only registry: in the order of schedule_kind.
using all_schedules = schedule_list<store_all, store_states, binomial, nested, online_greedy,
                                    online_seeded, wang_moin, mixed, periodic, two_tier>;

inline constexpr auto schedule_names = all_schedules::names();

constexpr std::string_view name(schedule_kind kind) {
  for (const auto& [known, text] : schedule_names)
    if (known == kind) return text;
  return "unknown";
}

/// What is special about it, in a few words.
constexpr std::string_view summary(schedule_kind kind) {
  return all_schedules::summaries[static_cast<std::size_t>(kind)];
}

static_assert(name(schedule_kind::store_all) == "store_all" &&
              name(schedule_kind::online) == "online" &&
              name(schedule_kind::two_tier) == "two_tier" &&
              static_cast<index>(schedule_kind::two_tier) + 1 == all_schedules::size);

/// Is it made for a number of snapshots (mixed: of units)?
constexpr bool takes_slots(schedule_kind kind) {
  switch (kind) {
    case schedule_kind::store_all:
    case schedule_kind::store_states:
    case schedule_kind::nested:
    case schedule_kind::periodic: return false;
    default: return true;
  }
}

/// Any of them, chosen at run time. Compiled once, in the library: a call an action, but none where
/// the plan is a first sweep between two decisions, or only an optimal reversal is left.
class any_schedule {
 public:
  any_schedule(schedule_kind kind, const schedule_request& r);
  any_schedule(const any_schedule&);
  any_schedule(any_schedule&&) noexcept;
  any_schedule& operator=(const any_schedule&);  ///< of the same kind: in the memory it has
  ~any_schedule();

  action next() {
    if (rest_ != nullptr) return rest_->next();
    if (sweep_ == nullptr) return next_of_plan();
    if (sweep_->undecided()) decide();
    return sweep_->next();
  }
  void finalize(index n);
  index snapshot_slots() const;
  index tape_slots() const;
  index units() const;
  index tape_units() const;
  index slow_slots() const;

 private:
  action next_of_plan();
  void decide();
  void look();

  all_schedules::any plan_;
  first_sweep* sweep_ = nullptr;  // of plan_, while it is one
  reversal* rest_ = nullptr;      // of plan_, once it is finalized and as long as it stays here
};

static_assert(schedule<any_schedule>);

}  // namespace revode
