// SPDX-License-Identifier: Apache-2.0
// Kernels that must keep everything in registers on sm_90: forward up to 8 components, reverse up to
// 6. Compiled only, with -Xptxas --warn-on-spills,--warning-as-error, which makes a spill an error.
#include <revode/batch/gradient_group.hpp>
#include <revode/batch/place.hpp>
#include <revode/problems/lorenz96.hpp>
#include <revode/solvers/tsit5.hpp>

namespace revode {

struct first_component_loss {
  template <class Y>
  REVODE_HD auto operator()(index, const Y& y) const {
    return y[0];
  }
};

template <int N>
using forward_kernel =
    forward_group<tsit5, lorenz96, vec<double, N>, vec<double, 1>, 1, false, false>;
template <int N>
using gradient_kernel = gradient_group<tsit5, lorenz96, vec<double, N>, vec<double, 1>, 1, false,
                                       false, first_component_loss>;

template __global__ void lane_kernel<forward_kernel<8>>(forward_kernel<8>, index);
template __global__ void lane_kernel<gradient_kernel<6>>(gradient_kernel<6>, index);

}  // namespace revode
