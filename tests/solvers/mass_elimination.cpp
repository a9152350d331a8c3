// SPDX-License-Identifier: Apache-2.0
// Elimination of sparse mass matrices, and starts of large systems.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include <revode/linalg/banded.hpp>
#include <revode/solve/mass/consistent_start.hpp>
#include <revode/solvers/bdf.hpp>
#include <revode/solvers/rodas5p.hpp>
#include <revode/testing/laws.hpp>

namespace revode {
namespace {

using states = std::vector<double>;

/// Sparse rows, of which every fourth is a combination of two before it, some of them 10^(2·decades) times as large as others.
struct combined {
  int n;
  int seed = 5;
  double decades = 0;
  template <class Matrix>
  void mass(Matrix& m) const {
    random_numbers random(static_cast<std::uint64_t>(seed));
    std::vector<states> rows;
    for (int i = 0; i < n; ++i) {
      states row(static_cast<std::size_t>(n));
      if (i % 4 == 3) {
        const double a = random(), b = random();
        for (std::size_t k = 0; k < row.size(); ++k)
          row[k] = a * rows[rows.size() - 3][k] + b * rows[rows.size() - 2][k];
      } else {
        for (const int k : {(5 * i + 2) % n, (3 * i + 1) % n, i})
          row[static_cast<std::size_t>(k)] = 0.3 + random();
      }
      const double by = std::pow(10.0, decades * random());
      for (int k = 0; k < n; ++k)
        if (row[static_cast<std::size_t>(k)] != 0) m(i, k) = by * row[static_cast<std::size_t>(k)];
      rows.push_back(row);
    }
  }
};

TEST_CASE("rows of M that others make are found, and no others, whatever their elements are") {
  for (const double decades : {0.0, 3.0, 8.0})
    for (const int n : {8, 24, 40})
      for (int seed = 1; seed <= 40; ++seed) {
        mass_matrix m(combined{n, seed, decades});
        m.resize(n);
        CHECK(m.constraints().size() == static_cast<std::size_t>(n / 4));
      }
}

TEST_CASE("a mass matrix is solved for all but what it leaves open, and its transpose") {
  random_numbers random(6);
  for (const int n : {4, 8, 24}) {
    mass_matrix m(combined{n});
    m.resize(n);
    CHECK(m.constraints().size() == static_cast<std::size_t>(n / 4));
    const states b = random.like(states(static_cast<std::size_t>(n)));
    states x = random.like(b), product(b.size());
    const states open = x;
    m.elimination().solve(b, x);
    axpy_of_mass(m, 1.0, x, product);
    for (int i = 0; i < n; ++i)
      if (!m.is_constrained(i))
        CHECK(product[static_cast<std::size_t>(i)] ==
              doctest::Approx(b[static_cast<std::size_t>(i)]).epsilon(1e-9));
    for (const auto& c : m.constraints())
      CHECK(x[static_cast<std::size_t>(c.open)] == open[static_cast<std::size_t>(c.open)]);

    const states weight = random.like(b);
    states open_bar = weight, b_bar(b.size());
    m.elimination().pull(open_bar, b_bar);
    double pulled = dot(b_bar, b), terms = 0;
    for (const auto& c : m.constraints()) {
      const auto at = static_cast<std::size_t>(c.open);
      pulled += open_bar[at] * open[at];
      CHECK(b_bar[static_cast<std::size_t>(c.row)] == 0);
      open_bar[at] = 0;
    }
    for (std::size_t i = 0; i < b.size(); ++i) terms += std::abs(weight[i] * x[i]);
    CHECK(std::abs(pulled - dot(weight, x)) < 1e-11 * terms);
    CHECK(largest(open_bar) == 0);
  }
}

/// M of eight rows, the fourth and the last of which are a times one of the others and b times another; so are those of
/// f, but for an algebraic equation. `Alone`: it stands there alone, beside a row of zeros.
template <bool Alone>
struct network {
  static constexpr int n = 8;
  double m[n][n]{}, a[n]{}, b[n]{};

  explicit network(int seed) {
    random_numbers random(static_cast<std::uint64_t>(seed));
    for (int i = 0; i < n; ++i) {
      a[i] = random(), b[i] = random();
      for (const int k : {(5 * i + 2) % n, (3 * i + 1) % n}) m[i][k] = 0.3 * random();
      m[i][i] = 1.5 + random();
      if (i % 4 == 3)
        for (int k = 0; k < n; ++k) m[i][k] = a[i] * m[i - 3][k] + b[i] * m[i - 2][k];
    }
  }
  template <class Matrix>
  void mass(Matrix& to) const {
    for (int i = 0; i < n; ++i)
      for (int k = 0; k < n; ++k)
        if (m[i][k] != 0 && !(Alone && i % 4 == 3)) to(i, k) = m[i][k];
  }
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    using std::sin;
    for (int i = 0; i < n; ++i) dy[i] = p[0] * (sin(t + i) - y[i]) + 0.2 * y[(i + 3) % n];
    for (int i = 3; i < n; i += 4) {
      dy[i] = 4.0 * y[i] + y[i] * y[i] * y[i] - y[i - 1];
      if (!Alone) dy[i] = dy[i] + a[i] * dy[i - 3] + b[i] * dy[i - 2];
    }
  }
};

TEST_CASE("rows of M that others make are solved as rows of zeros are") {
  const vec<double, 8> y0{0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7};
  const options o{.rtol = 1e-8, .atol = 1e-8};
  for (int seed = 2; seed < 22; ++seed) {
    const auto s = solve(problem{network<false>(seed), y0, 0.0, 2.0, vec{2.0}}, rodas5p{}, o);
    const auto alone = solve(problem{network<true>(seed), y0, 0.0, 2.0, vec{2.0}}, rodas5p{}, o);
    CHECK(s.status == status::success);
    for (int i = 0; i < 8; ++i) CHECK(std::abs(s.y[i] - alone.y[i]) < 1e-10);
  }
}

/// Finite elements of a rod, held at three of its nodes: 0 = y³ + y − c there.
struct rod {
  int n;
  bool is_held(int i) const { return i == 0 || i == n / 2 || i == n - 1; }
  template <class Matrix>
  void mass(Matrix& m) const {
    for (int i = 0; i < n; ++i) {
      if (is_held(i)) continue;
      m(i, i) = 4.0 / 6;
      m(i, i - 1) = m(i, i + 1) = 1.0 / 6;
    }
  }
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    const auto at = [](int i) { return static_cast<std::size_t>(i); };
    for (int i = 0; i < n; ++i)
      if (is_held(i))
        dy[at(i)] = y[at(i)] * y[at(i)] * y[at(i)] + y[at(i)] - p[0] * (1.0 + i % 2);
      else
        dy[at(i)] = p[1] * (y[at(i - 1)] - 2.0 * y[at(i)] + y[at(i + 1)]);
  }
};

TEST_CASE(
    "a start of many elements costs a Jacobian a matrix in bands, else a product an equation") {
  const int n = 20001;
  const banded bands{.lower = 1, .upper = 1};
  const problem q{rod{n}, states(static_cast<std::size_t>(n), 0.5), 0.0, 0.0, vec{2.0, 1.0}};
  const auto s = solve(q, with_algebra<rodas5p, banded>{{}, bands});
  CHECK(s.status == status::success);
  CHECK(s.y[0] == doctest::Approx(1.0).epsilon(1e-15));
  CHECK(s.y[static_cast<std::size_t>(n / 2)] == doctest::Approx(1.0).epsilon(1e-15));
  CHECK(s.stats.factorizations == 3);
  CHECK(s.stats.jacobian_evaluations == 3);
  CHECK(s.stats.jvp_evaluations == 3 * 3);
  // Without a band: for three matrices a null vector of M for each equation, stirred once more, and a product for each
  // of fifteen solves.
  const problem few{rod{21}, states(21, 0.5), 0.0, 0.0, vec{2.0, 1.0}};
  const auto by_products = solve(few, rodas5p{}).stats;
  CHECK(by_products.jacobian_evaluations == 0);
  CHECK(by_products.jvp_evaluations == 3 * (3 + 3) + 15);
  double off = 0;  // M y = M y0 where M is
  for (int i = 1; i + 1 < n; ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (!q.f.is_held(i))
      off = std::fmax(off, std::abs((4 * s.y[at] + s.y[at - 1] + s.y[at + 1]) / 6 - 0.5));
  }
  CHECK(off < 1e-14);
}

TEST_CASE("the pattern of a problem has the elements of its mass matrix") {
  const problem q{rod{9}, states(9), 0.0, 1.0,
                  vec{2.0, 0.0}};  // f itself has none beside the diagonal
  const sparsity pattern = sparsity_of(q);
  for (int i = 0; i < 9; ++i)
    for (int k = 0; k < 9; ++k)
      CHECK((pattern.find(i, k) >= 0) == (i == k || (std::abs(i - k) == 1 && !q.f.is_held(i))));
}

TEST_CASE("a rod of finite elements by bands takes the steps of dense matrices") {
  const problem q{rod{21}, states(21, 0.5), 0.0, 5.0, vec{2.0, 1.0}};
  const banded bands{.lower = 1, .upper = 1};
  const options o{.rtol = 1e-8, .atol = 1e-8};
  const auto narrow = solve(q, with_algebra<bdf5, banded>{{}, bands}, o),
             wide = solve(q, bdf5{}, o);
  CHECK(narrow.stats.accepted == wide.stats.accepted);
  for (std::size_t i = 0; i < 21; ++i)
    CHECK(narrow.y[i] == doctest::Approx(wide.y[i]).epsilon(1e-9));
}

}  // namespace
}  // namespace revode
