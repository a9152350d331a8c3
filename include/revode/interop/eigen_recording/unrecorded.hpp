// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace revode {

/// What Eigen's matrices have and recorded ones do not, so that the compiler says what to do about it.
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
  template <class... A>
  void determinant(A&&...) const {
    refuse<A...>();
  }
  template <class... A>
  void replicate(A&&...) const {
    refuse<A...>();
  }
  template <class... A>
  void reverse(A&&...) const {
    refuse<A...>();
  }
  template <class... A>
  void prod(A&&...) const {
    refuse<A...>();
  }
  template <class... A>
  void householderQr(A&&...) const {
    refuse<A...>();
  }
  template <class... A>
  void colPivHouseholderQr(A&&...) const {
    refuse<A...>();
  }
  template <class... A>
  void cross(A&&...) const {
    refuse<A...>();
  }
  template <class... A>
  void binaryExpr(A&&...) const {
    refuse<A...>();
  }
  template <class... A>
  void redux(A&&...) const {
    refuse<A...>();
  }
  template <class... A>
  void coeffRef(A&&...) const {
    refuse<A...>();
  }
  template <class... A>
  void isNaN(A&&...) const {
    refuse<A...>();
  }
  template <class... A>
  void sign(A&&...) const {
    refuse<A...>();
  }
  template <int Which, class Number = void>
  void lpNorm() const {
    refuse<Number>();
  }
  template <int Which, class Number = void>
  void triangularView() const {
    refuse<Number>();
  }
  template <int Which, class Number = void>
  void selfadjointView() const {
    refuse<Number>();
  }

 private:
  template <class...>
  static constexpr bool always_false = false;
  template <class... A>
  static void refuse() {
    static_assert(always_false<A...>,
                  "an operation of Eigen that is not recorded on whole arrays: write it by those "
                  "that are (products, blocks, elementwise functions, sums, select, solves), or "
                  "record a field number by number, by_elements(field)?");
  }
};

}  // namespace revode
