// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <memory>

#include <any/chain.hpp>
#include <any/same_bits.hpp>
#include <revode/any.hpp>
#include <revode/interop/klu.hpp>
#include <revode/problems/erased_events.hpp>
#include <revode/problems/erased_field.hpp>
#include <revode/revode.hpp>
#include <revode/solvers/bdf.hpp>
#include <revode/solvers/esdirk547.hpp>
#include <revode/solvers/radau_iia5.hpp>
#include <revode/solvers/rodas5p.hpp>

namespace revode {
namespace {

using vector = Eigen::VectorXd;

template <class M>
void check_bits(const char* name) {
  CAPTURE(name);
  any_problem q = of_chain(chain_alone());
  q.f = std::make_shared<const erased_field>(chain{});
  const problem<chain, vector, vector> t{chain{}, as_vector(q.y0), q.t0, q.t1, as_vector(q.p)};
  const auto pattern = std::make_shared<const sparsity>(sparsity_of(t));
  const options o{.rtol = 1e-6, .atol = 1e-9};
  auto expected = solve(t, with_algebra<M, klu>{{}, {pattern, true}}, o, recursive_checkpoint{});
  const auto bar = expected.pullback(vector::Ones(12));
  for (const any_algebra& algebra :
       {any_algebra{.name = "klu"}, any_algebra{.name = "klu", .pattern = pattern}}) {
    const auto s = solve(q, any_method(name, algebra), o, recursive_checkpoint{.slots = 4});
    CHECK(s.status == status::success);
    CHECK(same_bits(s.y, expected.y));
    CHECK(s.stats.jvp_evaluations == expected.stats.jvp_evaluations);
    const any_gradient g = s.pullback({.y = any_state(12, 1.0)});
    CHECK(same_bits(g.y0, bar.y0));
    CHECK(same_bits(g.p, bar.p));
  }
}

TEST_CASE("KLU by name has the bits of the templates: solves, gradients, counts") {
  check_bits<radau_iia5>("radau_iia5");
  check_bits<rodas5p>("rodas5p");
}

/// What is left of the middle falls: then more is put there.
struct refill {
  static constexpr const char* name = "refill";
  static constexpr auto direction = crossing::falling;
  auto condition(const auto&, const auto& y, const auto& p) const { return y[5] - p[1] / 12; }
  void jump(const auto&, const auto& y, const auto& p, auto& y_new) const {
    y_new[5] = y[5] + 0.1 * p[1];
  }
};
/// M = tridiag(1, 4, 1)/6 before the chain.
struct elements : chain {
  template <class Matrix>
  void mass(Matrix& m) const {
    for (int i = 0; i < 12; ++i) {
      m(i, i) = 4.0 / 6;
      if (i > 0) m(i, i - 1) = m(i - 1, i) = 1.0 / 6;
    }
  }
};

TEST_CASE("KLU by name with events, and with a mass matrix, has the bits of the templates") {
  any_problem q = of_chain(chain_alone());
  const auto pattern = std::make_shared<const sparsity>(sparsity_of(
      problem<chain, vector, vector>{chain{}, as_vector(q.y0), q.t0, q.t1, as_vector(q.p)}));
  const options o{.rtol = 1e-6, .atol = 1e-9};
  const auto check = [&](const char* name, auto expected) {
    const auto s = solve(q, any_method(name, {.name = "klu"}), o, recursive_checkpoint{.slots = 4});
    CHECK(s.events.size() == expected.events.size());
    CHECK(same_bits(s.y, expected.y));
    const any_gradient g = s.pullback({.y = any_state(12, 1.0)});
    const auto bar = expected.pullback(vector::Ones(12));
    CHECK(same_bits(g.y0, bar.y0));
    CHECK(same_bits(g.p, bar.p));
  };
  const auto typed = [&](const auto& f) {
    q.f = std::make_shared<const erased_field>(f);
    return problem<std::decay_t<decltype(f)>, vector, vector>{f, as_vector(q.y0), q.t0, q.t1,
                                                              as_vector(q.p)};
  };
  q.events = {std::make_shared<const erased_event>(refill{})};
  const erased_events list{{erased_event(refill{})}};
  check("bdf5", solve(typed(chain{}), with_algebra<bdf5, klu>{{}, {pattern}}, o, events(list),
                      recursive_checkpoint{}));
  check("esdirk547", solve(typed(chain{}), with_algebra<esdirk547, klu>{{}, {pattern}}, o,
                           events(list), recursive_checkpoint{}));
  q.events.clear();
  check("rodas5p", solve(typed(elements{}), with_algebra<rodas5p, klu>{{}, {pattern}}, o,
                         recursive_checkpoint{}));
}

}  // namespace
}  // namespace revode
