// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

namespace revode {

/// What Eigen's matrices have and recorded ones do not, so that the compiler says what to do about it, first where it
/// has to look for the type of a result.
struct unrecorded_operations {
  template <class Number = void>
  struct no_elements {};  // so that a recorded matrix is not taken for an array of numbers

  template <class Number = void>
  no_elements<Number> data() const {
    static_assert(always_false<Number>,
                  "data() of a recorded matrix (its operations are recorded whole, and a Map or a "
                  "pointer would pass them by): write y[i], y.segment(...) or "
                  "y.segment(...).reshaped(rows, cols), or record a field number by number, "
                  "by_elements(field)?");
    return {};
  }
  /// A plain matrix has no place for the derivative.
  template <class Number, int R, int C, int O, int MR, int MC>
  operator Eigen::Matrix<Number, R, C, O, MR, MC>() const {
    static_assert(
        sizeof(Number) == 0,
        "a recorded matrix assigned to a plain one would lose its derivative: write auto, "
        "or the type of the carry, in place of the Eigen type?");
  }
  template <class... A>
  auto determinant(A&&...) const {
    return refuse<A...>();
  }
  template <class... A>
  auto replicate(A&&...) const {
    return refuse<A...>();
  }
  template <class... A>
  auto reverse(A&&...) const {
    return refuse<A...>();
  }
  template <class... A>
  auto prod(A&&...) const {
    return refuse<A...>();
  }
  template <class... A>
  auto householderQr(A&&...) const {
    return refuse<A...>();
  }
  template <class... A>
  auto colPivHouseholderQr(A&&...) const {
    return refuse<A...>();
  }
  template <class... A>
  auto cross(A&&...) const {
    return refuse<A...>();
  }
  template <class... A>
  auto binaryExpr(A&&...) const {
    return refuse<A...>();
  }
  template <class... A>
  auto redux(A&&...) const {
    return refuse<A...>();
  }
  template <class... A>
  auto coeffRef(A&&...) const {
    return refuse<A...>();
  }
  template <class... A>
  auto isNaN(A&&...) const {
    return refuse<A...>();
  }
  template <class... A>
  auto sign(A&&...) const {
    return refuse<A...>();
  }
  template <int Which, class Number = void>
  auto lpNorm() const {
    return refuse<Number>();
  }
  template <int Which, class Number = void>
  auto triangularView() const {
    return refuse<Number>();
  }
  template <int Which, class Number = void>
  auto selfadjointView() const {
    return refuse<Number>();
  }

 private:
  template <class...>
  static constexpr bool always_false = false;
  template <class... A>
  static auto refuse() {
    static_assert(always_false<A...>,
                  "an operation of Eigen that is not recorded on whole arrays: write it by those "
                  "that are (products, blocks, elementwise functions, sums, select, solves), or "
                  "record a field number by number, by_elements(field)?");
  }
};

}  // namespace revode
