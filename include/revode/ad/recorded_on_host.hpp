// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include <revode/ad/dual_sweep.hpp>
#include <revode/ad/field_calls.hpp>

namespace revode {

#if defined(__CUDACC__)
/// A recorded_field that a device may hold as well, where nothing can be recorded: the host makes it when it first
/// pulls, a device takes forward duals.
template <class F, class Y, class P, class S>
class recorded_on_host {
 public:
  REVODE_HD recorded_on_host() {}
  recorded_on_host(const recorded_on_host&) = delete;
  recorded_on_host& operator=(const recorded_on_host&) = delete;
  REVODE_HD ~recorded_on_host() {
#if !defined(__CUDA_ARCH__)
    delete made_;
#endif
  }

  template <class GY, class GP>
  REVODE_HD void vjp(const F& f, S t, const Y& y, const P& p, const Y& w, S* gt, GY& gy, GP& gp) {
#if defined(__CUDA_ARCH__)
    direction_sweep<Y, P>::vjp(f, t, y, p, w, gt, gy, gp);
#else
    made().vjp(f, t, y, p, w, gt, gy, gp);
#endif
  }
  template <class... A>
  void pull(A&&... a) {
    made().pull(std::forward<A>(a)...);
  }
  template <class... A>
  void add_to(A&&... a) {
    made().add_to(std::forward<A>(a)...);
  }

 private:
  auto made() -> recorded_field<F, Y, P, S>& {
    if (made_ == nullptr) made_ = new recorded_field<F, Y, P, S>;
    return *made_;
  }

  recorded_field<F, Y, P, S>* made_ = nullptr;
};
#else
template <class F, class Y, class P, class S>
using recorded_on_host = recorded_field<F, Y, P, S>;
#endif

}  // namespace revode
