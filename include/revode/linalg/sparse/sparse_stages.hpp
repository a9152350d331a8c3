// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <revode/linalg/mass_row.hpp>
#include <revode/linalg/refinement.hpp>
#include <revode/linalg/sparse/sparse_matrix.hpp>

namespace revode {

/// The pattern of S coupled stages, the stages of an unknown side by side; of all stages wherever one stage has an
/// entry, if a mass matrix couples them, which elimination would make of it. It belongs to the pattern of one stage.
template <int S, bool Massive>
struct stage_pattern {
  std::shared_ptr<const sparsity> of_all;

  explicit stage_pattern(const sparsity& one) {
    std::vector<std::pair<int, int>> entries;
    for (int k = 0; k < one.size(); ++k)
      for (int i = 0; i < S; ++i) {
        for (int e = one.start(k); e < one.start(k + 1); ++e)
          for (int q = Massive ? 0 : i; q <= (Massive ? S - 1 : i); ++q)
            entries.emplace_back(k * S + i, one.column(e) * S + q);
        for (int q = 0; q < S; ++q) entries.emplace_back(k * S + i, k * S + q);
      }
    of_all = std::make_shared<sparsity>(S * one.size(), entries);
  }
};

/// x = (a ⊗ M − diag(j₁ … j_S))⁻¹ right, or its transpose, from one sparse matrix, refined; false
/// when it is singular.
/// cost    a factorisation of S n unknowns and its allocations: for steps that refinement with
///         factors of one stage does not solve
template <class Factors, bool Transposed, int S, class Mass, class T, class Y>
bool solve_sparse_stages(const T (&a)[S][S], const Mass& mass, const sparse_matrix<T> (&j)[S],
                         const Y (&right)[S], Y (&x)[S]) {
  using vector = std::vector<T>;
  using pattern = stage_pattern<S, !std::is_same_v<Mass, nothing>>;
  const sparsity& one = *j[0].pattern;
  const int n = one.size();
  sparse_matrix<T> all{
      one.kept.template get<pattern>([&] { return std::make_shared<pattern>(one); })->of_all, {}};
  const sparsity& p = *all.pattern;
  all.values.assign(static_cast<std::size_t>(p.entries()), T(0));
  const auto at = [&](int row, int column) -> T& {
    return all.values[static_cast<std::size_t>(p.find(row, column))];
  };
  for (int k = 0; k < n; ++k)
    for (int i = 0; i < S; ++i) {
      for (int e = one.start(k); e < one.start(k + 1); ++e)
        at(k * S + i, one.column(e) * S + i) = j[i].values[static_cast<std::size_t>(e)];
      for (int q = 0; q < S; ++q)
        visit_row(mass, k, [&](int l, double m) {
          T& element = at(k * S + i, l * S + q);
          element = muladd(-T(m), a[i][q], element);
        });
    }
  Factors factors;
  if (!factors.factor_shifted(all, T(0))) return false;  // of −all
  const auto each = [&](auto f) {
    for (int i = 0; i < S; ++i)
      for (int k = 0; k < n; ++k) f(static_cast<std::size_t>(k * S + i), i, k);
  };
  vector found[1]{vector(static_cast<std::size_t>(S * n), T(0))}, rest[1]{found[0]};
  const auto residual = [&] {
    each([&](std::size_t place, int i, int k) { rest[0][place] = right[i].data()[k]; });
    if constexpr (Transposed)
      add_transposed_product(all, found[0], rest[0]);
    else
      add_product(all, found[0], rest[0]);
  };
  const auto correct = [&] {
    if constexpr (Transposed)
      factors.solve_transposed(rest[0]);
    else
      factors.solve(rest[0]);
  };
  refine(found, rest, residual, correct, 5);
  each([&](std::size_t place, int i, int k) { x[i].data()[k] = found[0][place]; });
  return true;
}

}  // namespace revode
