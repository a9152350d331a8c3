// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include <revode/nn/blocks.hpp>
#include <revode/nn/gru_cell.hpp>
#include <revode/nn/lora.hpp>
#include <revode/nn/mlp.hpp>
#include <revode/nn/safetensors.hpp>
#include <revode/state/counter_random.hpp>

namespace revode::nn {
namespace {

/// A file with this header, and as many bytes behind it.
std::vector<std::byte> file_with(const std::string& header, std::size_t numbers) {
  std::vector<std::byte> bytes(8 + header.size() + numbers);
  for (std::size_t i = 0; i < 8; ++i) bytes[i] = static_cast<std::byte>(header.size() >> (8 * i));
  std::memcpy(bytes.data() + 8, header.data(), header.size());
  return bytes;
}

template <class Call>
std::string refusal(const Call& call) {
  try {
    call();
  } catch (const std::runtime_error& e) {
    return e.what();
  }
  return "nothing";
}
std::string said_of(const std::vector<std::byte>& bytes) {
  return refusal([&] { parse_tensors(bytes, "w.safetensors"); });
}
std::string said_of(const std::string& header, std::size_t numbers) {
  return said_of(file_with(header, numbers));
}

std::string in_temporary(const std::string& name) {
  return (std::filesystem::temp_directory_path() / name).string();
}

TEST_CASE("safetensors: the bytes of the format") {
  tensor_file file;
  const float numbers[] = {1, 2};
  file.tensors.push_back(tensor_of("w", {2, 1}, numbers));
  const auto bytes = tensor_bytes(file);
  const std::string header = R"({"w":{"data_offsets":[0,8],"dtype":"F32","shape":[2,1]}})";
  REQUIRE(bytes.size() == 8 + 56 + 8);
  CHECK(std::to_integer<int>(bytes[0]) == 56);
  CHECK(std::string(reinterpret_cast<const char*>(bytes.data()) + 8, header.size()) == header);
  CHECK(std::memcmp(bytes.data() + 64, numbers, 8) == 0);
}

TEST_CASE("safetensors: weights come back in their bits, under the names of torch") {
  const chain network(gru_cell{2, 3}, mlp({3, 4, 2}));
  const Eigen::VectorXd p = initial_parameters<double>(network, 3);
  const std::string path = in_temporary("revode_weights.safetensors");
  tensor_file written = tensors_of(network, p);
  written.metadata["format"] = "pt";
  write_tensors(path, written);
  CHECK_FALSE(std::filesystem::exists(path + ".new"));
  const tensor_file read = read_tensors(path);
  std::filesystem::remove(path);
  CHECK(read.metadata.at("format") == "pt");
  CHECK(read.tensors.size() == 8);
  CHECK(find_tensor(read, "0.weight_hh").shape == std::vector<index>{9, 3});
  CHECK(find_tensor(read, "1.layers.1.bias").shape == std::vector<index>{2});
  Eigen::VectorXd again = Eigen::VectorXd::Zero(p.size());
  load_tensors(network, read, again);
  CHECK(again == p);
  // What is frozen is not written.
  const dense_layer layer{3, 3};
  const Eigen::VectorXd frozen = initial_parameters<double>(layer, 1);
  const lora_layer adapted(layer, frozen, 1);
  CHECK(tensors_of(adapted, initial_parameters<double>(adapted, 1)).tensors.size() == 2);
}

TEST_CASE("safetensors: weights that do not fit are refused, and nothing is changed") {
  const mlp network({1, 2, 1});
  Eigen::VectorXd p = initial_parameters<double>(network, 3);
  const Eigen::VectorXd before = p;
  const auto said = [&](const tensor_file& file) {
    return refusal([&] { load_tensors(network, file, p); });
  };
  tensor_file file = tensors_of(network, p);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::memcpy(file.tensors[2].bytes.data() + 8, &nan, 8);
  CHECK(said(file) ==
        "tensor \"layers.1.weight\" with number 1 not finite (a network with it computes nothing "
        "else) read weights from before the training failed?");
  file.tensors[2].shape = {2, 1};
  CHECK(said(file) ==
        "tensor \"layers.1.weight\" of 2 x 1 (1 x 2 is wanted) read the file of a network of this "
        "shape?");
  file.tensors.pop_back();
  file.tensors.pop_back();
  CHECK(said(file) ==
        "tensor \"layers.1.weight\" (the file has layers.0.weight, layers.0.bias) read the file "
        "of this network?");
  CHECK(said(tensors_of(network, Eigen::VectorXf(p.cast<float>()))) ==
        "tensor \"layers.0.weight\" of F32 (the array is of F64, and nothing is converted unasked) "
        "store it in that type, or read it into an array of its own?");
  CHECK(p == before);
}

TEST_CASE("safetensors: weights go into an array of their size, or into their part of one") {
  const mlp network({2, 3, 1});
  const Eigen::VectorXd p = initial_parameters<double>(network, 3);
  tensor_file file = tensors_of(network, p);
  const std::string words =
      " numbers (the network has 13 parameters) give these, without what lies "
      "beside them?";
  Eigen::VectorXd empty, longer = Eigen::VectorXd::Constant(15, 7);
  const auto said = [](const auto& call) {
    try {
      call();
    } catch (const std::invalid_argument& e) {
      return std::string(e.what());
    }
    return std::string("nothing");
  };
  CHECK(said([&] { load_tensors(network, file, empty); }) == "an array of 0" + words);
  CHECK(said([&] { load_tensors(network, file, longer); }) == "an array of 15" + words);
  CHECK(said([&] { tensors_of(network, longer); }) == "an array of 15" + words);
  load_tensors(network, file, longer.tail(13));  // behind the parameters of physics
  CHECK(longer.tail(13) == p);
  CHECK(longer.head(2) == Eigen::Vector2d::Constant(7));
  longer.setConstant(7);
  auto part = longer.tail(13);
  file.tensors.back().shape = {2};
  CHECK_THROWS_AS(load_tensors(network, file, part), std::runtime_error);
  CHECK(longer == Eigen::VectorXd::Constant(15, 7));  // nothing, though a view was given
}

TEST_CASE("safetensors: damaged and hostile files are refused, word by word") {
  CHECK(said_of(std::vector<std::byte>(7)) ==
        "w.safetensors: 7 bytes (a safetensors file begins with 8 that tell its header's length) "
        "copy the whole file?");
  CHECK(said_of(std::vector<std::byte>(16, std::byte{0xff})) ==
        "w.safetensors: a header of 18446744073709551615 bytes (the file has 8 behind its first "
        "8, and 100000000 are allowed) copy the whole file?");
  CHECK(said_of("{\"w\":", 0) ==
        "w.safetensors: a header that is no JSON object (the file is no safetensors, or damaged) "
        "write it again?");
  CHECK(said_of("[]", 0).find("no JSON object") != std::string::npos);
  CHECK(said_of(std::string(100000, '['), 0).find("no JSON object") != std::string::npos);
  const std::string tower = std::string(1000000, '[') + std::string(1000000, ']');
  CHECK(said_of(tower, 0).find("no JSON object") != std::string::npos);
  CHECK(said_of("{\"w\":{\"dtype\":\"F32\",\"shape\":[" + tower + "],\"data_offsets\":[0,4]}}", 4)
            .find("no JSON object") != std::string::npos);
  const auto one = [](const std::string& dtype, const std::string& shape,
                      const std::string& offsets) {
    return "\"w\":{\"dtype\":\"" + dtype + "\",\"shape\":" + shape +
           ",\"data_offsets\":" + offsets + "}";
  };
  const auto of_one = [&](const std::string& shape, const std::string& offsets) {
    return said_of("{" + one("F32", shape, offsets) + "}", 8);
  };
  CHECK(of_one("[2]", "[0,8]") == "nothing");
  CHECK(of_one("[2]", "[0,12]") ==
        "w.safetensors: tensor \"w\" with bytes from 0 to 12 (its shape and dtype take another "
        "number of them) write the file again?");
  CHECK(of_one("[3]", "[0,12]") ==
        "w.safetensors: tensor \"w\" with bytes from 0 to 12 (those before it end at 0, the file "
        "at 8) copy the whole file, or write it again?");
  CHECK(of_one("[1]", "[4,8]").find("bytes from 4 to 8 (those before it end at 0") !=
        std::string::npos);
  CHECK(of_one("[1]", "[0,4]") ==
        "w.safetensors: 4 bytes behind the last tensor (a safetensors file ends with it) write "
        "the file again?");
  CHECK(of_one("[2]", "[8,0]").find("another number") != std::string::npos);
  CHECK(of_one("[-2]", "[0,8]") ==
        "w.safetensors: tensor \"w\" with -2 for a size or an offset (whole numbers from 0 on) "
        "write the file again?");
  CHECK(of_one("[2.0]", "[0,8]").find("whole numbers") != std::string::npos);
  // Sizes whose product is 8 once it has overflowed.
  CHECK(of_one("[4611686018427387906]", "[0,8]").find("another number") != std::string::npos);
  CHECK(of_one("[4294967296,4294967296,2]", "[0,8]").find("another number") != std::string::npos);
  CHECK(of_one("[9223372036854775808,0]", "[0,0]").find("another number") != std::string::npos);
  CHECK(of_one("[2]", "[18446744073709551612,4]").find("another number") != std::string::npos);
  CHECK(said_of("{" + one("F8", "[8]", "[0,8]") + "}", 8) ==
        "w.safetensors: tensor \"w\" of dtype \"F8\" (F64, F32, F16, BF16, I64, I32, I16, I8, "
        "U64, U32, U16, U8 and BOOL are known) store it as one of these?");
  CHECK(said_of("{" + one("F32", "[1]", "[0,4]") + "," + one("F32", "[1]", "[4,8]") + "}", 8) ==
        "w.safetensors: tensor \"w\" stands twice (which one is meant?) write it once?");
  CHECK(said_of("{\"w\":{\"dtype\":\"F32\",\"shape\":[2]}}", 8) ==
        "w.safetensors: tensor \"w\" without dtype, shape and two data_offsets (all of them are "
        "needed) write the file again?");
  CHECK(said_of("{\"__metadata__\":{\"a\":1}}", 0) ==
        "w.safetensors: metadata \"a\" that is no text (others are not allowed) write the file "
        "again?");
  CHECK(refusal([] { read_tensors("/nowhere/w.safetensors"); }) ==
        "/nowhere/w.safetensors: cannot be read (No such file or directory) is it there?");
  CHECK(refusal([] { write_tensors("/nowhere/w.safetensors", {}); }) ==
        "/nowhere/w.safetensors: cannot be written (No such file or directory) is the folder "
        "there, and has the disk room?");
}

TEST_CASE(
    "safetensors: every truncation and 20,000 changed bytes are refused or read, and do no harm") {
  const mlp network({2, 3, 1});
  const Eigen::VectorXd p = initial_parameters<double>(network, 3);
  const auto bytes = tensor_bytes(tensors_of(network, p));
  for (std::size_t n = 0; n < bytes.size(); ++n)
    CHECK(said_of(std::vector<std::byte>(
              bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(n))) != "nothing");
  CHECK(said_of(bytes) == "nothing");
  int refused = 0;
  for (index k = 0; k < 20000; ++k) {
    auto changed = bytes;
    const std::uint64_t random = counter_bits(1, 0, k);
    changed[random % changed.size()] = static_cast<std::byte>(random >> 32);
    changed[(random >> 16) % changed.size()] = static_cast<std::byte>(random >> 40);
    refused += said_of(changed) != "nothing" ? 1 : 0;
  }
  CHECK(refused > 10000);  // most bytes are the header's
}

}  // namespace
}  // namespace revode::nn
