// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <cli/request.hpp>

namespace revode::cli {

/// The same number from both modes.
struct agreement {
  double forward = 0, reverse = 0;
  double terms = 0;           ///< the sum of |terms| in the mode where it is larger
  double difference() const;  ///< relative to the larger
  double of_terms() const;    ///< the same relative to the terms, which may cancel
};

/// A fixed direction v in all inputs and fixed weights w of all outputs, J the derivative of the
/// computed solution:  dot_product ⟨w, Jv⟩ against ⟨Jᵀw, v⟩,  gradient dL·v against ⟨∇L, v⟩.
struct gradient_check {
  agreement dot_product, gradient;
  /// Of the differences relative to the terms; infinite: nothing follows from them.
  double limit = 0;
  status ended = status::success;  ///< of the derivatives that it takes: without success NaN

  bool agrees() const;
};

/// The weights w of the test, for `differentiate`.
cotangents<vector> test_weights(const solution_type& s);

/// d holds the gradients for the loss and for test_weights, with the save points moved along.
auto check_gradient(const gradient_request& r, const initial_value_problem& q,
                    const differentiated& d) -> gradient_check;

/// What a check without agreement found, why, and what to do.
std::string disagreement(const gradient_request& r, const gradient_check& c);

/// Save points at equal intervals move with t0 and t1: their share of the two derivatives.
void move_save_points(const gradient_request& r, gradient_type& bar);

}  // namespace revode::cli
