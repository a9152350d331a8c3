// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/rodas5p.hpp>
#include <revode/solvers/switching/switching_adjoint.hpp>
#include <revode/solvers/tsit5.hpp>
#include <revode/solvers/vern7.hpp>

namespace revode {

/// Pairs that need not be told whether a problem is stiff: to six digits, and beyond.
using tsit5_rodas5p = switching<tsit5, rodas5p>;
using vern7_rodas5p = switching<vern7, rodas5p>;

}  // namespace revode
