// SPDX-License-Identifier: Apache-2.0
#pragma once

// The only registry of adjoints.
#include <revode/adjoint/forward.hpp>
#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/adjoint/value_and_gradient.hpp>
