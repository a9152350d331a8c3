// SPDX-License-Identifier: Apache-2.0
// Compiled to PTX, which ptx_to_cpp.py translates.
#include "kernels.hpp"

namespace revode {

template __global__ void lane_kernel<emulated::wide_forward>(emulated::wide_forward, index);
template __global__ void lane_kernel<emulated::stiff_forward>(emulated::stiff_forward, index);
template __global__ void lane_kernel<emulated::stiff_gradient>(emulated::stiff_gradient, index);

}  // namespace revode
