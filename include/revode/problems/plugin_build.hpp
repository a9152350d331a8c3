// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <revode/config.hpp>
#include <revode/interop/eigen.hpp>

namespace revode {

/// What a shared library was compiled with. One of another revode, or whose Eigen aligns its arrays otherwise, is
/// refused before it is used.
struct plugin_build {
  std::size_t size;     ///< of what it makes
  const char* version;  ///< of revode
  int eigen;            ///< its version
  int alignment;        ///< of Eigen's arrays; 0: malloc's own
};

constexpr plugin_build plugin_build_of(std::size_t size) {
  return {size, REVODE_VERSION,
          EIGEN_WORLD_VERSION * 10000 + EIGEN_MAJOR_VERSION * 100 + EIGEN_MINOR_VERSION,
          EIGEN_MALLOC_ALREADY_ALIGNED ? 0 : EIGEN_DEFAULT_ALIGN_BYTES};
}

}  // namespace revode
