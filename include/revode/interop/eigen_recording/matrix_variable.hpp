// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>
#include <utility>

#include <revode/interop/eigen_recording/elementwise.hpp>
#include <revode/interop/eigen_recording/matrix_storage.hpp>
#include <revode/interop/eigen_recording/products.hpp>
#include <revode/interop/eigen_recording/shapes.hpp>
#include <revode/interop/eigen_recording/unrecorded.hpp>

namespace revode {

template <class Plain, class Other>
class view_variable;
template <class Whole, class Part>
class slice_variable;
template <class Plain>
class comma_list;
template <class Plain, bool Columns>
class vectorwise_variable;
template <class Plain>
class diagonal_variable;
template <class Plain, class Decomposition, bool Symmetric>
class solver_variable;

/// What a recorded body sees in place of an Eigen matrix, vector or array of type Plain, written as
/// one writes Eigen. Every operation is carried out at once and is one node of the recording,
/// whatever the size of the matrix. Copies share their elements until one of them is written to.
/// A value is kept while a variable or a pull needs it, and its memory is used again.
/// errors  std::invalid_argument where shapes do not fit
template <class Plain>
class matrix_variable : public matrix_storage<Plain>,
                        public constants_of_type<Plain>,
                        public unrecorded_operations {
  using storage = matrix_storage<Plain>;
  using storage::rows_, storage::cols_, storage::home;

 public:
  using variable_type = matrix_variable;
  using plain_type = Plain;
  using T = typename Plain::Scalar;
  using Scalar = variable<T>;
  using PlainObject = matrix_variable;
  using Index = Eigen::Index;
  using matrix_type = as_matrix_t<Plain>;
  static constexpr int RowsAtCompileTime = Plain::RowsAtCompileTime;
  static constexpr int ColsAtCompileTime = Plain::ColsAtCompileTime;
  static constexpr int SizeAtCompileTime = Plain::SizeAtCompileTime;
  static constexpr bool IsRowMajor = Plain::IsRowMajor;
  static constexpr bool IsVectorAtCompileTime = Plain::IsVectorAtCompileTime;

  using storage::array_node, storage::rows, storage::cols, storage::size, storage::written;

  matrix_variable() = default;
  /// is_view: what Eigen has as a view of another matrix, and here is a value of its own; made where
  /// it is returned, since a copy of it is none
  matrix_variable(array_ref<T> array, Index rows, Index cols, bool is_view = false)
      : storage(std::move(array), rows, cols, is_view) {}
  /// Not written yet.
  matrix_variable(Index rows, Index cols) : storage({}, rows, cols) {}
  explicit matrix_variable(Index size) requires IsVectorAtCompileTime { resize(size); }
  matrix_variable(const plain_array auto& x) { *this = x; }
  matrix_variable(const matrix_variable& other) = default;
  template <class Other>
  matrix_variable(const matrix_variable<Other>& other) {
    assign(other);
  }

  /// The numbers alone.
  Eigen::Map<const Plain> values() const { return {array_node().value(), rows_, cols_}; }

  // --- assignment; not to temporaries, where it would be lost (slices have their own)
  matrix_variable& operator=(const matrix_variable& other) & { return become(other); }
  template <recorded_array X>
  matrix_variable& operator=(const X& x) & {
    return become(static_cast<const typename X::variable_type&>(x));
  }
  template <plain_array X>
  matrix_variable& operator=(const X& x) & {
    expect_numbers<X, T>();
    const array_ref<T> copy = make_array(home(), x.size(), false);
    Eigen::Map<Plain>(copy.writable(), x.rows(), x.cols()) = x.template cast<T>();
    return become(matrix_variable(copy, x.rows(), x.cols()));
  }
  matrix_variable& noalias() & { return *this; }
  matrix_variable& operator+=(const auto& x) & { return *this = *this + x; }
  matrix_variable& operator-=(const auto& x) & { return *this = *this - x; }
  matrix_variable& operator*=(const auto& x) & { return *this = *this * x; }
  matrix_variable& operator/=(const auto& x) & { return *this = *this / x; }
  matrix_variable& setConstant(const T& value) & {
    return *this = Plain::Constant(rows_, cols_, value);
  }
  matrix_variable& setZero() & { return setConstant(T(0)); }
  matrix_variable& setZero(Index rows, Index cols) & {
    resize(rows, cols);
    return setZero();
  }
  matrix_variable& setOnes() & { return setConstant(T(1)); }
  void resize(Index rows, Index cols) & {
    if (rows != rows_ || cols != cols_) this->set(this->blank(), rows, cols);
  }
  void resize(Index size) & { ColsAtCompileTime == 1 ? resize(size, 1) : resize(1, size); }

  // --- other views of the same elements
  auto array() const& { return view_variable<Plain, as_array_t<Plain>>(*this, false); }
  auto array() & { return view_variable<Plain, as_array_t<Plain>>(*this, true); }
  auto matrix() const& { return view_variable<Plain, as_matrix_t<Plain>>(*this, false); }
  auto matrix() & { return view_variable<Plain, as_matrix_t<Plain>>(*this, true); }
  auto transpose() const { return view_of<transposed_t<Plain>>(*this, cols_, rows_); }
  auto adjoint() const { return transpose(); }
  const matrix_variable& eval() const { return *this; }
  auto reshaped(Index rows, Index cols) const {
    using column_major =
        plain_shape_t<T, RowsAtCompileTime, ColsAtCompileTime, false, is_array_shape_v<Plain>>;
    const matrix_variable<column_major> x(*this);
    expect_size(rows * cols);
    return view_of<plain_shape_t<T, -1, -1, false, is_array_shape_v<Plain>>>(x, rows, cols);
  }
  auto reshaped() const {
    using column = plain_shape_t<T, -1, 1, false, is_array_shape_v<Plain>>;
    return view_of<column>(reshaped(size(), 1), size(), 1);
  }

  /// The same numbers over float or double.
  template <class U>
  auto cast() const {
    using other =
        plain_shape_t<U, RowsAtCompileTime, ColsAtCompileTime, IsRowMajor, is_array_shape_v<Plain>>;
    return matrix_variable<other>(array_cast<U>(array_node()), rows_, cols_);
  }

  // --- functions of elements
  auto tanh() const { return each(tanh_of{}); }
  auto exp() const { return each(exp_of{}); }
  auto log() const { return each(log_of{}); }
  auto log1p() const { return each(log1p_of{}); }
  auto sqrt() const { return each(sqrt_of{}); }
  auto square() const { return each(square_of{}); }
  auto cube() const { return each(cube_of{}); }
  auto inverse() const requires is_array_shape_v<Plain> { return each(inverse_of{}); }
  auto sin() const { return each(sin_of{}); }
  auto cos() const { return each(cos_of{}); }
  auto tan() const { return each(tan_of{}); }
  auto asin() const { return each(asin_of{}); }
  auto acos() const { return each(acos_of{}); }
  auto atan() const { return each(atan_of{}); }
  auto sinh() const { return each(sinh_of{}); }
  auto cosh() const { return each(cosh_of{}); }
  auto expm1() const { return each(expm1_of{}); }
  auto rsqrt() const { return each(rsqrt_of{}); }
  auto abs() const { return each(abs_of{}); }
  auto abs2() const { return each(square_of{}); }
  auto logistic() const { return each(logistic_of{}); }
  auto pow(const auto& exponent) const {
    using number = decltype(value_of(T()));  // of duals: log x is then not asked for
    if constexpr (std::is_arithmetic_v<std::decay_t<decltype(exponent)>>)
      return each(pow_of<number>{static_cast<number>(exponent)});
    else
      return each(pow_of<T>{exponent});
  }
  bool allFinite() const { return values().allFinite(); }
  auto cwiseAbs() const { return each(abs_of{}); }
  auto cwiseAbs2() const { return each(square_of{}); }
  auto cwiseSqrt() const { return each(sqrt_of{}); }
  auto cwiseInverse() const { return each(inverse_of{}); }
  matrix_variable unaryExpr(const auto& f) const {
    return {apply_function(f, array_node()), rows_, cols_};
  }
  auto cwiseProduct(const auto& x) const {
    return combine(times_of{}, *this, x, "elementwise product");
  }
  auto cwiseQuotient(const auto& x) const {
    return combine(ratio_of{}, *this, x, "elementwise quotient");
  }
  auto cwiseMax(const auto& x) const { return combine(larger_of{}, *this, x, "maximum"); }
  auto cwiseMin(const auto& x) const { return combine(smaller_of{}, *this, x, "minimum"); }
  auto max(const auto& x) const { return cwiseMax(x); }
  auto min(const auto& x) const { return cwiseMin(x); }

  // --- numbers
  Scalar sum() const { return array_sum(array_node()); }
  Scalar mean() const { return sum() / static_cast<T>(size()); }
  Scalar squaredNorm() const { return array_squared_norm(array_node()); }
  Scalar norm() const { return revode::sqrt(squaredNorm()); }
  auto normalized() const { return *this / norm(); }
  Scalar trace() const { return diagonal().sum(); }
  Scalar maxCoeff() const {
    Index i;
    array_node().values().maxCoeff(&i);
    return array_element(array_node(), i);
  }
  Scalar minCoeff() const {
    Index i;
    array_node().values().minCoeff(&i);
    return array_element(array_node(), i);
  }
  Scalar dot(const auto& x) const { return dot_of(*this, x); }
  Scalar value() const { return (*this)(0, 0); }
  operator Scalar() const requires(SizeAtCompileTime == 1) { return value(); }

  // --- elements, slices (slices.hpp)
  const Scalar operator()(Index i, Index j) const {
    return array_element(array_node(), position(i, j));
  }
  const Scalar operator()(Index i) const { return array_element(array_node(), i); }
  const Scalar operator[](Index i) const { return array_element(array_node(), i); }
  Scalar coeff(Index i) const { return array_element(array_node(), i); }
  auto operator()(Index i, Index j) { return element(position(i, j)); }
  auto operator()(Index i) { return element(i); }
  auto operator[](Index i) { return element(i); }
  auto x() const { return (*this)[0]; }
  auto y() const { return (*this)[1]; }
  auto z() const { return (*this)[2]; }
  auto block(Index i, Index j, Index r, Index c) const& { return part<-1, -1>(i, j, r, c); }
  auto row(Index i) const& { return part<1, ColsAtCompileTime>(i, 0, 1, cols_); }
  auto col(Index j) const& { return part<RowsAtCompileTime, 1>(0, j, rows_, 1); }
  auto topRows(Index n) const& { return part<-1, ColsAtCompileTime>(0, 0, n, cols_); }
  auto bottomRows(Index n) const& { return part<-1, ColsAtCompileTime>(rows_ - n, 0, n, cols_); }
  auto middleRows(Index i, Index n) const& { return part<-1, ColsAtCompileTime>(i, 0, n, cols_); }
  auto leftCols(Index n) const& { return part<RowsAtCompileTime, -1>(0, 0, rows_, n); }
  auto rightCols(Index n) const& { return part<RowsAtCompileTime, -1>(0, cols_ - n, rows_, n); }
  auto middleCols(Index j, Index n) const& { return part<RowsAtCompileTime, -1>(0, j, rows_, n); }
  auto topLeftCorner(Index r, Index c) const& { return block(0, 0, r, c); }
  auto topRightCorner(Index r, Index c) const& { return block(0, cols_ - c, r, c); }
  auto bottomLeftCorner(Index r, Index c) const& { return block(rows_ - r, 0, r, c); }
  auto bottomRightCorner(Index r, Index c) const& { return block(rows_ - r, cols_ - c, r, c); }
  template <int R, int C>
  auto block(Index i, Index j) const& {
    return part<R, C>(i, j, R, C);
  }
  auto segment(Index i, Index n) const& { return run<-1>(i, n); }
  auto head(Index n) const& { return run<-1>(0, n); }
  auto tail(Index n) const& { return run<-1>(size() - n, n); }
  template <int N>
  auto segment(Index i) const& {
    return run<N>(i, N);
  }
  template <int N>
  auto head() const& {
    return run<N>(0, N);
  }
  template <int N>
  auto tail() const& {
    return run<N>(size() - N, N);
  }
  auto block(Index i, Index j, Index r, Index c) & { return live().block(i, j, r, c).live(); }
  auto row(Index i) & { return live().row(i).live(); }
  auto col(Index j) & { return live().col(j).live(); }
  auto topRows(Index n) & { return live().topRows(n).live(); }
  auto bottomRows(Index n) & { return live().bottomRows(n).live(); }
  auto middleRows(Index i, Index n) & { return live().middleRows(i, n).live(); }
  auto leftCols(Index n) & { return live().leftCols(n).live(); }
  auto rightCols(Index n) & { return live().rightCols(n).live(); }
  auto middleCols(Index j, Index n) & { return live().middleCols(j, n).live(); }
  auto topLeftCorner(Index r, Index c) & { return block(0, 0, r, c); }
  auto topRightCorner(Index r, Index c) & { return block(0, cols_ - c, r, c); }
  auto bottomLeftCorner(Index r, Index c) & { return block(rows_ - r, 0, r, c); }
  auto bottomRightCorner(Index r, Index c) & { return block(rows_ - r, cols_ - c, r, c); }
  template <int R, int C>
  auto block(Index i, Index j) & {
    return live().template block<R, C>(i, j).live();
  }
  auto segment(Index i, Index n) & { return live().segment(i, n).live(); }
  auto head(Index n) & { return live().head(n).live(); }
  auto tail(Index n) & { return live().tail(n).live(); }
  template <int N>
  auto segment(Index i) & {
    return live().template segment<N>(i).live();
  }
  template <int N>
  auto head() & {
    return live().template head<N>().live();
  }
  template <int N>
  auto tail() & {
    return live().template tail<N>().live();
  }
  auto diagonal() const {
    const auto x = diagonal_of(*this);
    return std::remove_const_t<decltype(x)>(x.array_node(), x.rows(), x.cols(), true);
  }
  auto operator<<(const auto& first) { return comma_list<Plain>(*this, first); }

  // --- rows and columns (vectorwise.hpp), diagonals, solves (solve.hpp)
  auto colwise() const { return vectorwise_variable<Plain, true>(*this); }
  auto rowwise() const { return vectorwise_variable<Plain, false>(*this); }
  auto asDiagonal() const { return diagonal_variable<Plain>(*this); }
  auto partialPivLu() const { return solved_by<Eigen::PartialPivLU<matrix_type>, false>(); }
  auto lu() const { return partialPivLu(); }
  auto inverse() const requires(!is_array_shape_v<Plain>) {
    return partialPivLu().solve(matrix_type(matrix_type::Identity(rows_, cols_)));
  }
  auto llt() const { return solved_by<Eigen::LLT<matrix_type, Eigen::Lower>, true>(); }
  auto ldlt() const { return solved_by<Eigen::LDLT<matrix_type, Eigen::Lower>, true>(); }

  /// Of another shape over the same elements.
  template <class Other>
  matrix_variable<Other> view(Index rows, Index cols) const {
    return {array_node(), rows, cols};
  }

 private:
  Index position(Index i, Index j) const { return IsRowMajor ? i * cols_ + j : j * rows_ + i; }
  const matrix_variable& live() const { return *this; }
  template <class>
  friend class matrix_variable;
  template <class Other, class From>
  static matrix_variable<Other> view_of(const From& from, Index rows, Index cols) {
    return matrix_variable<Other>(from.array_node(), rows, cols, true);
  }
  template <class F>
  matrix_variable each(const F& f) const {
    return {apply_unary(f, array_node()), rows_, cols_};
  }
  void expect_size(Index size) const;
  matrix_variable& become(const auto& other) {
    this->expect_no_view();
    assign(other);
    written();
    return *this;
  }
  void assign(const matrix_variable& other) {
    this->set(other.array_node(), other.rows_, other.cols_);
  }
  template <class Other>
  void assign(const matrix_variable<Other>& other);
  element_variable<T> element(Index i);
  template <int R, int C>
  auto part(Index i, Index j, Index r, Index c) const {
    using shape = plain_shape_t<T, R, C, IsRowMajor, is_array_shape_v<Plain>>;
    return slice_variable<Plain, shape>(*this, i, j, r, c);
  }
  template <int N>
  auto run(Index i, Index n) const {
    if constexpr (ColsAtCompileTime == 1)
      return part<N, 1>(i, 0, n, 1);
    else
      return part<1, N>(0, i, 1, n);
  }
  template <class Decomposition, bool Symmetric>
  auto solved_by() const {
    return solver_variable<Plain, Decomposition, Symmetric>(*this);
  }
};

}  // namespace revode
