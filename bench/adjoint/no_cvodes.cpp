// SPDX-License-Identifier: Apache-2.0
#include "contest.hpp"

namespace revode::bench {

std::string add_cvodes(const plain&, std::vector<contender>&) { return "no CVODES in this build"; }

}  // namespace revode::bench
