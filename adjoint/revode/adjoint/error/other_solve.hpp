// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include <revode/solve/options.hpp>

namespace revode {

/// o with tolerances that are `factor` times as large.
inline options with_tolerances(options o, double factor) {
  for (double* tolerance : {&o.rtol, &o.atol}) *tolerance *= factor;
  for (auto each : {&error_norm::rtol, &error_norm::atol})
    for (double& own : o.norm.*each) own *= factor;
  return o;
}

/// Another solve with about `by` times the error of the first: tolerances by times as large, lengths
/// that options give by^(1/order) times as long. Steps that are given are doubled or halved instead.
struct other_solve {
  options o;
  int order;
  double by;
  bool given;  ///< are the steps?

  other_solve(const options& from, int order_, double by_)
      : o(from),
        order(order_),
        by(by_),
        given(o.fixed_step > 0 || !o.grid.empty()) {
    if (given) {
      o.fixed_step *= by > 1 ? 2 : 0.5;
      o.grid = by > 1 ? every_second(o.grid) : with_midpoints(o.grid);
      return;
    }
    o = with_tolerances(std::move(o), by);
    for (double* length : {&o.first_step, &o.max_step, &o.min_step})
      *length *= std::pow(by, 1.0 / order);
  }

  /// (other − x) times this is the error of x, in solves of so many steps; infinite where both took
  /// the same given steps.
  double share(index steps, index of_other) const {
    if (!given) return 1 / (by - 1);
    const double longer = static_cast<double>(steps) / static_cast<double>(of_other);
    const bool differs = by > 1 ? longer > 1 : longer < 1;
    return differs ? 1 / (std::pow(longer, order) - 1) : std::numeric_limits<double>::infinity();
  }

 private:
  static std::vector<double> every_second(const std::vector<double>& grid) {
    std::vector<double> ts;
    for (std::size_t i = 0; i < grid.size(); i += 2) ts.push_back(grid[i]);
    if (!grid.empty() && grid.size() % 2 == 0) ts.push_back(grid.back());
    return ts;
  }
  static std::vector<double> with_midpoints(const std::vector<double>& grid) {
    std::vector<double> ts;
    for (std::size_t i = 0; i < grid.size(); ++i) {
      if (i > 0) ts.push_back(0.5 * (grid[i - 1] + grid[i]));
      ts.push_back(grid[i]);
    }
    return ts;
  }
};
struct looser_solve : other_solve {
  static constexpr double by_tolerances = 3;
  looser_solve(const options& from, int of_order) : other_solve(from, of_order, by_tolerances) {}
};
struct tighter_solve : other_solve {
  tighter_solve(const options& from, int of_order)
      : other_solve(from, of_order, 1 / looser_solve::by_tolerances) {}
};

}  // namespace revode
