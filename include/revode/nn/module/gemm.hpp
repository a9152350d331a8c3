// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <type_traits>
#include <utility>

#include <revode/interop/eigen.hpp>
#include <revode/nn/products_by.hpp>

// Every product of matrices of revode::nn is made here, see products_by.hpp.
#if defined(REVODE_BLAS)
extern "C" {
void sgemm_(const char*, const char*, const int*, const int*, const int*, const float*,
            const float*, const int*, const float*, const int*, const float*, float*, const int*);
void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*,
            const double*, const int*, const double*, const int*, const double*, double*,
            const int*);
}
#endif

namespace revode::nn {

#if defined(REVODE_BLAS)
inline constexpr bool has_blas = true;
inline void call_gemm(char a, char b, int m, int n, int k, const float* x, int ldx, const float* y,
                      int ldy, float beta, float* to, int ld) {
  const float one = 1;
  sgemm_(&a, &b, &m, &n, &k, &one, x, &ldx, y, &ldy, &beta, to, &ld);
}
inline void call_gemm(char a, char b, int m, int n, int k, const double* x, int ldx,
                      const double* y, int ldy, double beta, double* to, int ld) {
  const double one = 1;
  dgemm_(&a, &b, &m, &n, &k, &one, x, &ldx, y, &ldy, &beta, to, &ld);
}
#else
inline constexpr bool has_blas = false;
#endif

/// Rows lie behind each other, not columns.
template <class A>
inline constexpr bool by_rows_v = bool(std::remove_cvref_t<A>::IsRowMajor);

/// Eigen takes products of few numbers in vectors or one by one, as they lie in memory: where its vectors have fused
/// products and single numbers, with -ffp-contract=off, have not, the last bits would follow the address.
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA) || defined(__VSX__)
inline constexpr bool vectors_fuse = true;
#else
inline constexpr bool vectors_fuse = false;
#endif

/// Those by the same operations wherever they lie: c ← a b, or c += a b.
template <bool Add, class A, class B, class C>
void small_product(const A& a, const B& b, C&& c) {
  using T = typename std::remove_reference_t<C>::Scalar;
  for (index j = 0; j < c.cols(); ++j)
    for (index i = 0; i < c.rows(); ++i) {
      T sum(0);
      for (index k = 0; k < a.cols(); ++k) sum += a.coeff(i, k) * b.coeff(k, j);
      c.coeffRef(i, j) = Add ? T(c.coeff(i, j) + sum) : sum;
    }
}

/// c ← a b, or c += a b, of matrices that are referred to (maps, blocks of them, transposes), all of one plain
/// scalar. c overlaps neither factor.
/// bits  those of one library with one number of threads of its own, whatever the memory they lie in
template <bool Add, class A, class B, class C>
void gemm(const A& a, const B& b, C&& c) {
  using T = typename std::remove_reference_t<C>::Scalar;
  constexpr bool same =
      std::is_same_v<T, typename A::Scalar> && std::is_same_v<T, typename B::Scalar>;
  if constexpr (has_blas && same && (std::is_same_v<T, float> || std::is_same_v<T, double>)) {
#if defined(REVODE_BLAS)
    const auto leading = [](const auto& x) {
      return std::max(static_cast<int>(x.outerStride()), 1);
    };
    const int m = static_cast<int>(c.rows()), n = static_cast<int>(c.cols());
    const int k = static_cast<int>(a.cols());
    const T beta = Add ? T(1) : T(0);
    if constexpr (by_rows_v<C>)  // cᵀ = bᵀ aᵀ
      call_gemm(by_rows_v<B> ? 'N' : 'T', by_rows_v<A> ? 'N' : 'T', n, m, k, b.data(), leading(b),
                a.data(), leading(a), beta, c.data(), leading(c));
    else
      call_gemm(by_rows_v<A> ? 'T' : 'N', by_rows_v<B> ? 'T' : 'N', m, n, k, a.data(), leading(a),
                b.data(), leading(b), beta, c.data(), leading(c));
#endif
  } else {
    if constexpr (vectors_fuse && std::is_floating_point_v<T>)
      if (a.cols() + c.rows() + c.cols() < 20) return small_product<Add>(a, b, c);
    if constexpr (Add)
      c.noalias() += a * b;
    else
      c.noalias() = a * b;
  }
}

}  // namespace revode::nn
