// SPDX-License-Identifier: Apache-2.0
// Kernels that must keep everything in registers on sm_90: forward up to 8 components, reverse up to
// 6, with an event up to 4; of 32, whose elements stay in memory, everything else. Compiled only, with
// -Xptxas --warn-on-spills,--warning-as-error, which makes a spill an error.
#include <revode/batch/group/event_group.hpp>
#include <revode/batch/group/gradient_group.hpp>
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

struct first_falls {
  static constexpr auto direction = crossing::falling;
  template <class T, class Y, class P>
  REVODE_HD T condition(const T&, const Y& y, const P&) const {
    return y[0];
  }
  template <class T, class Y, class P>
  REVODE_HD void jump(const T&, const Y& y, const P& p, Y& y_new) const {
    y_new[0] = p[0] - y[1];
  }
};

template <int N>
using forward_kernel =
    forward_group<tsit5, lorenz96, vec<double, N>, vec<double, 1>, 1, false, false>;
template <int N>
using gradient_kernel = gradient_group<tsit5, lorenz96, vec<double, N>, vec<double, 1>, 1, false,
                                       false, first_component_loss>;

template <int N>
using event_kernel =
    event_group<tsit5, lorenz96, vec<double, N>, vec<double, 1>, 1, pack_of<first_falls>>;

template __global__ void lane_kernel<forward_kernel<8>>(forward_kernel<8>, index);
template __global__ void lane_kernel<forward_kernel<32>>(forward_kernel<32>, index);
template __global__ void lane_kernel<gradient_kernel<6>>(gradient_kernel<6>, index);
template __global__ void lane_kernel<event_kernel<4>>(event_kernel<4>, index);

}  // namespace revode
