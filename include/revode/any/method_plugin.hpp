// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <revode/any/entry_of.hpp>
#include <revode/problems/plugin_build.hpp>

namespace revode {

// A method in a shared library of its own, for the command, revode::any, C, Fortran and Python: --method ./libmine.so.
// A type as in revode/solvers/bosh3.hpp, with the family's header included, then
//
//   REVODE_METHOD(mine)
//
// compiled by revode_add_method(mine mine.cpp) of revode's CMake package, or g++ -shared -fPIC.

/// What a shared library says of its method: solves, dense output, gradients and forward mode, with events
/// and without.
struct method_plugin {
  plugin_build build;
  compiled::method_entry* (*make)();
};

template <class M>
compiled::method_entry* make_plugin_method() {
  return std::make_unique<compiled::method_entry>(compiled::entry_of<M>()).release();
}

}  // namespace revode

/// Makes a shared library a method: one in each.
#define REVODE_METHOD(type)                                                                        \
  extern "C" __attribute__((visibility("default"))) revode::method_plugin revode_method_plugin() { \
    return {revode::plugin_build_of(sizeof(revode::compiled::method_entry)),                       \
            &revode::make_plugin_method<type>};                                                    \
  }
