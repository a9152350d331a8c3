// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "arrays.hpp"

namespace revode::python {

void bind_problems(nb::module_& m);
void bind_solves(nb::module_& m);
void bind_prepared(nb::module_& m);
void bind_networks(nb::module_& m);
void bind_xla(nb::module_& m);

/// What Python's slots=, budget= and schedule= say.
recursive_checkpoint as_checkpoint(std::optional<index> slots, std::optional<index> budget,
                                   const std::optional<std::string>& schedule);

}  // namespace revode::python
