// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <klu.h>

#include <revode/linalg/sparse/sparsity.hpp>

namespace revode {

/// By how much elements may grow in a factorisation with pivots that were chosen for other numbers.
inline constexpr double klu_most_growth = 1e6;

/// Whether no element of U is klu_most_growth times as large as the matrix' on the diagonal of its column, so that
/// klu_rgrowth, which looks for the largest of each column, need not be asked: that takes half as long as a
/// factorisation. False says nothing. K = 2: complex numbers, whose sizes are taken from below and from above.
/// Columns of U are read as KLU packs them in one block, indices before numbers.
/// source  Davis & Palamadai Natarajan, ACM Trans. Math. Softw. 37 (2010) 36
template <int K>
bool klu_grows_little(const klu_symbolic& of, const klu_numeric& by,
                      const diagonal_places& diagonal, const double* values) {
  if (of.nblocks != 1 || by.Rs == nullptr || of.n < 2) return false;
  const auto* block = static_cast<const double*>(by.LUbx[0]);
  const auto* pivots = static_cast<const double*>(by.Udiag);
  constexpr int numbers = K * static_cast<int>(sizeof(double) / sizeof(int));  // indices in a place
  for (int k = 0; k < of.n; ++k) {
    const double* own = values + K * diagonal.of_row[static_cast<std::size_t>(of.Q[k])];
    double size = std::abs(own[0]);
    if (K == 2) size = size > std::abs(own[1]) ? size : std::abs(own[1]);
    const double most = klu_most_growth / 2 / K * size / by.Rs[k];
    const auto fits = [most](double x) { return std::abs(x) <= most; };
    const int length = by.Ulen[k], skipped = (length + numbers - 1) / numbers;
    const double* column = block + K * (by.Uip[k] + skipped);
    for (int e = 0; e < K * length; ++e)
      if (!fits(column[e])) return false;
    for (int part = 0; part < K; ++part)
      if (!fits(pivots[K * k + part])) return false;
  }
  return true;
}

}  // namespace revode
