// SPDX-License-Identifier: Apache-2.0
#include <any/structure_check.hpp>

#include <algorithm>
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

/// Where the Jacobian is looked at, and how.
struct look {
  double t;
  vector y;
  bool pulls;    // wᵀJ in place of J v
  double close;  // so far may a sum be off, in its terms
  int first;     // of pulls: rows before it are left out
};

/// i-th of numbers in [0, 1) without a period.
double scattered(int i, double step) { return std::fmod(step * (i + 1), 1.0); }

/// Beside the start, where what is zero there by chance no longer is. What is small moves away from zero, so that
/// nothing changes its sign; time moves into the solve.
look beside(const look& start, const initial_value_problem& q) {
  look moved = start;
  if (std::isfinite(q.t1)) moved.t += 1e-3 * (q.t1 - q.t0);
  for (int i = 0; i < length(moved.y); ++i) {
    const double size = std::abs(start.y[i]), part = 0.5 + scattered(i, 0.7548776662466927);
    const bool down =
        size > 0.01 ? scattered(i, 0.5698402909980532) < 0.5 : std::signbit(start.y[i]);
    moved.y[i] += (down ? -1e-3 : 1e-3) * (1 + size) * part;
  }
  return moved;
}

/// The first row (by pulls: column) of J in this shape that makes something else of a direction than the field does;
/// −1: none.
template <class L, class F>
int line_that_misses(L algebra, const F& f, const initial_value_problem& q, const look& at) {
  system<F, vector, vector> sys(f, q.p);
  typename L::template jacobian<vector> j;
  algebra.field = f.f;
  algebra.evaluate(sys, at.t, at.y, j);
  const int n = length(at.y);
  vector along(n), product = vector::Zero(n), sums = product, terms = product;
  for (int i = 0; i < n; ++i) along[i] = i < at.first ? 0 : 1 + scattered(i, 0.6180339887498949);
  if (at.pulls) {
    double of_time = 0;
    vector of_p = vector::Zero(q.p.size());
    f.f->vjp(at.t, at.y, q.p, along, of_time, product, of_p);
  } else {
    multiply_by_jacobian(sys, at.t, at.y, along, product);
  }
  for (int i = 0; i < n; ++i)
    visit_row(j, i, [&](int k, double element) {
      const double term = element * along[at.pulls ? i : k];
      sums[at.pulls ? k : i] += term;
      terms[at.pulls ? k : i] += std::abs(term);
    });
  double largest = 0;
  for (const double size : terms) largest = std::max(largest, size);
  for (int i = 0; i < n; ++i) {
    const double size = terms[i] + std::abs(product[i]);
    if (std::abs(sums[i] - product[i]) > at.close * size + 1e-13 * largest) return i;
  }
  return -1;
}
template <class L>
int line_that_misses(const L& algebra, const initial_value_problem& q, const look& at) {
  if (!q.f.has_mass()) return line_that_misses(algebra, structured_field{&q.f}, q, at);
  const auto whole = std::make_shared<const erased_massive_field>(q.f);
  return line_that_misses(algebra, structured_massive_field(whole), q, at);
}
/// The same where the field may refuse the state, or not be finite: there nothing is said.
template <class L>
int line_that_misses_beside(const L& algebra, const initial_value_problem& q, const look& at) {
  try {
    vector dy = at.y;
    if (q.f.has_mass())
      erased_massive_field(q.f)(at.t, at.y, q.p, dy);
    else
      q.f(at.t, at.y, q.p, dy);
    return dy.allFinite() ? line_that_misses(algebra, q, at) : -1;
  } catch (...) {
    return -1;
  }
}

[[noreturn]] void refuse(const algebra_text& a, const any_field& f, const look& at, int line,
                         const char* where) {
  const std::string shape = a.band ? "band" : "pattern",
                    integrals = std::to_string(f.given().integrals);
  misuse("algebra " + std::string(a.name) + " with a " + shape + " that misses an element of " +
         (at.pulls ? "column " : "row ") + std::to_string(line) + " (a product with the Jacobian " +
         where + " the start shows one elsewhere, or another) " +
         (!a.band                    ? "complete it?"
          : f.given().integrals == 0 ? "widen it?"
                                     : "widen it to the rows of the " + integrals +
                                           " integrals, or take klu with the pattern of y?"));
}

template <class L>
void expect_inside(const L& algebra, const algebra_text& a, const any_field& f,
                   const initial_value_problem& q) {
  const bool of_caller = a.band ? f.given().band : f.given().entries;
  const bool exact = f.given().jvp || f.given().vjp;  // else integrands alone are
  const look start{q.t0, q.y0, !f.given().jvp, of_caller ? 1e-3 : 1e-5,
                   exact ? 0 : length(q.y0) - f.given().integrals};
  if (const int line = line_that_misses(algebra, q, start); line >= 0)
    refuse(a, f, start, line, "at");
  const look moved = beside(start, q);
  if (const int line = line_that_misses_beside(algebra, q, moved); line >= 0)
    refuse(a, f, moved, line, "near");
}

}  // namespace

void expect_elements_inside(const algebra_text& a, const jacobian_structure& given,
                            const any_field& f, const initial_value_problem& q) {
  const int n = length(q.y0);
  const bool exact = f.given().jvp || f.given().vjp;
  if (!exact && (f.given().integrals == 0 || !f.has_pulls())) return;
  if (given.pattern != nullptr && given.pattern->size() != n) return;  // refused elsewhere
  if (a.band && (given.lower >= 0 || given.pattern != nullptr)) {
    const banded band =
        given.lower >= 0 ? banded{given.lower, given.upper} : band_of(*given.pattern);
    if (band.upper < 0 || band.lower >= n || band.upper >= n) return;
    expect_inside(by_band{band}, a, f, q);
  } else if (a.pattern && given.pattern != nullptr) {
    expect_inside(by_ilu0{{given.pattern}}, a, f, q);
  }
}

}  // namespace revode::compiled
