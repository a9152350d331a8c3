// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <revode/problems/erased_problem.hpp>

namespace revode {

/// default_size: the N of "name:N" when none is given; 0 where the problem has no size. massive: it has a
/// mass matrix.
struct catalog_entry {
  std::string_view name, summary, source;
  int default_size = 0;
  bool stiff = false, events = false, massive = false;
};

/// The named problems, in the order of the lists in problems/all.hpp.
auto catalog() -> std::vector<catalog_entry>;

/// The problem of a name, "lorenz", "lorenz96:40", "kepler:0.6", "detest:B4". An unknown name, a missing or bad
/// argument is a std::invalid_argument.
/// needs   this library and who calls it to take Eigen's arrays from one allocator, which -march and
///         sanitizers change: otherwise the linker finds no make_problem of that alignment (0: malloc's
///         own). Compile both with the same flags, or the caller with -DEIGEN_MAX_ALIGN_BYTES=16
///         -DEIGEN_MALLOC_ALREADY_ALIGNED=1
template <int Alignment = EIGEN_MALLOC_ALREADY_ALIGNED ? 0 : EIGEN_DEFAULT_ALIGN_BYTES>
auto make_problem(std::string_view spec) -> erased_problem;

/// The known name with the least edit distance (insert, delete, replace, swap two neighbours), the
/// first of equals; empty when even that differs in more than half of its letters.
auto nearest_name(std::string_view name, std::span<const std::string_view> known) -> std::string;

}  // namespace revode
