// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <type_traits>

#include <revode/batch/ensemble.hpp>
#include <revode/batch/place.hpp>
#include <revode/problems/lorenz.hpp>

namespace revode {

/// The batch system of the build where that is this machine, else Thrust's host system: fields of
/// these tests are host code, and throw.
using place = std::conditional_t<on_device::catches, on_device, on_host>;

/// The text with which a call is refused; empty if it is not.
template <class Call>
std::string misuse_of(Call&& call) {
  try {
    call();
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "";
}

/// Lorenz with neighbours that differ in parameters, start, span, tolerance and step cap; some run
/// backwards, some nowhere, some are stopped by their cap.
inline ensemble<lorenz, vec<double, 3>, vec<double, 3>> mixed_lanes(index lanes) {
  ensemble<lorenz, vec<double, 3>, vec<double, 3>> e;
  e.t0.clear(), e.t1.clear(), e.p.clear();
  for (index l = 0; l < lanes; ++l) {
    const double x = static_cast<double>(l % 37) / 37;
    e.y0.push_back({1 + x, 0.5 - x, 10 * x});
    e.t0.push_back(0.25 * x);
    e.t1.push_back(l % 11 == 3 ? -0.2 - x : l % 13 == 5 ? e.t0.back() : 1 + 2 * x);
    e.p.push_back({10, 20 + 10 * x, 8.0 / 3});
    e.rtol.push_back(l % 3 == 0 ? 1e-5 : 1e-8);
    e.atol.push_back(l % 2 == 0 ? 1e-6 : 1e-9);
    e.max_steps.push_back(l % 17 == 4 ? 9 : 5000);
  }
  return e;
}

/// Save points that differ in number from lane to lane, at t0, inside, and at t1.
template <class E>
void add_save_points(E& e) {
  for (std::size_t l = 0; l < e.y0.size(); ++l) {
    std::vector<double> ts;
    for (std::size_t k = 0; k < l % 7; ++k)
      ts.push_back(e.t0[l] + (e.t1[l] - e.t0[l]) * static_cast<double>(k) / 6.0);
    if (l % 5 == 0) ts.push_back(e.t1[l]);
    e.save_ts.push_back(ts);
  }
}

}  // namespace revode
