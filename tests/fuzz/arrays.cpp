// SPDX-License-Identifier: Apache-2.0
// Files of arrays, NPY, NPZ and safetensors, are refused or read: what was read and is written again gives the
// same. A whole file with bytes changed anywhere is refused or gives what it gave.
#include <cstdint>
#include <cstdlib>
#include <span>
#include <stdexcept>
#include <string>

#include <revode/io/npz.hpp>
#include <revode/nn/safetensors.hpp>

using namespace revode;
using namespace revode::nn;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

/// Numbers may be NaN: bytes are compared.
std::string bytes_of(const npy_array& a) { return npy_bytes(a); }
std::string bytes_of(const named_arrays& a) { return npz_bytes(a); }
std::string bytes_of(const tensor_file& file) {
  const auto bytes = tensor_bytes(file);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

template <class Read>
void read_again(const Read& read, const std::string& bytes) {
  try {
    const std::string once = bytes_of(read(bytes));
    require(bytes_of(read(once)) == once);
  } catch (const std::invalid_argument&) {  // of NumPy's files
  } catch (const std::runtime_error&) {     // of tensors
  }
}

/// Pairs of bytes in `data` are a place and what is added there.
template <class Read>
void damage(const Read& read, const std::string& whole, std::string_view data) {
  std::string bytes = whole;
  for (std::size_t i = 0; i + 1 < data.size(); i += 2) {
    char& at = bytes[static_cast<unsigned char>(data[i]) * bytes.size() / 256];
    at = static_cast<char>(at + data[i + 1]);
  }
  read_again(read, bytes);
}

const auto npy = [](const std::string& bytes) { return read_npy(bytes, "a.npy"); };
const auto npz = [](const std::string& bytes) { return read_npz(bytes, "a.npz"); };
const auto tensors = [](const std::string& bytes) {
  return parse_tensors(std::as_bytes(std::span(bytes.data(), bytes.size())), "a.safetensors");
};

const named_arrays some{{"t", npy_array::list(std::vector{0.0, 0.5})},
                        {"y", npy_array::rows({1, 2, 3, 4}, 2)},
                        {"lanes", npy_array::one(revode::index(3))},
                        {"status", npy_array::list(std::vector<std::string>{"success", "é"})}};
tensor_file some_tensors() {
  const double weights[] = {1, 2, 3, 4, 5, 6};
  const float bias[] = {0.5F, 0.25F};
  tensor_file file;
  file.tensors = {tensor_of("weight", {2, 3}, weights), tensor_of("bias", {2}, bias)};
  return file;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  static const std::string whole_npy = npy_bytes(some[1].second), whole_npz = npz_bytes(some),
                           whole_tensors = bytes_of(some_tensors());
  switch (data[0] % 6) {
    case 0: read_again(npy, rest); break;
    case 1: read_again(npz, rest); break;
    case 2: read_again(tensors, rest); break;
    case 3: damage(npy, whole_npy, rest); break;
    case 4: damage(npz, whole_npz, rest); break;
    default: damage(tensors, whole_tensors, rest);
  }
  return 0;
}
