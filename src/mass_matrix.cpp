// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>

#include <revode/solve/mass/mass_matrix.hpp>

namespace revode {
namespace {

using row_of_numbers = std::map<int, double>;

void check(const mass_entries::written& w, int n) {
  const std::string name = "mass(" + std::to_string(w.row) + ", " + std::to_string(w.column) + ")";
  if (w.row < 0 || w.row >= n || w.column < 0 || w.column >= n)
    throw std::invalid_argument(name + " of a state of " + std::to_string(n) +
                                " elements (rows and columns count from 0) write within it?");
  if (!std::isfinite(w.value))
    throw std::invalid_argument(name + " that is not finite (M is constant) write numbers to it?");
}

/// from = from − factor × row, and what is below rounding is 0.
void subtract(const row_of_numbers& row, double factor, double least, row_of_numbers& from) {
  for (const auto& [k, value] : row) {
    double& to = from[k];
    to -= factor * value;
    if (std::abs(to) <= least) from.erase(k);
  }
}

/// A row in which no earlier pivot's column is left, and of which rows of M it is made.
struct pivot {
  row_of_numbers row, made_of;
  int column;
};

}  // namespace

void mass_matrix::resize(int n) {
  if (size() == n) return;
  std::map<std::pair<int, int>, double> all;
  for (const auto& w : written_.all()) {
    check(w, n);
    double& to = all[{w.row, w.column}];
    to = w.adds ? to + w.value : w.value;
  }
  rows_.assign(static_cast<std::size_t>(n), {});
  columns_.assign(static_cast<std::size_t>(n), {});
  for (const auto& [at, value] : all) {
    if (value == 0) continue;
    rows_[static_cast<std::size_t>(at.first)].push_back({at.second, value});
    columns_[static_cast<std::size_t>(at.second)].push_back({at.first, value});
  }
  find_constraints();
}

void mass_matrix::refuse_entry(int i, int k, const char* where) {
  throw std::invalid_argument("mass(" + std::to_string(i) + ", " + std::to_string(k) +
                              ") outside the " + where +
                              " of the Jacobian (systems are with M and it together) give the "
                              "method one that holds both?");
}

void mass_matrix::refuse_index() {
  throw std::invalid_argument(
      "algebraic equations that do not determine the variables whose derivatives M leaves out (of "
      "index 2 or more, or contradictory at y0: w ∂f/∂y is singular there) differentiate them by "
      "t, "
      "with y' = f, until they do, or choose another y0?");
}

void mass_matrix::find_constraints() {
  const int n = size();
  constraints_.clear();
  constrained_.assign(static_cast<std::size_t>(n), 0);
  std::vector<pivot> pivots;
  std::vector<int> owner(static_cast<std::size_t>(n), -1);
  for (int i = 0; i < n; ++i) {
    pivot next{{}, {{i, 1.0}}, -1};
    double most = 0;
    for (const entry& e : row(i)) {
      next.row[e.at] = e.value;
      most = std::max(most, std::abs(e.value));
    }
    const double least = n * std::numeric_limits<double>::epsilon() * most;
    for (;;) {
      int first = -1;  // pivots in their order, so that none brings back a column of one before
      for (const auto& [k, value] : next.row) {
        const int p = owner[static_cast<std::size_t>(k)];
        if (p >= 0 && (first < 0 || p < first)) first = p;
      }
      if (first < 0) break;
      const pivot& by = pivots[static_cast<std::size_t>(first)];
      const double factor = next.row[by.column] / by.row.at(by.column);
      subtract(by.row, factor, least, next.row);
      next.row.erase(by.column);
      subtract(by.made_of, factor, 0, next.made_of);
    }
    if (next.row.empty()) {
      constraint c{i, -1, {}};
      for (const auto& [k, value] : next.made_of) c.weights.push_back({k, value});
      constraints_.push_back(c);
      constrained_[static_cast<std::size_t>(i)] = 1;
      continue;
    }
    const auto larger = [](const auto& a, const auto& b) {
      return std::abs(a.second) < std::abs(b.second);
    };
    next.column = std::max_element(next.row.begin(), next.row.end(), larger)->first;
    owner[static_cast<std::size_t>(next.column)] = static_cast<int>(pivots.size());
    pivots.push_back(std::move(next));
  }
  int open = 0;
  for (constraint& c : constraints_) {
    while (owner[static_cast<std::size_t>(open)] >= 0) ++open;
    c.open = open++;
  }
}

}  // namespace revode
