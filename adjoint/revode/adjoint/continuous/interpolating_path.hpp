// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <revode/adjoint/continuous/continuous_pass.hpp>
#include <revode/loop/snapshots.hpp>

namespace revode {

/// A solve whose dense output can be asked for at any time, in any order, best from the end to the
/// start. Every step's tape is kept; or, with `every` > 0, a snapshot every so many steps, and the
/// tapes of the two segments that were asked for last, rebuilt by replaying them.
/// memory  n tapes (stages + 1 states and 16 bytes each), or n / every snapshots, 2 every tapes and
///         8 bytes a step
template <class M, class F, class Y, class P, class Events = no_events>
class interpolating_path {
 public:
  using loop_type = stepper<M, F, Y, P, Events>;
  using tape_type = typename loop_type::tape_type;

  template <class Field>
  interpolating_path(const problem<Field, Y, P>& q, const M& m, const options& o, index every,
                     const Events& events = {})
      : loop_(q, m, o, every > 0 ? std::optional<index>(unbounded) : std::nullopt, events),
        every_(every),
        direction_(q.t1 < q.t0 ? -1 : 1) {
    if (loop_.stretches().cut_count() > 0) before_.push_back(q.y0);  // a cut at t0
    loop_.keep_before_cuts(before_);
    while (!loop_.finished()) {
      const index i = loop_.position();
      const double t = loop_.time();
      if (every_ > 0 && i % every_ == 0) {
        starts_.emplace_back();
        std::as_const(loop_).save(starts_.back());
        times_.push_back(t);
      }
      loop_.step(loop_.work_tape());
      if (loop_.position() == i) break;
      if (every_ == 0) segments_[0].tapes.push_back(loop_.work_tape());
    }
    enter(loop_.stretches().cut_count());
    segments_[0].used = segments_[0].tapes.size();
    segments_[0].number = 0;
    if (every_ > 0) segments_[0].number = -1;
  }

  const solution<Y>& result() { return loop_.result(); }
  loop_type& loop() { return loop_; }
  /// The states before the cuts.
  const std::vector<Y>& before_cuts() const { return before_; }

  /// Into the stretch behind k cuts: its steps are the ones asked for from now on.
  void enter(std::size_t k) {
    const auto& cuts = loop_.stretches();
    stretch_ = k;
    from_ = k > 0 ? cuts.cut_at(k - 1).step + 1 : 0;
    past_ = k < cuts.cut_count() ? cuts.cut_at(k).step + 1 : loop_.count();
    extended_ = nullptr;
    loop_.stretches().use_parameters(k);
  }

  /// y = y(t); times outside of the stretch are its ends.
  void at(double t, Y& y) {
    if (loop_.count() == 0) return copy(loop_.y0(), y);
    const tape_type& step = step_of(t);
    evaluate(step, std::clamp((t - step.t) / (step.t_new - step.t), 0.0, 1.0), y);
  }

  /// slope = y'(t) of that polynomial, from two of its values: the field would magnify the error of
  /// the interpolation in stiff components. `y` is work space.
  void slope_at(double t, Y& y, Y& slope) {
    constexpr double reach = 1e-4;
    if (loop_.count() == 0) return fill(slope, scalar_t<Y>(0));
    const tape_type& step = step_of(t);
    const double h = step.t_new - step.t;
    const double theta = std::clamp((t - step.t) / h, reach, 1 - reach);
    evaluate(step, theta - reach, y);
    evaluate(step, theta + reach, slope);
    for (int i = 0, n = length(y); i < n; ++i)
      slope.data()[i] = static_cast<scalar_t<Y>>(
          static_cast<double>(slope.data()[i] - y.data()[i]) / (2 * reach * h));
  }

  index replayed_steps() const { return replayed_; }
  index states() const { return static_cast<index>(starts_.size()); }
  index tapes() const {
    return static_cast<index>(segments_[0].tapes.size() + segments_[1].tapes.size());
  }
  index snapshot_bytes() const { return starts_.empty() ? 0 : states() * footprint(*starts_[0]); }
  index tape_bytes() const { return tapes() * footprint(loop_.work_tape()); }
  index log_bytes() const { return every_ > 0 ? loop_.log().bytes() : 0; }
  index field_evaluations() { return loop_.sys().counts.field_evaluations; }

 private:
  struct segment {
    index number = -1;
    std::size_t used = 0;
    std::vector<tape_type> tapes{};
  };

  const tape_type& step_of(double t) {
    const segment& s = segments_[segment_of(t)];
    const index start = every_ * s.number;
    const auto end = s.tapes.begin() + std::min(static_cast<index>(s.used), past_ - start);
    auto step = std::partition_point(
        s.tapes.begin() + std::max<index>(0, from_ - start), end,
        [&](const tape_type& tape) { return direction_ * (t - tape.t_new) > 0; });
    if (step == end) --step;
    if (extended_ != &*step) {
      extended_ = &*step;
      extend(loop_.scheme(), loop_.sys(), step->t, step->t_new, step->stages,
             loop_.scratch_of_dense());
    }
    return *step;
  }

  void evaluate(const tape_type& step, double theta, Y& y) {
    if constexpr (has_dense_output_v<M>)  // others are refused before
      interpolate(loop_.scheme(), step.t, step.t_new, step.stages, loop_.scratch_of_dense(), theta,
                  y);
  }

  /// The place of the segment in which t lies; a reverse step may go back and forth over the
  /// boundary of two, so both are kept.
  std::size_t segment_of(double t) {
    if (every_ == 0) return 0;
    const auto behind = std::partition_point(
        times_.begin(), times_.end(), [&](double start) { return direction_ * (t - start) > 0; });
    const index number =
        std::clamp<index>(behind - times_.begin() - 1, from_ / every_, (past_ - 1) / every_);
    for (std::size_t s = 0; s < 2; ++s)
      if (segments_[s].number == number) return last_ = s;
    last_ = 1 - last_;
    rebuild(segments_[last_], number);
    return last_;
  }

  void rebuild(segment& s, index number) {
    extended_ = nullptr;
    s.number = -1;  // an exception leaves nothing half rebuilt
    s.used = 0;
    loop_.load(*starts_[static_cast<std::size_t>(number)]);
    const index to = std::min((number + 1) * every_, loop_.count());
    while (loop_.position() < to) {
      loop_.step(loop_.work_tape());
      if (s.used < s.tapes.size())
        s.tapes[s.used] = loop_.work_tape();
      else
        s.tapes.push_back(loop_.work_tape());
      ++s.used;
      ++replayed_;
    }
    s.number = number;
    loop_.stretches().use_parameters(stretch_);
  }

  loop_type loop_;
  index every_;
  double direction_;
  std::vector<std::optional<typename loop_type::snapshot_type>> starts_;
  std::vector<double> times_;
  std::vector<Y> before_;
  std::size_t stretch_ = 0;
  index from_ = 0, past_ = 0;  // its steps
  segment segments_[2];
  std::size_t last_ = 0;
  const tape_type* extended_ = nullptr;  // the step whose extra stages are in the scratch
  index replayed_ = 0;
};

/// Throws for what is wrong with an adjoint along a path.
inline void check_along_path(const char* adjoint, index every, const reverse_options& r,
                             const options& o, bool seminorm) {
  check_reverse(adjoint, r, o, seminorm);
  if (every < 0)
    throw std::invalid_argument(std::string(adjoint) + " with every = " + std::to_string(every) +
                                " (steps between snapshots; 0 keeps all steps) give every >= 0?");
}

/// A solution that keeps its path: what the adjoints along it share.
template <class M, class F, class Y, class P, class Events = no_events>
class path_solution : public solution<Y> {
  static_assert(state_in_one_place<Y>::there);

 public:
  using path_type = interpolating_path<M, F, Y, P, Events>;

  template <class Field, class Adjoint>
  path_solution(const problem<Field, Y, P>& q, const M& m, const options& o, const Adjoint& a,
                std::shared_ptr<const void> own, const Events& events)
      : own_(std::move(own)),
        method_(m) {
    if (!has_dense_output_v<M>)
      throw std::invalid_argument("method " + std::string(M::name) + " with the adjoint " +
                                  Adjoint::name +
                                  " (it has no dense output to run along) choose a method such as "
                                  "tsit5, or recursive_checkpoint?");
    path_ = std::make_unique<path_type>(q, m, o, a.every, events);
    sys_ = std::make_unique<system<F, Y, P>>(q.f, path_->loop().stretches().parameters());
    static_cast<solution<Y>&>(*this) = path_->result();
    back_ = options_backwards(o, a.reverse, this->stats.accepted + this->stats.rejected);
  }

 protected:
  /// advance(t, t_new, λ, p̄, g) → status
  template <class Advance>
  checked_gradient<Y, P> sweep(const cotangents<Y>& w, Advance&& advance) {
    check_cotangents<Y>(*this, w);
    const index before = path_->field_evaluations(), replayed = path_->replayed_steps();
    checked_gradient<Y, P> g = continuous_pass(*this, w, path_->loop(), path_->before_cuts(), *sys_)
                                   .run([&](std::size_t k) { path_->enter(k); },
                                        [&](double t, double to, const Y&, const Y&, Y& lambda,
                                            P& p_bar, checked_gradient<Y, P>& all) {
                                          return of_cotangents(advance(t, to, lambda, p_bar, all));
                                        });
    reverse_statistics& r = g.reverse;
    r.field_evaluations += path_->field_evaluations() - before;
    r.replayed_steps = path_->replayed_steps() - replayed;
    r.peak_states = path_->states();
    r.peak_tapes = path_->tapes();
    r.snapshot_bytes = path_->snapshot_bytes();
    r.tape_bytes = path_->tape_bytes();
    r.log_bytes = path_->log_bytes();
    r.peak_bytes = r.snapshot_bytes + r.tape_bytes + r.log_bytes;
    return g;
  }

  path_type& path() { return *path_; }
  system<F, Y, P>& sys() { return *sys_; }
  const M& scheme() const { return method_; }
  const options& backwards() const { return back_; }
  const Y& start() const { return path_->loop().y0(); }

 private:
  std::shared_ptr<const void> own_;
  M method_;
  options back_;
  std::unique_ptr<path_type> path_;
  std::unique_ptr<system<F, Y, P>> sys_;
};

}  // namespace revode
