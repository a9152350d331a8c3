// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include <cli/ensemble_request.hpp>

namespace revode::cli {

/// The lanes of an ensemble by chunks of 1,024, each as `run` solves it: those that are done are kept in the
/// journal of the request, and the rest is gone on with. The bits are those of one run.
/// errors  as restart_journal
auto run_kept_lanes(const ensemble_request& r,
                    const std::function<lanes_result(const ensemble_request&)>& run)
    -> lanes_result;

}  // namespace revode::cli
