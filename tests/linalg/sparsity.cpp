// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include <revode/linalg/sparse/sparse_matrix.hpp>
#include <revode/linalg/sparse/sparsity_of.hpp>
#include <revode/problems/brusselator_2d.hpp>
#include <revode/problems/burgers_1d.hpp>
#include <revode/problems/medakzo.hpp>
#include <revode/problems/pollu.hpp>
#include <revode/solve/system.hpp>

#include "refusal.hpp"

namespace revode {
namespace {

using pairs = std::vector<std::pair<int, int>>;
using numbers = std::vector<double>;

bool equal(const sparsity& a, const sparsity& b) {
  bool same = a.size() == b.size() && a.entries() == b.entries();
  for (int i = 0; same && i <= a.size(); ++i) same = a.start(i) == b.start(i);
  for (int e = 0; same && e < a.entries(); ++e) same = a.column(e) == b.column(e);
  return same;
}

/// The pattern by n products at the same point.
template <class F, class Y, class P>
void check_against_products(const F& f, Y y, const P& p) {
  for (int i = 0, n = length(y); i < n; ++i) y.data()[i] += 0.01 * (1 + i % 7);
  pairs by_sets, by_products;
  REQUIRE(add_dependencies(f, 0.1, y, p, by_sets));
  add_products(f, 0.1, y, p, by_products);
  CHECK(equal(sparsity(length(y), by_sets), sparsity(length(y), by_products)));
}

TEST_CASE("sparsity: what an operation's parents say is what n products say") {
  const brusselator_2d grid{5};
  check_against_products(grid, grid.y0(), grid.parameters());
  const burgers_1d line{20};
  check_against_products(line, line.y0(), line.parameters());
  const medakzo reaction{};
  check_against_products(reaction, reaction.y0(), reaction.parameters());
  const pollu air{};
  check_against_products(air, air.y0(), air.parameters());
}

/// Counts its calls; every element takes its neighbours, one function of each kind, and what is written
/// with a number 0 does not move it.
struct counted_line {
  int* calls;
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    using std::abs, std::exp, std::sqrt;
    ++*calls;
    const int n = length(y);
    for (int i = 0; i < n; ++i) {
      const auto& x = y.data()[i];
      auto sum = p.data()[0] * exp(-x) + t * sqrt(x + 2) - abs(x) / 3.0;
      if (i > 0) sum = muladd(y.data()[i - 1], y.data()[i - 1], sum);
      if (i + 1 < n) sum += 2.0 * y.data()[i + 1];
      for (int j = 0; j < 3; ++j) sum += 0.0 * y.data()[j];
      dy.data()[i] = sum;
    }
  }
};

TEST_CASE("sparsity: one call of the field a point, however many unknowns") {
  for (const int n : {4, 40, 20'000}) {
    int calls = 0;
    const auto pattern =
        sparsity_of(counted_line{&calls}, 0.0, numbers(static_cast<std::size_t>(n), 0.5), vec{2.0});
    CHECK(calls == 3);  // at the start and beside it
    CHECK(pattern.entries() == 3 * n - 2);
    CHECK(pattern.colours() == 3);
  }
}

/// dy_0 is the mean's square, and every other element a branch that the state decides.
struct mean_and_branch {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P&, Y& dy) const {
    const int n = length(y);
    auto sum = y.data()[0];
    for (int i = 1; i < n; ++i) sum += y.data()[i];
    dy.data()[0] = sum * sum;
    for (int i = 1; i < n; ++i) dy.data()[i] = value_of(y.data()[0]) > 1.015 ? y.data()[0] : T(i);
  }
};

/// dy_0 sees y_1 by what is 0 a few hundredths of 1 away.
struct falls_fast {
  double unit;
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P&, Y& dy) const {
    using std::exp;
    using std::max;
    dy.data()[0] = unit * exp(-y.data()[1] / unit) - y.data()[0];
    dy.data()[1] = y.data()[2] * y.data()[1];
    dy.data()[2] = unit * max(y.data()[0] - 1.5 * unit, 0.0);
  }
};

TEST_CASE("sparsity: of any size of numbers, of zeros beside them, and of what max does not take") {
  for (const double unit : {1e-12, 1e-5, 1.0, 1e9}) {
    CAPTURE(unit);
    const auto p = sparsity_of(falls_fast{unit}, 0.0, numbers{unit, unit, 0}, vec<double, 0>{});
    for (const auto& [i, j] : pairs{{0, 1}, {1, 1}, {1, 2}, {2, 0}}) CHECK(p.find(i, j) >= 0);
    CHECK(p.entries() == 3 + 3);
  }
}

TEST_CASE("sparsity: sums, constants, and branches of either point") {
  const auto p = sparsity_of(mean_and_branch{}, 0.0, numbers(6, 1.0), vec<double, 0>{});
  CHECK(p.start(1) - p.start(0) == 6);
  for (int i = 1; i < 6; ++i) CHECK(p.find(i, 0) >= 0);  // taken at the second point alone
  CHECK(p.entries() == 6 + 5 * 2);
}

TEST_CASE(
    "sparsity: compressed columns and rows are taken as they are, entries twice and unsorted too") {
  const long starts[] = {0, 3, 4, 6}, inner[] = {2, 0, 2, 1, 2, 0};
  const double values[] = {5, 1, 2, 3, 4, -1};
  const compressed<long, double> columns{3, starts, inner, values};
  compressed<long, double> rows = columns;
  rows.by_rows = true;
  const auto p = std::make_shared<const sparsity>(columns),
             q = std::make_shared<const sparsity>(rows);
  CHECK(p->entries() == 5);
  CHECK(p->find(2, 0) >= 0);
  CHECK(p->find(0, 1) < 0);
  CHECK(q->find(0, 2) >= 0);
  sparse_matrix<double> a{p, numbers(5)}, b{q, numbers(5)};
  a.take(columns), b.take(rows);
  CHECK(a(2, 0) == 7);
  CHECK(a(0, 2) == -1);
  CHECK(b(0, 2) == 7);
  CHECK(b(1, 1) == 3);
  sparse_matrix<double> diagonal{std::make_shared<const sparsity>(3, pairs{}), numbers(3)};
  CHECK_THROWS_WITH_AS(
      diagonal.take(columns),
      "a Jacobian with entry (2, 0) (the sparsity pattern has none there) make the pattern of the "
      "same matrix?",
      std::invalid_argument);
}

/// On two threads.
struct threaded {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P&, Y& dy) const {
    const auto part = [&](int from) {
      for (int i = from; i < length(y); i += 2) dy.data()[i] = y.data()[i] * y.data()[0];
    };
    std::thread other(part, 1);
    part(0);
    other.join();
  }
};

TEST_CASE("sparsity: a field on threads is asked by products") {
  pairs entries;
  const numbers y(5, 2.0);
  CHECK_FALSE(add_dependencies(threaded{}, 0.0, y, vec<double, 0>{}, entries));
  CHECK(sparsity_of(threaded{}, 0.0, y, vec<double, 0>{}).entries() == 9);
}

/// Of doubles alone, with a jvp.
struct doubles_alone {
  void operator()(double, const numbers& y, const vec<double, 0>&, numbers& dy) const {
    for (std::size_t i = 0; i < y.size(); ++i) dy[i] = y[i] * y[y.size() - 1];
  }
  void jvp(double, const numbers& y, const vec<double, 0>&, double, const numbers& v,
           const vec<double, 0>&, numbers& out) const {
    const std::size_t last = y.size() - 1;
    for (std::size_t i = 0; i <= last; ++i) out[i] = v[i] * y[last] + y[i] * v[last];
  }
};

TEST_CASE("sparsity: a field of one scalar type is asked by products") {
  const auto p = sparsity_of(doubles_alone{}, 0.0, numbers(7, 1.0), vec<double, 0>{});
  CHECK(p.entries() == 13);
}

TEST_CASE("sparsity: entries in any order, twice, with or without the diagonal") {
  const sparsity p(4, {{3, 0}, {0, 3}, {3, 0}, {1, 1}, {0, 2}, {3, 2}});
  const int start[] = {0, 3, 4, 5, 8}, column[] = {0, 2, 3, 1, 2, 0, 2, 3};
  REQUIRE(p.entries() == 8);
  for (int i = 0; i <= 4; ++i) CHECK(p.start(i) == start[i]);
  for (int e = 0; e < 8; ++e) CHECK(p.column(e) == column[e]);
  CHECK(equal(*p.transposed()->transposed(), p));
  CHECK(p.find(3, 0) == 5);
  CHECK(p.find(1, 0) == -1);
  for (int i = 0; i < 4; ++i)  // no two columns of a row share a colour
    for (int e = p.start(i); e < p.start(i + 1); ++e)
      for (int k = p.start(i); k < e; ++k)
        CHECK(p.colour_of(p.column(e)) != p.colour_of(p.column(k)));
  CHECK_THROWS_WITH(sparsity(2, {{0, 2}}),
                    "a sparsity pattern with entry (0, 2) for a state of 2 (rows and columns count "
                    "from 0) correct it?");
}

/// counted_line's neighbours with a Jacobian of its own; `wrong` writes one element elsewhere.
struct own_jacobian {
  bool wrong = false;
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P&, Y& dy) const {
    const int n = length(y);
    for (int i = 0; i < n; ++i)
      dy.data()[i] = y.data()[i] * y.data()[(i + 1) % n] + (wrong && i == 0 ? y.data()[2] : T(0));
  }
  template <class T, class Y, class P, class J>
  void sparse_jacobian(const T&, const Y& y, const P&, J& j) const {
    const int n = length(y);
    for (int i = 0; i < n; ++i) {
      j(i, i) = y.data()[(i + 1) % n];
      j(i, (i + 1) % n) = y.data()[i];
    }
    if (wrong) j(0, 2) = 1;
  }
};

TEST_CASE("sparsity: a Jacobian of the field's own is taken, and compared when asked") {
  const numbers y{0.5, 1.5, 2.5, 3.5, 4.5};
  const vec<double, 0> none{};
  const auto pattern = std::make_shared<const sparsity>(sparsity_of(own_jacobian{}, 0.0, y, none));
  CHECK(pattern->entries() == 10);
  const own_jacobian f{};
  system<own_jacobian, numbers, vec<double, 0>> sys(f, none);
  sparse_matrix<double> own, coloured;
  evaluate_on_pattern(sys, 0.0, y, pattern, true, own);
  CHECK(sys.counts.jvp_evaluations == 1);  // the comparison's
  CHECK(sys.counts.jacobian_evaluations == 1);
  CHECK(sys.jacobian_source() == "own");
  coloured.pattern = pattern;
  coloured.values.resize(10);
  evaluate_by_colours(sys, 0.0, y, coloured);
  CHECK(own.values == coloured.values);

  const own_jacobian other{true};
  system<own_jacobian, numbers, vec<double, 0>> wrong(other, none);
  evaluate_on_pattern(wrong, 0.0, y, pattern, false, own);
  CHECK(own.values == coloured.values);  // what lies elsewhere is forgotten
  CHECK_THROWS_WITH(evaluate_on_pattern(wrong, 0.0, y, pattern, true, own),
                    doctest::Contains("misses an entry of row 0"));
}

TEST_CASE("sparsity: sizes and places that cannot be are refused") {
  CHECK(refusal([] { sparsity(-2, pairs{}); }) ==
        "a sparsity pattern for a state of -2 (elements are 0 or more) give their number?");
  CHECK(refusal([] {
          sparsity(2, pairs{{0, 2}});
        }) ==
        "a sparsity pattern with entry (0, 2) for a state of 2 (rows and columns count from 0) "
        "correct it?");
  CHECK(sparsity(0, pairs{}).entries() == 0);
}

}  // namespace
}  // namespace revode
