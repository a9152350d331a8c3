// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include <revode/any/compiled.hpp>

namespace revode::compiled {

/// The methods are compiled in so many sources, written by cmake/any.cmake, in equal shares.
inline constexpr std::size_t method_parts = REVODE_METHOD_PARTS;

/// Those of one part; defined in entries.hpp, each instantiated in a source of its own.
template <std::size_t Part>
auto entries_of_part() -> std::vector<method_entry>;

/// Those of algebras that factor matrices, and of those that take products.
auto entries_with_factors() -> std::vector<algebra_entry>;
auto entries_with_factors_and_mass() -> std::vector<algebra_entry>;
auto entries_with_products() -> std::vector<algebra_entry>;

/// The pattern of ∂f/∂y near a problem's start, with that of its mass matrix.
auto pattern_near_start(const initial_value_problem& q) -> sparsity;

}  // namespace revode::compiled
