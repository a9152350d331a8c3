// SPDX-License-Identifier: Apache-2.0
// Mass matrices in bands and on patterns: as dense, and refused where they do not lie inside.
#include <doctest/doctest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include <revode/interop/eigen.hpp>
#include <revode/interop/klu.hpp>

#include <revode/adjoint/forward.hpp>
#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/linalg/banded.hpp>
#include <revode/solvers/bdf.hpp>
#include <revode/solvers/rodas5p.hpp>
#include <revode/testing/laws.hpp>

namespace revode {
namespace {

constexpr int n = 40;

/// Finite elements; every seventh node has an algebraic equation.
struct links {
  static bool algebraic(int i) { return i % 7 == 3; }
  template <class Matrix>
  void mass(Matrix& m) const {
    for (int i = 0; i < n; ++i) {
      if (algebraic(i)) continue;
      m(i, i) = 4.0 / 6;
      if (i > 0) m(i, i - 1) = 1.0 / 6;
      if (i < n - 1) m(i, i + 1) = 1.0 / 6;
    }
  }
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    using std::sin;
    for (int i = 0; i < n; ++i) {
      auto bend = -2.0 * y[i];
      if (i > 0) bend = bend + y[i - 1];
      if (i < n - 1) bend = bend + y[i + 1];
      if (algebraic(i))
        dy[i] = bend - y[i] - p[1] * y[i] * y[i] * y[i] + sin(t);
      else
        dy[i] = 20.0 * bend - p[0] * y[i] * y[i] + p[1] * sin(t + i);
    }
  }
};
const problem q{links{}, Eigen::VectorXd(Eigen::VectorXd::Constant(n, 0.3)), 0.0, 1.0,
                Eigen::VectorXd(Eigen::Vector2d(0.7, 1.3))};

std::shared_ptr<const sparsity> tridiagonal() {
  std::vector<std::pair<int, int>> entries;
  for (int i = 0; i < n; ++i)
    for (int k = i > 0 ? i - 1 : 0; k <= i + 1 && k < n; ++k) entries.emplace_back(i, k);
  return std::make_shared<const sparsity>(n, entries);
}

template <class M, class Dense>
void agrees(const M& m, const Dense& dense) {
  CAPTURE(std::string(M::name));
  options o{.rtol = 1e-6, .atol = 1e-8};
  o.save.ts = {0.3, 0.7};
  const Eigen::VectorXd w = Eigen::VectorXd::LinSpaced(n, -1, 1);
  auto s = solve(q, m, o, recursive_checkpoint{.slots = 3});
  auto r = solve(q, dense, o, recursive_checkpoint{});
  REQUIRE(s.status == status::success);
  CHECK((s.y - r.y).norm() <= 1e-12 * r.y.norm());
  const auto g = s.pullback(w), h = r.pullback(w);
  CHECK((g.y0 - h.y0).norm() <= 1e-10 * h.y0.norm());
  CHECK((g.p - h.p).norm() <= 1e-10 * h.p.norm());
  const law_result product = dot_product_law(q, m, o, recursive_checkpoint{.slots = 3}, 1);
  CHECK_MESSAGE(product.holds, product.worst);
}

TEST_CASE("a mass matrix in bands and on a pattern is the dense one") {
  agrees(with_algebra<rodas5p, banded>{{}, {1, 1}}, rodas5p{});
  agrees(with_algebra<bdf5, klu>{{}, {tridiagonal()}}, bdf5{});
}

TEST_CASE("a mass matrix outside the band is refused") {
  std::string words;
  try {
    solve(q, with_algebra<rodas5p, banded>{{}, {1, 0}});
  } catch (const std::invalid_argument& e) {
    words = e.what();
  }
  CHECK(words ==
        "mass(0, 1) outside the band of the Jacobian (systems are with M and it together) give the "
        "method one that holds both?");
}

}  // namespace
}  // namespace revode
