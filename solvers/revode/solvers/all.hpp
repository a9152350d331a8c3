// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/bosh3.hpp>
#include <revode/solvers/bs5.hpp>
#include <revode/solvers/dop853.hpp>
#include <revode/solvers/dopri5.hpp>
#include <revode/solvers/euler.hpp>
#include <revode/solvers/heun.hpp>
#include <revode/solvers/implicit.hpp>
#include <revode/solvers/midpoint.hpp>
#include <revode/solvers/ralston.hpp>
#include <revode/solvers/rk4.hpp>
#include <revode/solvers/rodas3.hpp>
#include <revode/solvers/rodas3p.hpp>
#include <revode/solvers/rodas4.hpp>
#include <revode/solvers/rodas4p.hpp>
#include <revode/solvers/rodas4p2.hpp>
#include <revode/solvers/rodas5.hpp>
#include <revode/solvers/rodas5p.hpp>
#include <revode/solvers/ros34pw2.hpp>
#include <revode/solvers/ros3p.hpp>
#include <revode/solvers/rosenbrock.hpp>
#include <revode/solvers/rosenbrock23.hpp>
#include <revode/solvers/tsit5.hpp>
#include <revode/solvers/vern7.hpp>

namespace revode {

template <class... Methods>
struct method_list {};

/// Every method of the library, by kind and order: the only registry. A new method is its own file
/// and one line above and below. all_methods are the explicit ones.
using all_methods =
    method_list<euler, heun, midpoint, ralston, bosh3, rk4, tsit5, dopri5, bs5, vern7, dop853>;
using rosenbrock_methods = method_list<rosenbrock23, ros3p, rodas3, rodas3p, ros34pw2,
                                       ros34pw2_held, rodas4, rodas4p, rodas4p2, rodas5, rodas5p>;
using implicit_methods =
    method_list<implicit_euler, trapezoid, tr_bdf2, kvaerno3, kencarp3, esdirk325, kvaerno4,
                kencarp4, esdirk436, kvaerno5, kencarp5, esdirk547, esdirk54i8, radau_iia5>;

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
