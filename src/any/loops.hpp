// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <any/structured.hpp>
#include <revode/any/erased_method.hpp>
#include <revode/problems/erased_massive_field.hpp>

namespace revode::compiled {

using plain_system = system<erased_field, vector, vector>;
using massive_system = system<erased_massive_field, vector, vector>;

// What methods by name differ in, for the loops that drive them.
inline constexpr method_traits without_estimate{.resumes = true};
inline constexpr method_traits resuming{.estimate = true, .resumes = true};
inline constexpr method_traits recording{.estimate = true, .record_bytes = 16};

/// What a method of these traits does for a kind of problem; each is instantiated in a source of its own (cmake/any.cmake).
template <bool Events, class System, method_traits Traits>
auto uses_by_loops(const erased_method<System, Traits>& m) -> method_uses;

}  // namespace revode::compiled
