// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "contest.hpp"

namespace revode::bench {

/// One gradient: how far it is from the reference, as a quotient of norms, and what it took.
struct point {
  double rtol, error, seconds, median;  ///< of the processor: the least of all rounds, the median
  answer of;                            ///< without its numbers
};
struct curve {
  std::string solver, setting;
  std::vector<point> points;
};
struct section {
  std::string name;
  int n, parameters;
  std::vector<curve> curves;
};

/// The fastest point with an error of at most `most`; null when there is none.
const point* fastest(const curve& c, double most);

void print_table(const section& s, double most);

/// adjoint.json, from which bench/tables.py draws the page.
void write(const std::vector<section>& all, const std::vector<std::string>& peers, double most,
           const std::string& folder);

}  // namespace revode::bench
