// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <optional>
#include <vector>

#include <revode/batch/columns/batch_rounds.hpp>

namespace revode {

/// A batch on its way back: the cotangents of its samples, through the steps that were accepted, in one
/// call of the field's vjp a stage for all of them. In a round, samples with save points inside their step
/// come before the others. Samples that did not come to their t1 are left out.
template <class M, class F, class Y, class P>
class differentiable_rounds : public batch_rounds<M, F, Y, P> {
  using base = batch_rounds<M, F, Y, P>;
  using base::at, base::b_, base::rows_, base::samples_, base::saves_, base::listed_, base::result_,
      base::field_, base::column_of;

 public:
  using typename base::blocks, typename base::column, typename base::steps, typename base::T,
      typename base::tape_type;

  differentiable_rounds(const batch_problem<F, Y, P>& b, const M& m, const options& o)
      : base(b, m, o, true),
        seeds_of_(result_.ys.size() > 0 ? this->numbers_of(steps::seed_blocks) : 0),
        lambda_(this->numbers_of(1)),
        left_(at(samples_)),
        p_bar_(b.p) {
    const blocks all{seeds_of_.data(), samples_, rows_};
    if (!seeds_of_.empty())
      for (int c = 0; c < samples_; ++c) seeds_.push_back(steps::seeds_of(all, c));
    bars_.reserve(at(samples_));
  }

  /// Sets all cotangents: those of the solution as given, those of its inputs 0. `w` is referred to.
  void seed(const batch_cotangents<Y>& w) {
    weights_ = w.ys && w.ys->size() > 0 ? w.ys->data() : nullptr;
    lambda_.assign(lambda_.size(), T(0));
    fill(p_bar_, scalar_t<P>(0));
    field_.vjp_calls = {};
    for (int j = 0; j < samples_; ++j) {
      if (!counts(j)) continue;
      left_[at(j)] = weights_ != nullptr ? saves_.passed(j) : 0;
      column bar = lambda(j);
      if (w.y) add(column_of(w.y->data(), j), bar);
      if (weights_ != nullptr && this->options_.save.t1)
        add(column_of(weights_, result_.first_point[at(j)] + result_.points[at(j)] - 1), bar);
    }
  }

  void pull_step(index, const tape_type& tape) {
    const on_threads working(this->options_.threads);
    const int seeded = list(tape);
    if (listed_.count() == 0) return;
    if (seeded > 0) this->extend(seeded);
    bars_.clear();
    for (int c = 0; c < listed_.count(); ++c) {
      bars_.push_back(lambda(listed_.which[at(c)]));
      if (c < seeded) seeds_[at(c)].clear();
      gather(c);
    }
    steps::pull(field_.vjp_of(listed_.which, p_bar_), listed_.ends(), listed_.tapes.data(),
                this->scratch(), this->w_.data(), seeds_.data(), seeded, listed_.count(),
                bars_.data());
  }

  /// The cotangents of the inputs.
  batch_gradient<Y, P> finish() {
    constexpr T nan = std::numeric_limits<T>::quiet_NaN();
    batch_gradient<Y, P> g{.y0 = b_.y0, .p = p_bar_, .status = result_.status};
    bool finite = all_finite(g.p);
    for (int j = 0; j < samples_; ++j) {
      column bar = lambda(j), out = column_of(g.y0.data(), j);
      if (counts(j)) {
        if (weights_ != nullptr && this->options_.save.t0)
          add(column_of(weights_, result_.first_point[at(j)]), bar);
        for (index k = 0; k < left_[at(j)]; ++k) add(column_of(weights_, saves_.place(j, k)), bar);
        if (!all_finite(bar)) g.status[at(j)] = status::non_finite_gradient, finite = false;
      }
      copy(bar, out);
      if (g.status[at(j)] != status::success) fill(out, nan);
    }
    if (!finite) fill(g.p, static_cast<scalar_t<P>>(nan));
    g.vjp_columns = field_.vjp_calls.columns;
    g.reverse.vjp_evaluations = field_.vjp_calls.field_calls;
    return g;
  }

 private:
  bool counts(int j) const { return result_.status[at(j)] == status::success; }
  column lambda(int j) { return column_of(lambda_.data(), j); }
  /// Does the next save point on the way back lie behind t; and before the end of the step?
  bool passes(int j, double t) const {
    return left_[at(j)] > 0 && !reaches(saves_.direction(j), t, last(j));
  }
  double last(int j) const { return saves_.time(j, left_[at(j)] - 1); }
  bool inside(int j, double t_new) const {
    return lies_inside(saves_.direction(j), t_new, last(j), true);
  }

  /// Lists the accepted steps on a tape, and how many of them, the first, have save points inside.
  int list(const tape_type& tape) {
    const blocks b = this->blocks_of(tape);
    int seeded = 0;
    listed_.clear();
    for (const bool first : {true, false}) {
      for (int c = 0; c < tape.count; ++c) {
        const int j = tape.which[at(c)];
        if (!tape.accepted(c) || !counts(j)) continue;
        if (first == has_points(j, tape.t[at(c)], tape.t_new[at(c)])) listed_.add(tape, b, c);
      }
      if (first) seeded = listed_.count();
    }
    return seeded;
  }
  bool has_points(int j, double t, double t_new) const {
    for (index k = left_[at(j)]; k > 0; --k) {
      const double ts = saves_.time(j, k - 1);
      if (reaches(saves_.direction(j), t, ts)) return false;
      if (lies_inside(saves_.direction(j), t_new, ts, true)) return true;
    }
    return false;
  }
  /// The save points of step c of those listed: their cotangents reach its end, or become seeds.
  void gather(int c) {
    const int j = listed_.which[at(c)];
    const double t = listed_.t[at(c)], t_new = listed_.t_new[at(c)];
    for (; passes(j, t); --left_[at(j)]) {
      const column weight = column_of(weights_, saves_.place(j, left_[at(j)] - 1));
      if (inside(j, t_new)) {
        interpolation_bar<T> unused;
        pull_interpolate(this->m_, t, t_new, listed_.tapes[at(c)], this->w_[at(c)],
                         (last(j) - t) / (t_new - t), weight, &seeds_[at(c)], unused);
      } else {
        add(weight, bars_[at(c)]);
      }
    }
  }

  std::vector<T> seeds_of_, lambda_;
  std::vector<typename steps::seeds_type> seeds_;
  std::vector<column> bars_;
  std::vector<index> left_;  // listed times whose cotangents are still to come, by sample
  P p_bar_;
  const T* weights_ = nullptr;
};

}  // namespace revode
