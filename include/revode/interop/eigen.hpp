// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <limits>
#include <type_traits>
#include <utility>

#include <Eigen/Core>

#include <revode/ad/dual.hpp>
#include <revode/ad/recording/recording.hpp>
#include <revode/state/elements.hpp>

// What Eigen has to know of revode's scalars, so that `W * y`, `y.array().tanh()` and mixed products
// of numbers and duals compile inside a field with Eigen states. The duals go through Eigen's
// scalar kernels; its own reductions order the sums there (revode's never use them).

namespace revode {

template <class T, int N, class D>
inline constexpr bool eigen_may_hold_v<dual<T, N, D>> = true;
template <class T, class H>
inline constexpr bool eigen_may_hold_v<variable<T, H>> = true;

template <class X, class T>
struct eigen_number {
  using Real = X;
  using NonInteger = X;
  using Nested = X;
  using Literal = T;

  enum {
    IsComplex = 0,
    IsInteger = 0,
    IsSigned = 1,
    RequireInitialization = 1,
    ReadCost = 2,
    AddCost = 4,
    MulCost = 8
  };

  static X epsilon() { return X(limits::epsilon()); }
  static X dummy_precision() { return X(Eigen::NumTraits<innermost>::dummy_precision()); }
  static X highest() { return X((limits::max)()); }
  static X lowest() { return X(limits::lowest()); }
  static X infinity() { return X(limits::infinity()); }
  static X quiet_NaN() { return X(limits::quiet_NaN()); }
  static int digits10() { return limits::digits10; }

 private:
  using innermost = decltype(value_of(std::declval<X>()));
  using limits = std::numeric_limits<innermost>;
};

}  // namespace revode

namespace Eigen {

template <class T, int N>
struct NumTraits<revode::dual<T, N>> : revode::eigen_number<revode::dual<T, N>, T> {};

template <class T, class H>
struct NumTraits<revode::variable<T, H>> : revode::eigen_number<revode::variable<T, H>, T> {};

template <class T, int N, revode::constant_for<revode::dual<T, N>> C, class Operation>
struct ScalarBinaryOpTraits<revode::dual<T, N>, C, Operation> {
  using ReturnType = revode::dual<T, N>;
};

template <class T, int N, revode::constant_for<revode::dual<T, N>> C, class Operation>
struct ScalarBinaryOpTraits<C, revode::dual<T, N>, Operation> {
  using ReturnType = revode::dual<T, N>;
};

template <class T, class H, revode::constant_for<revode::variable<T, H>> C, class Operation>
struct ScalarBinaryOpTraits<revode::variable<T, H>, C, Operation> {
  using ReturnType = revode::variable<T, H>;
};

template <class T, class H, revode::constant_for<revode::variable<T, H>> C, class Operation>
struct ScalarBinaryOpTraits<C, revode::variable<T, H>, Operation> {
  using ReturnType = revode::variable<T, H>;
};

// Two of Eigen 3.4's kernels do not serve scalars with derivatives, and are replaced for them by
// loops: the blocked matrix product does not compile for mixed scalars, and the triangular solve
// skips elements that compare equal to 0, which loses the derivative of an element whose value is 0.
namespace internal {

template <class Lhs, class Rhs>
concept mixed_derivative =
    !std::is_same_v<Lhs, Rhs> && (revode::differentiable<Lhs> || revode::differentiable<Rhs>);

template <class Index, class Lhs, int LhsOrder, bool ConjugateLhs, class Rhs, int RhsOrder,
          bool ConjugateRhs, int ResultStride>
requires mixed_derivative<Lhs, Rhs>
struct general_matrix_matrix_product<Index, Lhs, LhsOrder, ConjugateLhs, Rhs, RhsOrder,
                                     ConjugateRhs, ColMajor, ResultStride> {
  using Traits = gebp_traits<Lhs, Rhs>;
  using ResScalar = typename ScalarBinaryOpTraits<Lhs, Rhs>::ReturnType;

  static void run(Index rows, Index cols, Index depth, const Lhs* lhs, Index lhs_stride,
                  const Rhs* rhs, Index rhs_stride, ResScalar* result, Index result_increment,
                  Index result_stride, ResScalar alpha, level3_blocking<Lhs, Rhs>&,
                  GemmParallelInfo<Index>* = nullptr) {
    const_blas_data_mapper<Lhs, Index, LhsOrder> a(lhs, lhs_stride);
    const_blas_data_mapper<Rhs, Index, RhsOrder> b(rhs, rhs_stride);
    for (Index j = 0; j < cols; ++j) {
      for (Index i = 0; i < rows; ++i) {
        ResScalar sum(0);
        for (Index k = 0; k < depth; ++k) sum += a(i, k) * b(k, j);
        result[i * result_increment + j * result_stride] += alpha * sum;
      }
    }
  }
};

template <class X>
inline constexpr bool moves_at_zero_v = revode::differentiable<X>;
template <class X>
inline constexpr bool moves_at_zero_v<std::complex<X>> = revode::differentiable<X>;

template <class Lhs, class Rhs, class Index, int Mode, bool Conjugate, int Order>
struct substitution_with_derivatives {
  static void run(Index size, const Lhs* matrix, Index stride, Rhs* x) {
    const_blas_data_mapper<Lhs, Index, Order> elements(matrix, stride);
    const auto a = [&](Index i, Index j) -> Lhs { return conj_if<Conjugate>()(elements(i, j)); };
    constexpr bool lower = (Mode & Lower) != 0;
    for (Index k = 0; k < size; ++k) {
      const Index i = lower ? k : size - 1 - k;
      for (Index l = 0; l < k; ++l) {
        const Index j = lower ? l : size - 1 - l;
        x[i] -= a(i, j) * x[j];
      }
      if constexpr ((Mode & UnitDiag) == 0) x[i] /= a(i, i);
    }
  }
};

template <class Lhs, class Rhs, class Index, int Mode, bool Conjugate>
requires moves_at_zero_v<Rhs>
struct triangular_solve_vector<Lhs, Rhs, Index, OnTheLeft, Mode, Conjugate, RowMajor>
    : substitution_with_derivatives<Lhs, Rhs, Index, Mode, Conjugate, RowMajor> {
};

template <class Lhs, class Rhs, class Index, int Mode, bool Conjugate>
requires moves_at_zero_v<Rhs>
struct triangular_solve_vector<Lhs, Rhs, Index, OnTheLeft, Mode, Conjugate, ColMajor>
    : substitution_with_derivatives<Lhs, Rhs, Index, Mode, Conjugate, ColMajor> {
};

}  // namespace internal

}  // namespace Eigen
