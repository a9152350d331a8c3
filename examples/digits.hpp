// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include <revode/io/npz.hpp>
#include <revode/nn/density.hpp>

// Images of 8 × 8 with what they show. digits.py writes those that scikit-learn ships; without its
// file there are ten figures, drawn here or there, more or less dark, with noise over them.
struct images {
  Eigen::MatrixXd pixels{64, 0};  // an image a column, from 0 to 1
  std::vector<revode::index> shows;
  revode::index count() const { return pixels.cols(); }
  void add(const double* image, revode::index digit) {
    pixels.conservativeResize(64, count() + 1);
    for (int i = 0; i < 64; ++i) pixels(i, count() - 1) = image[i];
    shows.push_back(digit);
  }
};
inline images generate() {
  constexpr int figures[] = {31599, 11415, 29671, 29647, 23497, 31183, 31215, 29257, 31727, 31695};
  images all;
  for (int j = 0; j < 1797; ++j) {
    const auto draw = [&](int k) { return revode::counter_uniform(3, std::uint64_t(j), k); };
    const int digit = int(10 * draw(0)), down = int(2 * draw(1)), right = 1 + int(2 * draw(2));
    double image[64];
    for (int i = 0; i < 64; ++i)
      image[i] = 0.1 * revode::nn::counter_normal(4, std::uint64_t(j), i);
    for (int i = 0; i < 42; ++i)  // 7 rows of 6
      if ((figures[digit] >> (14 - 3 * (5 * (i / 6) / 7) - i % 6 / 2)) & 1)
        image[8 * (down + i / 6) + right + i % 6] += 0.5 + 0.5 * draw(3);
    all.add(image, digit);
  }
  return all;
}
inline images load(const char* path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(file), {});
  if (bytes.empty()) throw std::invalid_argument(std::string("no file ") + path);
  const auto arrays = revode::read_npz(bytes, path);
  const auto& pixels =
      std::get<std::vector<double>>(revode::find_array(arrays, "images")->elements);
  const auto& labels =
      std::get<std::vector<revode::index>>(revode::find_array(arrays, "labels")->elements);
  images all;
  for (std::size_t j = 0; j < labels.size(); ++j) all.add(pixels.data() + 64 * j, labels[j]);
  return all;
}
