// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace revode::nn {

/// Who makes the products of matrices of revode::nn: "Eigen" or, where the build says REVODE_BLAS (the name of
/// a library, as a string), the BLAS that it links. Programs that link revode::nn are built as it was.
constexpr const char* products_by() {
#if defined(REVODE_BLAS)
  return REVODE_BLAS;
#else
  return "Eigen";
#endif
}

}  // namespace revode::nn
