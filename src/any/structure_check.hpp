// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/any.hpp>
#include <revode/any/compiled.hpp>

namespace revode::compiled {

/// Compares the Jacobian in a band or on a pattern that was given with a product, at the start and at a state and time a
/// thousandth beside it: a gradient through factors that miss an element may be of any size, in success. The product is
/// by the field's jvp, or with the transpose by its vjp. Not looked at: fields by differences alone, whose errors may be as
/// large as elements, but for the rows of integrals; elements that are zero in both places; the second place where the field throws or is not finite.
/// cost    two Jacobians in that shape, two products, and one call of the field
/// errors  std::invalid_argument: a row, or a column by the vjp, whose sum is a hundred-thousandth of its terms off, or a
///         thousandth where the field itself brings the Jacobian
void expect_elements_inside(const algebra_text& a, const jacobian_structure& given,
                            const any_field& f, const initial_value_problem& q);

}  // namespace revode::compiled
