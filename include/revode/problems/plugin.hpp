// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <revode/config.hpp>
#include <revode/problems/erased_problem.hpp>
#include <revode/problems/plugin_build.hpp>
#include <revode/solve/events.hpp>
#include <revode/state/vec.hpp>

namespace revode {

// A problem in a shared library of its own, for make_problem and all that stands on it, the command, C, Fortran
// and Python: solve ./libmine.so. A type as in revode/problems/lorenz.hpp, then
//
//   REVODE_PROBLEM(mine)
//
// compiled by revode_add_problem(mine mine.cpp) of revode's CMake package, or g++ -shared -fPIC.

/// What a shared library says of its problem.
struct plugin {
  plugin_build build;
  /// A new problem; `argument` is what stands behind the colon of "libmine.so:argument", null without one.
  erased_problem* (*make)(const char* argument);
};

template <class F>
erased_problem* make_plugin_problem(const char* argument) {
  F f{};
  named::set_argument(f, {argument != nullptr, argument != nullptr ? argument : ""});
  return new erased_problem(named::erase(f));
}

// What fields of model files call.

/// x^K by multiplications.
template <int K, class X>
REVODE_HD X whole_power(const X& x) {
  if constexpr (K < 0) {
    return X(1.0 / whole_power<-K>(x));
  } else if constexpr (K == 0) {
    return X(1.0);
  } else if constexpr (K == 1) {
    return x;
  } else {
    const X half = whole_power<K / 2>(x);
    const X square = half * half;
    if constexpr (K % 2 == 0) {
      return square;
    } else {
      return square * x;
    }
  }
}

}  // namespace revode

/// Makes a shared library a problem: one in each.
#define REVODE_PROBLEM(type)                                                         \
  extern "C" __attribute__((visibility("default"))) revode::plugin revode_plugin() { \
    return {revode::plugin_build_of(sizeof(revode::erased_problem)),                 \
            &revode::make_plugin_problem<type>};                                     \
  }
