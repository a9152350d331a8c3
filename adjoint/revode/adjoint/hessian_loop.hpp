// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include <revode/adjoint/gradient.hpp>
#include <revode/adjoint/hessian_steps.hpp>
#include <revode/loop/executor.hpp>
#include <revode/schedule/all.hpp>

namespace revode {

/// A loop over known steps, in which several cotangents are pulled at once: one replay serves all of
/// them. Y and P may be over duals: what comes out then has the derivative of the gradient.
template <class M, class F, class Y, class P>
class hessian_loop {
 public:
  using types = method_types<M, Y>;
  using record_type = typename types::record;
  using tape_type = step_tape<M, Y>;
  using snapshot_type = snapshot<M, Y>;
  using scalar = scalar_t<Y>;
  using seeds_type = typename types::seeds;

  /// What one loss has given and gets.
  struct pulled {
    typename types::state state_bar;
    Y y0;
    P p;
    scalar t0{0}, t1{0};
    std::vector<scalar> ts{}, stops{};
    revode::status ended = revode::status::success;
    index steps = 0;  ///< pulled
  };

  hessian_loop(const F& f, const Y& y0, const P& p, const M& m, const save_at& points,
               const known_steps<record_type>& steps)
      : sys_(f, p),
        method_(m),
        points_(points),
        steps_(steps),
        y0_(y0),
        carry_(make_carry<M>(y0)),
        tape_(make_like<tape_type>(y0)),
        scratch_(make_like<typename types::scratch>(y0)),
        seeds_(make_like<seeds_type>(y0)) {
    begin(method_, sys_, steps_.ends[0], y0_, carry_);
  }

  index position() const { return position_; }
  bool finished() const { return position_ == steps_.count(); }
  void step(tape_type& tape) {
    const auto i = static_cast<std::size_t>(position_);
    tape.t = steps_.start(position_);
    tape.t_new = steps_.ends[i + 1];
    tape.record = steps_.records[i];
    if (const known_cut* c = steps_.cut_behind(position_ - 1); c != nullptr && c->begins)
      begin(method_, sys_, tape.t, Y(value(method_, carry_.state)), carry_);
    replay(method_, sys_, tape.t, tape.t_new, tape.record, carry_, tape.stages);
    ++position_;
  }
  void run(index to, tape_type& tape) {
    while (position_ < to && !finished()) step(tape);
  }
  void save(std::optional<snapshot_type>& slot) const {
    slot.emplace(snapshot_type{position_, steps_.start(position_), carry_.state, carry_.memo, {}});
  }
  void save_previous(std::optional<snapshot_type>&) const { REVODE_EXPECT(false); }
  void load(const snapshot_type& s) {
    position_ = s.step;
    carry_.state = s.state;
    carry_.memo = s.memo;
    refresh(method_, sys_, s.t, carry_);
  }
  tape_type& work_tape() { return tape_; }

  const typename types::state& state() const { return carry_.state; }
  const M& scheme() const { return method_; }
  system<F, Y, P>& sys() { return sys_; }

  /// Starts a reverse pass; weights must outlive it.
  void seed(const std::vector<cotangents<Y>>& weights) {
    weights_ = &weights;
    all_.clear();
    next_save_ = steps_.save_steps.size();
    for (const cotangents<Y>& w : weights) {
      pulled& g = all_.emplace_back(pulled{carry_.state, zero_like(y0_), zero_like(sys_.p)});
      if (!all_finite(w)) g.ended = status::non_finite_gradient;
      fill(g.state_bar, scalar(0));
      g.ts.assign(next_save_, scalar(0));
      g.stops.assign(steps_.stops, scalar(0));
      if (w.y) pull_value(method_, *w.y, g.state_bar);
      if (!w.ys.empty() && points_.t1) pull_value(method_, w.ys.back(), g.state_bar);
      if (const known_cut* c = steps_.cut_behind(steps_.count() - 1)) {
        Y slope = y0_;  // t1 lies behind it by a step of length 0
        sys_(c->after, value(method_, carry_.state), slope);
        const scalar along = dot(slope, push_value(method_, g.state_bar));
        g.t1 = along;
        g.stops[c->stop] = -along;
      }
    }
  }

  /// Ends each as differentiable_stepper does; the others go on.
  void pull_step(index i, const tape_type& tape) {
    const status of_replay = sys_.counts.trouble;
    std::size_t from = next_save_;
    while (next_save_ > 0 && (steps_.save_steps[next_save_ - 1] == i || i == 0)) --next_save_;
    if constexpr (has_dense_output_v<M>)
      if (next_save_ < from) extend(method_, sys_, tape.t, tape.t_new, tape.stages, scratch_);
    const bool moves = steps_.equal > 0 || i == 0 || i + 1 == steps_.count() ||
                       steps_.cut_behind(i - 1) != nullptr || steps_.cut_behind(i) != nullptr;
    for (std::size_t a = 0; a < all_.size(); ++a) {
      if (all_[a].ended != status::success) continue;
      step_ends<scalar> ends;
      const seeds_type* seeded = nullptr;
      if constexpr (has_dense_output_v<M>)
        for (std::size_t k = from; k > next_save_ && !(*weights_)[a].ys.empty(); --k)
          pull_save_point(k - 1, tape, (*weights_)[a], all_[a], seeded, ends);
      pull(method_, sys_, tape.t, tape.t_new, tape.record, tape.stages, scratch_, seeded,
           all_[a].state_bar, all_[a].p, moves ? &ends : nullptr);
      if (moves) move_grid(i, ends, all_[a]);
      if (i % 16 == 0 && !(has_finite_parts(all_[a].state_bar) && all_finite(all_[a].p)))
        report(sys_, status::non_finite_gradient);
      all_[a].ended = std::exchange(sys_.counts.trouble, of_replay);
      ++all_[a].steps;
    }
  }
  bool pulled_in_vain(index) const {
    for (const pulled& g : all_)
      if (g.ended == status::success) return false;
    return !all_.empty();
  }

  /// Ends it: the cotangents of the inputs, in the order of the weights.
  std::vector<pulled>& finish() {
    for (std::size_t a = 0; a < all_.size(); ++a) {
      const cotangents<Y>& w = (*weights_)[a];
      pulled& g = all_[a];
      if (g.ended != status::success) continue;
      if (steps_.count() == 0) {
        end_without_step(w, g);
      } else {
        scalar t_bar(0);
        pull_begin(method_, sys_, steps_.ends[0], y0_, g.state_bar, g.y0, g.p, t_bar);
        g.t0 = g.t0 + t_bar;
      }
      if (w.ys.empty()) continue;
      if (points_.t0) add(w.ys.front(), g.y0);
      for (std::size_t k = 0; k < steps_.save_steps.size() && steps_.save_steps[k] < 0; ++k)
        add(weight(w, k), g.y0);
    }
    return all_;
  }

 private:
  const Y& weight(const cotangents<Y>& w, std::size_t k) const {
    return w.ys[k + (points_.t0 ? 1 : 0)];
  }

  void pull_save_point(std::size_t k, const tape_type& tape, const cotangents<Y>& w, pulled& g,
                       const seeds_type*& seeded, step_ends<scalar>& ends) {
    const double ts = points_.ts[k], h = tape.t_new - tape.t, theta = (ts - tape.t) / h;
    const bool inside = ts != tape.t && ts != tape.t_new;
    if (inside && seeded == nullptr) {
      seeds_.clear();
      seeded = &seeds_;
    }
    interpolation_bar<scalar> bar;
    pull_interpolate(method_, tape.t, tape.t_new, tape.stages, scratch_, theta, weight(w, k),
                     inside ? &seeds_ : nullptr, bar);
    if (ts == tape.t_new) pull_value(method_, weight(w, k), g.state_bar);
    const scalar h_bar = inside ? bar.h : scalar(0);
    g.ts[k] = bar.theta / scalar(h);
    ends.t = ends.t + (scalar((theta - 1) / h) * bar.theta - h_bar);
    ends.t_new = ends.t_new + (scalar(-theta / h) * bar.theta + h_bar);
  }

  void move_grid(index i, const step_ends<scalar>& ends, pulled& g) const {
    const known_cut *last = steps_.last_cut(i - 1), *before = steps_.cut_behind(i - 1),
                    *after = steps_.cut_behind(i);
    const index k = i - (last != nullptr ? last->extra : 0);
    const auto move = [&](const known_cut* c, index at, bool t0, bool t1, scalar bar) {
      if (c != nullptr) {
        g.stops[c->stop] = g.stops[c->stop] + bar;
      } else if (steps_.equal > 0) {
        const double share = static_cast<double>(at) / static_cast<double>(steps_.equal);
        g.t0 = g.t0 + scalar(1 - share) * bar;
        g.t1 = g.t1 + scalar(share) * bar;
      } else {
        if (t0) g.t0 = g.t0 + bar;
        if (t1) g.t1 = g.t1 + bar;
      }
    };
    move(before, k, i == 0, false, ends.t);
    move(after, k + 1, false, i + 1 == steps_.count(), ends.t_new);
  }

  void end_without_step(const cotangents<Y>& w, pulled& g) {
    Y slope = y0_;
    sys_(steps_.ends[0], y0_, slope);
    copy(push_value(method_, g.state_bar), g.y0);
    g.t1 = dot(slope, g.y0);
    g.t0 = -g.t1;
    for (std::size_t k = 0; k < g.ts.size() && !w.ys.empty(); ++k) {
      g.ts[k] = dot(slope, weight(w, k));
      g.t0 = g.t0 - g.ts[k];
    }
  }

  system<F, Y, P> sys_;
  M method_;
  const save_at& points_;
  const known_steps<record_type>& steps_;
  Y y0_;
  carry<M, Y> carry_;
  tape_type tape_;
  [[no_unique_address]] typename types::scratch scratch_;
  [[no_unique_address]] seeds_type seeds_;
  index position_ = 0;
  const std::vector<cotangents<Y>>* weights_ = nullptr;
  std::vector<pulled> all_;
  std::size_t next_save_ = 0;
};

/// The save points again, over duals: those that `points` asks for.
template <class M, class F, class Y, class P, class Record>
std::vector<Y> saved_states(const F& f, const Y& y0, const P& p, const M& m, const save_at& points,
                            const known_steps<Record>& steps) {
  hessian_loop<M, F, Y, P> loop(f, y0, p, m, points, steps);
  auto scratch = make_like<typename method_types<M, Y>::scratch>(y0);
  std::vector<Y> ys;
  std::size_t k = 0;
  if (points.t0) ys.push_back(y0);
  for (; k < steps.save_steps.size() && steps.save_steps[k] < 0; ++k) ys.push_back(y0);
  while (!loop.finished()) {
    const index i = loop.position();
    auto& tape = loop.work_tape();
    loop.step(tape);
    for (bool extended = false; k < steps.save_steps.size() && steps.save_steps[k] == i; ++k) {
      ys.push_back(value(m, loop.state()));
      if constexpr (has_dense_output_v<M>) {
        if (points.ts[k] == tape.t_new) continue;
        if (!std::exchange(extended, true))
          extend(m, loop.sys(), tape.t, tape.t_new, tape.stages, scratch);
        interpolate(m, tape.t, tape.t_new, tape.stages, scratch,
                    (points.ts[k] - tape.t) / (tape.t_new - tape.t), ys.back());
      }
    }
  }
  if (points.t1) ys.push_back(value(m, loop.state()));
  return ys;
}

/// The first sweep of such a loop; `weigh(loop)` gives the cotangents, then the reverse pass.
template <class Loop, class Weigh>
auto& run_and_pull(Loop& loop, index steps, index slots, reverse_statistics& r, Weigh&& weigh) {
  executor<Loop, any_schedule> run(
      loop, any_schedule(schedule_kind::binomial, {.slots = slots, .steps = steps}));
  run.forward();
  const auto weights = weigh(loop);
  loop.seed(weights);
  run.reverse();
  auto& all = loop.finish();
  const reverse_counts counts = run.counts();
  r.schedule = name(schedule_kind::binomial);
  r.slots = slots;
  r.peak_states = run.snapshots().peak();
  r.replayed_steps = counts.replayed;
  r.pulled_steps = counts.pulled;
  r.field_evaluations = loop.sys().counts.field_evaluations;
  r.vjp_evaluations = loop.sys().counts.vjp_evaluations;
  return all;
}

}  // namespace revode
