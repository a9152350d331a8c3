// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <revode/interop/klu.hpp>

#include <memory>
#include <vector>

#include <revode/adjoint/forward.hpp>
#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/problems/brusselator_2d.hpp>
#include <revode/problems/burgers_1d.hpp>
#include <revode/solvers/esdirk547.hpp>
#include <revode/solvers/implicit/esdirk.hpp>
#include <revode/solvers/kencarp3.hpp>
#include <revode/solvers/radau_iia5.hpp>
#include <revode/testing/references.hpp>

namespace revode {
namespace {

template <class M>
void check_klu(const M& dense) {
  const burgers_1d f{30};
  const problem q{f, f.y0(), 0.0, 0.2, f.parameters()};
  const with_algebra<M, klu> m{{}, {std::make_shared<sparsity>(sparsity_of(q)), true}};
  const options o{.rtol = 1e-5, .atol = 1e-7};
  const recursive_checkpoint adjoint{.slots = 3};
  auto s = solve(q, m, o, adjoint);
  auto d = solve(q, dense, o, adjoint);
  REQUIRE(s.status == status::success);
  CHECK(s.stats.accepted == d.stats.accepted);
  CHECK(relative_difference(s.y, d.y) < 1e-12);
  const auto g = s.pullback(q.y0), h = d.pullback(q.y0);
  CHECK(relative_difference(g.y0, h.y0) < 1e-11);
  CHECK(relative_difference(g.p, h.p) < 1e-11);
  CHECK(replay_law(q, m, o).what == "");
  CHECK(equal_gradients_law(q, m, o, adjoint, {.schedule = schedule_kind::store_all}).what == "");
}

TEST_CASE("KLU: Radau and ESDIRK take the dense steps, with the dense gradient") {
  check_klu(radau_iia5{});
  check_klu(kencarp3{});
}

TEST_CASE("sparse reverse sweeps: factors kept between steps leave gradients equal in bits") {
  const burgers_1d f{30};
  const problem q{f, f.y0(), 0.0, 0.2, f.parameters()};
  const options o{.rtol = 1e-4, .atol = 1e-6};
  const auto check = [&](const auto& m) {
    auto s = solve(q, m, o, recursive_checkpoint{.slots = 1, .schedule = schedule_kind::store_all});
    const auto all = s.pullback(q.y0);
    const auto again = s.pullback(q.y0);  // a sweep takes nothing from the one before
    CHECK(all.p == again.p);
    CHECK(all.y0 == again.y0);
    for (const index slots : {1, 2, 5}) {
      auto few = solve(q, m, o, recursive_checkpoint{.slots = slots});
      const auto g = few.pullback(q.y0);
      CHECK(g.p == all.p);
      CHECK(g.y0 == all.y0);
    }
  };
  const auto pattern = std::make_shared<sparsity>(sparsity_of(q));
  check(with_algebra<kencarp3, klu>{{}, {pattern}});
  check(with_algebra<radau_iia5, klu>{{}, {pattern}});
  check(kencarp3{});
  check(radau_iia5{});
}

TEST_CASE("KLU: ESDIRK with factors of other step lengths, gradients of every budget") {
  const brusselator_2d f{17};
  const problem q{f, f.y0(), 0.0, 0.3, f.parameters()};
  const with_algebra<esdirk547, klu> m{{}, {std::make_shared<sparsity>(sparsity_of(q))}};
  const options o{.rtol = 1e-5, .atol = 1e-5};
  const recursive_checkpoint adjoint{.slots = 3};
  auto s = solve(q, m, o);
  REQUIRE(s.status == status::success);
  CHECK(2 * s.stats.factorizations <= s.stats.accepted);
  CHECK(dot_product_law(q, m, o, adjoint, 1).worst < 1e-11);
  CHECK(equal_gradients_law(q, m, o, adjoint, {.schedule = schedule_kind::store_all}).what == "");
}

}  // namespace
}  // namespace revode
