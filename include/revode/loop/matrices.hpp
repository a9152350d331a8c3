// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <type_traits>

#include <revode/linalg/matrix_shape.hpp>
#include <revode/schedule/heap_bytes.hpp>

namespace revode {

/// Bytes of matrices: of those that are not made yet, and the most that making or using one takes beside them for a
/// while.
struct matrix_bytes {
  index to_come = 0, in_passing = 0;

  void add(const matrix_bytes& other) {
    to_come += other.to_come;
    in_passing = std::max(in_passing, other.in_passing);
  }
};

/// Those that an object has among its parts, or which it names in a static member matrices(self, visit) where its parts
/// are not all of them; see matrix_shape. One whose parts are of types that are not known here tells itself.
template <class T>
matrix_bytes bytes_of_matrices(const T& object, const matrix_shape& shape) {
  matrix_bytes all;
  const auto add = [&](const auto& part) { all.add(bytes_of_matrices(part, shape)); };
  if constexpr (requires { object.bytes_of_matrices(shape); }) {
    all = object.bytes_of_matrices(shape);
  } else {
    if constexpr (requires { object.blocks_to_come(shape, [](index) {}); })
      object.blocks_to_come(shape, [&](index block) { all.to_come += heap_bytes(block); });
    if constexpr (requires { object.bytes_in_passing(shape); })
      all.in_passing = object.bytes_in_passing(shape);
    if constexpr (requires { T::matrices(object, add); })
      T::matrices(object, add);
    else if constexpr (requires { T::parts(object, add); })
      T::parts(object, add);
  }
  return all;
}

}  // namespace revode
