// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/interop/eigen_recording/matrix_variable.hpp>

namespace revode {

template <class Plain>
void matrix_variable<Plain>::expect_size(Index size) const {
  if (size == this->size()) return;
  throw std::invalid_argument(std::to_string(size) + " elements of a " + shape_text(rows_, cols_) +
                              " matrix (a reshaped matrix has as many as before) mend the shape?");
}

template <class Plain>
template <class Other>
void matrix_variable<Plain>::assign(const matrix_variable<Other>& other) {
  Index rows = other.rows(), cols = other.cols();
  if constexpr (IsVectorAtCompileTime && Other::IsVectorAtCompileTime)
    if (RowsAtCompileTime != 1 ? cols != 1 : rows != 1) std::swap(rows, cols);  // as Eigen does
  if ((RowsAtCompileTime != Eigen::Dynamic && rows != RowsAtCompileTime) ||
      (ColsAtCompileTime != Eigen::Dynamic && cols != ColsAtCompileTime))
    throw std::invalid_argument("a " + shape_text(rows, cols) + " matrix assigned to one of " +
                                shape_text(rows_, cols_) +
                                " (its type fixes the size) assign one that fits?");
  const array_ref<T>& from = other.array_node();
  if (bool(IsRowMajor) != bool(Other::IsRowMajor) && rows > 1 && cols > 1 && from.is_set())
    this->set(
        array_block<as_matrix_t<Other>, as_matrix_t<Plain>>(from, rows, cols, 0, 0, rows, cols),
        rows, cols);
  else
    this->set(from, rows, cols);
}

/// An element of a recorded matrix that may be assigned to.
template <class T>
class element_variable : public variable<T> {
 public:
  using is_element_of_recorded_array = void;

  template <class Matrix>
  element_variable(Matrix& whole, Eigen::Index i)
      : variable<T>(whole.array_node().is_set() ? written_element(whole.array_node(), i)
                                                : variable<T>(T(0))),
        whole_(&whole),
        i_(i),
        put_([](void* matrix, Eigen::Index k, const variable<T>& number) {
          static_cast<Matrix*>(matrix)->make_exclusive(number.home);
          put_element(static_cast<Matrix*>(matrix)->array_node(), k, number);
          static_cast<Matrix*>(matrix)->written();
        }) {}

  element_variable& operator=(const variable<T>& number) {
    put_(whole_, i_, number);
    static_cast<variable<T>&>(*this) = number;
    return *this;
  }
  element_variable& operator=(const element_variable& other) {
    return *this = static_cast<const variable<T>&>(other);
  }
  element_variable(const element_variable&) = default;
  element_variable& operator+=(const auto& x) { return *this = number() + x; }
  element_variable& operator-=(const auto& x) { return *this = number() - x; }
  element_variable& operator*=(const auto& x) { return *this = number() * x; }
  element_variable& operator/=(const auto& x) { return *this = number() / x; }

 private:
  const variable<T>& number() const { return *this; }
  void* whole_;
  Eigen::Index i_;
  void (*put_)(void* matrix, Eigen::Index i, const variable<T>& number);
};

template <class Plain>
element_variable<typename Plain::Scalar> matrix_variable<Plain>::element(Index i) {
  return {*this, i};
}

/// A recorded matrix that is a part of another one: assigned to, it changes that one.
template <class Part>
class slice_base : public matrix_variable<Part> {
 public:
  slice_base& operator=(const slice_base& x) { return *this = static_cast<const base&>(x); }
  template <class X>
  slice_base& operator=(const X& x) {
    base part;
    if constexpr (recorded_array<X>)
      part = base(static_cast<const typename X::variable_type&>(x));
    else
      part = x;
    expect_same_shape("assignment", *this, part);
    static_cast<base&>(*this) = part;
    return *this;
  }
  slice_base& noalias() { return *this; }
  slice_base& operator+=(const auto& x) { return *this = value_now() + x; }
  slice_base& operator-=(const auto& x) { return *this = value_now() - x; }
  slice_base& operator*=(const auto& x) { return *this = value_now() * x; }
  slice_base& operator/=(const auto& x) { return *this = value_now() / x; }
  slice_base& setConstant(const typename Part::Scalar& x) {
    return *this = Part::Constant(this->rows(), this->cols(), x);
  }
  slice_base& setZero() { return setConstant(0); }
  slice_base& setOnes() { return setConstant(1); }

 protected:
  using base = matrix_variable<Part>;
  slice_base(Eigen::Index rows, Eigen::Index cols) : base({}, rows, cols) {}
  slice_base(const slice_base& other) : base({}, other.rows(), other.cols()) {}

  using storage = matrix_storage<Part>;
  void set_ways(void (*fetch)(const storage& self), void (*write_back)(storage& self)) {
    this->fetch_ = fetch;
    this->write_back_ = write_back;
  }
  void set_elements(const array_ref<typename Part::Scalar>& elements, bool for_good) const {
    this->array_ = elements;
    if (for_good) this->fetch_ = nullptr;
  }
  const base& value_now() const { return *this; }
};

/// m.array() or m.matrix(): the same elements, of a variable that may change those of the moment.
template <class Plain, class Other>
class view_variable : public slice_base<Other> {
  using base = matrix_variable<Other>;
  using storage = matrix_storage<Other>;

 public:
  view_variable(const matrix_variable<Plain>& whole, bool live)
      : slice_base<Other>(whole.rows(), whole.cols()),
        whole_(const_cast<matrix_variable<Plain>*>(&whole)),
        live_(live) {
    if (!live) this->set_elements(whole.array_node(), true);
    this->set_ways(live ? &fetch : nullptr, &write_back);
  }
  view_variable(const view_variable& other)
      : slice_base<Other>(other),
        whole_(other.whole_),
        live_(other.live_) {
    if (!live_) this->set_elements(other.array_node(), true);
    this->set_ways(live_ ? &fetch : nullptr, &write_back);
  }
  view_variable& operator=(const view_variable& x) { return *this = static_cast<const base&>(x); }
  template <class X>
  view_variable& operator=(const X& x) {
    slice_base<Other>::operator=(x);
    return *this;
  }

 private:
  static void fetch(const storage& as_storage) {
    const auto& self = static_cast<const view_variable&>(as_storage);
    self.set_elements(self.whole_->array_node(), false);
  }
  static void write_back(storage& as_storage) {
    auto& self = static_cast<view_variable&>(as_storage);
    self.set_ways(nullptr, &write_back);
    *self.whole_ = self.template view<Plain>(self.rows(), self.cols());
    if (self.live_) self.set_elements({}, false);
    self.set_ways(self.live_ ? &fetch : nullptr, &write_back);
  }
  matrix_variable<Plain>* whole_;
  bool live_;
};

/// A block of a recorded matrix. As a value it is a matrix of its own, copied where its elements do
/// not lie side by side, except as a factor of a product.
template <class Whole, class Part>
class slice_variable : public slice_base<Part> {
  using base = matrix_variable<Part>;
  using T = typename Part::Scalar;
  using Index = Eigen::Index;

 public:
  slice_variable(const matrix_variable<Whole>& whole, Index i, Index j, Index r, Index c)
      : slice_base<Part>(r, c),
        whole_(const_cast<matrix_variable<Whole>*>(&whole)),
        rows_(whole.rows()),
        cols_(whole.cols()),
        i_(i),
        j_(j),
        from_(whole.array_node()) {
    if (i < 0 || j < 0 || r < 0 || c < 0 || i + r > rows_ || j + c > cols_)
      throw std::invalid_argument("a block of " + shape_text(r, c) + " at (" + std::to_string(i) +
                                  ", " + std::to_string(j) + ") of a " + shape_text(rows_, cols_) +
                                  " matrix (it lies within) mend its place?");
    this->set_ways(&fetch, &write_back);
  }
  slice_variable(const slice_variable& other)
      : slice_base<Part>(other),
        whole_(other.whole_),
        rows_(other.rows_),
        cols_(other.cols_),
        i_(other.i_),
        j_(other.j_),
        from_(other.from_) {
    this->set_ways(&fetch, &write_back);
  }
  slice_variable& operator=(const slice_variable& x) { return *this = static_cast<const base&>(x); }
  template <class X>
  slice_variable& operator=(const X& x) {
    slice_base<Part>::operator=(x);
    return *this;
  }

  /// Of a variable that may change: its elements are those of the moment.
  slice_variable live() const {
    slice_variable x(*this);
    x.from_ = {};
    return x;
  }
  recording<T>* recorded_in() const { return whole_now().where(); }
  /// As a factor of a product: in place, where its columns (rows) lie side by side.
  shaped_array<Part, true> factor(recording<T>& home) const {
    const Index outer = Part::IsRowMajor ? cols_ : rows_;
    return {in_recording(home, whole_now()), this->rows(), this->cols(),
            Part::IsRowMajor ? i_ * outer + j_ : j_ * outer + i_, outer};
  }

 private:
  const array_ref<T>& whole_now() const { return from_.is_set() ? from_ : whole_->array_node(); }

  static void fetch(const matrix_storage<Part>& as_storage) {
    const auto& self = static_cast<const slice_variable&>(as_storage);
    const array_ref<T>& whole = self.whole_now();
    const bool for_good = self.from_.is_set();
    if (!whole.is_set()) return;
    const Index r = self.rows(), c = self.cols(), i = self.i_, j = self.j_;
    const bool side_by_side =
        Whole::IsRowMajor ? c == self.cols_ || r <= 1 : r == self.rows_ || c <= 1;
    const Index first = Whole::IsRowMajor ? i * self.cols_ + j : j * self.rows_ + i;
    if (side_by_side)
      self.set_elements({whole, static_cast<std::size_t>(first), static_cast<std::size_t>(r * c)},
                        for_good);
    else
      self.set_elements(array_block<as_matrix_t<Whole>, as_matrix_t<Part>>(whole, self.rows_,
                                                                           self.cols_, i, j, r, c),
                        for_good);
  }
  static void write_back(matrix_storage<Part>& as_storage) {
    auto& self = static_cast<slice_variable&>(as_storage);
    self.set_ways(nullptr, &write_back);
    const array_ref<T> part = self.array_node();
    self.from_ = {};  // so that the whole may be alone
    self.set_elements({}, false);
    self.whole_->make_exclusive(part.tracked() ? part.where() : nullptr);
    put_block<as_matrix_t<Whole>, as_matrix_t<Part>>(self.whole_->array_node(), self.rows_,
                                                     self.cols_, self.i_, self.j_, part,
                                                     self.rows(), self.cols());
    self.whole_->written();
    self.set_ways(&fetch, &write_back);
  }

  matrix_variable<Whole>* whole_;
  Index rows_, cols_, i_, j_;
  array_ref<T> from_;
};

/// Is it a block with columns (rows) of its own?
template <class X>
inline constexpr bool is_block_v = false;
template <class Whole, class Part>
inline constexpr bool is_block_v<slice_variable<Whole, Part>> = !Part::IsVectorAtCompileTime;

/// m << a, b, c: numbers and matrices row after row, as in Eigen.
template <class Plain>
class comma_list {
 public:
  comma_list(matrix_variable<Plain>& whole, const auto& first) : whole_(whole) { put(first); }
  comma_list& operator,(const auto& next) {
    put(next);
    return *this;
  }

 private:
  template <class X>
  void put(const X& x) {
    if constexpr (number_like<X>) {
      begin(1, 1);
      whole_(row_, col_) = variable<typename Plain::Scalar>(x);
      col_ += 1;
    } else {
      begin(x.rows(), x.cols());
      whole_.block(row_, col_, x.rows(), x.cols()) = x;
      col_ += x.cols();
    }
  }
  void begin(Eigen::Index rows, Eigen::Index cols) {
    if (col_ + cols > whole_.cols()) {
      row_ += height_;
      col_ = 0;
    }
    height_ = rows;
  }

  matrix_variable<Plain>& whole_;
  Eigen::Index row_ = 0, col_ = 0, height_ = 0;
};

}  // namespace revode
