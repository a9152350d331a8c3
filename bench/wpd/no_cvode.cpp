// SPDX-License-Identifier: Apache-2.0
#include "contest.hpp"

namespace revode::wpd {

std::string add_cvode(contest&) { return "no CVODE (libsundials-dev was not there at build time)"; }

}  // namespace revode::wpd
