// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace revode {

/// For use in constant expressions: the nodes c, inverse = A⁻¹ = T diag(γ, (α −β; β α), …) T⁻¹ as t
/// and t_inverse, and e of the estimate.
template <int S>
struct radau_numbers;

}  // namespace revode
