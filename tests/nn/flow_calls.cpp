// SPDX-License-Identifier: Apache-2.0
#include "../malloc_counts.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/nn/density.hpp>
#include <revode/solvers/tsit5.hpp>

#include "../refusal.hpp"
#include "flow_checks.hpp"

namespace revode::nn {
namespace {

using flow = flow_field<neural_field<mlp>>;

neural_field<mlp> timed(const std::vector<index>& widths) {
  return neural_field(mlp(widths), time_input::yes);
}
constexpr flow_options random_rows{
    .by = probes::rademacher, .seed = 3, .kinetic_energy = true, .squared_jacobian = true};

TEST_CASE("flows: floats stay floats and give the gradient of doubles to 1e-5") {
  for (const flow& f : {flow(timed({3, 8, 2})), flow(timed({3, 6, 6, 2}), random_rows)}) {
    const auto p = initial_parameters<float>(f.field().network(), 1);
    const Eigen::MatrixXf start = normal_start<float>(f, 6, 1);
    const problem narrow{f, start, 1.0, 0.0, p};
    const problem wide{f, batch(start.cast<double>()), 1.0, 0.0, flat(p.cast<double>())};
    const options o{.fixed_step = 0.1};
    auto a = solve(narrow, tsit5{}, o, recursive_checkpoint{.slots = 3});
    auto b = solve(wide, tsit5{}, o, recursive_checkpoint{.slots = 3});
    Eigen::MatrixXf of_a = a.y;
    batch of_b = b.y;
    const float loss = negative_log_likelihood(f, a.y, of_a);
    CHECK(std::abs(loss - negative_log_likelihood(f, b.y, of_b)) < 1e-5);
    const auto ga = a.pullback({.y = of_a});
    const auto gb = b.pullback({.y = of_b});
    CHECK((ga.p.cast<double>() - gb.p).norm() <= 1e-5 * gb.p.norm());
  }
}

TEST_CASE("flows: a field that is not finite, and weights without bound, end with a status") {
  const flow f(timed({3, 8, 2}));
  const flat p = initial_parameters<double>(f.field().network(), 1);
  const batch x = normal_start<double>(f, 4, 1);
  const options o{.rtol = 1e-4, .atol = 1e-4, .max_steps = 200};
  flat broken = p;
  broken[5] = std::numeric_limits<double>::quiet_NaN();
  auto s = solve(problem{f, x, 1.0, 0.0, broken}, tsit5{}, o, recursive_checkpoint{});
  CHECK(s.status == status::non_finite_field);
  const auto far = solve(problem{f, x, 1.0, 0.0, flat(1e200 * p)}, tsit5{}, o);
  CHECK_FALSE(is_complete(far.status));
}

#ifdef COUNTS_MALLOC
TEST_CASE("flows: no call allocates after the first of its size") {
  for (const flow& f : {flow(timed({3, 50, 2})), flow(timed({3, 20, 20, 2}), random_rows)}) {
    const batch y = normal_start<double>(f, 20, 1), w = y;
    const flat p = flat::Constant(f.parameters(), 0.1), dp = p;
    batch out = y, gy = y;
    flat gp = p;
    vec<double, 0> frozen;
    double gt = 0;
    const auto all = [&] {
      f(0.5, y, p, out);
      f.vjp(0.5, y, p, w, gt, gy, gp);
      f.vjp(0.5, y, p, w, gt, gy, frozen);
      f.jvp(0.5, y, p, 1.0, w, dp, out);
    };
    all();
    const long before = allocations;
    for (int i = 0; i < 3; ++i) all();
    CHECK(allocations == before);
  }
}
#endif

TEST_CASE("flows: misuse is told with what to do") {
  const neural_field f(mlp({2, 4, 2}));
  CHECK(refusal([&] { flow(f, {.log_density = false}); }) ==
        "flow without a row beside its states (it would be the field itself) ask for the "
        "log_density, kinetic_energy or squared_jacobian?");
  const flow density(f), energy(f, {.log_density = false, .kinetic_energy = true});
  const flat p = initial_parameters<double>(f.network(), 1);
  const auto solved = [&](const batch& y, const flat& with) {
    return refusal([&] { solve(problem{density, y, 0.0, 1.0, with}, tsit5{}, {}); });
  };
  CHECK(solved(batch(3, 0), p) ==
        "batch of 0 numbers (a sample of this flow has 2 and 1 beside them, and there is at least "
        "one) give a whole number of samples?");
  CHECK(solved(batch::Zero(2, 2), p) ==
        "batch of 4 numbers (a sample of this flow has 2 and 1 beside them, and there is at least "
        "one) give a whole number of samples?");
  CHECK(solved(batch::Zero(3, 2), flat::Zero(21)) ==
        "21 parameters (the field has 22) give as many, initial_parameters for a start?");
  CHECK(refusal([&] { normal_start<double>(density, 0, 1); }) ==
        "a start of 0 samples (a batch has at least one) ask for one or more?");
  CHECK(refusal([&] { normal_start<double>(energy, 1, 1); }) ==
        "a flow without log_density (there is no density without its trace) ask for this row?");
  batch x = batch::Zero(3, 2);
  x(0, 1) = std::numeric_limits<double>::quiet_NaN();
  CHECK(solved(x, p) == "y0[3] = nan (a solve starts from numbers) give that element a value?");
  batch end(3, 0), w(3, 1);
  CHECK(refusal([&] { negative_log_likelihood(density, end, w); }) ==
        "ends of 0 numbers and cotangents of 3 (a sample of this flow has 3, and there is at "
        "least one) give both as many samples?");
}

}  // namespace
}  // namespace revode::nn
