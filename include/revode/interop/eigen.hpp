// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <Eigen/Core>

#include <revode/ad/dual.hpp>
#include <revode/ad/recording.hpp>

// What Eigen has to know of revode's scalars, so that `W * y`, `y.array().tanh()` and mixed products
// of numbers and duals compile inside a field with Eigen states. The duals go through Eigen's
// scalar kernels; its own reductions order the sums there (revode's never use them).

namespace revode {

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

template <class T>
struct NumTraits<revode::variable<T>> : revode::eigen_number<revode::variable<T>, T> {};

template <class T, int N, revode::constant_for<revode::dual<T, N>> C, class Operation>
struct ScalarBinaryOpTraits<revode::dual<T, N>, C, Operation> {
  using ReturnType = revode::dual<T, N>;
};

template <class T, int N, revode::constant_for<revode::dual<T, N>> C, class Operation>
struct ScalarBinaryOpTraits<C, revode::dual<T, N>, Operation> {
  using ReturnType = revode::dual<T, N>;
};

template <class T, revode::constant_for<revode::variable<T>> C, class Operation>
struct ScalarBinaryOpTraits<revode::variable<T>, C, Operation> {
  using ReturnType = revode::variable<T>;
};

template <class T, revode::constant_for<revode::variable<T>> C, class Operation>
struct ScalarBinaryOpTraits<C, revode::variable<T>, Operation> {
  using ReturnType = revode::variable<T>;
};

}  // namespace Eigen
