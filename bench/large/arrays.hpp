// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../adjoint/contest.hpp"
#include "../wpd/plain.hpp"
#include "task.hpp"

namespace revode::large {

/// A task as libraries in C take it, to solve and to differentiate. The task outlives them.
wpd::plain to_solve(const task& q);
bench::plain to_differentiate(const task& q);

}  // namespace revode::large
