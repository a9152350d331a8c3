// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include <revode/solve/error_norm.hpp>
#include <revode/solve/mass/open_slope.hpp>

namespace revode {

// With elements of index 2 or 3 no Newton iteration makes a state consistent: equations that stand in f, and
// their derivatives by t, which do not, bind it. It is taken as given, and judged by the former. Those that
// elements which M does not see can fulfil (accelerations, multipliers) are no matter: the first step does so.

/// Is a state its own consistent one?
inline bool is_taken_as_given(const mass_matrix& m) {
  return m.constraints().empty() || m.has_higher_index();
}

/// Algebraic equations to first order, each w f = rest + slope · dy, and slope · N, where N spans what M does not
/// see.
struct linear_constraint {
  int row;
  double rest;
  std::vector<double> slope, unseen;
};

/// Eliminates what M does not see. What is left of the equations binds the rest of the state; of
/// coefficients below 1e-10 of an equation's largest terms only rounding is left.
inline void eliminate_unseen(std::vector<linear_constraint>& all) {
  const std::size_t columns = all.empty() ? 0 : all.front().unseen.size();
  std::vector<char> used(columns, 0);
  for (;;) {
    std::size_t row = 0, column = 0;
    double most = 1e-10;
    for (std::size_t i = 0; i < all.size(); ++i)
      for (std::size_t k = 0; k < columns; ++k)
        if (used[k] == 0 && std::abs(all[i].unseen[k]) > most)
          most = std::abs(all[i].unseen[k]), row = i, column = k;
    if (most == 1e-10) return;
    const linear_constraint by = std::move(all[row]);
    all.erase(all.begin() + static_cast<std::ptrdiff_t>(row));
    used[column] = 1;
    for (linear_constraint& c : all) {
      const double factor = c.unseen[column] / by.unseen[column];
      c.rest -= factor * by.rest;
      for (std::size_t k = 0; k < c.slope.size(); ++k) c.slope[k] -= factor * by.slope[k];
      for (std::size_t k = 0; k < columns; ++k) c.unseen[k] -= factor * by.unseen[k];
      c.unseen[column] = 0;
    }
  }
}

/// The algebraic equations at (t, y), each divided by the sum of its terms |slope · y|, or by its largest
/// coefficient where that is 0; false where one is not finite.
template <class System, class Y>
bool linearize_constraints(System& sys, double t, const Y& y, std::vector<linear_constraint>& all) {
  using T = scalar_t<Y>;
  const int n = length(y);
  const auto number = [](const auto& x) { return static_cast<double>(value_of(x)); };
  Y f = y;
  sys(t, y, f);
  dense_matrix<T> j(n);
  sys.jacobian(t, y, j);
  if (!all_finite(f) || !all_finite(j)) return false;
  for (const auto& c : sys.mass.constraints()) {
    all.push_back({c.row, 0, std::vector<double>(static_cast<std::size_t>(n)), {}});
    for (const auto& w : c.weights) {
      all.back().rest += w.value * number(f.data()[w.at]);
      for (int k = 0; k < n; ++k)
        all.back().slope[static_cast<std::size_t>(k)] += w.value * number(j(w.at, k));
    }
  }
  for (const auto& c : sys.mass.constraints()) {
    Y null = zero_like(y);
    const Y nothing = null;
    null.data()[c.open] = T(1);
    sys.mass.elimination().solve(nothing, null);
    for (linear_constraint& of : all) {
      double sum = 0, terms = 0;
      for (int k = 0; k < n; ++k) {
        const double term = of.slope[static_cast<std::size_t>(k)] * number(null.data()[k]);
        sum += term, terms += std::abs(term);
      }
      of.unseen.push_back(std::abs(sum) > 1e-10 * terms ? sum : 0.0);
    }
  }
  for (linear_constraint& of : all) {
    double size = 0, largest = 0;
    for (int k = 0; k < n; ++k) {
      const double slope = std::abs(of.slope[static_cast<std::size_t>(k)]);
      size += slope * std::abs(number(y.data()[k]));
      largest = std::fmax(largest, slope);
    }
    const double by = size > 0 ? size : largest;
    if (!(by > 0)) continue;
    of.rest /= by;
    for (double& x : of.slope) x /= by;
    for (double& x : of.unseen) x /= by;
  }
  return true;
}

/// The nearest state that fulfils an equation is so many tolerances off, to first order; 0 where rounding
/// may be all of it.
template <class Y>
double tolerances_off(const linear_constraint& c, const tolerance& tol, const Y& y) {
  const auto size = [&y](int i) { return std::abs(static_cast<double>(value_of(y.data()[i]))); };
  double sum = 0, terms = 0;
  for (int i = 0, n = length(y); i < n; ++i) {
    double scale = tol.atol + tol.rtol * size(i);
    if (tol.each != nullptr && tol.each->is_inside(i))
      scale = tol.each->atol[i] + tol.each->rtol[i] * size(tol.each->like(i));
    const double slope = c.slope[static_cast<std::size_t>(i)];
    sum += slope * scale * (slope * scale);
    terms += std::abs(slope) * size(i);
  }
  const double rounding = 1e3 * std::numeric_limits<double>::epsilon() * terms;
  return std::abs(c.rest) <= rounding ? 0 : std::abs(c.rest) / std::sqrt(sum);
}

/// Judges a state that is taken as given, where it is known by which tolerances.
/// errors  at the start of a solve one that is more than a tolerance off throws std::invalid_argument. Behind
///         events it may be a thousand off, as much as dense output leaves; then it reports newton_failure
template <class System, class Y>
void judge_given_start(System& sys, double t, const Y& y, bool first) {
  if (sys.mass.judged_by == nullptr) return;
  std::vector<linear_constraint> all;
  if (!linearize_constraints(sys, t, y, all)) return report(sys, status::non_finite_field);
  eliminate_unseen(all);
  for (const linear_constraint& c : all) {
    const double off = tolerances_off(c, *sys.mass.judged_by, y);
    if (off <= (first ? 1 : 1000)) continue;
    if (first) mass_matrix::refuse_start(c.row, off);
    return report(sys, status::newton_failure);
  }
}

}  // namespace revode
