// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/linalg/algebra.hpp>
#include <revode/solve/mass/mass_matrix.hpp>
#include <revode/solve/statistics.hpp>
#include <revode/state/elements.hpp>

namespace revode {

template <class Y>
using consistency_factors = dense_lu<scalar_t<Y>>;

/// The rows of M, and for each constraint one that takes an element that M leaves open: factored.
template <class T>
bool factor_open_slope(const mass_matrix& m, dense_lu<T>& k) {
  dense_matrix<T> rows(m.size());
  for (int i = 0; i < m.size(); ++i)
    if (!m.is_constrained(i))
      for (const auto& e : m.row(i)) rows(i, e.at) = T(e.value);
  for (const auto& c : m.constraints()) rows(c.row, c.open) = T(1);
  return k.factor(rows);
}

/// x ← the vector with M x = f, f in x, and 0 where M leaves it open; its transpose.
template <bool Transposed, class System, class Y>
void solve_open_slope(System& sys, Y& x) {
  using T = scalar_t<Y>;
  const auto drop = [&] {
    for (const auto& c : sys.mass.constraints()) x.data()[c.row] = T(0);
  };
  consistency_factors<Y> k;
  if (!factor_open_slope(sys.mass, k)) return report(sys, status::linear_solve_failure);
  if constexpr (Transposed) {
    k.solve_transposed(x);
    drop();
  } else {
    drop();
    k.solve(x);
  }
}

}  // namespace revode
