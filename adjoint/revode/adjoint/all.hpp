// SPDX-License-Identifier: Apache-2.0
#pragma once

// The only registry of adjoints.
#include <revode/adjoint/backsolve.hpp>
#include <revode/adjoint/control_gradient_error.hpp>
#include <revode/adjoint/error/resolved_gradient.hpp>
#include <revode/adjoint/forward.hpp>
#include <revode/adjoint/gauss.hpp>
#include <revode/adjoint/gradients.hpp>
#include <revode/adjoint/hessian_vector_product.hpp>
#include <revode/adjoint/interpolating.hpp>
#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/adjoint/reversible.hpp>
#include <revode/adjoint/steady_state.hpp>
#include <revode/adjoint/tangent/tangent_pack.hpp>
#include <revode/adjoint/value_and_checked_gradient.hpp>
#include <revode/adjoint/value_and_gradient.hpp>
#include <revode/adjoint/with_error.hpp>
