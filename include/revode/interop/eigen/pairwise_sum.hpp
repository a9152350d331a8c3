// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

namespace revode {

/// How many elements are summed before halves are.
inline constexpr Eigen::Index summed_at_once = 256;

/// x[0] + … + x[n − 1] for a few: sixteen sums side by side, which vectors hold, and a tree over them.
template <class T>
T sum_at_once(const T* x, Eigen::Index n) {
  constexpr int lanes = 16;
  using group = Eigen::Array<T, lanes, 1>;
  group sums = group::Constant(T(0));
  Eigen::Index i = 0;
  for (; i + lanes <= n; i += lanes) sums += Eigen::Map<const group>(x + i);
  for (int k = 0; i + k < n; ++k) sums[k] = sums[k] + x[i + k];
  for (int width = lanes / 2; width > 0; width /= 2)
    for (int k = 0; k < width; ++k) sums[k] = sums[k] + sums[k + width];
  return sums[0];
}

/// Elements [from, from + n) of a vector or one-dimensional array, any Eigen expression.
template <class X>
typename X::Scalar pairwise_sum(const X& x, Eigen::Index from, Eigen::Index n) {
  using T = typename X::Scalar;
  if (n > summed_at_once) {
    const Eigen::Index half = (n / 2 + summed_at_once - 1) / summed_at_once * summed_at_once;
    return T(pairwise_sum(x, from, half) + pairwise_sum(x, from + half, n - half));
  }
  Eigen::Array<T, Eigen::Dynamic, 1, 0, static_cast<int>(summed_at_once), 1> values(n);
  if constexpr (X::RowsAtCompileTime == 1 && X::ColsAtCompileTime != 1)
    values = x.segment(from, n).transpose().array();
  else
    values = x.segment(from, n).array();
  return sum_at_once(values.data(), n);
}

/// Σ x over all elements of an Eigen expression, in an order that depends on its shape alone: blocks, then
/// pairs of sums. The error grows with the logarithm of the count: of nine million floats 1e-6 of the sum of
/// their sizes at most, where Eigen's own sum, a few sums side by side, loses 5e-3.
/// source  Higham, The accuracy of floating point summation, SIAM J. Sci. Comput. 14 (1993), 783
template <class X>
typename X::Scalar pairwise_sum(const X& x) {
  using T = typename X::Scalar;
  if constexpr (X::IsVectorAtCompileTime) {
    return pairwise_sum(x, 0, x.size());
  } else {
    Eigen::Array<T, Eigen::Dynamic, 1> sums(x.outerSize());
    for (Eigen::Index o = 0; o < x.outerSize(); ++o) {
      if constexpr (X::IsRowMajor)
        sums[o] = pairwise_sum(x.row(o), 0, x.cols());
      else
        sums[o] = pairwise_sum(x.col(o), 0, x.rows());
    }
    return pairwise_sum(sums, 0, sums.size());
  }
}

}  // namespace revode
