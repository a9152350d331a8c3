// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cli/request.hpp>

namespace revode::cli {

/// The same number from both modes.
struct agreement {
  double forward = 0, reverse = 0;
  double difference() const;  ///< relative to the larger
};

/// A fixed direction v in all inputs and fixed weights w of all outputs, J the derivative of the
/// computed solution:  dot_product ⟨w, Jv⟩ against ⟨Jᵀw, v⟩,  gradient dL·v against ⟨∇L, v⟩.
struct gradient_check {
  agreement dot_product, gradient;
  status ended = status::success;  ///< of the derivatives that it takes: without success NaN
};

/// The weights w of the test, for `differentiate`.
cotangents<vector> test_weights(const solution_type& s);

/// d holds the gradients for the loss and for test_weights, with the save points moved along.
auto check_gradient(const gradient_request& r, const initial_value_problem& q,
                    const differentiated& d) -> gradient_check;

/// Save points at equal intervals move with t0 and t1: their share of the two derivatives.
void move_save_points(const gradient_request& r, gradient_type& bar);

}  // namespace revode::cli
