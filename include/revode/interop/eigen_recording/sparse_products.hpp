// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

#include <revode/interop/eigen_recording/arithmetic.hpp>

// Products of sparse matrices of numbers, stencils say, with recorded ones (include <Eigen/SparseCore>).

namespace revode {

/// A sparse constant for the pull: copied, since it may be gone by then, or the Map that it is.
template <class S>
auto keep_sparse(const S& s) {
  if constexpr (is_view_v<S>)
    return [s]() -> const S& { return s; };
  else
    return [s = std::make_shared<const typename S::PlainObject>(s)]() -> const auto& { return *s; };
}

/// C = f(B), linear in B, and its pull: B̄ += back(C̄).
template <class C, class B, class F, class Back>
matrix_variable<C> linear_image(const matrix_variable<B>& b, Eigen::Index rows, Eigen::Index cols,
                                const F& f, Back back) {
  using T = typename B::Scalar;
  const array_ref<T>& x = b.array_node();
  const array_ref<T> y = make_array(*x.where(), rows * cols, x.tracked());
  Eigen::Map<C>(y.writable(), rows, cols) = f(b.values());
  if (x.tracked())
    record_pull(y, [=, to = x.place(), r = b.rows(), c = b.cols(),
                    back = std::move(back)](const result_bar<T>& bar) {
      Eigen::Map<B>(to.bar_to_add(), r, c) += back(Eigen::Map<const C>(bar.data(), rows, cols));
    });
  return {y, rows, cols};
}

/// b as a matrix of its own, beside a sparse one.
template <class S, class B>
auto beside_sparse(const B& b) {
  using plain = recorded_plain_t<B>;
  static_assert(!is_array_shape_v<plain>,
                "a matrix beside an array: write .array() or .matrix() as Eigen asks?");
  expect_numbers<S, typename plain::Scalar>();
  return matrix_variable<plain>(b);
}

template <plain_sparse S, recorded_array B>
auto operator*(const S& s, const B& b) {
  expect_product(s, b);
  const auto x = beside_sparse<S>(b);
  using plain = recorded_plain_t<B>;
  using result = plain_shape_t<typename plain::Scalar, -1, plain::ColsAtCompileTime, false, false>;
  return linear_image<result>(
      x, s.rows(), b.cols(), [&](const auto& of) { return s * of; },
      [kept = keep_sparse(s)](const auto& w) { return kept().transpose() * w; });
}

template <recorded_array A, plain_sparse S>
auto operator*(const A& a, const S& s) {
  expect_product(a, s);
  const auto x = beside_sparse<S>(a);
  using plain = recorded_plain_t<A>;
  using result = plain_shape_t<typename plain::Scalar, plain::RowsAtCompileTime, -1, false, false>;
  return linear_image<result>(
      x, a.rows(), s.cols(), [&](const auto& of) { return of * s; },
      [kept = keep_sparse(s)](const auto& w) { return w * kept().transpose(); });
}

}  // namespace revode
