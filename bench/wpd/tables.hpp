// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "report.hpp"

namespace revode::wpd {

/// A table of texts; the first row is its head.
using table = std::vector<std::vector<std::string>>;

/// The fastest method of revode at equal digits, and how many times longer each peer takes.
table ratios(const report& all);

/// revode's methods over the fastest of them: geometric means over the problems with n ≤ 20, with how
/// many of those a method reaches, if not all; the best first.
table ranking(const report& all);

/// The fastest six of revode's methods on each problem.
table leaders(const report& all);

/// Where a method reaches the end, and its digits beyond those asked: min(−log₁₀ rtol − 2, CVODE's − 1/2).
table successes(const report& all);

/// The runs below that, with the digits of other codes at the same tolerances.
table shortfalls(const report& all);

/// Times at equal digits, with evaluations, Jacobians and factorisations at 6: of every solver, or of
/// peers, judged methods and the fastest.
table times(const problem_report& q, bool every);

/// Every run.
table runs(const problem_report& q);

}  // namespace revode::wpd
