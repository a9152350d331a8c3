// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <revode/solve/error_norm.hpp>
#include <revode/solve/request/solve_request.hpp>

namespace revode {

/// A number in the fewest digits that read back to it.
std::string shortest(double x);

/// Throws std::invalid_argument, before any work, for the first thing wrong with a request.
/// `loose` says that the calling code was compiled with leave to rewrite formulas (see keeps_bits).
void validate(const options& o, double t0, double t1, bool has_estimate, const char* method,
              bool loose);

/// Throws it for calling code that takes every number for finite (see tells_finite).
[[noreturn]] void refuse_finite_math();

/// Throws it for options::threads in calling code that was compiled without OpenMP.
[[noreturn]] void refuse_threads(int threads);

/// Throws for element i of y0, which is NaN.
[[noreturn]] void refuse_start(index i);

/// Throws for a time that is not between the ends of what dense output covers.
[[noreturn]] void refuse_time(const std::string& what, double t, double from, double to);

/// The same for options::norm, with a state of n elements.
void validate(const error_norm& norm, int n);

/// Number of equal steps of length H from t0 to t1: ⌈|t1 − t0| / H − 1e-9⌉.
index fixed_step_count(double t0, double t1, double h);

}  // namespace revode
