// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include <revode/adjoint/forward.hpp>
#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/nn/density.hpp>
#include <revode/solvers/tsit5.hpp>

#include "flow_checks.hpp"

namespace revode::nn {
namespace {

using flow = flow_field<neural_field<mlp>>;

neural_field<mlp> timed(const std::vector<index>& widths) {
  return neural_field(mlp(widths), time_input::yes);
}
constexpr flow_options random_rows{
    .by = probes::rademacher, .seed = 3, .kinetic_energy = true, .squared_jacobian = true};

TEST_CASE(
    "flows: gradients of solves are exact, the same bits in every budget, whatever is drawn") {
  random_numbers random(6);
  for (flow f :
       {flow(timed({3, 8, 2}), {.kinetic_energy = true}), flow(timed({3, 6, 6, 2}), random_rows)}) {
    f.draw(7);
    const problem q{f, random.like(batch(f.states(), 4)), 1.0, 0.0,
                    flat(0.5 * random.like(flat(f.parameters())))};
    const options o{.rtol = 1e-6, .atol = 1e-6, .save = {.ts = {0.7, 0.2}}};
    const auto law = dot_product_law(q, tsit5{}, o, recursive_checkpoint{.slots = 3}, 3);
    CAPTURE(law.worst);
    CHECK(law.holds);
    CHECK(equal_gradients_law(q, tsit5{}, o, recursive_checkpoint{.slots = 2},
                              recursive_checkpoint{.slots = 100})
              .holds);
  }
}

TEST_CASE("flows: of a linear field the density is the normal one of its ends, to the tolerance") {
  // x' = A x: z ↦ e^A z has log p(x) = log N(e^−A x) − tr A.
  const neural_field f(mlp({2, 2}));
  const flow exact(f), estimate(f, {.by = probes::rademacher});
  const flat p = (flat(6) << 0.5, 0.0, 0.0, -0.2, 0.0, 0.0).finished();  // A by rows, no bias
  const options o{.rtol = 1e-10, .atol = 1e-10};
  batch x(3, 2);
  x << 1.0, -0.3, 0.4, 2.0, 0.0, 0.0;
  for (const flow& of : {exact, estimate}) {  // signs estimate a diagonal matrix without error
    const batch z = solve(problem{of, x, 1.0, 0.0, p}, tsit5{}, o).y;
    batch w = z;
    double expected = 0;
    for (index j = 0; j < 2; ++j) {
      const Eigen::Vector2d back(std::exp(-0.5) * x(0, j), std::exp(0.2) * x(1, j));
      CHECK((z.col(j).head(2) - back).norm() < 1e-9);
      expected += (0.5 * back.squaredNorm() + std::log(2 * std::numbers::pi) + 0.3) / 2;
    }
    CHECK(std::abs(negative_log_likelihood(of, z, w) - expected) < 1e-9);
    CHECK((w.topRows(2) - z.topRows(2) / 2).norm() == 0);
    CHECK(w.row(2) == batch::Constant(1, 2, 0.5));
  }
  const batch start = normal_start<double>(exact, 3, 9);
  const batch end = solve(problem{exact, start, 0.0, 1.0, p}, tsit5{}, o).y;
  CHECK(((end.row(2) - start.row(2)).array() + 0.3).abs().maxCoeff() < 1e-9);
  CHECK(start.leftCols(2) == normal_start<double>(exact, 2, 9));
}

}  // namespace
}  // namespace revode::nn
