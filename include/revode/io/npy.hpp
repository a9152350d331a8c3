// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <revode/config.hpp>

namespace revode {

/// An array of numbers or texts as NumPy has it: element (i, j, …) of a shape (a, b, …) is number
/// (i b + j) … of the list. A shape of no lengths is a single one.
struct npy_array {
  std::vector<index> shape;
  std::variant<std::vector<double>, std::vector<index>, std::vector<std::string>> elements;

  /// Lists of one length: the shape (n).
  static npy_array list(std::vector<double> numbers);
  static npy_array list(std::vector<index> numbers);
  static npy_array list(std::vector<std::string> texts);
  /// Of shape (n / columns, columns).
  static npy_array rows(std::vector<double> numbers, index columns);
  static npy_array one(double number) { return {{}, std::vector<double>{number}}; }
  static npy_array one(index number) { return {{}, std::vector<index>{number}}; }
  static npy_array one(std::string text) { return {{}, std::vector<std::string>{std::move(text)}}; }

  index size() const;
};

/// Arrays by name, in order.
using named_arrays = std::vector<std::pair<std::string, npy_array>>;

/// The array of a name; null where there is none.
const npy_array* find_array(const named_arrays& arrays, std::string_view name);

/// The array as a file in NumPy's format NPY, version 1.0: '<f8', '<i8' or '<Un', in C order. The same
/// array has the same bytes.
/// errors  std::invalid_argument: a shape of another size than the list, a text that is not UTF-8
std::string npy_bytes(const npy_array& array);

/// The array in such a file (versions 1 to 3), of these three types; `name` is what errors call it.
/// errors  std::invalid_argument: whatever is no such file, too short or long, of another type or order
npy_array read_npy(std::string_view bytes, const std::string& name);

}  // namespace revode
