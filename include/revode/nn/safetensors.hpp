// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <revode/config.hpp>
#include <revode/nn/parameters.hpp>

// Weights in the files of safetensors, which Python's libraries read and write:
//   8 bytes, the length of the header (little endian) · the header, JSON · the numbers
// source  https://github.com/huggingface/safetensors, README, "Format"

namespace revode::nn {

/// One array of a file: its numbers lie by rows.
struct tensor {
  std::string name;
  std::string dtype;  ///< F64, F32, I64 …
  std::vector<index> shape;
  std::vector<std::byte> bytes;
};

struct tensor_file {
  std::vector<tensor> tensors;  ///< in the order of their bytes
  std::map<std::string, std::string> metadata;
};

/// What a file's bytes say. Whatever they are, no byte outside them is read; no header longer than
/// 100,000,000 bytes is parsed, as by the reference reader.
/// errors  std::runtime_error "<name>: …": a file that is cut off; a header that is too long, is no JSON, or
///         names a tensor twice; offsets that overlap, leave holes, lie outside or do not fit the shape; an
///         unknown dtype
tensor_file parse_tensors(std::span<const std::byte> bytes, const std::string& name);
/// errors  as parse_tensors; std::runtime_error: the file cannot be read
tensor_file read_tensors(const std::string& path);

/// The bytes of a file with these tensors, the numbers aligned to 8.
std::vector<std::byte> tensor_bytes(const tensor_file& file);
/// Writes a file beside `path`, brings it to the disk and puts it in the place of `path`: whenever the
/// program is killed, `path` has the old bytes or the new ones.
/// errors  std::runtime_error: the file cannot be written
void write_tensors(const std::string& path, const tensor_file& file);

/// The tensor of that name.
/// errors  std::runtime_error: there is none
const tensor& find_tensor(const tensor_file& file, const std::string& name);

template <class T>
const char* dtype_of() {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double> ||
                std::is_same_v<T, std::int64_t>);
  return std::is_same_v<T, float> ? "F32" : std::is_same_v<T, double> ? "F64" : "I64";
}

/// A tensor with a copy of these numbers.
template <class T>
tensor tensor_of(std::string name, std::vector<index> shape, const T* numbers) {
  index size = 1;
  for (const index n : shape) size *= n;
  tensor made{std::move(name), dtype_of<T>(), std::move(shape), {}};
  made.bytes.resize(static_cast<std::size_t>(size) * sizeof(T));
  if (size > 0) std::memcpy(made.bytes.data(), numbers, made.bytes.size());
  return made;
}

/// errors  std::runtime_error: another dtype; nothing is converted unasked
void expect_dtype(const tensor& given, const std::string& wanted);
/// errors  std::runtime_error: another shape
void expect_shape(const tensor& given, const std::vector<index>& wanted);

/// numbers ← those of a tensor, which must be `size` of type T, bit for bit.
/// errors  std::runtime_error: another dtype, another size
template <class T>
void copy_numbers(const tensor& from, T* numbers, index size) {
  expect_dtype(from, dtype_of<T>());
  if (from.bytes.size() != static_cast<std::size_t>(size) * sizeof(T)) expect_shape(from, {size});
  if (size > 0) std::memcpy(numbers, from.bytes.data(), from.bytes.size());
}

inline std::vector<index> shape_of(const leaf& l) {
  return l.is_matrix() ? std::vector<index>{l.rows, l.cols} : std::vector<index>{l.rows};
}

/// The leaves of a network as tensors under their names, so that Python finds what it would have
/// written; what is frozen is not among them.
/// errors  std::invalid_argument: p of another length than the network has parameters
template <class Module, class P>
tensor_file tensors_of(const Module& network, const P& p) {
  expect_parameters(static_cast<index>(p.size()), network.parameters());
  tensor_file file;
  for (const leaf& l : leaves_of(network)) {
    if (l.is_frozen) continue;
    file.tensors.push_back(tensor_of(l.name, shape_of(l), p.data() + l.offset));
  }
  return file;
}

/// p ← the tensors of a file that have the names of the network's leaves.
/// p       as many numbers as the network has parameters; a part of an array as well: q.p.tail(n)
/// errors  std::invalid_argument: p of another length; std::runtime_error: a tensor is missing, of another type or
///         shape, or has a number that is not finite. p is as it was where anything is wrong
template <class Module, class P>
void load_tensors(const Module& network, const tensor_file& file, P&& p) {
  using T = scalar_t<std::remove_cvref_t<P>>;
  expect_parameters(static_cast<index>(p.size()), network.parameters());
  std::vector<T> loaded(static_cast<std::size_t>(p.size()));  // p may be a view of what is to stay
  for (const leaf& l : leaves_of(network)) {
    if (l.is_frozen) continue;
    const tensor& from = find_tensor(file, l.name);
    T* numbers = loaded.data() + l.offset;
    expect_shape(from, shape_of(l));
    copy_numbers(from, numbers, l.size());
    for (index i = 0; i < l.size(); ++i)
      if (!(numbers[i] - numbers[i] == 0))
        throw std::runtime_error("tensor \"" + l.name + "\" with number " + std::to_string(i) +
                                 " not finite (a network with it computes nothing else) read "
                                 "weights from before the training failed?");
  }
  if (!loaded.empty()) std::memcpy(p.data(), loaded.data(), loaded.size() * sizeof(T));
}

}  // namespace revode::nn
