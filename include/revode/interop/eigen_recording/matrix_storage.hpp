// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <utility>

#include <revode/interop/eigen_recording/reductions.hpp>

namespace revode {

template <class Part>
class slice_base;
template <class T>
class element_variable;

/// The elements and the shape of a recorded matrix (matrix_variable.hpp). Copies share the elements
/// until one of them is written to. A part of another matrix fetches them from there when they are
/// read, and brings them back when they were written.
template <class Plain>
class matrix_storage {
 public:
  using T = typename Plain::Scalar;
  using Index = Eigen::Index;

  matrix_storage() = default;
  matrix_storage(array_ref<T> array, Index rows, Index cols, bool is_view)
      : array_(std::move(array)),
        is_view_(is_view),
        rows_(rows),
        cols_(cols) {}
  matrix_storage(const matrix_storage& other)
      : matrix_storage(other.array_node(), other.rows_, other.cols_, false) {}
  matrix_storage& operator=(const matrix_storage&) = delete;

  Index rows() const { return rows_; }
  Index cols() const { return cols_; }
  Index size() const { return rows_ * cols_; }
  const array_ref<T>& array_node() const {
    if (fetch_ != nullptr) fetch_(*this);
    return array_;
  }
  recording<T>* recorded_in() const { return array_node().where(); }

  /// The elements may be overwritten: a copy is made where somebody else holds them.
  /// What is to be written belongs to the recording `from`, or is a constant (null).
  void make_exclusive(recording<T>* from = nullptr) {
    expect_no_view();
    if (!mine()) return;
    array_node();
    fetch_ = nullptr;
    if (from != nullptr && array_.where() != from)
      array_ = array_.is_set() ? array_copy(in_recording(*from, array_)) : array_ref<T>(*from);
    if (!array_.is_set())
      array_ = make_array(home(), size(), false);
    else if (!array_.exclusive())
      array_ = array_copy(array_);
  }
  /// Nothing but the shape and the recording: a result before it is written.
  void become_blank(recording<T>& home, Index rows, Index cols) {
    set(array_ref<T>(home), rows, cols);
  }
  /// The elements were changed: a part of another matrix changes that one.
  void written() {
    if (write_back_ != nullptr) write_back_(*this);
  }
  /// Lets go of the elements.
  void forget() const {
    if (array_.where() != nullptr) array_ = blank();
  }

 protected:
  /// errors  std::invalid_argument: the matrix behind would not notice what is written
  void expect_no_view() const {
    if (is_view_)
      throw std::invalid_argument(
          "a transposed, reshaped or diagonal recorded matrix that is written to (the matrix "
          "behind it would stay as it was) write to that matrix, or to .eval()?");
  }
  recording<T>& home() const {
    return array_.where() != nullptr ? *array_.where() : constants_of_thread<T>();
  }
  array_ref<T> blank() const {
    return array_.where() == nullptr ? array_ref<T>() : array_ref<T>(*array_.where());
  }
  /// Is the running thread that of the elements? Others change nothing (array_ref::here).
  bool mine() const { return array_.where() == nullptr || array_.here(); }
  void set(const array_ref<T>& array, Index rows, Index cols) {
    if (!mine()) return;
    array_ = array;
    rows_ = rows;
    cols_ = cols;
  }

  friend class slice_base<Plain>;
  void (*write_back_)(matrix_storage& self) = nullptr;
  mutable void (*fetch_)(const matrix_storage& self) = nullptr;
  mutable array_ref<T> array_;  // a result lets go of its elements when it was seeded
  bool is_view_ = false;
  Index rows_ = Plain::RowsAtCompileTime > 0 ? Plain::RowsAtCompileTime : 0;
  Index cols_ = Plain::ColsAtCompileTime > 0 ? Plain::ColsAtCompileTime : 0;
};

}  // namespace revode
