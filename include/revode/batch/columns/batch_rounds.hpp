// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <deque>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <revode/batch/columns/column_carry.hpp>
#include <revode/batch/columns/field_columns.hpp>
#include <revode/batch/columns/listed_steps.hpp>
#include <revode/batch/columns/save_columns.hpp>
#include <revode/solve/stepping/attempts.hpp>

namespace revode {

/// A batch on its way: the loop whose body is a round in which the step of some sample is accepted. In a
/// round every sample under way makes one attempt, each stage of all of them in one call of the field;
/// those rejected try again in the next. The first time a round is decided; whenever it comes by again it
/// is repeated by the log with the same calls, rejected columns included (as steps of length 0): the bits
/// of a product of matrices depend on how many columns it has.
/// Refers to the batch, which must outlive it.
template <class M, class F, class Y, class P>
class batch_rounds {
 public:
  using T = scalar_t<Y>;
  using column = sample_column<T>;
  using steps = typename method_types<M, column>::columns;
  using blocks = typename steps::blocks;
  using tape_type = round_tape<T>;
  using snapshot_type = round_carry<T>;

  /// Only a batch that keeps its log can go back to rounds that it has passed.
  batch_rounds(const batch_problem<F, Y, P>& b, const M& m, const options& o, bool keeps_log)
      : b_(b),
        m_(m),
        options_(o),
        samples_(static_cast<int>(b.y0.cols())),
        rows_(static_cast<int>(b.y0.rows())),
        saves_(b, options_, result_),
        field_(b),
        carry_(samples_, rows_),
        tape_(samples_, steps::tape_blocks * rows_),
        trial_(tape_),
        next_(numbers_of(1)),
        scratch_(numbers_of(steps::scratch_blocks)),
        keeps_log_(keeps_log),
        leaves_(at(samples_), 0),
        ended_at_(at(samples_), 0) {
    listed_.reserve(at(samples_)), w_.reserve(at(samples_));
    for (int c = 0; c < samples_; ++c) w_.push_back(steps::scratch_of(scratch(), c));
    start();
  }
  batch_rounds(const batch_rounds&) = delete;
  batch_rounds& operator=(const batch_rounds&) = delete;

  index position() const { return carry_.round(); }
  bool finished() const { return ended_ && carry_.round() == count_; }
  tape_type& work_tape() { return tape_; }
  void step(tape_type& tape) {
    const on_threads working(options_.threads);
    if (ended_)
      repeat(tape);
    else
      decide(tape);
  }
  void run(index to, tape_type& tape) {
    while (position() < to && !finished()) step(tape);
  }
  void save(std::optional<snapshot_type>& slot) const { carry_.save(slot); }
  void save_previous(std::optional<snapshot_type>& slot) const { carry_.save_before(tape_, slot); }
  void load(const snapshot_type& s) {
    carry_.load(s);
    leave_ended();
  }
  /// Back to the starts, with the rounds known.
  void restart() {
    begin();
    leave_ended();
  }

  const batch_solution<Y>& result() const { return result_; }
  const round_log& log() const { return log_; }
  index count() const { return count_; }
  const field_columns<F, Y, P>& field() const { return field_; }

 protected:
  static std::size_t at(int c) { return static_cast<std::size_t>(c); }
  std::size_t numbers_of(int count) const { return at(count) * at(samples_) * at(rows_); }
  column column_of(const T* numbers, index j) const {
    return {const_cast<T*>(numbers) + j * rows_, rows_};
  }
  blocks scratch() { return {scratch_.data(), samples_, rows_}; }
  blocks blocks_of(const tape_type& tape) const { return carry_.tape_blocks(tape); }
  /// The stages of dense output of the first steps listed.
  void extend(int count) {
    steps::extend(field_.of(listed_.which), listed_.ends(), listed_.tapes.data(), scratch(),
                  w_.data(), count);
  }

  const batch_problem<F, Y, P>& b_;
  const M m_;
  const options options_;
  const int samples_, rows_;
  batch_solution<Y> result_;
  save_columns<F, Y, P> saves_;
  field_columns<F, Y, P> field_;
  listed_steps<M, T> listed_;                    // a round's at hand
  std::vector<typename steps::scratch_type> w_;  // of the columns of scratch()

 private:
  using control_type = attempts<M, column>;

  double t0(int j) const { return of_sample(b_.t0, j); }
  double t1(int j) const { return of_sample(b_.t1, j); }
  control_type& control(int j) { return controls_[at(j)]; }
  sample_statistics& stats(int j) { return result_.stats[at(j)]; }
  column next(int c) { return column_of(next_.data(), c); }

  void begin() {
    carry_.begin(b_.y0, [this](int j) { return t0(j); });
    if constexpr (steps::fsal)
      field_.of(carry_.which())([this](int c) { return t0(c); }, carry_.blocks().of(0, samples_),
                                carry_.blocks().of(1, samples_));
  }

  void start() {
    result_.status.assign(at(samples_), status::success);
    result_.t.resize(at(samples_)), result_.stats.resize(at(samples_));
    result_.y = b_.y0;
    begin();
    for (int j = 0; j < samples_; ++j) {
      controls_.emplace_back(options_, b_.f, carry_.y(j), t0(j), t1(j));
      stats(j).field_evaluations = steps::fsal;
      saves_.keep_start(j, carry_.y(j));
      if (t0(j) == t1(j))
        end(j, all_finite(carry_.y(j)) ? status::success : status::non_finite_state);
    }
    depart();
    if (options_.first_step != 0)
      for (int c = 0; c < carry_.count(); ++c)
        control(carry_.sample(c)).length(options_.first_step);
    else if (carry_.count() > 0)
      choose_first_steps();
    if (carry_.count() == 0) finish();
  }

  /// As first_step does, with two calls of the field for all samples, or one where slopes are there.
  void choose_first_steps() {
    const int count = carry_.count();
    if constexpr (!steps::fsal)
      field_.of(carry_.which())([this](int c) { return carry_.t(c); }, carry_.blocks().of(0, count),
                                scratch().of(0, count));
    const auto slope = [this](int c) {
      return steps::fsal ? carry_.blocks().at(1, c) : scratch().at(0, c);
    };
    const auto norm = [this](const column& x, int c) {
      const auto& tol = control(carry_.sample(c)).tolerance();
      return std::sqrt(scaled_mean_square(x, carry_.y(c), tol));
    };
    const auto span = [this](int j) { return std::abs(t1(j) - t0(j)); };
    const auto trial = [&](int c) {
      return trial_length(norm(carry_.y(c), c), norm(slope(c), c), span(carry_.sample(c)));
    };
    listed_.clear();
    for (int c = 0; c < count; ++c) {
      const int j = carry_.sample(c);
      const bool finite = all_finite(slope(c));
      stats(j).field_evaluations += (steps::fsal ? 0 : 1) + finite;
      if (!finite) {
        end(c, status::non_finite_field);
        continue;
      }
      const double h = saves_.direction(j) * trial(c);
      column y = next(listed_.count());
      copy(carry_.y(c), y);
      axpy(static_cast<T>(h), slope(c), y);
      listed_.add(j, t0(j), t0(j) + h);
    }
    const int going = listed_.count();
    if (going > 0)
      field_.of(listed_.which)([this](int i) { return listed_.t_new[at(i)]; },
                               {next_.data(), going, rows_}, scratch().of(1, going));
    for (int c = 0, i = 0; c < count; ++c) {
      if (leaves_[at(c)]) continue;
      column change = scratch().at(1, i++);
      axpy(T(-1), slope(c), change);
      const int j = carry_.sample(c);
      control(j).length(saves_.direction(j) * first_length(norm(slope(c), c), norm(change, c),
                                                           trial(c), span(j), estimate_order<M>()));
    }
    depart();
  }

  // A round that is decided.

  void decide(tape_type& tape) {
    while (!ended_) {
      set_out();
      if (carry_.count() == 0) return finish();
      take(trial_);
      const bool some = judge();
      if (some) accept(tape);
      depart();
      if (carry_.count() == 0) finish();
      if (some) return;
    }
  }

  /// How far each sample goes. Those that cannot go on end.
  void set_out() {
    const auto aim = [this](int c) {
      return control(carry_.sample(c)).next_time(carry_.t(c), t1(carry_.sample(c)));
    };
    for (int c = 0; c < carry_.count(); ++c) {
      const int j = carry_.sample(c);
      if (stats(j).accepted + stats(j).rejected == options_.max_steps)
        end(c, status::max_steps);
      else if (aim(c) == carry_.t(c))
        end(c, status::step_underflow);
    }
    depart();
    carry_.copy_to(trial_);
    for (int c = 0; c < carry_.count(); ++c) trial_.t_new[at(c)] = aim(c);
  }
  void take(tape_type& tape) {
    ++field_.calls.rounds;
    steps::take(field_.of(tape.which), {tape.t.data(), tape.t_new.data()}, blocks_of(tape),
                tape.count, next_.data());
  }

  /// What becomes of each attempt; is one accepted?
  bool judge() {
    bool some = false;
    for (int c = 0; c < carry_.count(); ++c) {
      const int j = carry_.sample(c);
      const double t = trial_.t[at(c)], t_new = trial_.t_new[at(c)];
      outcome<nothing> found{steps::error_squared(control(j).tolerance(), t_new - t,
                                                  steps::tape_of(blocks_of(trial_), c), next(c))};
      const bool overflow = found.error_squared <= 1 && !all_finite(next(c));
      if (overflow) found.error_squared = std::numeric_limits<double>::infinity();
      nothing none;
      const double h = control(j).adapt(m_, found, t, t_new, t1(j), none, none);
      stats(j).field_evaluations += steps::stages - (steps::fsal ? 1 : 0);
      if (found.error_squared <= 1) {
        ++stats(j).accepted;
        some = true;
        continue;
      }
      ++stats(j).rejected;
      trial_.t_new[at(c)] = t;
      auto alone = field_.alone(j);
      if (control(j).ends_here(t, h))
        end(c, control(j).why(found, overflow, alone, t, carry_.y(c)));
    }
    return some;
  }

  /// The steps accepted become part of the solution, and the trial the tape of the round.
  void accept(tape_type& tape) {
    if (keeps_log_) log_.keep(trial_.t_new);
    keep_points();
    for (int c = 0; c < trial_.count; ++c) {
      if (!trial_.accepted(c)) continue;
      const int j = carry_.sample(c);
      carry_.arrive(trial_, c, next(c));
      saves_.keep_reached(j, carry_.t(c), carry_.y(c));
      if (carry_.t(c) == t1(j)) end(c, status::success);
    }
    carry_.round(carry_.round() + 1);
    std::swap(tape, trial_);
  }
  /// Save points inside steps.
  void keep_points() {
    listed_.clear();
    for (int c = 0; c < trial_.count; ++c)
      if (trial_.accepted(c) && saves_.inside(trial_.which[at(c)], trial_.t_new[at(c)]))
        listed_.add(trial_, blocks_of(trial_), c);
    extend(listed_.count());
    for (int i = 0; i < listed_.count(); ++i) {
      const int j = listed_.which[at(i)];
      const double t = listed_.t[at(i)], t_new = listed_.t_new[at(i)];
      stats(j).field_evaluations += steps::all - steps::stages;
      while (saves_.inside(j, t_new)) {
        const double theta = (saves_.time(j, saves_.passed(j)) - t) / (t_new - t);
        column y = saves_.keep_inside(j);
        interpolate(m_, t, t_new, listed_.tapes[at(i)], w_[at(i)], theta, y);
      }
    }
  }

  /// A round that is known.
  void repeat(tape_type& tape) {
    carry_.copy_to(tape);
    std::copy_n(log_.ends(position()), tape.count, tape.t_new.begin());
    take(tape);
    for (int c = 0; c < tape.count; ++c)
      if (tape.accepted(c)) carry_.arrive(tape, c, next(c));
    carry_.round(carry_.round() + 1);
    leave_ended();
  }

  // Ends.

  /// The sample of this column ends where it is.
  void end(int c, status why) {
    const int j = carry_.sample(c);
    leaves_[at(c)] = 1;
    result_.status[at(j)] = why;
    result_.t[at(j)] = carry_.t(c);
    column y = column_of(result_.y.data(), j);
    copy(carry_.y(c), y);
    if (why == status::success) saves_.keep_end(j, y);
  }
  /// Those that ended leave, and take no part in the next round.
  void depart() {
    const int count = carry_.count();
    carry_.leave([this](int c) {
      if (leaves_[at(c)]) ended_at_[at(carry_.sample(c))] = carry_.round();
      return leaves_[at(c)] != 0;
    });
    if (carry_.count() < count) std::fill_n(leaves_.begin(), count, 0);
  }
  void leave_ended() {
    carry_.leave([this](int c) { return ended_at_[at(carry_.sample(c))] <= carry_.round(); });
  }
  void finish() {
    ended_ = true;
    count_ = carry_.round();
    result_.together = field_.calls;
  }

  column_carry<M, T> carry_;
  tape_type tape_, trial_;
  std::vector<T> next_, scratch_;
  bool keeps_log_;
  std::vector<char> leaves_;     // by column: its sample has ended
  std::vector<index> ended_at_;  // by sample: the first round without it
  std::deque<control_type> controls_;
  round_log log_;
  index count_ = 0;
  bool ended_ = false;
};

}  // namespace revode
