// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <fstream>
#include <stdexcept>
#include <string>

#include <revode/batch/place.hpp>

namespace revode {

/// Bytes free where lanes run.
template <class Place>
double free_bytes() {
#if defined(__CUDACC__)
  if constexpr (!Place::catches) {
    std::size_t free = 0, total = 0;
    require(cudaMemGetInfo(&free, &total));
    return static_cast<double>(free);
  }
#endif
  std::ifstream told("/proc/meminfo");
  for (std::string word; told >> word;)
    if (double kib = 0; word == "MemAvailable:" && told >> kib) return 1024 * kib;
  return 1e18;  // not told: allocations will
}

/// Throws std::invalid_argument when `lanes` lanes of so many bytes do not fit.
template <class Place>
void require_memory(index lanes, index bytes_a_lane, const char* what) {
  const double free = free_bytes<Place>();
  const double each = static_cast<double>(bytes_a_lane);
  const double needed = static_cast<double>(lanes) * each;
  if (needed <= free) return;
  throw std::invalid_argument(
      std::to_string(lanes) + " lanes need " +
      std::to_string(static_cast<index>(std::min(needed, 9e18))) + " bytes for their " + what +
      " (" + std::to_string(static_cast<index>(free)) + " are free) solve at most " +
      std::to_string(static_cast<index>(free / each)) + " at a time?");
}

}  // namespace revode
