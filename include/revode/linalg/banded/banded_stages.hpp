// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <type_traits>
#include <vector>

#include <revode/linalg/banded/banded_lu.hpp>
#include <revode/linalg/mass_row.hpp>

namespace revode {

/// x = (a ⊗ M − diag(j₁ … j_S))⁻¹ right, or its transpose: S coupled stages with Jacobians of their
/// own, from one banded matrix in which the stages of an unknown are neighbours; refined once.
/// cost    S³ times that of one stage, and its allocations: for steps that refinement does not solve
template <bool Transposed, int S, class Mass, class Y>
bool solve_banded_stages(const scalar_t<Y> (&a)[S][S], const Mass& mass,
                         const banded_matrix<Y> (&j)[S], const Y (&right)[S], Y (&x)[S]) {
  using T = scalar_t<Y>;
  using vector = std::vector<T>;
  const int n = j[0].rows();
  constexpr int beside = std::is_same_v<Mass, nothing> ? 0 : S - 1;
  const int lower = S * j[0].lower() + beside, upper = S * j[0].upper() + beside;
  banded_matrix<vector> all;
  all.resize(S * n, lower > S - 1 ? lower : S - 1, upper > S - 1 ? upper : S - 1);
  for (int i = 0; i < S; ++i)
    for (int k = 0; k < n; ++k) {
      for (int l = j[i].first(k); l <= j[i].last(k); ++l) all(k * S + i, l * S + i) = -j[i](k, l);
      for (int q = 0; q < S; ++q)
        visit_row(mass, k, [&](int l, double m) {
          T& element = all(k * S + i, l * S + q);
          element = muladd(T(m), a[i][q], element);
        });
    }
  banded_lu<T> factors;
  if (!factors.factor(all)) return false;
  vector rest(static_cast<std::size_t>(S * n)), found(rest.size());
  for (int round = 0; round < 2; ++round) {
    for (T& value : found) value = -value;
    for (int i = 0; i < S; ++i)
      for (int k = 0; k < n; ++k) rest[static_cast<std::size_t>(k * S + i)] = right[i].data()[k];
    if constexpr (Transposed) {
      add_transposed_product(all, found, rest);
      factors.solve_transposed(rest);
    } else {
      add_product(all, found, rest);
      factors.solve(rest);
    }
    for (std::size_t k = 0; k < found.size(); ++k) found[k] = rest[k] - found[k];
  }
  for (int i = 0; i < S; ++i)
    for (int k = 0; k < n; ++k) x[i].data()[k] = found[static_cast<std::size_t>(k * S + i)];
  return true;
}

}  // namespace revode
