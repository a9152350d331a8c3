// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include <revode/concepts.hpp>
#include <revode/state/algebra.hpp>

namespace revode {

// How the carry, the tape and the parameters of W lanes lie in memory: number i of lane l at
// numbers[i][l], so that a loop over lanes reads and writes neighbours.

/// visit(i, x) for the numbers x of an aggregate of states, in order; i counts from `first`. Returns
/// what follows the last.
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
  } else {
    std::remove_const_t<Part>::parts(
        part, [&](auto& inner)
                  __attribute__((always_inline)) { first = for_each_number(inner, first, visit); });
    return first;
  }
}

/// A carry is its state, memo and cache.
template <class M, class Y, class Visit>
REVODE_HD constexpr void for_each_number(carry<M, Y>& c, Visit&& visit) {
  const int memo = for_each_number(c.state, 0, visit);
  const int cache = for_each_number(c.memo, memo, visit);
  for_each_number(c.cache, cache, visit);
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
