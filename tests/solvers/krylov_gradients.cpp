// SPDX-License-Identifier: Apache-2.0
// Where a solve by products with the Jacobian succeeds, so do its derivatives, and are those by factors of matrices.
#include <doctest/doctest.h>

#include <memory>
#include <string>

#include <revode/adjoint/hessian_vector_product.hpp>
#include <revode/linalg/block_jacobi.hpp>
#include <revode/linalg/gmres.hpp>
#include <revode/linalg/ilu0.hpp>
#include <revode/linalg/krylov/bicgstab.hpp>
#include <revode/linalg/sparse/sparsity_of.hpp>
#include <revode/problems/nand.hpp>
#include <revode/problems/orego.hpp>
#include <revode/problems/pollu.hpp>
#include <revode/problems/rober.hpp>
#include <revode/solvers/bdf.hpp>
#include <revode/solvers/esdirk547.hpp>
#include <revode/solvers/radau_iia5.hpp>
#include <revode/solvers/radau_iia9.hpp>
#include <revode/solvers/rodas5p.hpp>

#include "algebra_laws.hpp"

namespace revode {
namespace {

template <class F>
auto named(const F& f, double t1) {
  return problem{f, f.y0(), F::t0, t1, f.parameters()};
}
template <class F>
options tolerances_of(double rtol) {
  options o{.rtol = rtol, .atol = F::atol(rtol)};
  if constexpr (requires(const F& f) { f.jumps(); }) o.discontinuities = F{}.jumps();
  return o;
}
template <class Q>
auto pattern_of(const Q& q) {
  return std::make_shared<const sparsity>(sparsity_of(q));
}
template <class M, class Q>
with_algebra<M, gmres<ilu0>> by_ilu0(const Q& q) {
  return {{}, {.preconditioner = {pattern_of(q)}}};
}
template <class M>
using by_products = with_algebra<M, gmres<>>;

/// How far the cotangents of p are from those of dense matrices, which take the same steps, each in units of p.
template <class M, class Q, class L>
double off_dense(const Q& q, const with_algebra<M, L>& m, const options& o) {
  auto s = solve(q, m, o, recursive_checkpoint{});
  auto d = solve(q, M{}, o, recursive_checkpoint{});
  REQUIRE(s.status == status::success);
  REQUIRE(s.stats.accepted == d.stats.accepted);
  const auto w = random_numbers(3).like(q.y0);
  const auto g = s.pullback(w), expected = d.pullback(w);
  CHECK(g.status == status::success);
  double most = 0, off = 0;
  for (int k = 0; k < length(q.p); ++k) {
    most = std::fmax(most, std::abs(q.p[k] * expected.p[k]));
    off = std::fmax(off, std::abs(q.p[k] * (g.p[k] - expected.p[k])));
    if (g.p[k] != g.p[k]) return g.p[k];
  }
  return off / most;
}
/// How far forward and reverse mode are apart, beside what they are with dense matrices.
template <class M, class Q, class L>
void check_modes(const Q& q, const with_algebra<M, L>& m, const options& o) {
  const auto worst = [&](const auto& by) {
    return dot_product_law(q, by, o, recursive_checkpoint{}, 1).worst;
  };
  CHECK(worst(m) < 10 * worst(M{}) + 1e-11);
}

TEST_CASE("fast elements are large rows of the transpose: pollu with preconditioners") {
  const auto q = named(pollu{}, 60);
  auto late = q;
  late.y0 = pollu{}.reference();
  const auto check = [&](const auto& m, double off = 1e-10) {
    CAPTURE(std::string(m.name));
    CHECK(off_dense(late, m, {.fixed_step = 5}) < off);
    for (const double rtol : {1e-4, 1e-6, 1e-8}) check_modes(q, m, tolerances_of<pollu>(rtol));
  };
  check(by_ilu0<esdirk547>(q));
  check(by_ilu0<bdf5>(q), 1e-4);  // equal steps of BDF multiply rounding by h|J|
  check(by_ilu0<radau_iia5>(q));
  check(with_algebra<esdirk547, gmres<block_jacobi>>{{}, {.preconditioner = {{4}, pattern_of(q)}}});
  check(with_algebra<esdirk547, bicgstab<ilu0>>{{}, {.preconditioner = {pattern_of(q)}}});
}

TEST_CASE("the same rows without a preconditioner, by a Rosenbrock method") {
  const by_products<rodas5p> m{};
  for (const double rtol : {1e-4, 1e-6}) {
    const auto q = named(pollu{}, 60);
    CHECK(off_dense(q, m, tolerances_of<pollu>(rtol)) < 1e-8);
    check_modes(q, m, tolerances_of<pollu>(rtol));
    const auto slow = named(rober{}, 1e11);
    CHECK(off_dense(slow, m, tolerances_of<rober>(rtol)) < 1e-5);
    check_modes(slow, m, tolerances_of<rober>(rtol));
  }
}

template <class M, class F>
void check_stages(const F& f, double t1, double rtol) {
  CAPTURE(std::string(M::name));
  CAPTURE(std::string(F::name));
  CAPTURE(rtol);
  const auto q = named(f, t1);
  const options o = tolerances_of<F>(rtol);
  const auto check = [&](const auto& m) {
    CHECK(off_dense(q, m, o) < 1e-5);
    check_modes(q, m, o);
  };
  check(by_products<M>{});
  check(by_ilu0<M>(q));
}
TEST_CASE("Radau's stages whose Jacobians differ too much for refinement by that of one") {
  check_stages<radau_iia5>(nand{}, 80, 1e-4);
  check_stages<radau_iia5>(rober{}, 1e11, 1e-4);
  check_stages<radau_iia5>(rober{}, 1e11, 1e-6);
  check_stages<radau_iia5>(orego{}, 100, 1e-4);
  check_stages<radau_iia9>(orego{}, 100, 1e-4);
}

TEST_CASE("a rough solve with an ill-conditioned matrix is none: refinement takes exact ones") {
  const auto q = named(rober{}, 1e11);
  const auto check = [&](const auto& m) {
    CAPTURE(std::string(m.name));
    const options o = tolerances_of<rober>(1e-4);
    check_modes(q, m, o);
    auto s = solve(q, m, o, recursive_checkpoint{});
    CHECK(s.pullback(vec{0.54, -0.42, -0.99}).status == status::success);
  };
  check(with_algebra<esdirk547, gmres<block_jacobi>>{{}, {.preconditioner = {{1}, pattern_of(q)}}});
  check(with_algebra<bdf5, gmres<block_jacobi>>{{}, {.preconditioner = {{1}, pattern_of(q)}}});
}

TEST_CASE("second derivatives across such stages are those by dense matrices") {
  const auto q = named(orego{}, 20);
  const options o = tolerances_of<orego>(1e-4);
  const auto loss = [](const auto& y) { return 0.5 * (y[0] * y[0] + y[2]); };
  const tangents<vec<double, 3>, vec<double, 3>> along{.y0 = {1, 1, 0}, .p = {1, 0.1, 0}};
  const auto dense = hessian_vector_product(q, radau_iia5{}, o, loss, along);
  const auto by = hessian_vector_product(q, by_products<radau_iia5>{}, o, loss, along);
  REQUIRE(dense.product);
  REQUIRE(by.product);
  for (int k = 0; k < 3; ++k) {
    CHECK(by.product->p[k] == doctest::Approx(dense.product->p[k]).epsilon(1e-6));
    CHECK(by.product->y0[k] == doctest::Approx(dense.product->y0[k]).epsilon(1e-6));
  }
}

TEST_CASE("spaces of few products: refinement takes their solves to rounding") {
  const auto q = line_problem_of(false, 24, 0.2);
  for (const int most : {2, 4, 8, 24}) {
    CAPTURE(most);
    const with_algebra<esdirk547, gmres<>> m{{}, {{}, {.restart = most, .most = most}}};
    CHECK(off_dense(q, m, {.fixed_step = 0.02}) < 1e-11);
  }
}

}  // namespace
}  // namespace revode
