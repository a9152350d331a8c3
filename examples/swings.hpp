// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include <revode/nn/density.hpp>

// Swings of any size and phase, of which 8 to 16 points within [0, 4] were seen, each at times of its own.
constexpr int samples = 64;
constexpr double noise = 0.1;
inline double drawn(std::uint64_t stream, int j, int k) {
  return revode::counter_uniform(stream, std::uint64_t(j), k);
}
inline double swing(std::uint64_t stream, int j, double t) {
  return (0.5 + drawn(stream, j, 0)) * std::exp(-0.1 * t) *
         std::cos(2 * t + 6.3 * drawn(stream, j, 1));
}
/// 64 of them, any stream of which can be had again.
struct series {
  Eigen::MatrixXd seen{2, 16 * samples};  // a column a point: value, time since the point before
  std::vector<revode::index> points;
  std::vector<std::vector<double>> times;
  std::vector<double> ends;
  explicit series(std::uint64_t stream) {
    revode::index all = 0;
    for (int j = 0; j < samples; ++j) {
      auto& ts = times.emplace_back(std::size_t(8 + 9 * drawn(stream, j, 2)));
      for (std::size_t k = 0; k < ts.size(); ++k) ts[k] = 4 * drawn(stream, j, 3 + int(k));
      std::sort(ts.begin(), ts.end());
      for (std::size_t k = 0; k < ts.size(); ++k, ++all)
        seen.col(all) << swing(stream, j, ts[k]) +
                             noise * revode::nn::counter_normal(stream + 1, 0, all),
            ts[k] - (k > 0 ? ts[k - 1] : 0);
      points.push_back(revode::index(ts.size()));
      ends.push_back(ts.back());
    }
    seen.conservativeResize(2, all);
  }
};
