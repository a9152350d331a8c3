// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/batch/ensemble_solver.hpp>
#include <revode/problems/hires.hpp>
#include <revode/problems/lorenz96.hpp>
#include <revode/solvers/bosh3.hpp>
#include <revode/solvers/rosenbrock23.hpp>

#include "../../batch/half_square.hpp"

namespace revode::emulated {

// On the host the derivatives of both fields are recordings, which a device has not.
template <class M, class F, int N, int P>
using forward = forward_group<M, F, vec<double, N>, vec<double, P>, 1, false, false>;
template <class M, class F, int N, int P>
using gradient = gradient_group<M, F, vec<double, N>, vec<double, P>, 1, false, false, half_square>;

using wide_forward = forward<bosh3, lorenz96, 16, 1>;
using stiff_forward = forward<rosenbrock23, hires, 8, 10>;
using stiff_gradient = gradient<rosenbrock23, hires, 8, 10>;

}  // namespace revode::emulated
