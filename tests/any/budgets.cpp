// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <memory>
#include <stdexcept>
#include <string>

#include <any/chain.hpp>
#include <any/same_bits.hpp>
#include <revode/any.hpp>
#include <revode/linalg/banded.hpp>
#include <revode/linalg/gmres.hpp>
#include <revode/linalg/ilu0.hpp>
#include <revode/problems/erased_field.hpp>
#include <revode/revode.hpp>

namespace revode {
namespace {

using vector = Eigen::VectorXd;
constexpr int n = 100;
const options o{.max_steps = 1000};

any_problem erased_chain() {
  any_problem q = of_chain(chain_alone(), n);
  q.f = std::make_shared<const erased_field>(chain{});
  return q;
}
problem<chain, vector, vector> template_chain() {
  const any_problem q = erased_chain();
  return {chain{}, as_vector(q.y0), q.t0, q.t1, as_vector(q.p)};
}

/// What a refusal says that a gradient takes at least.
template <class Solve>
double least_budget(const Solve& solve_within) {
  try {
    solve_within(recursive_checkpoint{.budget = 1});
  } catch (const std::invalid_argument& misuse) {
    const std::string text = misuse.what(), at = "at least ";
    REQUIRE(text.find(at) != std::string::npos);
    return std::stod(text.substr(text.find(at) + at.size()));
  }
  return 0;
}

/// By name it is that of the templates and what may come of events, which every problem has there.
template <class M>
void check_least(const char* name, const any_algebra& algebra, const M& m) {
  CAPTURE(name);
  CAPTURE(algebra.name);
  const auto q = erased_chain();
  const auto typed = template_chain();
  const any_method named = algebra.name.empty() ? any_method(name) : any_method(name, algebra);
  const double expected =
      least_budget([&](const recursive_checkpoint& a) { solve(typed, m, o, a); });
  const double told = least_budget([&](const recursive_checkpoint& a) { solve(q, named, o, a); });
  CHECK(told > expected);
  CHECK(told < expected + 50'000);
}

TEST_CASE("budgets by name count the matrices that those of templates count") {
  const chain_pattern of(n);
  check_least("radau_iia5", {}, radau_iia5{});
  check_least("tsit5_rodas5p", {}, tsit5_rodas5p{});
  check_least("bdf5", {.name = "banded", .lower = 9, .upper = 9},
              with_algebra<bdf5, banded>{{}, {9, 9}});
  check_least("radau_iia5", {.name = "gmres"}, with_algebra<radau_iia5, gmres<>>{});
  const auto pattern = std::make_shared<const sparsity>(sparsity_of(template_chain()));
  check_least("esdirk547", {.name = "gmres_ilu0", .pattern = any_pattern(of.starts, of.rows)},
              with_algebra<esdirk547, gmres<ilu0>>{{}, {{pattern}}});
}

}  // namespace
}  // namespace revode
