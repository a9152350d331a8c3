// SPDX-License-Identifier: Apache-2.0
#include <any/structure_check.hpp>

#include <cmath>
#include <memory>
#include <string>

#include <any/held_problem.hpp>
#include <any/structured.hpp>
#include <revode/solve/system.hpp>

namespace revode::compiled {
namespace {

/// visit(k, element) of row i.
template <class Visit>
void visit_row(const banded_matrix<vector>& j, int i, const Visit& visit) {
  for (int k = j.first(i); k <= j.last(i); ++k) visit(k, j(i, k));
}
template <class Visit>
void visit_row(const sparse_matrix<double>& j, int i, const Visit& visit) {
  for (int e = j.pattern->start(i); e < j.pattern->start(i + 1); ++e)
    visit(j.pattern->column(e), j.values[static_cast<std::size_t>(e)]);
}

/// The first row of J in this shape that makes something else of a direction than the field does; −1: none.
template <class L, class F>
int row_that_misses(L algebra, const F& f, const initial_value_problem& q) {
  system<F, vector, vector> sys(f, q.p);
  typename L::template jacobian<vector> j;
  algebra.field = f.f;
  algebra.evaluate(sys, q.t0, q.y0, j);
  vector along = q.y0, product = q.y0;
  const int n = length(q.y0);
  for (int i = 0; i < n; ++i) along[i] = 1 + std::fmod(0.6180339887498949 * (i + 1), 1.0);
  multiply_by_jacobian(sys, q.t0, q.y0, along, product);
  for (int i = 0; i < n; ++i) {
    double sum = 0, terms = std::abs(product[i]);
    visit_row(j, i, [&](int k, double element) {
      sum += element * along[k];
      terms += std::abs(element * along[k]);
    });
    if (std::abs(sum - product[i]) > 1e-3 * terms) return i;
  }
  return -1;
}
template <class L>
int row_that_misses(const L& algebra, const initial_value_problem& q) {
  if (!q.f.has_mass()) return row_that_misses(algebra, structured_field{&q.f}, q);
  const auto whole = std::make_shared<const erased_massive_field>(q.f);
  return row_that_misses(algebra, structured_massive_field(whole), q);
}

}  // namespace

void expect_elements_inside(const algebra_text& a, const jacobian_structure& given,
                            const any_field& f, const initial_value_problem& q) {
  const bool by_differences = f.has_second() && !f.tells_pattern();
  const int n = length(q.y0);
  if (!f.has_products() || by_differences) return;
  if (given.pattern != nullptr && given.pattern->size() != n) return;  // refused elsewhere
  int row = -1;
  if (a.band && (given.lower >= 0 || given.pattern != nullptr)) {
    const banded band =
        given.lower >= 0 ? banded{given.lower, given.upper} : band_of(*given.pattern);
    if (band.upper < 0 || band.lower >= n || band.upper >= n) return;
    row = row_that_misses(by_band{band}, q);
  } else if (a.pattern && given.pattern != nullptr) {
    row = row_that_misses(by_ilu0{{given.pattern}}, q);
  }
  if (row >= 0)
    misuse("algebra " + std::string(a.name) + " with a " + (a.band ? "band" : "pattern") +
           " that misses an element of row " + std::to_string(row) +
           " (a product with the Jacobian at the start shows one elsewhere, or another) " +
           (a.band ? "widen" : "complete") + " it?");
}

}  // namespace revode::compiled
