// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <iterator>

#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/problems/lotka_volterra.hpp>
#include <revode/solvers/all.hpp>

namespace revode {
namespace {

/// What the tableau alone says about the cost of a step.
template <class M>
struct expected {
  static constexpr int stages = static_cast<int>(std::size(M::tableau.b));
  static constexpr index fsal = is_fsal(M::tableau) ? 1 : 0;
  static constexpr index per_step = stages - fsal;

  /// Stages that the new state depends on.
  static index pulled() {
    bool reached[stages] = {};
    index n = 0;
    for (int i = stages - 1; i >= 0; --i) {
      reached[i] = M::tableau.b[i] != 0;
      for (int j = i + 1; j < stages; ++j)
        reached[i] = reached[i] || (reached[j] && M::tableau.a[j][i] != 0);
      n += reached[i] ? 1 : 0;
    }
    return n;
  }
};

const lotka_volterra field;

template <class M>
options steps_for(const M&) {
  options o{.rtol = 1e-6, .atol = 1e-6, .first_step = 1.5};  // too long: some are rejected
  if (!has_estimate_v<M>) o = {.fixed_step = 0.05};
  return o;
}

TEST_CASE("a solve evaluates the field for its attempts, and three times to begin") {
  const problem q{field, field.y0(), 0.0, 6.0, field.parameters()};
  for_each_method(basic_methods{}, [&](const auto& m) {
    using M = std::remove_cvref_t<decltype(m)>;
    CAPTURE(M::name);
    options o = steps_for(m);

    const auto given = solve(q, m, o, recursive_checkpoint{});  // compiled for the next test anyway
    const index attempts = given.stats.accepted + given.stats.rejected;
    CHECK(given.stats.field_evaluations == attempts * expected<M>::per_step + expected<M>::fsal);
    if (!has_estimate_v<M>) return;
    CHECK(given.stats.rejected > 0);
    o.first_step = 0;
    const auto chosen = solve(q, m, o, recursive_checkpoint{});
    CHECK(chosen.stats.field_evaluations ==
          (chosen.stats.accepted + chosen.stats.rejected) * expected<M>::per_step +
              expected<M>::fsal + 2);
  });
}

TEST_CASE("a reverse pass evaluates the field for replayed steps only, never for rejected ones") {
  const problem q{field, field.y0(), 0.0, 6.0, field.parameters()};
  for_each_method(basic_methods{}, [&](const auto& m) {
    using M = std::remove_cvref_t<decltype(m)>;
    CAPTURE(M::name);
    for (const auto kind :
         {schedule_kind::store_all, schedule_kind::store_states, schedule_kind::binomial}) {
      auto s = solve(q, m, steps_for(m), recursive_checkpoint{.slots = 4, .schedule = kind});
      // A second pullback replays the first sweep as well, and begins once more.
      for (const index begins : {0, 1}) {
        const auto r = s.pullback(vec{1.0, 1.0}).reverse;
        CHECK(r.pulled_steps == s.stats.accepted);
        CHECK(r.vjp_evaluations == r.pulled_steps * expected<M>::pulled());
        CHECK(r.field_evaluations == (r.replayed_steps + r.rejected_again) * expected<M>::per_step +
                                         (r.restores + begins) * expected<M>::fsal);
        if (kind == schedule_kind::store_all && begins == 0) CHECK(r.field_evaluations == 0);
      }
    }
  });
}

}  // namespace
}  // namespace revode
