// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <revode/any.hpp>
#include <revode/linalg/sparse/sparsity.hpp>

namespace revode::compiled {

/// The pattern of y in one of (y, q), whose further rows are full. It stays that of its maker, whose
/// any_callbacks::sparse_jacobian writes in the order of its entries.
struct pattern_of_state {
  std::shared_ptr<const sparsity> it{};
};

/// The method for a problem with integrals: to a pattern of y it adds their rows, which may read all of y. A pattern of
/// another size, and a band, stay as they are.
/// cost    as many entries as y has elements an integral
any_method beside_integrals(const any_method& m, const any_problem& q);

}  // namespace revode::compiled
