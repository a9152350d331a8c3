// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include <revode/io/npz.hpp>

namespace revode {
namespace {

named_arrays some_arrays() {
  return {{"y", npy_array::rows({1.5, -0.0, std::numeric_limits<double>::infinity(), 1e-320}, 2)},
          {"n", npy_array::list(std::vector<index>{3, -4})},
          {"labels", npy_array::list(std::vector<std::string>{"x", "größe €", ""})},
          {"one", npy_array::one(2.5)},
          {"none", npy_array::list(std::vector<double>{})}};
}

std::string why_npy(const std::string& bytes) {
  try {
    read_npy(bytes, "'a'");
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "nothing";
}

/// A header of 118 bytes with this text, then so many bytes.
std::string npy_of(std::string text, std::size_t bytes) {
  text.resize(118, ' ');
  return std::string("\x93NUMPY\x01\x00\x76\x00", 10) + text + std::string(bytes, '\0');
}

TEST_CASE("npy: the bytes that NumPy writes") {
  const std::string bytes = npy_bytes(npy_array::rows({1, 2, 3, 4, 5, 6}, 3));
  CHECK(bytes.size() == 128 + 48);
  CHECK(bytes.substr(0, 10) == std::string("\x93NUMPY\x01\x00\x76\x00", 10));
  CHECK(bytes.substr(10, 59) == "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }");
  CHECK(bytes[127] == '\n');
  CHECK(bytes.substr(128, 8) == std::string("\0\0\0\0\0\0\xf0\x3f", 8));
  const std::string three = npy_bytes(npy_array::list(std::vector<index>{-1, 0, 1}));
  CHECK(three.find("'shape': (3,), }") != std::string::npos);
  CHECK(three.substr(128, 8) == std::string(8, '\xff'));
  CHECK(npy_bytes(npy_array::one(1.0)).find("'shape': (), }") != std::string::npos);
}

TEST_CASE("npz: what is read is what was written, to the bit") {
  const named_arrays all = some_arrays();
  const std::string bytes = npz_bytes(all);
  CHECK(npz_bytes(all) == bytes);
  const named_arrays back = read_npz(bytes, "a.npz");
  REQUIRE(back.size() == all.size());
  for (std::size_t k = 0; k < all.size(); ++k) {
    CHECK(back[k].first == all[k].first);
    CHECK(back[k].second.shape == all[k].second.shape);
    CHECK(npy_bytes(back[k].second) == npy_bytes(all[k].second));
  }
  CHECK(std::get<std::vector<std::string>>(find_array(back, "labels")->elements)[1] == "größe €");
  CHECK(find_array(back, "z") == nullptr);
}

TEST_CASE("npz: CRC32 of the archive's files is the standard one") {
  const std::string bytes = npz_bytes({{"a", npy_array::one(index{0})}});
  // by zlib.crc32 of Python of what numpy.save(int64(0)) writes, 136 bytes
  CHECK(bytes.substr(14, 4) == std::string("\x3a\xb1\x35\x66", 4));
}

TEST_CASE("npz: every cut is refused in words, every changed byte refused or read") {
  const std::string bytes = npz_bytes(some_arrays());
  for (std::size_t n = 0; n < bytes.size(); ++n)
    CHECK_THROWS_AS(read_npz(bytes.substr(0, n), "a.npz"), std::invalid_argument);
  int refused = 0;
  for (std::size_t n = 0; n < bytes.size(); ++n)
    for (const int flip : {1, 0x80, 0xff}) {
      std::string other = bytes;
      other[n] = static_cast<char>(other[n] ^ flip);
      try {
        read_npz(other, "a.npz");
      } catch (const std::invalid_argument&) {
        ++refused;
      }
    }
  CHECK(refused > 3 * static_cast<int>(bytes.size()) * 7 / 10);
}

TEST_CASE("npy: hostile shapes and other types are refused before memory is taken") {
  const std::string start = "{'descr': '<f8', 'fortran_order': False, 'shape': (";
  const std::string end = " give a file by numpy.save or revode, as it was written?";
  const auto text = [&](const std::string& why) {
    return "cannot read the array 'a' (" + why + ")" + end;
  };
  CHECK(why_npy("") == text("it is no NPY file"));
  CHECK(why_npy(npy_of(start + "4,), }", 8)) == text("it has 8 bytes for 4 elements of 8"));
  CHECK(why_npy(npy_of(start + "4611686018427387904, 4611686018427387904), }", 8)) ==
        text("its shape is none"));
  CHECK(why_npy(npy_of(start + "99999999999999999999,), }", 8)) == text("its shape is none"));
  CHECK(why_npy(npy_of(start + "-1,), }", 8)) == text("its shape is none"));
  CHECK(why_npy(npy_of(start + "1,", 8)) == text("its header ends early"));
  CHECK(why_npy(npy_of("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", 8)) ==
        text("its elements are '|O', which are neither '<f8' nor '<i8' nor texts"));
  CHECK(why_npy(npy_of("{'descr': '<f8', 'fortran_order': True, 'shape': (1,), }", 8)) ==
        text("its elements do not lie row by row"));
  CHECK(why_npy(npy_of("{'descr': '<U99999999999', 'fortran_order': False, 'shape': (1,), }", 8)) ==
        text("the length of its texts is none"));
  CHECK_THROWS_WITH_AS(npy_bytes({{3}, std::vector<double>{1}}),
                       "an array of 1 elements whose shape has 3 (each has a place) give as many?",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(npy_bytes(npy_array::one(std::string("\xff"))),
                       "the text '\xff' in an array (it is not UTF-8) write it in that?",
                       std::invalid_argument);
}

}  // namespace
}  // namespace revode
