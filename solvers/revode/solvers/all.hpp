// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/bosh3.hpp>
#include <revode/solvers/bs5.hpp>
#include <revode/solvers/dop853.hpp>
#include <revode/solvers/dopri5.hpp>
#include <revode/solvers/euler.hpp>
#include <revode/solvers/heun.hpp>
#include <revode/solvers/midpoint.hpp>
#include <revode/solvers/ralston.hpp>
#include <revode/solvers/rk4.hpp>
#include <revode/solvers/tsit5.hpp>
#include <revode/solvers/vern7.hpp>

namespace revode {

template <class... Methods>
struct method_list {};

/// Every method of the library, by order: the only registry. A new method is its own file and one
/// line above and below.
using all_methods = method_list<euler, heun, midpoint, ralston, bosh3, rk4, tsit5, dopri5, bs5,
                                vern7, dop853>;

/// fn(method{}) for every method of a list, in its order.
template <class Function, class... Methods>
constexpr void for_each_method(method_list<Methods...>, Function&& fn) {
  (fn(Methods{}), ...);
}

template <class Function>
constexpr void for_each_method(Function&& fn) {
  for_each_method(all_methods{}, fn);
}

}  // namespace revode
