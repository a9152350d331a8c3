// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include <revode/io/npy.hpp>

// Results in HDF5 files, by the HDF Group's C library; target revode::hdf5.

namespace revode {

/// The arrays as an HDF5 file: a dataset an array, named as it is, in the root group and in this order.
/// Numbers are IEEE doubles and 64-bit integers (little endian), texts UTF-8 of variable length, a shape
/// of no lengths a scalar. The same arrays have the same bytes: no times are kept. A checksum stands behind
/// the end of the file, where other readers do not look.
/// errors  std::invalid_argument: a shape of another size than the list, a name that is empty, has a '/'
///         or is there twice, a text with a byte 0; std::runtime_error: the library fails
std::string hdf5_bytes(const named_arrays& arrays);

/// The datasets of such a file, or of any whose root group has numbers and texts: real numbers become
/// double, integers `index` (those beyond its range are refused), texts of fixed or variable length UTF-8.
/// Groups below are passed over. `name` is what errors call the file.
/// Files with that checksum are refused where they are damaged; of others HDF5's library believes what they
/// say, and crashes on some: those of strangers are for read_npz.
/// errors  std::invalid_argument: whatever is no HDF5 file, is damaged or cut off, or has a dataset of
///         another type or of 2³¹ elements and more
named_arrays read_hdf5(std::string_view bytes, const std::string& name);

}  // namespace revode
