// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include <revode/adjoint/hessian_vector_product.hpp>
#include <revode/solve/moving_step.hpp>

namespace revode {

/// A hessian_loop over duals whose steps' ends move along a direction.
template <class M, class F, class Y, class P, class Direction>
class moving_hessian_loop
    : public hessian_loop<M, moving_step_field<F, inner_t<scalar_t<Y>>>, Y, P> {
 public:
  using field_type = moving_step_field<F, inner_t<scalar_t<Y>>>;
  using base = hessian_loop<M, field_type, Y, P>;
  using typename base::snapshot_type;
  using typename base::tape_type;

  /// `field` must outlive the loop, which moves it from step to step.
  moving_hessian_loop(field_type& field, const Y& y0, const P& p, const M& m, const save_at& points,
                      const known_steps<typename base::record_type>& steps, const Direction& along)
      : base(at_start(field, steps, along), y0, p, m, points, steps),
        field_(field),
        along_(along) {}

  void step(tape_type& tape) {
    enter(this->position());
    refresh(this->method_, this->sys_, this->steps_.start(this->position()), this->carry_);
    base::step(tape);
  }
  void run(index to, tape_type& tape) {
    while (this->position() < to && !this->finished()) step(tape);
  }
  void load(const snapshot_type& s) {
    if (s.step < this->steps_.count()) enter(s.step);
    base::load(s);
  }
  void pull_step(index i, const tape_type& tape) {
    enter(i);
    base::pull_step(i, tape);
  }

 private:
  template <class Steps>
  static field_type& at_start(field_type& field, const Steps& steps, const Direction& along) {
    return enter(field, steps, along, 0);
  }
  void enter(index i) { this->pace_ = enter(field_, this->steps_, along_, i).pace(); }

  template <class Steps>
  static field_type& enter(field_type& field, const Steps& steps, const Direction& along, index i) {
    const known_cut* last = steps.last_cut(i - 1);
    const index k = i - (last != nullptr ? last->extra : 0);
    const auto motion = [&](const known_cut* c, index at, bool t0, bool t1) {
      if (c != nullptr) return along.stops.empty() ? 0.0 : along.stops[c->stop];
      if (steps.equal == 0) return t0 ? along.t0 : t1 ? along.t1 : 0.0;
      const double share = static_cast<double>(at) / static_cast<double>(steps.equal);
      return (1 - share) * along.t0 + share * along.t1;
    };
    field.t = steps.start(i);
    field.t_new = steps.ends[static_cast<std::size_t>(i) + 1];
    field.t_dot = motion(steps.cut_behind(i - 1), k, i == 0, false);
    field.t_new_dot = motion(steps.cut_behind(i), k + 1, false, i + 1 == steps.count());
    return field;
  }

  field_type& field_;
  const Direction& along_;
};

/// As hessian_vector_product, for a direction that may also move t0, t1, stops and discontinuities:
/// their second derivatives, on the grid that moves with them.
///   auto r = hessian_along_times(q, tsit5{}, {}, loss, {.y0 = v, .p = u, .t1 = 1});
/// The loss is one of y(t1). The field is differentiated through its formula, not by its own vjp.
/// cost    that of hessian_vector_product and one field evaluation a step
/// errors  std::invalid_argument: a direction of another size; save points, a stop at t1, a solve
///         without steps
template <method M, class F, class Y, class P, class Loss>
hessian_product<Y, P> hessian_along_times(const problem<F, Y, P>& q, const M& m, const options& o,
                                          const Loss& loss, const tangents<Y, P>& direction,
                                          index slots = 100) {
  using field = std::remove_cvref_t<F>;
  using DY = rebind_t<Y, dual<scalar_t<Y>, 1>>;
  using DP = rebind_t<P, dual<scalar_t<P>, 1>>;
  static_assert(!is_multistep_v<M>, "Hessian-vector products are those of one-step methods");
  validate(q, m, o);
  check(q, o, direction);
  const auto at_end = [&](const std::vector<double>& times) {
    return std::find(times.begin(), times.end(), q.t1) != times.end();
  };
  if (!o.save.ts.empty() || q.t0 == q.t1 || at_end(o.stops) || at_end(o.discontinuities))
    throw std::invalid_argument(
        "a Hessian along moving times with save points, with a stop at t1, or without steps "
        "(places "
        "in a step that moves have no second derivative here) leave them out, and t1 apart from "
        "t0?");
  hessian_product<Y, P> r{.solution = {.y = q.y0}};
  const auto steps = solve_and_note(q, m, o, r.solution);
  if (r.solution.status != status::success) return r;
  const DY y0 = over_duals(q.y0, direction.y0);
  const DP p = over_duals(q.p, direction.p);
  moving_step_field<field, scalar_t<Y>> moving{q.f, 0, 1, 0, 0};
  moving_hessian_loop<M, field, DY, DP, tangents<Y, P>> loop(moving, y0, p, m, o.save, steps,
                                                             direction);
  reverse_statistics counts;
  const auto& g = run_and_pull(loop, steps.count(), slots, counts, [&](auto& at_end) {
    cotangents<DY> bar;
    const DY end = value(m, at_end.state());
    r.value = static_cast<double>(value_of(pull_loss(loss, end, std::vector<DY>{}, bar)));
    return std::vector<cotangents<DY>>{std::move(bar)};
  })[0];
  split_gradient(g, q.y0, q.p, counts, r);
  return r;
}

}  // namespace revode
