// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include <revode/interop/eigen_recording/arithmetic.hpp>

namespace revode {

/// m.colwise() and m.rowwise(): a vector beside every column or row, and sums over them.
template <class Plain, bool Columns>
class vectorwise_variable {
  using T = typename Plain::Scalar;
  using Index = Eigen::Index;
  static constexpr bool is_array = is_array_shape_v<Plain>;
  static constexpr bool within = Columns != bool(Plain::IsRowMajor);  // lanes lie side by side
  using sums_type =
      plain_shape_t<T, Columns ? 1 : Plain::RowsAtCompileTime,
                    Columns ? Plain::ColsAtCompileTime : 1, Plain::IsRowMajor, is_array>;

 public:
  explicit vectorwise_variable(const matrix_variable<Plain>& m)
      : m_(m),
        whole_(const_cast<matrix_variable<Plain>*>(&m)) {}

  auto operator+(const auto& v) const { return beside(plus_of{}, v); }
  auto operator-(const auto& v) const { return beside(difference_of{}, v); }
  auto operator*(const auto& v) const { return beside(times_of{}, v); }
  auto operator/(const auto& v) const { return beside(ratio_of{}, v); }
  void operator+=(const auto& v) { change(plus_of{}, v); }
  void operator-=(const auto& v) { change(difference_of{}, v); }
  void operator*=(const auto& v) { change(times_of{}, v); }
  void operator/=(const auto& v) { change(ratio_of{}, v); }

  matrix_variable<sums_type> sum() const {
    return {array_partial_sums(m_.array_node(), parts(), within), Columns ? 1 : m_.rows(),
            Columns ? m_.cols() : 1};
  }
  auto mean() const { return sum() / static_cast<T>(Columns ? m_.rows() : m_.cols()); }
  auto squaredNorm() const { return vectorwise_variable(m_.square()).sum(); }
  auto norm() const { return squaredNorm().sqrt(); }
  auto maxCoeff() const { return first_of(std::greater<>()); }
  auto minCoeff() const { return first_of(std::less<>()); }

  template <class V, class F>
  matrix_variable<Plain> beside(const F& f, const V& v) const {
    const Index lane = Columns ? m_.rows() : m_.cols();
    if (v.size() != lane || (v.rows() != 1 && v.cols() != 1))
      throw std::invalid_argument("a " + shape_text(v.rows(), v.cols()) + " matrix beside each " +
                                  (Columns ? "column" : "row") + " of a " +
                                  shape_text(m_.rows(), m_.cols()) + " matrix (a vector of " +
                                  std::to_string(lane) + " is meant) resize it?");
    recording<T>& home = recording_for(m_, v);
    const auto m = in_own_order(home, m_);
    const auto vector = recorded_like<Plain>(home, v);
    constexpr extent lanes = within ? extent::repeated : extent::each;
    return {apply_binary(f, home, operand<T, extent::full>{m.array_node()},
                         operand<T, lanes>{vector.array_node()}, m_.size(), parts()),
            m_.rows(), m_.cols()};
  }

 private:
  template <class Before>
  auto first_of(const Before& before) const;  // choices.hpp
  Index parts() const { return Plain::IsRowMajor ? m_.rows() : m_.cols(); }
  void change(const auto& f, const auto& v) {
    matrix_variable<Plain> changed = beside(f, v);
    *whole_ = changed;
  }

  matrix_variable<Plain> m_;
  matrix_variable<Plain>* whole_;
};

/// v.asDiagonal(): diag(v) B scales rows, B diag(v) columns.
template <class Plain>
class diagonal_variable {
 public:
  explicit diagonal_variable(const matrix_variable<Plain>& v) : v_(v) {}
  const matrix_variable<Plain>& vector() const { return v_; }

 private:
  matrix_variable<Plain> v_;
};

/// B as a recorded matrix of v's recording.
template <class P, class B>
auto scaled_matrix(const matrix_variable<P>& v, const B& b) {
  auto& home = recording_for(v, b);
  return in_own_order(home, b);
}

template <class P, class B>
requires recorded_array<B> || plain_array<B>
auto operator*(const diagonal_variable<P>& d, const B& b) {
  return scaled_matrix(d.vector(), b).colwise() * d.vector();
}

template <class P, class B>
requires recorded_array<B> || plain_array<B>
auto operator*(const B& b, const diagonal_variable<P>& d) {
  return scaled_matrix(d.vector(), b).rowwise() * d.vector();
}

/// The diagonal of m.
template <class Plain>
auto diagonal_of(const matrix_variable<Plain>& m) {
  using T = typename Plain::Scalar;
  const Eigen::Index n = std::min(m.rows(), m.cols()), rows = m.rows(), cols = m.cols();
  const array_ref<T>& x = m.array_node();
  const array_ref<T> y = make_array(*x.where(), n, x.tracked());
  flat<T>(y.writable(), n) = m.values().matrix().diagonal().array();
  if (x.tracked()) {
    record_pull(y, [=, to = x.place()](const result_bar<T>& bar) {
      Eigen::Map<as_matrix_t<Plain>>(to.bar_to_add(), rows, cols).diagonal() +=
          bar.part(0, 1).matrix();
    });
  }
  return matrix_variable<plain_shape_t<T, -1, 1, false, is_array_shape_v<Plain>>>(y, n, 1);
}

/// A.partialPivLu(), A.llt(), A.ldlt() of a recorded A: the decomposition serves the solve and its
/// pull (include <Eigen/LU> or <Eigen/Cholesky>, as for plain matrices).
template <class Plain, class Decomposition, bool Symmetric>
class solver_variable {
  using T = typename Plain::Scalar;

 public:
  explicit solver_variable(const matrix_variable<Plain>& a)
      : a_(a.array_node().place()),
        decomposition_(std::make_shared<const Decomposition>(a.values().matrix())) {}

  template <class B>
  auto solve(const B& b) const {
    if (b.rows() != decomposition_->rows()) expect_product(*decomposition_, b);
    const auto x = in_own_order(*a_.home, b);
    using P = typename decltype(x)::plain_type;
    return matrix_variable<P>(
        array_solve<Symmetric, Plain, P>(decomposition_, a_, {x.array_node(), x.rows(), x.cols()}),
        x.rows(), x.cols());
  }

 private:
  array_place<T> a_;
  std::shared_ptr<const Decomposition> decomposition_;
};

}  // namespace revode
