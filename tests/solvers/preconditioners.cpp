// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <revode/linalg/banded.hpp>
#include <revode/linalg/block_jacobi.hpp>
#include <revode/linalg/ilu0.hpp>
#include <revode/linalg/krylov/bicgstab.hpp>
#include <revode/linalg/preconditioned_by.hpp>
#include <revode/linalg/sparse/sparsity_of.hpp>
#include <revode/solvers/imex.hpp>
#include <revode/solvers/kencarp3.hpp>
#include <revode/solvers/kvaerno3.hpp>

#include "algebra_laws.hpp"
#include "two_species.hpp"

namespace revode {
namespace {

using namespace two_species;

template <class M>
void check_laws(const M& m, const typename method_types<M, states>::state& dense) {
  const auto q = problem_of(0.3);
  const options o{.rtol = 1e-6, .atol = 1e-8};
  const recursive_checkpoint adjoint{.slots = 2};
  const auto s = solve(q, m, o);
  REQUIRE(s.status == status::success);
  CHECK(relative_difference(s.y, dense) < 2e-6);
  CHECK(replay_law(q, m, o).what == "");
  CHECK(dot_product_law(q, m, o, adjoint, 1).worst < 1e-12);
  CHECK(equal_gradients_law(q, m, o, adjoint, {.schedule = schedule_kind::store_all}).what == "");
}
template <class M>
states dense_solution() {
  return solve(problem_of(0.3), M{}, {.rtol = 1e-6, .atol = 1e-8}).y;
}
auto pattern_of_problem() { return std::make_shared<sparsity>(sparsity_of(problem_of(0.3))); }

/// One solve of kvaerno3, and what it costs.
template <class L>
auto solved(const L& algebra, double t1 = 0.3) {
  return solve(problem_of(t1), with_algebra<kvaerno3, L>{{}, algebra},
               {.rtol = 1e-6, .atol = 1e-8});
}

}  // namespace

TEST_CASE("Newton-Krylov: every preconditioner solves what matrices do, and its laws hold") {
  const auto dense = dense_solution<kvaerno3>();
  const auto pattern = pattern_of_problem();
  check_laws(with_algebra<kvaerno3, gmres<>>{}, dense);
  check_laws(with_algebra<kvaerno3, gmres<ilu0>>{{}, {.preconditioner = {pattern}}}, dense);
  check_laws(
      with_algebra<kvaerno3, bicgstab<block_jacobi>>{{}, {.preconditioner = {{2, true}, pattern}}},
      dense);
  check_laws(with_algebra<kvaerno3, bicgstab<preconditioned_by<diffusion>>>{}, dense);
}
TEST_CASE("Newton-Krylov: IMEX methods precondition their implicit part") {
  const auto dense = dense_solution<imex<kencarp3>>();
  const auto pattern = pattern_of_problem();
  check_laws(with_algebra<imex<kencarp3>, bicgstab<>>{}, dense);
  check_laws(with_algebra<imex<kencarp3>, bicgstab<ilu0>>{{}, {.preconditioner = {pattern}}},
             dense);
  check_laws(with_algebra<imex<kencarp3>, gmres<preconditioned_by<diffusion>>>{}, dense);
}

TEST_CASE("Newton-Krylov: the tangent of a rough solve is that of its frozen grid") {
  const recursive_checkpoint adjoint{.slots = 2};
  const options o{.rtol = 1e-4, .atol = 1e-6};
  const with_algebra<kvaerno3, bicgstab<>> m{};
  CHECK(frozen_grid_law(problem_of(0.1), m, o, adjoint).worst < 1e-10);
  const auto pattern = pattern_of_problem();
  const with_algebra<imex<kencarp3>, gmres<ilu0>> both{{}, {.preconditioner = {pattern}}};
  CHECK(frozen_grid_law(problem_of(0.1), both, o, adjoint).worst < 1e-10);
}

TEST_CASE("Newton-Krylov: an exact preconditioner takes one product a correction") {
  // of a linear field: colours of the band, corrections, and the estimate's filter of each trial; the
  // Jacobian counts for the products and for the band
  const auto q = line_problem_of(true, 24, 0.05);
  const auto s = solve(q, with_algebra<kvaerno3, gmres<banded>>{{}, {.preconditioner = {1, 1}}},
                       {.rtol = 1e-6, .atol = 1e-8});
  REQUIRE(s.status == status::success);
  const index filters = kvaerno3::filtered ? s.stats.accepted + s.stats.rejected : 0;
  CHECK(s.stats.jvp_evaluations ==
        3 * s.stats.jacobian_evaluations / 2 + s.stats.newton_iterations + filters);
  CHECK(s.stats.newton_iterations >= 3 * s.stats.accepted);  // no stage is accepted unmoved
}

TEST_CASE("Newton-Krylov: a goal saves products, preconditioners save more") {
  const double t1 = 20;
  const auto tight = solved(gmres<>{.limits = {.goal = 0}}, t1);
  const auto plain = solved(gmres<>{}, t1);
  const auto pattern = pattern_of_problem();
  const auto incomplete = solved(gmres<ilu0>{.preconditioner = {pattern}}, t1);
  const auto mine = solved(gmres<preconditioned_by<diffusion>>{}, t1);
  const index colours = pattern->colours() * incomplete.stats.jacobian_evaluations / 2;
  CHECK(4 * plain.stats.jvp_evaluations < 3 * tight.stats.jvp_evaluations);
  CHECK(2 * mine.stats.jvp_evaluations < plain.stats.jvp_evaluations);
  CHECK(3 * (incomplete.stats.jvp_evaluations - colours) < 2 * plain.stats.jvp_evaluations);
  CHECK(solved(gmres<>{}, t1).stats.jvp_evaluations == plain.stats.jvp_evaluations);
}

TEST_CASE("Newton-Krylov: a preconditioner that fails or gives NaN is a status") {
  using mine = preconditioned_by<diffusion>;
  for (const auto wrong : {fault::no_setup, fault::no_numbers}) {
    CHECK(solved(gmres<mine>{.preconditioner = {{wrong}}}).status == status::linear_solve_failure);
    CHECK(solved(bicgstab<mine>{.preconditioner = {{wrong}}}).status ==
          status::linear_solve_failure);
  }
  CHECK(solved(gmres<>{}).status == status::success);
}

TEST_CASE("Newton-Krylov: a wrong transpose costs products, and no digit of the gradient") {
  const recursive_checkpoint adjoint{.slots = 2};
  const auto pulled = [&](fault wrong) {
    const with_algebra<kvaerno3, gmres<preconditioned_by<diffusion>>> m{
        {}, {.preconditioner = {{wrong}}}};
    auto s = solve(problem_of(0.3), m, {.rtol = 1e-6, .atol = 1e-8}, adjoint);
    return s.pullback(problem_of(0.3).y0);
  };
  const auto right = pulled(fault::none), wrong = pulled(fault::no_transpose);
  CHECK(wrong.status == status::success);
  CHECK(relative_difference(wrong.y0, right.y0) < 1e-11);
  CHECK(relative_difference(wrong.p, right.p) < 1e-11);
  CHECK(wrong.reverse.vjp_evaluations > right.reverse.vjp_evaluations);
  const auto spoilt = pulled(fault::no_numbers_transposed);
  CHECK(spoilt.status == status::linear_solve_failure);
}

TEST_CASE("Newton-Krylov: blocks that do not fill the state are refused word by word") {
  const auto pattern = pattern_of_problem();
  std::string said;
  try {
    solved(gmres<block_jacobi>{.preconditioner = {{5}, pattern}});
  } catch (const std::invalid_argument& e) {
    said = e.what();
  }
  CHECK(said ==
        "blocks of 5 unknowns for a state of 32 (each unknown lies in one block) give a "
        "divisor?");
}

}  // namespace revode
