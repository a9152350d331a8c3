// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/nn/mlp.hpp>
#include <revode/nn/neural_field.hpp>
#include <revode/solvers/tsit5.hpp>
#include <revode/testing/laws.hpp>

namespace revode::nn {
namespace {

using batch = Eigen::MatrixXd;
using flat = Eigen::VectorXd;
using revode::index;

struct kept_and_read {
  gradient<batch, flat> g;
  index calls = 0;  // of the solve
};

kept_and_read pulled(const neural_field<mlp>& f, const batch& y0, const flat& p, const options& o,
                     const recursive_checkpoint& how) {
  const problem q{f, y0, 0.0, 1.0, p};
  auto s = solve(q, tsit5{}, o, how);
  return {s.pullback({.y = s.y}), s.stats.field_evaluations};
}

bool same(const gradient<batch, flat>& a, const gradient<batch, flat>& b) {
  return a.y0 == b.y0 && a.p == b.p && a.t0 == b.t0 && a.t1 == b.t1;
}

TEST_CASE("field tapes: no activation is computed twice, in the same bits") {
  const neural_field f(mlp({2, 8, 2}));
  random_numbers random(2);
  const batch y0 = random.like(batch(2, 5));
  const auto p = initial_parameters<double>(f.network(), 1);
  const options o{.fixed_step = 0.1};
  const index stages = 6, n = 10;  // tsit5's seventh is the next step's first
  const auto none = pulled(f, y0, p, o, {.schedule = schedule_kind::store_all, .field_tapes = 0});
  CHECK(none.g.reverse.vjp_evaluations == stages * n);
  CHECK(none.g.reverse.tape_reads == 0);
  CHECK(none.g.reverse.field_tapes == 0);

  const auto all = pulled(f, y0, p, o, {.schedule = schedule_kind::store_all});
  CHECK(same(all.g, none.g));
  CHECK(all.calls == none.calls);
  CHECK(all.g.reverse.vjp_evaluations == stages * n);
  CHECK(all.g.reverse.tape_reads == stages * n);
  CHECK(all.g.reverse.field_tapes == stages * n + 1);
  CHECK(all.g.reverse.peak_bytes - none.g.reverse.peak_bytes == all.g.reverse.field_tape_bytes);

  const auto at_hand = pulled(f, y0, p, o, {.slots = 3});
  CHECK(same(at_hand.g, none.g));
  CHECK(at_hand.g.reverse.tape_reads == stages * n);
  CHECK(at_hand.g.reverse.field_tapes == stages + 1);

  for (index tapes = 1; tapes <= stages; ++tapes) {
    const auto few = pulled(f, y0, p, o, {.slots = 3, .field_tapes = tapes});
    CAPTURE(tapes);
    CHECK(same(few.g, none.g));
    CHECK(few.g.reverse.field_tapes == tapes);
    CHECK(few.g.reverse.tape_reads >= (tapes - 1) * n);
  }
}

}  // namespace
}  // namespace revode::nn
