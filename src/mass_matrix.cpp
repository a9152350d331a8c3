// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>

#include <revode/solve/mass/mass_matrix.hpp>

namespace revode {
namespace {

/// A number and what rounding may have made of it.
struct rounded {
  double value = 0, error = 0;
};
using row_of_numbers = std::map<int, rounded>;
constexpr double eps = std::numeric_limits<double>::epsilon();

void check(const mass_entries::written& w, int n) {
  const std::string name = "mass(" + std::to_string(w.row) + ", " + std::to_string(w.column) + ")";
  if (w.row < 0 || w.row >= n || w.column < 0 || w.column >= n)
    throw std::invalid_argument(name + " of a state of " + std::to_string(n) +
                                " elements (rows and columns count from 0) write within it?");
  if (!std::isfinite(w.value))
    throw std::invalid_argument(name + " that is not finite (M is constant) write numbers to it?");
}

using weights = std::map<int, double>;

/// Rows of M in echelon form, as mass_elimination has them.
class echelon {
 public:
  explicit echelon(int n) : owner_(static_cast<std::size_t>(n), -1) {}

  /// Is the column no pivot's?
  bool is_open(int column) const { return owner_[static_cast<std::size_t>(column)] < 0; }
  void add(int of, row_of_numbers row, weights of_pivots) {
    const auto larger = [](const auto& a, const auto& b) {
      return std::abs(a.second.value) < std::abs(b.second.value);
    };
    const int column = std::max_element(row.begin(), row.end(), larger)->first;
    owner_[static_cast<std::size_t>(column)] = static_cast<int>(pivots_.size());
    pivots_.push_back({std::move(row), std::move(of_pivots), of, column});
  }
  /// Adds pivots to a row until no column of theirs is left.
  void reduce(row_of_numbers& row, weights& of_pivots) const {
    for (int first; (first = first_pivot(row)) >= 0;) {
      const pivot& by = pivots_[static_cast<std::size_t>(first)];
      const rounded own = row[by.column], other = by.row.at(by.column);
      const double factor = own.value / other.value;
      const double error = (own.error + std::abs(factor) * other.error) / std::abs(other.value);
      subtract(by.row, {factor, error + eps * std::abs(factor)}, row);
      row.erase(by.column);
      of_pivots[first] -= factor;
    }
  }
  /// Row `of` of M and these pivots, by rows of M.
  weights made_of(int of, weights of_pivots) const {
    weights rows{{of, 1.0}};
    while (!of_pivots.empty()) {
      const auto [last, times] = *of_pivots.rbegin();
      of_pivots.erase(last);
      const pivot& p = pivots_[static_cast<std::size_t>(last)];
      rows[p.of] += times;
      for (const auto& [k, value] : p.of_pivots) of_pivots[k] += times * value;
    }
    return rows;
  }
  mass_elimination result() const {
    mass_elimination all;
    for (const pivot& p : pivots_) {
      all.pivots.push_back({p.of, p.column, p.row.at(p.column).value, {}, {}});
      for (const auto& [k, x] : p.row)
        if (k != p.column) all.pivots.back().others.push_back({k, x.value});
      for (const auto& [k, x] : p.of_pivots) all.pivots.back().of_pivots.push_back({k, x});
    }
    return all;
  }

 private:
  struct pivot {
    row_of_numbers row;
    weights of_pivots;
    int of, column;
  };

  /// Pivots in their order, so that none brings back a column of one before.
  int first_pivot(const row_of_numbers& row) const {
    int first = -1;
    for (const auto& [k, value] : row) {
      const int p = owner_[static_cast<std::size_t>(k)];
      if (p >= 0 && (first < 0 || p < first)) first = p;
    }
    return first;
  }
  static void subtract(const row_of_numbers& row, const rounded& factor, row_of_numbers& from) {
    for (const auto& [k, x] : row) {
      rounded& to = from[k];
      const double part = factor.value * x.value;
      to.value -= part;
      to.error += std::abs(factor.value) * x.error + std::abs(x.value) * factor.error +
                  eps * (std::abs(part) + std::abs(to.value));
    }
  }

  std::vector<pivot> pivots_;
  std::vector<int> owner_;
};

/// Σ of rows of M by weights; elements of M are taken to be rounded as the largest of their row is. Weights that make up
/// for that leave as much where their rows have other elements.
row_of_numbers sum_of_rows(const mass_matrix& m, const weights& by) {
  row_of_numbers sum;
  double rounding = 0;
  for (const auto& [k, weight] : by) {
    double most = 0;
    for (const auto& e : m.row(k)) most = std::max(most, std::abs(e.value));
    for (const auto& e : m.row(k)) {
      rounded& to = sum[e.at];
      to.value += weight * e.value;
      to.error += eps * std::abs(weight) * most;
    }
    rounding = std::max(rounding, eps * std::abs(weight) * most);
  }
  if (by.size() > 1)
    for (auto& [k, x] : sum) x.error += rounding;
  return sum;
}

/// May all of it be rounding?
bool may_vanish(const row_of_numbers& row, int n) {
  for (const auto& [k, x] : row)
    if (std::abs(x.value) > n * x.error) return false;
  return true;
}

}  // namespace

void mass_matrix::check_index() {
  for (std::size_t i = 0; i < index_.size(); ++i)
    if (index_[i] < 1 || index_[i] > 3)
      throw std::invalid_argument("index() of " + std::to_string(index_[i]) + " for element " +
                                  std::to_string(i) +
                                  " (1, 2 and 3 can be solved) write one of them, or lower it by "
                                  "differentiation?");
  higher_ = highest_index(index_) > 1;
}

void mass_matrix::resize(int n) {
  if (size() == n) return;
  if (!index_.empty() && index_.size() != static_cast<std::size_t>(n))
    throw std::invalid_argument("index() of " + std::to_string(index_.size()) +
                                " elements for a state of " + std::to_string(n) +
                                " (each has one) give as many?");
  std::map<std::pair<int, int>, rounded> all;
  for (const auto& w : written_.all()) {
    check(w, n);
    rounded& to = all[{w.row, w.column}];
    to = w.adds ? rounded{to.value + w.value, to.error + eps * std::abs(w.value)}
                : rounded{w.value, 0};
    check({w.row, w.column, to.value, false}, n);
  }
  rows_.assign(static_cast<std::size_t>(n), {});
  columns_.assign(static_cast<std::size_t>(n), {});
  for (const auto& [at, sum] : all) {
    const double value = sum.value;
    if (std::abs(value) <= sum.error) continue;  // terms that cancel
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
      "index 2 or more, or contradictory at y0: w ∂f/∂y is singular there) tell the indices by "
      "index() and take radau_iia5, differentiate the equations by t, with y' = f, until they do, "
      "or choose another y0?");
}

void mass_matrix::refuse_method(const char* method) {
  throw std::invalid_argument(
      std::string("method ") + method +
      " for a field with an index() above 1 (its estimates and Newton's iteration weigh all "
      "elements alike) take radau_iia5, or differentiate the algebraic equations by t?");
}

void mass_matrix::refuse_start(int row, double off) {
  char size[32];
  std::snprintf(size, sizeof size, "%.2g", off);
  throw std::invalid_argument("a start " + std::string(size) +
                              " tolerances off the algebraic equation of row " +
                              std::to_string(row) +
                              " (with an index() above 1 states are taken as they are given) give "
                              "one that fulfils it, and its derivatives by t?");
}

/// Bounds of errors grow faster than errors do: where they say that a row may vanish, its weights are
/// refined, and the sum of M's own rows decides.
void mass_matrix::find_constraints() {
  const int n = size();
  constraints_.clear();
  constrained_.assign(static_cast<std::size_t>(n), 0);
  echelon pivots(n);
  for (int i = 0; i < n; ++i) {
    weights of_pivots;
    row_of_numbers left = sum_of_rows(*this, {{i, 1.0}});
    pivots.reduce(left, of_pivots);
    for (int round = 0; round < 8 && !left.empty() && may_vanish(left, n); ++round) {
      left = sum_of_rows(*this, pivots.made_of(i, of_pivots));
      if (may_vanish(left, 8 * n))
        left.clear();
      else
        pivots.reduce(left, of_pivots);
    }
    if (!left.empty()) {
      pivots.add(i, std::move(left), std::move(of_pivots));
      continue;
    }
    constraint c{i, -1, {}};
    for (const auto& [k, value] : pivots.made_of(i, of_pivots)) c.weights.push_back({k, value});
    constraints_.push_back(c);
    constrained_[static_cast<std::size_t>(i)] = 1;
  }
  int open = 0;
  for (constraint& c : constraints_) {
    while (!pivots.is_open(open)) ++open;
    c.open = open++;
  }
  elimination_ = pivots.result();
}

}  // namespace revode
