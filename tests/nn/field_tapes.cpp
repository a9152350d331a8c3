// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <vector>

#include <revode/adjoint/forward.hpp>
#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/nn/blocks.hpp>
#include <revode/nn/controlled_field.hpp>
#include <revode/nn/flow_field.hpp>
#include <revode/nn/gru_cell.hpp>
#include <revode/nn/layer_norm.hpp>
#include <revode/nn/lora.hpp>
#include <revode/nn/mlp.hpp>
#include <revode/nn/neural_field.hpp>
#include <revode/solve/quadrature.hpp>
#include <revode/solvers/rk4.hpp>
#include <revode/solvers/tsit5.hpp>
#include <revode/testing/laws.hpp>

#include "../refusal.hpp"

namespace revode::nn {
namespace {

using batch = Eigen::MatrixXd;
using flat = Eigen::VectorXd;
using revode::index;

batch some_batch(index states, index samples) {
  random_numbers random(2);
  return random.like(batch(states, samples));
}

template <class G>
bool same(const G& a, const G& b) {
  return a.y0 == b.y0 && a.p == b.p && a.t0 == b.t0 && a.t1 == b.t1 && a.ts == b.ts;
}

template <class Q>
auto pulled(const Q& q, const options& o, const recursive_checkpoint& how) {
  auto s = solve(q, tsit5{}, o, how);
  return s.pullback({.y = s.y, .ys = s.ys});
}

recursive_checkpoint all_steps(std::optional<index> tapes = {}) {
  return {.schedule = schedule_kind::store_all, .field_tapes = tapes};
}

TEST_CASE("field tapes: no activation is computed twice, in the same bits") {
  const neural_field f(mlp({2, 8, 2}));
  const problem q{f, some_batch(2, 5), 0.0, 1.0, initial_parameters<double>(f.network(), 1)};
  const options o{.fixed_step = 0.1};
  const index stages = 6, n = 10;  // tsit5's seventh is the next step's first
  const auto none = pulled(q, o, all_steps(0));
  CHECK(none.reverse.vjp_evaluations == stages * n);
  CHECK(none.reverse.tape_reads == 0);
  CHECK(none.reverse.field_tapes == 0);
  CHECK(none.reverse.field_tape_bytes == 0);

  const auto all = pulled(q, o, all_steps());
  CHECK(same(all, none));
  CHECK(all.reverse.field_evaluations == none.reverse.field_evaluations);
  CHECK(all.reverse.vjp_evaluations == stages * n);
  CHECK(all.reverse.tape_reads == stages * n);
  CHECK(all.reverse.field_tapes == stages * n + 1);
  CHECK(all.reverse.field_tape_bytes >= (stages * n + 1) * 8 * 8 * 5);
  CHECK(all.reverse.peak_bytes - none.reverse.peak_bytes - all.reverse.field_tape_bytes <
        64 * n);  // where they are held

  const auto at_hand = pulled(q, o, {.slots = 3});
  CHECK(same(at_hand, none));
  CHECK(at_hand.reverse.tape_reads == stages * n);
  CHECK(at_hand.reverse.field_tapes == stages + 1);

  for (index tapes = 1; tapes <= stages; ++tapes) {
    const auto few = pulled(q, o, {.slots = 3, .field_tapes = tapes});
    CAPTURE(tapes);
    CHECK(same(few, none));
    CHECK(few.reverse.field_tapes == tapes);
    CHECK(few.reverse.tape_reads >= (tapes - 1) * n);
  }
  for (index tapes : {7, 20, 35}) {
    const auto last = pulled(q, o, all_steps(tapes));  // of the last steps
    CHECK(same(last, none));
    CHECK(last.reverse.field_tapes <= tapes);
    CHECK(last.reverse.tape_reads >= (tapes - 1) / stages * stages - stages);
    CHECK(last.reverse.tape_reads > 0);
  }
}

/// The same bits with all tapes, those of the step at hand, few, and none, with adaptive steps, save points
/// and K losses; with those at hand every product reads one, but those of dense output.
template <class Q>
void check_tiers(const Q& q) {
  for (const options& o : {options{.rtol = 1e-6, .atol = 1e-6, .first_step = 0.9},
                           options{.rtol = 1e-6, .atol = 1e-6, .save = {.ts = {0.3, 0.8}}}}) {
    const auto none = pulled(q, o, all_steps(0));
    for (const auto& how :
         {all_steps(), all_steps(11), recursive_checkpoint{.slots = 2},
          recursive_checkpoint{.slots = 2, .log = step_replay::controller},
          recursive_checkpoint{.budget = 400000},
          recursive_checkpoint{.slots = 2, .field_tapes = 3},
          recursive_checkpoint{.slots = 3, .schedule = schedule_kind::two_tier, .slow_slots = 2}}) {
      const auto g = pulled(q, o, how);
      CHECK(g.status == status::success);
      CHECK(same(g, none));
      CHECK(g.reverse.tape_reads > 0);
      if (o.save.ts.empty() && !how.field_tapes && !how.budget)
        CHECK(g.reverse.tape_reads == g.reverse.vjp_evaluations);
      if (how.budget) CHECK(g.reverse.peak_bytes <= *how.budget);
    }
  }
}

TEST_CASE("field tapes: every module, the same bits in every tier") {
  random_numbers random(6);
  const auto problem_of = [&](const auto& f, index samples) {
    return problem{f, some_batch(f.states(), samples), 0.0, 1.0,
                   flat(0.5 * random.like(flat(f.parameters())))};
  };
  const neural_field f(mlp({3, 8, 4, 2}, activation::silu), time_input::yes);
  const auto q = problem_of(f, 4);
  check_tiers(q);
  const auto law = dot_product_law(q, tsit5{}, {.save = {.ts = {0.3, 0.8}}},
                                   recursive_checkpoint{.slots = 3}, 3);
  CAPTURE(law.worst);
  CHECK(law.holds);

  const dense_layer known{2, 4, activation::softplus}, last{4, 2, activation::relu};
  const flat weights = initial_parameters<double>(known, 3),
             more = initial_parameters<double>(last, 4);
  const neural_field adapted(chain(lora_layer(known, weights, 1),
                                   residual(dense_layer{4, 4, activation::sigmoid}), layer_norm{4},
                                   frozen_module(last, more)));
  check_tiers(problem_of(adapted, 1));
}

/// A gated unit without observations beside it, with what is known of y''.
struct swing {
  static constexpr int states = 2, parameters = 1;
  template <class T, class Y, class Q>
  void operator()(const T&, const Y& y, const Q& q, Y& dy) const {
    dy[0] = y[1];
    dy[1] = -q[0] * y[0];
  }
};

TEST_CASE("field tapes: beside physics, along a control, below a quadrature; none of a flow") {
  random_numbers random(6);
  const options o{.fixed_step = 0.125, .save = {.ts = {0.3}}};
  const auto check = [&](const auto& q, bool keeps) {
    const auto none = pulled(q, o, all_steps(0));
    const auto kept = pulled(q, o, {.slots = 2});
    CHECK(same(kept, none));
    CHECK(kept.reverse.tape_reads == (keeps ? kept.reverse.vjp_evaluations : 0));
  };
  const neural_field known(chain(dense_layer{3, 4}, dense_layer{4, 3}, gru_cell{1, 2}), swing{}, 0,
                           time_input::yes);
  check(problem{known, some_batch(2, 3), 0.0, 1.0, flat(random.like(flat(known.parameters())))},
        true);

  const control_path path(control::cubic_hermite, {0.0, 0.4, 1.0});
  const controlled_field driven(mlp({2, 4, 4}), path, 1);
  check(problem{driven, some_batch(2, 3), 0.0, 1.0, flat(random.like(flat(driven.parameters(3))))},
        true);

  const neural_field f(mlp({2, 4, 2}));
  const problem plain{f, some_batch(2, 3), 0.0, 1.0, initial_parameters<double>(f.network(), 1)};
  check(with_quadrature(
            plain,
            [](const auto&, const auto& y, const auto&, auto& dq) {
              dq[0] = y.data()[0] * y.data()[3];
            },
            vec{0.0}),
        true);

  const flow_field flow(neural_field(mlp({2, 4, 2})), {.by = probes::rademacher});
  check(problem{flow, some_batch(3, 3), 0.0, 1.0, plain.p}, false);
}

}  // namespace
}  // namespace revode::nn
