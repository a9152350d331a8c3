// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include <revode/io/npy.hpp>

namespace revode {

/// The arrays as a file that numpy.load reads: a zip archive of NPY files, stored as they are, without a
/// time. The same arrays have the same bytes.
/// errors  std::invalid_argument: what npy_bytes refuses, and more than 4 GiB (a zip archive's limit)
std::string npz_bytes(const named_arrays& arrays);

/// The arrays of such a file, whole (the CRC32 of each is looked at). Archives of numpy.savez are read
/// too, those of numpy.savez_compressed are not.
/// errors  std::invalid_argument: whatever is no such file, damaged, cut off or compressed
named_arrays read_npz(std::string_view bytes, const std::string& name);

}  // namespace revode
