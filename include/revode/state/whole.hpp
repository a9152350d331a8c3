// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <type_traits>

#include <revode/config.hpp>
#include <revode/state/elements.hpp>

namespace revode {

/// What all of a state is, where only a part of it may be here. Elementwise work is on data() and size() of
/// the part; whatever is decided by numbers of all elements asks `whole`. States that are here as they are
/// need nothing of it, and pay nothing. A state spread over ranks specialises it (mpi/spread.hpp):
///   count(y), first(y)    elements of all parts, and which of them is the first here
///   alike(x, y)           is x spread like y?
///   sums<K>(y, add)       K sums over all elements, add(i, sums) for those of this part, and whether all
///                         elements are finite: `.of[k]`, `.finite`; sums<K>(y, add, x, code): the
///                         greatest x and the first code that is not 0 as well, `.most`, `.code`
///   sums_of_blocks(y, k, of)  of(first element, elements, sums) adds k sums of a block, those of all
///   agree(q, o, m, also, check, events…)  before any work: is every rank asked for the same, and does check() throw
///                         on none?
///   alone(y, body)        runs what may throw on one rank: did it not? The next decision throws it on all
///   any(y, here)          is it so on some rank?
///   most(y, of, here)     each number becomes the greatest of all ranks; is it so on all of them?
///   close(times, g)       the end of a reverse pass: sums over parts, of times as well, and one status
///   largest(x)            something as large as the largest part of x
///   questions             sums, and what is greatest, for conditions of several events at once
///   shares                a sum over parts, a share of which is known here: what a cotangent of a time is
///   by_parts(y, part), share(y, x)  such shares: of sums part(first, last) over elements; of a number that all know
///   products(x, a, b, share)  xᵀa and share + xᵀb: `.a`, `.b_and_share`
/// Those from sums on, but for largest, are of all ranks together, one collective each, and end alike on all
/// of them: in the same bits, or by throwing what a field threw on one.
template <class Y>
struct whole {
  static constexpr bool is_here = true;
};

/// Is only a part of such a state here?
template <class Y>
inline constexpr bool is_spread_v = !whole<Y>::is_here;

/// What a cotangent of a time is beside a state, where it is Time elsewhere: of a spread state shares of a sum.
template <class Y, class Time>
struct time_bar {
  using type = Time;
};
template <class Y, class Time>
requires requires { typename whole<Y>::shares; }
struct time_bar<Y, Time> {
  using type = typename whole<Y>::shares;
};
template <class Y, class Time = scalar_t<Y>>
using time_bar_t = typename time_bar<Y, Time>::type;

/// Runs what may throw where a part of y is, and tells whether it ran. Of a spread state the next decision
/// throws that on all ranks.
template <class Y, class Body>
bool alone(const Y& y, Body&& body) {
  if constexpr (is_spread_v<Y>)
    return whole<Y>::alone(y, body);
  else
    body();
  return true;
}

/// For what decides by the elements that are here.
template <class Y>
struct state_in_one_place {
  static_assert(!is_spread_v<Y>,
                "a state spread over ranks (the elements of one rank would decide here) take "
                "solve(q, m, o, recursive_checkpoint{}) and pullback?");
  static constexpr bool there = true;
};

/// K sums over all elements of a state, add(i, sums) for each here, in order; of long states by blocks
/// (block_sum), and of a spread one whether it is finite, too.
template <int K, class T = double>
struct sums_of_all {
  T of[K > 0 ? K : 1] = {};
  bool finite = true;
  double most = 0;
  int code = 0;

  REVODE_HD friend sums_of_all operator+(sums_of_all a, const sums_of_all& b) {
    for (int k = 0; k < K; ++k) a.of[k] = a.of[k] + b.of[k];
    return a;
  }
};
template <int K, class T = double, class Y, class Add>
REVODE_HD auto sums_over(const Y& y, const Add& add) {
  using sums = sums_of_all<K, T>;
  if constexpr (is_spread_v<Y>) {
    return whole<Y>::template sums<K>(y, add);
  } else if constexpr (static_size_v<Y> >= 0 && static_size_v<Y> <= block_length) {
    sums all;
    for_each_element(
        y, [&](int i) __attribute__((always_inline)) { add(i, all.of); });
    return all;
  } else {
    return block_sum<sums>(length(y), [&](int first, int last) {
      sums part;
      for (int i = first; i < last; ++i) add(i, part.of);
      return part;
    });
  }
}
/// How many elements all of a state has.
template <class Y>
REVODE_HD double count_of(const Y& y) {
  if constexpr (is_spread_v<Y>)
    return whole<Y>::count(y);
  else
    return static_cast<double>(y.size());
}
/// The mean of a number an element.
struct mean_of_all {
  double mean;
  bool finite = true;
};
template <class Y, class Number>
REVODE_HD mean_of_all mean_over(const Y& y, const Number& number) {
  const auto all = sums_over<1>(y, [&](int i, double* sum) { *sum += number(i); });
  const double n = count_of(y);
  return {n > 0 ? all.of[0] / n : 0.0, all.finite};
}
/// What is the greatest on any rank that holds a part of y.
template <class Y>
double most_of_all(const Y& y, double here) {
  if constexpr (is_spread_v<Y>) {
    std::array<double, 1> of{here};
    whole<Y>::most(y, of);
    return of[0];
  }
  return here;
}
/// Is it so on all ranks that hold a part of y?
template <class Y>
bool true_of_all(const Y& y, bool here) {
  if constexpr (is_spread_v<Y>) return !whole<Y>::any(y, !here);
  return here;
}
/// Σ over elements, part(first, last) of some in sequence, as a cotangent of a time.
template <class Y, class Part>
REVODE_HD time_bar_t<Y> sum_by_parts(const Y& y, const Part& part) {
  if constexpr (is_spread_v<Y>)
    return whole<Y>::by_parts(y, part);
  else
    return part(0, length(y));
}
/// A number that all know, as a cotangent of a time.
template <class Y, class T>
time_bar_t<Y, T> share_of(const Y& y, const T& x) {
  if constexpr (is_spread_v<Y>) return whole<Y>::share(y, x);
  return x;
}
/// share + xᵀa: of a spread state the number that is their sum over all of it.
template <class Y, class T>
auto product_over(const Y& x, const Y& a, const T& share) {
  if constexpr (is_spread_v<Y>)
    return whole<Y>::products(x, a, a, share).b_and_share;
  else
    return share + static_cast<T>(dot(a, x));
}
/// Is y finite, where nobody else tells? Attempts tell of spread states by their status.
template <class Y>
bool is_finite_here(const Y& y) {
  return is_spread_v<Y> || all_finite(y);
}
/// Is all of y finite? Of a spread state a decision by itself.
template <class Y>
bool all_of_it_finite(const Y& y) {
  if constexpr (is_spread_v<Y>)
    return sums_over<0>(y, [](int, double*) {}).finite;
  else
    return all_finite(y);
}

}  // namespace revode
