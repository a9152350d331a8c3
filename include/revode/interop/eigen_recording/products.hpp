// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/interop/eigen_recording/array_ref.hpp>

namespace revode {

/// An array of a recording in the shape of Plain; a block of one that is not side by side has its
/// own outer stride (Strided), and is neither copied nor has it a cotangent of its own.
template <class Plain, bool Strided = false>
struct shaped_array {
  using plain_type = Plain;
  using T = typename Plain::Scalar;
  using stride = std::conditional_t<Strided, Eigen::OuterStride<>, Eigen::Stride<0, 0>>;

  array_ref<T> array;
  Eigen::Index rows, cols;
  Eigen::Index first = 0, outer = 0;

  Eigen::Map<const Plain, 0, stride> value() const { return map<const Plain>(array.value()); }
  Eigen::Map<Plain, 0, stride> bar_to_add(const array_place<T>& to) const {
    return map<Plain>(to.bar_to_add());
  }

 private:
  template <class P, class Pointer>
  Eigen::Map<P, 0, stride> map(Pointer elements) const {
    if constexpr (Strided)
      return {elements + first, rows, cols, stride(outer)};
    else
      return {elements, rows, cols};
  }
};

/// c = a b; of a row and a column by pairwise_sum.
template <class C, class A, class B>
void multiply_into(typename C::Scalar* c, const A& a, const B& b) {
  if constexpr (C::SizeAtCompileTime == 1)
    *c = pairwise_sum(a.value().row(0).transpose().cwiseProduct(b.value().col(0)));
  else
    Eigen::Map<C>(c, a.rows, b.cols).noalias() = a.value() * b.value();
}

/// C = A B, multiplied when C is first read. Its pull adds C̄ Bᵀ to Ā and Aᵀ C̄ to B̄, in place; a
/// factor whose partner is a constant is not kept.
template <class C, class A, class B>
class product_node {
  using T = typename C::Scalar;

 public:
  product_node(int id, A a, B b)
      : id_(id),
        pull_a_(a.array.tracked()),
        pull_b_(b.array.tracked()),
        a_(std::move(a)),
        b_(std::move(b)),
        to_a_(a_.array.place()),
        to_b_(b_.array.place()) {
    a_.array.keep();
    b_.array.keep();
  }

  void evaluate(T* c) {
    multiply_into<C>(c, a_, b_);
    if (!pull_b_) a_.array = {};
    if (!pull_a_) b_.array = {};
  }
  void operator()(recording<T>& r) const {
    if (r.arrays().bar(id_) == nullptr) return;
    const Eigen::Map<const C> w(r.arrays().bar(id_), a_.rows, b_.cols);
    if (pull_a_) a_.bar_to_add(to_a_).noalias() += w * b_.value().transpose();
    if (pull_b_) b_.bar_to_add(to_b_).noalias() += a_.value().transpose() * w;
    r.arrays().drop_bar(id_);
  }

 private:
  int id_;
  bool pull_a_, pull_b_;
  A a_;
  B b_;
  array_place<T> to_a_, to_b_;
};

template <class C, class A, class B>
array_ref<typename C::Scalar> array_product(recording<typename C::Scalar>& home, A a, B b) {
  const Eigen::Index rows = a.rows, cols = b.cols;
  if (!a.array.tracked() && !b.array.tracked()) {
    const auto c = make_array(home, rows * cols, false);
    multiply_into<C>(c.writable(), a, b);
    return c;
  }
  const int id = home.arrays().make_later(static_cast<std::size_t>(rows * cols));
  home.arrays().evaluate_by(id,
                            home.operation(product_node<C, A, B>(id, std::move(a), std::move(b))));
  return {home, id};
}

/// X = A⁻¹ B by a decomposition of A that the pull uses again: B̄ += A⁻ᵀ X̄ = S, Ā −= S Xᵀ. A
/// symmetric decomposition reads the lower triangle alone, so the cotangent is that triangle's.
template <bool Symmetric, class A, class B, class Decomposition>
array_ref<typename B::Scalar> array_solve(const Decomposition& decomposition,
                                          const array_place<typename B::Scalar>& to_a,
                                          shaped_array<B> b) {
  using T = typename B::Scalar;
  const Eigen::Index rows = b.rows, cols = b.cols;
  const bool pull_a = to_a.home->here() && to_a.tracked(), pull_b = b.array.tracked();
  const array_ref<T> x = make_array(*to_a.home, rows * cols, pull_a || pull_b);
  Eigen::Map<B>(x.writable(), rows, cols) = decomposition->solve(b.value());
  if (!pull_a && !pull_b) return x;
  record_pull(
      x, [=, to_b = b.array.place(), x = pull_a ? x : array_ref<T>()](const result_bar<T>& bar) {
        const B s = decomposition->transpose().solve(Eigen::Map<const B>(bar.data(), rows, cols));
        if (pull_b) Eigen::Map<B>(to_b.bar_to_add(), rows, cols) += s;
        if (!pull_a) return;
        Eigen::Map<A> a_bar(to_a.bar_to_add(), rows, rows);
        const Eigen::Map<const B> value(x.value(), rows, cols);
        if constexpr (!Symmetric) {
          a_bar.noalias() -= s * value.transpose();
        } else {
          const A g = s * value.transpose();
          a_bar.template triangularView<Eigen::StrictlyLower>() -= g + g.transpose();
          a_bar.diagonal() -= g.diagonal();
        }
      });
  return x;
}

}  // namespace revode
