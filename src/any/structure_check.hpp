// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/any.hpp>
#include <revode/any/compiled.hpp>

namespace revode::compiled {

/// Compares the Jacobian at the start, in a band or on a pattern that was given, with a product: a gradient through
/// factors that miss an element may be of any size, in success. Of fields that push exact products.
/// cost    a Jacobian in that shape, and one product
/// errors  std::invalid_argument: a row whose terms are a thousandth off
void expect_elements_inside(const algebra_text& a, const jacobian_structure& given,
                            const any_field& f, const initial_value_problem& q);

}  // namespace revode::compiled
