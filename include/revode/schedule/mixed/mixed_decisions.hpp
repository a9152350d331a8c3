// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <queue>
#include <vector>

#include <revode/schedule/mixed/mixed_numbers.hpp>
#include <revode/schedule/mixed/mixed_optimum.hpp>

namespace revode {

/// The decisions by which reversing so many steps in so many units costs A(steps, units), where
/// those of mixed_numbers::plain do not: none to 200 of them up to 1000 steps. The optimum is one
/// of a single kind of tape.
/// cost    construction O(steps) a unit and a decision; 8 bytes a decision; find() O(their log)
class mixed_decisions {
 public:
  mixed_decisions() = default;  ///< none
  mixed_decisions(const mixed_optimum& optimum, index steps, index units) {
    const index tape = std::max(optimum.costs().stage, optimum.costs().restart);
    const bool resumes = optimum.costs().restart > 0;
    const mixed_numbers numbers(tape);
    std::priority_queue<std::uint64_t> open;  // most units first, then most steps
    const auto meet = [&](start_kind start, index n, index u) {
      if (n > 1) open.push(key(start, n, u));
    };
    meet(start_kind::passing, steps, units);
    for (level at; !open.empty();) {
      const std::uint64_t stretch = open.top();
      while (!open.empty() && open.top() == stretch) open.pop();
      const auto start = static_cast<start_kind>(stretch & 3);
      const auto n = static_cast<index>(stretch >> 2 & all_steps);
      const auto u = static_cast<index>(stretch >> 18);
      if (u != at.u) at.load(optimum, u);
      auto choice = numbers.plain(start, n, u, resumes);
      if (!choice || !at.attains(start, n, *choice)) {
        choice = at.choose(start, n);
        kept_.push_back(stretch << 16 | code(*choice));
      }
      switch (choice->what) {
        case mixed_choice::store: meet(start_kind::stored, n, u - 1); break;
        case mixed_choice::tape:
          meet(resumes ? start_kind::resumable : start_kind::passing, n - 1,
               u + (start == start_kind::stored) - tape);
          break;
        case mixed_choice::advance:
          meet(start_kind::passing, n - choice->steps, u);
          meet(start, choice->steps, u);
      }
    }
    kept_.shrink_to_fit();
  }

  /// Nothing where it is the plain one, or where the stretch is not met.
  std::optional<mixed_choice> find(start_kind start, index n, index u) const {
    const std::uint64_t stretch = key(start, n, u);
    const auto found = std::partition_point(kept_.begin(), kept_.end(),
                                            [=](auto kept) { return kept >> 16 > stretch; });
    if (found == kept_.end() || *found >> 16 != stretch) return {};
    const auto steps = static_cast<index>(*found & all_steps);
    if (steps == 0) return mixed_choice{mixed_choice::store};
    if (steps == all_steps) return mixed_choice{mixed_choice::tape};
    return mixed_choice{mixed_choice::advance, steps};
  }

  index size() const { return static_cast<index>(kept_.size()); }
  index bytes() const { return 8 * size() + 96; }  ///< on the heap, in a shared_ptr

 private:
  static constexpr index all_steps = mixed_optimum::most_steps;

  /// The programme for one number of units.
  struct level {
    index u = -1;
    mixed_optimum::row least[3], taped, taped_instead;

    void load(const mixed_optimum& optimum, index units) {
      u = units;
      for (const auto start : {start_kind::passing, start_kind::stored, start_kind::resumable})
        least[static_cast<std::size_t>(start)] = optimum.least(start, u);
      taped = optimum.taped(u);
      taped_instead = optimum.taped(u + 1);
    }

    bool attains(start_kind start, index steps, const mixed_choice& choice) const {
      const auto n = static_cast<std::size_t>(steps), i = static_cast<std::size_t>(choice.steps);
      const mixed_optimum::row& from = least[static_cast<std::size_t>(start)];
      const auto& tape = start == start_kind::stored ? taped_instead : taped;
      if (choice.what != mixed_choice::advance)
        return (choice.what == mixed_choice::tape) == (tape[n] == from[n]);
      return choice.steps + least[0][n - i] + from[i] == from[n];
    }

    mixed_choice choose(start_kind start, index n) const {
      mixed_choice choice{mixed_choice::tape};
      if (attains(start, n, choice)) return choice;
      if (start == start_kind::passing) return {mixed_choice::store};
      choice = {mixed_choice::advance, 1};
      while (!attains(start, n, choice)) ++choice.steps;
      return choice;
    }
  };

  static std::uint64_t key(start_kind start, index n, index u) {
    return static_cast<std::uint64_t>(u << 18 | n << 2 | static_cast<index>(start));
  }
  static std::uint64_t code(const mixed_choice& choice) {
    if (choice.what == mixed_choice::advance) return static_cast<std::uint64_t>(choice.steps);
    return choice.what == mixed_choice::store ? 0 : all_steps;
  }

  std::vector<std::uint64_t> kept_;  // descending: units, steps, start; then what to do
};

}  // namespace revode
