// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <type_traits>

#include <revode/linalg/algebra.hpp>
#include <revode/loop/matrices.hpp>
#include <revode/loop/snapshots.hpp>
#include <revode/loop/tapes.hpp>
#include <revode/schedule/planner.hpp>
#include <revode/solve/stepper.hpp>

namespace revode {

/// What cuts take of a gradient's memory, with room for so many occurrences of located events.
template <class Loop, class Problem, class Events>
index costs_of_cuts(const Problem& q, const options& o, const Events& events, index located) {
  using set = typename Loop::event_set_type;
  typename Loop::stretches_type cuts(o, events, q.p, q.t0, q.t1);
  const index y = bytes_outside(q.y0), p = bytes_outside(q.p);
  const std::size_t given = o.stops.size() + o.discontinuities.size() + cuts.listed();
  const cut_sizes sizes{
      .known = static_cast<index>(cuts.known_count()),
      .given = static_cast<index>(given),
      .events = set::count,
      .at_once = static_cast<index>(cuts.most_at_once()),
      .state = static_cast<index>(sizeof(q.y0) + sizeof(q.p)) + y + p,
      .parameters = set::moves_parameters ? static_cast<index>(sizeof(q.p)) + p : 0};
  return bytes_of_cuts(sizes, set::located > 0 ? located : 0);
}

/// What a gradient works in, whatever it keeps: two carries as c, a tape, cotangents, scratch and matrices.
template <class Loop, class Problem, class M, class Carry, class Tape>
index bytes_to_work_in(const Problem& q, const M& m, const options& o, const Carry& c,
                       const Tape& tape) {
  using types = typename Loop::types;
  const auto scratch = make_part<typename types::scratch>(m, q.y0);
  const index carry = bytes_outside(c.state) + bytes_outside(c.memo) + bytes_outside(c.cache);
  index work = static_cast<index>(sizeof(Loop)) + 16 + 2 * carry + bytes_outside(tape) +
               bytes_outside(c.state) + bytes_outside(scratch) +
               bytes_outside(make_part<typename types::seeds>(m, q.y0)) + 8 * bytes_outside(q.y0) +
               3 * bytes_outside(q.p) + 8 * static_cast<index>(o.grid.size());
  if constexpr (requires { tape.stages.temporaries([](const auto&) {}); })
    tape.stages.temporaries([&work](const auto& part) { work += bytes_outside(part); });
  if constexpr (requires { c.cache.temporaries([](const auto&) {}); })
    c.cache.temporaries([&work](const auto& part) { work += 2 * bytes_outside(part); });
  const matrix_shape shape = shape_of(algebra_of(m), static_cast<index>(length(q.y0)));
  matrix_bytes matrices = bytes_of_matrices(c.cache, shape);
  matrices.add(matrices);
  matrices.add(bytes_of_matrices(tape.stages, shape));
  matrices.add(bytes_of_matrices(scratch, shape));
  return work + matrices.to_come + matrices.in_passing;
}

/// What the parts of a gradient take: upper bounds, a few bytes a block above what is asked of the
/// allocator.
template <class Loop, class Problem, class M, class Events>
memory_costs gradient_costs(const Problem& q, const M& m, const options& o, bool own,
                            const Events& events, index located) {
  using types = typename Loop::types;
  using snapshot_type = typename Loop::snapshot_type;
  using state = std::remove_cvref_t<decltype(q.y0)>;
  const bool whole = std::is_same_v<Events, no_events> && o.stops.empty() &&
                     o.discontinuities.empty();  // no cut makes two steps of one
  const auto c = make_carry(m, q.y0);
  const snapshot_type kept{0, q.t0, c.state, c.memo};
  typename Loop::tape_type tape(m, q.y0);
  const auto points = static_cast<index>(o.save.ts.size()) + 2;
  const index fixed = !o.grid.empty()    ? static_cast<index>(o.grid.size()) - 1
                      : o.fixed_step > 0 ? fixed_step_count(q.t0, q.t1, o.fixed_step)
                                         : 0;
  index flat = 0;
  for_each_piece(tape, [&](void*, std::size_t bytes) { flat += static_cast<index>(bytes); });

  memory_costs all;
  all.work = bytes_to_work_in<Loop>(q, m, o, c, tape);
  all.results = points * (48 + 2 * footprint(q.y0)) + (own ? heap_bytes(sizeof(q) + 16) : 0);
  if (!whole) all.results += costs_of_cuts<Loop>(q, o, events, located);
  all.work += all.results;
  all.snapshot = planned_bytes(kept);
  all.tape =
      tape_store<typename Loop::tape_type>::in_place ? static_cast<index>(sizeof(tape)) : flat;
  using log = step_log<typename Loop::record_type>;
  if constexpr (Loop::march_type::keeps_calls) {
    all.calls = types::kept_calls;
    all.call = heap_bytes(tape_bytes_of(q.f, q.y0, q.p)) + tape_pool::overhead;
    all.tape += 3 * static_cast<index>(sizeof(tape.calls));  // in a table, which doubles
  }
  all.log_step = log::entry_bytes(fixed > 0, o.step_rounding);
  all.log_most = log::bytes_for(o.max_steps, fixed > 0, o.step_rounding);
  all.steps = fixed > 0 && whole ? fixed : unbounded;
  all.tapes_resume = has_resume_v<M, typename Loop::system_type, state>;
  return all;
}

}  // namespace revode
