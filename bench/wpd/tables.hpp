// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "report.hpp"

namespace revode::wpd {

/// A table of texts; the first row is its head.
using table = std::vector<std::vector<std::string>>;

/// Times at equal digits, with evaluations, Jacobians and factorisations at 6.
table times(const problem_report& q);

/// Every run.
table runs(const problem_report& q);

}  // namespace revode::wpd
