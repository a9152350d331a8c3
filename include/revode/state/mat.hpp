// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/config.hpp>

namespace revode {

/// A small dense matrix, row by row, for host and device: m(i, j) is row i, column j.
template <class T, int Rows, int Cols = Rows>
struct mat {
  T elements[Rows * Cols];

  REVODE_HD constexpr T& operator()(int i, int j) { return elements[i * Cols + j]; }
  REVODE_HD constexpr const T& operator()(int i, int j) const { return elements[i * Cols + j]; }
  REVODE_HD constexpr T* data() { return elements; }
  REVODE_HD constexpr const T* data() const { return elements; }
  REVODE_HD static constexpr int rows() { return Rows; }
  REVODE_HD static constexpr int cols() { return Cols; }
  REVODE_HD static constexpr int size() { return Rows * Cols; }
  friend constexpr bool operator==(const mat&, const mat&) = default;
};

}  // namespace revode
