// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/any/functions_of.hpp>

namespace revode::compiled {

/// What a method of these traits does for a kind of problem: the loops that drive it, each instantiated in a
/// source of its own (cmake/any.cmake).
template <bool Events, class System, method_traits Traits>
auto uses_by_loops(const erased_method<System, Traits>& m) -> method_uses;

/// The entry of a method with all that it does.
auto by_loops(described_method m) -> method_entry;

}  // namespace revode::compiled
