// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "arrays.hpp"

namespace revode::python {

void bind_problems(nb::module_& m);
void bind_solves(nb::module_& m);

}  // namespace revode::python
