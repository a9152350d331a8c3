// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <cli/request.hpp>

namespace revode::cli {

/// Why the reverse pass of a request ended with non_finite_gradient, in lines: by which components and
/// parameters the field's derivative is not finite, where, which entries of the gradient that spoils, and
/// what to try; or that cotangents overflowed, or an event spoilt them. Empty: it cannot be told.
/// cost    the solve and its reverse pass once more, with twice the products
std::string why_no_gradient(const gradient_request& r);

}  // namespace revode::cli
