// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include <revode/io/hdf5.hpp>

namespace revode {
namespace {

named_arrays some_arrays() {
  return {{"y", npy_array::rows({1.5, -0.0, std::numeric_limits<double>::infinity(), 1e-320}, 2)},
          {"n", npy_array::list(std::vector<index>{3, -4, std::numeric_limits<index>::max()})},
          {"labels", npy_array::list(std::vector<std::string>{"x", "größe €", ""})},
          {"a", npy_array::one(2.5)},
          {"status", npy_array::one(std::string("success"))},
          {"none", npy_array::list(std::vector<double>{})},
          {"no_texts", npy_array::list(std::vector<std::string>{})}};
}

template <class Call>
std::string why(const Call& call) {
  try {
    call();
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "nothing";
}

}  // namespace

TEST_CASE("hdf5: what is read is what was written, to the bit and in its order") {
  const named_arrays all = some_arrays();
  const std::string bytes = hdf5_bytes(all);
  CHECK(bytes.starts_with("\x89HDF\r\n\x1a\n"));
  CHECK(hdf5_bytes(all) == bytes);
  const named_arrays back = read_hdf5(bytes, "a.h5");
  REQUIRE(back.size() == all.size());
  for (std::size_t k = 0; k < all.size(); ++k) {
    CHECK(back[k].first == all[k].first);
    CHECK(back[k].second.shape == all[k].second.shape);
    CHECK(npy_bytes(back[k].second) == npy_bytes(all[k].second));
  }
  CHECK(read_hdf5(hdf5_bytes({}), "a.h5").empty());
}

TEST_CASE("hdf5: what is no such file is refused in words") {
  const std::string bytes = hdf5_bytes(some_arrays());
  const auto read = [](const std::string& b) { return why([&] { read_hdf5(b, "'a.h5'"); }); };
  CHECK(read("") == "cannot read 'a.h5' (it is empty) give an HDF5 file of arrays?");
  const std::string none =
      "cannot read 'a.h5' (it is no HDF5 file, or cut off) give an HDF5 file of arrays?";
  CHECK(read("t,x,y,z\n") == none);
  CHECK(read(bytes.substr(0, bytes.size() / 2)) == none);
  CHECK(read(bytes.substr(0, bytes.size() - 25)) == none);
  CHECK(
      why([] {
        hdf5_bytes({{"a/b", npy_array::one(1.0)}});
      }) ==
      "no dataset of an HDF5 file can be called 'a/b' (it is empty, has a '/', or is there twice) "
      "give another name?");
  CHECK(why([] {
          hdf5_bytes({{"a", npy_array::one(1.0)}, {"a", npy_array::one(2.0)}});
        }).starts_with("no dataset of an HDF5 file can be called 'a'"));
  CHECK(why([] {
          hdf5_bytes({{"a", npy_array::one(std::string("x\0y", 3))}});
        }) ==
        "the array 'a' has a text with a byte 0 (texts of HDF5 end at one) give texts without?");
  CHECK(why([] {
          hdf5_bytes({{"a", {{3}, std::vector<double>{1.0}}}});
        }) == "the array 'a' has 1 elements (its shape is of 3) give a shape of that size?");
}

TEST_CASE("hdf5: a file that was damaged anywhere is refused") {
  const std::string bytes = hdf5_bytes(some_arrays());
  const std::size_t sealed = bytes.size() - 24, sum = bytes.size() - 8;
  for (std::size_t k = 0; k < bytes.size(); k += k < sealed ? 7 : 1) {
    if (k >= sealed && k < sum) continue;  // these only say that a checksum follows
    std::string damaged = bytes;
    damaged[k] = static_cast<char>(damaged[k] ^ (1 << k % 8));
    CAPTURE(k);
    CHECK(why([&] { read_hdf5(damaged, "'a.h5'"); }) ==
          "cannot read 'a.h5' (it is damaged: its checksum is not that of its bytes) give an HDF5 "
          "file of arrays?");
  }
}

}  // namespace revode
