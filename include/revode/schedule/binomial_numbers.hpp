// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/config.hpp>

namespace revode {

/// Counts at or above this are reported as this: sums of three of them still fit an index.
inline constexpr index saturated = index{1} << 60;

/// c * num / den for a quotient that is known to be whole, saturating.
REVODE_HD constexpr index whole_ratio(index c, index num, index den) {
  constexpr index small = index{1} << 30;
  if (c <= small && num <= small) return c * num / den;
  const index quotient = c / den, rest = c % den;
  if (quotient >= saturated / num) return saturated;
  const index result = quotient * num + rest * num / den;
  return result < saturated ? result : saturated;
}

/// beta(s, r) = C(s + r, s): the most steps that s slots reverse when every step is run at most r
/// times without a tape and once with one. 0 for negative arguments; saturating.
/// cost    O(min(s, r))    source  Griewank, Optim. Methods Softw. 1 (1992) 35-54
REVODE_HD constexpr index beta(index s, index r) {
  if (s < 0 || r < 0) return 0;
  const index few = s < r ? s : r, many = s < r ? r : s;
  if (few == 0) return 1;
  if (many >= saturated) return saturated;
  index c = 1;  // C(many + i, i)
  for (index i = 1; i <= few && c < saturated; ++i) c = whole_ratio(c, many + i, i);
  return c;
}

/// The repetition number: the least r with n <= beta(s, r); s >= 1.
/// cost    O(r) for r <= 32, then O(min(s, r) log r)
REVODE_HD constexpr index repetitions(index n, index s) {
  if (n <= 1) return 0;
  if (s >= n - 1) return 1;
  if (s == 1) return n - 1;
  index c = 1;
  for (index r = 1; r <= 32; ++r) {
    c = whole_ratio(c, s + r, r);
    if (c >= n) return r;
  }
  index below = 32, above = 64;  // beta(s, below) < n <= beta(s, above)
  while (beta(s, above) < n) {
    below = above;
    above *= 2;
  }
  while (above - below > 1) {
    const index middle = below + (above - below) / 2;
    (beta(s, middle) < n ? below : above) = middle;
  }
  return above;
}

/// t(n, s) = r n - beta(s + 1, r - 1), r = repetitions(n, s): the fewest step evaluations beyond
/// one sweep that reverse n steps with s >= 1 slots (x_0's included) and keep the last step's tape.
/// Saturates once r n reaches 2^60.
/// source  Griewank & Walther, ACM Trans. Math. Softw. 26 (2000) 19-45
REVODE_HD constexpr index extra_steps(index n, index s) {
  const index r = repetitions(n, s);
  if (r == 0) return 0;
  if (r >= saturated / n) return saturated;
  return r * n - beta(s + 1, r - 1);
}

/// split for n that need more than two repetitions.
#if defined(__CUDACC__)
REVODE_HD
#else
[[gnu::noinline]]  // so that split stays small where it is inlined
#endif
constexpr index split_of_many(index n, index s) {
  const index r = repetitions(n, s);
  const index full = beta(s, r - 1);
  const index right = whole_ratio(full, s, s + r - 1);                 // beta(s - 1, r - 1)
  const index corner = whole_ratio(right, s - 1, s + r - 2);           // beta(s - 2, r - 1)
  if (n <= full + corner) return whole_ratio(full, r - 1, s + r - 1);  // beta(s, r - 2)
  if (n < full + right + corner) return n - right - corner;
  return full;
}

/// Where to put the next snapshot: m in 1..n-1 that minimises m + t(m, s) + t(n - m, s - 1), and of
/// those minimisers one that leads to the fewest snapshot writes. n >= 2, s >= 1.
/// cost    O(1) for repetitions up to 2, then that of repetitions
/// source  the rule of Griewank & Walther (2000), as an exact case distinction
REVODE_HD constexpr index split(index n, index s) {
  if (s == 1) return n - 1;
  if (n - 1 <= s) return 1;
  if (s > index{1} << 30 || n > (s + 1) * (s + 2) / 2) return split_of_many(n, s);
  return n <= 2 * s ? 1 : n < 3 * s ? n - 2 * s + 1 : s + 1;
}

/// n + t(n, s): every step evaluation of the optimal reversal of n >= 1 steps, s >= 1 slots.
/// cost    O(1) for repetitions up to 2, then that of extra_steps
REVODE_HD constexpr index sweep_steps(index n, index s) {
  if (n - 1 <= s) return 2 * n - 1;
  if (s <= index{1} << 30 && n <= (s + 1) * (s + 2) / 2) return 3 * n - s - 2;
  return n + extra_steps(n, s);
}

}  // namespace revode
