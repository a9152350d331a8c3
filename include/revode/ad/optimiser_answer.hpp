// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <string_view>

namespace revode {

/// Is the optimiser of this unit asked whether it finds the length of a field's recording constant? That
/// of g++ knows; clang's keeps recordings in memory, and without optimisation, or with an address
/// sanitizer, nothing is seen through.
#if defined(__clang__) || !defined(__OPTIMIZE__) || defined(__SANITIZE_ADDRESS__)
constexpr bool optimiser_answers = false;
#else
constexpr bool optimiser_answers = true;
#endif

/// What came of such a question, one a program: units of other flags would answer otherwise, so that
/// the first that asks answers for all, and where the answer is yes, gives them its code. Whoever asks
/// later goes the same way, to the bit, whatever its own flags are.
class optimiser_answer {
 public:
  void give(bool yes) { state_.store(yes ? answered_yes : answered_no, std::memory_order_relaxed); }

  /// One of three names: the answer was yes, no, or nobody has asked.
  std::string_view name(std::string_view yes, std::string_view no,
                        std::string_view not_asked) const {
    const signed char state = state_.load(std::memory_order_relaxed);
    return state == answered_yes ? yes : state == answered_no ? no : not_asked;
  }

 private:
  static constexpr signed char answered_no = 1, answered_yes = 2;
  std::atomic<signed char> state_{0};
};

}  // namespace revode
