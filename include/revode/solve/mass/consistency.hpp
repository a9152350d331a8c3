// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <memory>
#include <vector>

#include <revode/ad/functions.hpp>
#include <revode/linalg/algebra.hpp>
#include <revode/solve/mass/held_jacobian.hpp>
#include <revode/solve/mass/mass_matrix.hpp>
#include <revode/solve/statistics.hpp>
#include <revode/state/vec.hpp>

namespace revode {

/// weight ← wᵀ x of x at the rows of constraints, with a sign.
template <class Y>
Y spread_constraints(const mass_matrix& m, scalar_t<Y> sign, const Y& x) {
  using T = scalar_t<Y>;
  Y weight = zero_like(x);
  for (const auto& c : m.constraints())
    for (const auto& w : c.weights)
      weight.data()[w.at] = muladd(sign * T(w.value), x.data()[c.row], weight.data()[w.at]);
  return weight;
}

/// x ← w x, with a sign, at the rows of constraints, 0 elsewhere.
template <class Y>
void combine_constraints(const mass_matrix& m, scalar_t<Y> sign, Y& x) {
  using T = scalar_t<Y>;
  const Y from = x;
  fill(x, T(0));
  for (const auto& c : m.constraints())
    x.data()[c.row] = sign * add_entries(c.weights, T(0), [&](int i) { return from.data()[i]; });
}

/// K at (t, y), which stay where they are. Where the method's algebra can factor K it does. Else what M leaves open is
/// found from w ∂f/∂y along what M does not see.
/// cost    the algebra's; else m products by the Jacobian (held_jacobian.hpp) and m³/3 multiply-adds to factor, of m
///         algebraic equations, another m where M's null vectors have more than one element; one product, and M's
///         elimination, to solve
template <class System, class Y>
class consistency {
  using T = scalar_t<Y>;

 public:
  consistency(System& sys, double t, const Y& y) : sys_(sys), t_(t), y_(y) {}

  /// False: of no index 1, or not finite.
  bool factor() {
    held_ = sys_.held ? sys_.held(t_, y_) : nullptr;
    count_factorization(sys_);
    return has_whole() ? held_->factor(sys_.mass) : factor_open();
  }

  void solve(Y& x) const {
    if (has_whole()) return held_->solve(x);
    Y out = zero_like(x), slopes = out;
    sys_.mass.elimination().solve(x, out);
    multiply(out, slopes);
    combine_constraints(sys_.mass, T(1), slopes);
    std::vector<T> open;
    for (const auto& c : constraints()) open.push_back(x.data()[c.row] - slopes.data()[c.row]);
    factors_.solve(open);
    for (std::size_t k = 0; k < open.size(); ++k) out.data()[constraints()[k].open] = open[k];
    sys_.mass.elimination().solve(x, out);
    copy(out, x);
  }

  void solve_transposed(Y& x) const {
    if (has_whole()) return held_->solve_transposed(x);
    Y open = x, rows = zero_like(x);
    sys_.mass.elimination().pull(open, rows);
    std::vector<T> bar;
    for (const auto& c : constraints()) bar.push_back(open.data()[c.open]);
    factors_.solve_transposed(bar);
    for (std::size_t k = 0; k < bar.size(); ++k) rows.data()[constraints()[k].row] = -bar[k];
    vec<T, 0> still;
    sys_.vjp(t_, y_, spread_constraints(sys_.mass, T(1), rows), nullptr, x, still);
    sys_.mass.elimination().pull(x, rows);
    for (std::size_t k = 0; k < bar.size(); ++k) rows.data()[constraints()[k].row] = bar[k];
    copy(rows, x);
  }

 private:
  static std::size_t at(int k) { return static_cast<std::size_t>(k); }
  const auto& constraints() const { return sys_.mass.constraints(); }
  bool has_whole() const { return held_ != nullptr && held_->has_factors(sys_.mass); }
  void multiply(const Y& x, Y& out) const { multiply_by(held_.get(), sys_, t_, y_, x, out); }

  bool factor_open() {
    const auto& all = constraints();
    const int m = static_cast<int>(all.size());
    const Y nothing = zero_like(y_);
    Y slopes = nothing;
    rows_.resize(m);
    terms_ = dense_matrix<double>(m);
    for (int k = 0; k < m; ++k) {
      Y unseen = nothing;
      unseen.data()[all[at(k)].open] = T(1);
      sys_.mass.elimination().solve(nothing, unseen);
      multiply(unseen, slopes);
      see_terms(k, slopes);
      for (int i = 0; i < m; ++i)
        rows_(i, k) =
            add_entries(all[at(i)].weights, T(0), [&](int j) { return slopes.data()[j]; });
      if (!stir(unseen)) continue;
      multiply(unseen, slopes);
      see_terms(k, slopes);
    }
    return factors_.factor(rows_) && !is_nearly_singular();
  }

  static double number(const T& x) { return static_cast<double>(value_of(x)); }

  /// Other multiples of the elements, of both signs, whose terms do not cancel as theirs may; false for one element.
  static bool stir(Y& x) {
    const int n = length(x);
    int elements = 0;
    for (int i = 0; i < n; ++i) elements += number(x.data()[i]) != 0 ? 1 : 0;
    for (int i = 0; i < n && elements > 1; ++i)
      x.data()[i] = T((i % 2 == 0 ? 1 : -1) * (1 + 0.37 * i / n)) * x.data()[i];
    return elements > 1;
  }
  /// How large are the terms of which the k-th elements of rows are sums?
  void see_terms(int k, const Y& slopes) {
    for (int i = 0; i < terms_.rows(); ++i) {
      double sum = 0;
      for (const auto& w : constraints()[at(i)].weights)
        sum += std::abs(w.value * number(slopes.data()[w.at]));
      terms_(i, k) = std::fmax(terms_(i, k), sum);
    }
  }

  /// Is K as good as singular? Rows are measured by the largest terms of their elements, columns then by theirs.
  bool is_nearly_singular() const {
    const int m = rows_.rows();
    std::vector<T> x(at(m));
    std::vector<double> of_column(at(m));
    for (int i = 0; i < m; ++i) {
      double most = 0;
      for (int k = 0; k < m; ++k) most = std::fmax(most, terms_(i, k));
      for (int k = 0; k < m; ++k)
        of_column[at(k)] = std::fmax(of_column[at(k)], terms_(i, k) / most);
      x[at(i)] = T(most * (i % 2 == 0 ? 1 : -1) * (1 + 0.37 * i / m));
    }
    factors_.solve(x);
    for (int k = 0; k < m; ++k)
      if (!(std::abs(number(x[at(k)])) * of_column[at(k)] < largest_of_regular)) return true;
    return false;
  }

  System& sys_;
  double t_;
  const Y& y_;
  std::shared_ptr<held_jacobian<Y>> held_{};
  dense_matrix<T> rows_;
  dense_matrix<double> terms_;
  dense_lu<T> factors_;
};

}  // namespace revode
