// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include <revode/interop/eigen_recording/vectorwise.hpp>

// Elements chosen by comparisons: masks, mask.select(a, b), and the largest or smallest of every column or row.
// What is chosen is a constant of the derivative.

namespace revode {

/// a where ones are, b where zeros are.
template <class T>
struct chosen_of {
  static constexpr int pull_a_reads = 0, pull_b_reads = 0;
  array_ref<T> ones;

  auto where() const { return ones.values() > T(0); }
  auto value(const auto& a, const auto& b) const { return where().select(a, b); }
  auto pull_a(const auto&, const auto&, const auto&, const auto& w) const {
    return where().select(w, T(0));
  }
  auto pull_b(const auto&, const auto&, const auto&, const auto& w) const {
    return where().select(T(0), w);
  }
};

/// What a comparison of recorded arrays gives: ones and zeros, without derivatives.
template <class Plain>
class mask_variable {
  using T = typename Plain::Scalar;
  using Index = Eigen::Index;

 public:
  explicit mask_variable(matrix_variable<Plain> ones) : ones_(std::move(ones)) {}

  const matrix_variable<Plain>& ones() const { return ones_; }
  Index rows() const { return ones_.rows(); }
  Index cols() const { return ones_.cols(); }
  bool coeff(Index i) const { return is(ones_.array_node().value()[i]); }
  bool operator[](Index i) const { return coeff(i); }
  Index count() const {
    Index sum = 0;
    for (Index i = 0, n = ones_.size(); i < n; ++i) sum += coeff(i) ? 1 : 0;
    return sum;
  }
  bool any() const { return count() > 0; }
  bool all() const { return count() == ones_.size(); }
  mask_variable operator!() const {
    return mask_variable(ones_.unaryExpr([](const auto& x) { return 1 - x; }));
  }
  template <class Other>
  mask_variable operator&&(const mask_variable<Other>& other) const {
    return mask_variable(ones_.cwiseMin(other.ones()));
  }
  template <class Other>
  mask_variable operator||(const mask_variable<Other>& other) const {
    return mask_variable(ones_.cwiseMax(other.ones()));
  }

  /// The elements of a where the mask is set, elsewhere those of b; a number stands for a matrix of its value.
  template <class A, class B>
  auto select(const A& a, const B& b) const {
    static_assert(!number_like<A> || !number_like<B>,
                  "a choice between two numbers: one of them has to be a matrix, as for Eigen's "
                  "select");
    using like = typename leading_plain<A, B>::type;
    if constexpr (!number_like<A>) expect_same_shape("choice", ones_, a);
    if constexpr (!number_like<B>) expect_same_shape("choice", ones_, b);
    const auto mask = recorded_like<like>(recording_for(a, b), ones_);
    return combine(chosen_of<typename like::Scalar>{mask.array_node().keep()}, a, b, "choice");
  }

 private:
  static bool is(const T& x) { return x > T(0); }

  matrix_variable<Plain> ones_;
};

/// a ? b, element by element.
template <class Compare, class A, class B>
auto compared(const Compare& compare, const A& a, const B& b) {
  static_assert(number_like<A> || has_array_kind<A>,
                "a comparison of matrices: write .array() as Eigen asks?");
  static_assert(number_like<B> || has_array_kind<B>,
                "a comparison of matrices: write .array() as Eigen asks?");
  using like = typename leading_plain<A, B>::type;
  using T = typename like::Scalar;
  const auto of = [&]<class X>(const X& x) {
    if constexpr (number_like<X>) {
      return [value = variable<T>(x).value](Eigen::Index) { return value; };
    } else {
      auto kept = recorded_like<like>(recording_for(a, b), x);
      const T* const at = kept.array_node().value();
      return [kept = std::move(kept), at](Eigen::Index i) { return at[i]; };
    }
  };
  if constexpr (!number_like<A> && !number_like<B>) expect_same_shape("comparison", a, b);
  const auto x = of(a);
  const auto y = of(b);
  Eigen::Index rows, cols;
  if constexpr (number_like<A>)
    rows = b.rows(), cols = b.cols();
  else
    rows = a.rows(), cols = a.cols();
  const array_ref<T> ones = make_array(recording_for(a, b), rows * cols, false);
  T* const one = ones.writable();
  for (Eigen::Index i = 0; i < rows * cols; ++i) one[i] = T(compare(x(i), y(i)) ? 1 : 0);
  return mask_variable<like>({ones, rows, cols});
}

template <class A, class B>
concept compared_arrays = array_formula<A, B> &&(recorded_array<A> || recorded_array<B>);

template <class A, class B>
requires compared_arrays<A, B>
auto operator<(const A& a, const B& b) { return compared(std::less<>(), a, b); }
template <class A, class B>
requires compared_arrays<A, B>
auto operator>(const A& a, const B& b) { return compared(std::greater<>(), a, b); }
template <class A, class B>
requires compared_arrays<A, B>
auto operator<=(const A& a, const B& b) { return compared(std::less_equal<>(), a, b); }
template <class A, class B>
requires compared_arrays<A, B>
auto operator>=(const A& a, const B& b) { return compared(std::greater_equal<>(), a, b); }
template <class A, class B>
requires compared_arrays<A, B>
auto operator==(const A& a, const B& b) { return compared(std::equal_to<>(), a, b); }
template <class A, class B>
requires compared_arrays<A, B>
auto operator!=(const A& a, const B& b) { return compared(std::not_equal_to<>(), a, b); }

/// The first of the elements of each column (row) that no other comes before: the largest for std::greater.
template <class Plain, bool Columns>
template <class Before>
auto vectorwise_variable<Plain, Columns>::first_of(const Before& before) const {
  const Index lanes = Columns ? m_.cols() : m_.rows(), length = Columns ? m_.rows() : m_.cols();
  if (length == 0)
    throw std::invalid_argument("the largest or smallest of " + std::to_string(length) +
                                " elements (there has to be one) give the matrix some?");
  const Index lane = within ? length : 1, next = within ? 1 : lanes;
  const auto chosen = [=](const T* x, Index o) {
    Index best = o * lane;
    for (Index i = 1; i < length; ++i)
      if (before(x[o * lane + i * next], x[best])) best = o * lane + i * next;
    return best;
  };
  const array_ref<T>& x = m_.array_node();
  const array_ref<T> y = make_array(*x.where(), lanes, x.tracked());
  for (Index o = 0; o < lanes; ++o) y.writable()[o] = x.value()[chosen(x.value(), o)];
  if (x.tracked())
    record_pull(y, [chosen, lanes, to = x.place(), x = x.keep()](const result_bar<T>& bar) {
      T* const sum = to.bar_to_add();
      for (Index o = 0; o < lanes; ++o) sum[chosen(x.value(), o)] += bar.data()[o];
    });
  return matrix_variable<sums_type>(y, Columns ? 1 : lanes, Columns ? lanes : 1);
}

}  // namespace revode
