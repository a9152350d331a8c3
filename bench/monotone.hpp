// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace revode {

/// The nearest sequence that never falls: neighbours that do are averaged. A step count may hit a
/// lucky error, a curve of work and precision may not.
/// source  Ayer, Brunk, Ewing, Reid, Silverman, Ann. Math. Statist. 26 (1955) 641–647
inline std::vector<double> risen(const std::vector<double>& values) {
  std::vector<double> level;
  std::vector<int> weight;
  for (const double value : values) {
    level.push_back(value);
    weight.push_back(1);
    while (level.size() > 1 && level.back() < level[level.size() - 2]) {
      const std::size_t last = level.size() - 1;
      const int sum = weight[last] + weight[last - 1];
      level[last - 1] = (level[last] * weight[last] + level[last - 1] * weight[last - 1]) / sum;
      weight[last - 1] = sum;
      level.pop_back();
      weight.pop_back();
    }
  }
  std::vector<double> rising;
  for (std::size_t i = 0; i < level.size(); ++i)
    rising.insert(rising.end(), static_cast<std::size_t>(weight[i]), level[i]);
  return rising;
}

}  // namespace revode
