// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <revode/io/npy.hpp>

namespace revode {

/// Arrays by name, in order.
using npz_arrays = std::vector<std::pair<std::string, npy_array>>;

/// The arrays as a file that numpy.load reads: a zip archive of NPY files, stored as they are, without a
/// time. The same arrays have the same bytes.
/// errors  std::invalid_argument: what npy_bytes refuses, and more than 4 GiB (a zip archive's limit)
std::string npz_bytes(const npz_arrays& arrays);

/// The arrays of such a file, whole (the CRC32 of each is looked at). Archives of numpy.savez are read
/// too, those of numpy.savez_compressed are not.
/// errors  std::invalid_argument: whatever is no such file, damaged, cut off or compressed
npz_arrays read_npz(std::string_view bytes, const std::string& name);

/// The array of a name; null where there is none.
const npy_array* find_array(const npz_arrays& arrays, std::string_view name);

}  // namespace revode
