// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include <cli/commands.hpp>

namespace revode::cli {

/// revode bench wpd PROBLEM [--methods A,B] [--tolerances R,S] [--repeats N] [--longest SECONDS] [--plot FILE]
/// [--json]: digits of the end state against time, of methods by name on any problem, a model or a
/// library among them. Peers and several problems are revode-bench-wpd's.
///
/// Digits are −log₁₀ maxᵢ |yᵢ − rᵢ| / (atol/rtol + |rᵢ|), where r is the end state by the second of two accurate
/// solves of different methods; beyond their own agreement nothing is known. Time is the least of N solves'.
/// errors  misuse: unknown names and options, values that are none, a problem that no accurate solve ends
report work_precision_command(std::span<const std::string> words);

}  // namespace revode::cli
