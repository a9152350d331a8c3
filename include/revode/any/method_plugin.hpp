// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <revode/any/functions_of.hpp>
#include <revode/problems/plugin_build.hpp>

namespace revode {

// A method in a shared library of its own, for the command, revode::any, C, Fortran and Python: --method ./libmine.so.
// A type as in revode/solvers/bosh3.hpp, with the family's header included, then
//
//   REVODE_METHOD(mine)
//
// compiled by revode_add_method(mine mine.cpp) of revode's CMake package, or g++ -shared -fPIC.

/// What a shared library says of its method: what it computes, which revode::any drives, or all that it does.
struct method_plugin {
  plugin_build build;
  compiled::described_method* (*make)();
};

template <class M>
compiled::described_method* make_plugin_method() {
  return std::make_unique<compiled::described_method>(compiled::described<M>()).release();
}

}  // namespace revode

/// Makes a shared library a method: one in each.
#define REVODE_METHOD(type)                                                                        \
  extern "C" __attribute__((visibility("default"))) revode::method_plugin revode_method_plugin() { \
    return {revode::plugin_build_of(sizeof(revode::compiled::described_method)),                   \
            &revode::make_plugin_method<type>};                                                    \
  }
