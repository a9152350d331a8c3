// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "arrays.hpp"

namespace revode::python {

/// A problem with integrals beside it: q' = g(t, y, p), q(t0) = q0. Python sees y and q apart, whatever is solved has both.
struct python_problem : any_problem {
  std::shared_ptr<const any_callbacks> integrand{};  ///< null: there are none
  any_state q0{};

  /// Of (y, q).
  any_problem joined() const {
    return integrand ? with_quadrature(*this, *integrand, q0) : any_problem(*this);
  }
};

/// A result for (y, q), whose last elements are integrals.
template <class Of>
struct with_integrals : Of {
  std::size_t integrals = 0;
};

void bind_problems(nb::module_& m);
void bind_solutions(nb::module_& m);
void bind_solves(nb::module_& m);
void bind_prepared(nb::module_& m);
void bind_networks(nb::module_& m);
void bind_xla(nb::module_& m);

/// What Python's slots=, budget= and schedule= say.
recursive_checkpoint as_checkpoint(std::optional<index> slots, std::optional<index> budget,
                                   const std::optional<std::string>& schedule);

}  // namespace revode::python
