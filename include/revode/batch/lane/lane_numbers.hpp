// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include <revode/batch/lane/lane_select.hpp>
#include <revode/concepts.hpp>
#include <revode/state/elements.hpp>

namespace revode {

// How the carry, the tape and the parameters of W lanes lie in memory: number i of lane l at
// numbers[i][l], so that a loop over lanes reads and writes neighbours.

/// visit(i, x) for the numbers x of an aggregate of states or of a carry, in order; i counts from
/// `first`. Returns what follows the last.
template <class Part, class Visit>
REVODE_HD constexpr int for_each_number(Part& part, int first, Visit&& visit) {
  if constexpr (std::is_empty_v<std::remove_const_t<Part>>) {
    return first;
  } else if constexpr (dense<std::remove_const_t<Part>>) {
    static_assert(static_size_v<std::remove_const_t<Part>> >= 0,
                  "lanes need states and parameters of fixed size such as vec<double, 3>");
    for_each_element(
        part, [&](int i) __attribute__((always_inline)) { visit(first + i, part.data()[i]); });
    return first + length(part);
  } else if constexpr (requires { part.state, part.memo, part.cache; }) {
    first = for_each_number(part.state, first, visit);
    first = for_each_number(part.memo, first, visit);
    return for_each_number(part.cache, first, visit);
  } else {
    std::remove_const_t<Part>::parts(
        part, [&](auto& inner)
                  __attribute__((always_inline)) { first = for_each_number(inner, first, visit); });
    return first;
  }
}

/// What lane l has there, at numbers[i][l].
template <class Numbers, class Part>
REVODE_HD void read_lane(const Numbers& numbers, int l, Part& part) {
  for_each_number(
      part, 0, [&](int i, auto& x) __attribute__((always_inline)) { x = numbers[i][l]; });
}
template <class Numbers, class Part>
REVODE_HD void write_lane(const Part& part, Numbers& numbers, int l) {
  for_each_number(
      part, 0, [&](int i, const auto& x) __attribute__((always_inline)) { numbers[i][l] = x; });
}
/// The same where yes; else it keeps what it has.
template <class Numbers, class Part>
REVODE_HD void write_lane_if(bool yes, const Part& part, Numbers& numbers, int l) {
  for_each_number(
      part, 0, [&](int i, const auto& x) __attribute__((always_inline)) {
        numbers[i][l] = select(yes, x, numbers[i][l]);
      });
}

/// How many numbers that visits: all of a lane are of one type.
template <class Part, class T>
inline constexpr int numbers_in = std::is_empty_v<Part> ? 0 : sizeof(Part) / sizeof(T);

template <class M, class Y>
inline constexpr int numbers_in_carry =
    numbers_in<typename method_types<M, Y>::state, scalar_t<Y>> +
    numbers_in<typename method_types<M, Y>::memo, scalar_t<Y>> +
    numbers_in<typename method_types<M, Y>::cache, scalar_t<Y>>;

}  // namespace revode
