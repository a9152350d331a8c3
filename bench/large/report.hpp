// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "../wpd/measure.hpp"
#include "task.hpp"

namespace revode::large {

/// What one task showed: curves of solves and of gradients.
struct section {
  std::string problem, family;
  int n, parameters, colours;
  long entries;              ///< of the pattern
  double pattern_seconds;    ///< to find it
  double reference_seconds;  ///< of the reference and its gradient
  std::vector<wpd::curve> solves, gradients;
};

void print(const section& s);

/// large.json, from which bench/tables.py draws the page.
void write(const std::vector<section>& all, const std::vector<std::string>& peers,
           const std::vector<std::string>& left_out, const std::string& command,
           const std::string& folder);

}  // namespace revode::large
