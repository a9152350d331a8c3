// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/stabilized/stabilized_step.hpp>

namespace revode {

/// Derivatives by a time at share c of the step, as derivatives by its ends.
template <class T, class Bar>
void move_ends(step_ends<Bar>* ends, double c, const Bar& t_bar) {
  if (ends == nullptr) return;
  ends->t += (1 - T(c)) * t_bar;
  ends->t_new += T(c) * t_bar;
}

/// Through the finishing stages of a branch: the cotangent of its new value in, of the old one, base, out.
/// The stages are run again.
template <class System, class Y, class P>
void pull_finish(const stabilized_scheme& s, int branch, System& sys, double t, double t_new,
                 const Y& base, stabilized_scratch<Y>& w, Y& y_bar, P& p_bar,
                 step_ends<time_bar_t<Y>>* ends) {
  using T = scalar_t<Y>;
  const T h = T(t_new - t);
  Y* const k = w.k;          // the stages
  Y* const theta = w.k + 4;  // cotangents of their arguments
  run_finish(s, branch, sys, t, t_new, base, k, w.other);
  time_bar_t<Y> h_bar(0);
  for (int i = s.finish - 1; i >= 0; --i) {
    fill(w.weight, T(0));
    axpy(h * T(s.b[i]), y_bar, w.weight);
    for (int j = i + 1; j < s.finish; ++j) axpy(h * T(s.a[j][i]), theta[j], w.weight);
    add_stages(s.a[i], i, h, base, k, w.other);
    fill(theta[i], T(0));
    time_bar_t<Y> t_bar(0);
    const double c = s.finish_node(branch, i);
    sys.vjp(node_time(c, t, t_new), w.other, w.weight, &t_bar, theta[i], p_bar);
    move_ends<T>(ends, c, t_bar);
    h_bar += T(s.b[i]) * dot(y_bar, k[i]);
    for (int j = 0; j < i; ++j) h_bar += T(s.a[i][j]) * dot(theta[i], k[j]);
  }
  for (int i = 0; i < s.finish; ++i) add(theta[i], y_bar);
  if (ends != nullptr) {
    ends->t -= h_bar;
    ends->t_new += h_bar;
  }
}

/// Through row j: y_bar is the cotangent of y_j, w.before_bar what y_{j−1} has so far; they become
/// those of y_{j−1} and y_{j−2}. at and k are y_{j−1} and the field there.
template <class System, class Y, class P>
void pull_row(const stabilized_scheme& s, int j, System& sys, double t, double t_new, const Y& at,
              const Y& k, const Y& k0, stabilized_scratch<Y>& w, Y& y_bar, P& p_bar,
              step_ends<time_bar_t<Y>>* ends) {
  using T = scalar_t<Y>;
  const auto& r = s.rows[j];
  const T h = T(t_new - t);
  axpy(T(1 - r.mu - r.nu), y_bar, w.zero_bar);
  axpy(h * T(r.gamma_tilde + (j == 1 ? r.mu_tilde : 0)), y_bar, w.k_zero_bar);
  if (ends != nullptr) {
    time_bar_t<Y> h_bar = T(r.mu_tilde) * dot(y_bar, k);
    if (r.gamma_tilde != 0) h_bar += T(r.gamma_tilde) * dot(y_bar, k0);
    ends->t -= h_bar;
    ends->t_new += h_bar;
  }
  axpy(T(r.mu), y_bar, w.before_bar);
  if (j > 1) {
    fill(w.weight, T(0));
    axpy(h * T(r.mu_tilde), y_bar, w.weight);
    time_bar_t<Y> t_bar(0);
    sys.vjp(node_time(s.c[j - 1], t, t_new), at, w.weight, &t_bar, w.before_bar, p_bar);
    move_ends<T>(ends, s.c[j - 1], t_bar);
  }
  copy(y_bar, w.other);
  copy(w.before_bar, y_bar);
  fill(w.before_bar, T(0));
  axpy(T(r.nu), w.other, w.before_bar);
}

/// The segments of a recurrence: up to sixteen rows each, none across the split.
struct stabilized_segments {
  static constexpr int most = stabilized_scheme::longest / 16 + 3;
  int begin[most];              ///< and, behind the last, m
  int count = 0, finished = 0;  ///< how many, and the first behind the finish

  explicit stabilized_segments(const stabilized_scheme& s, int apart) {
    for (int from = 0; from < s.split; from += apart) begin[count++] = from;
    finished = count;
    for (int from = s.split; from < s.m; from += apart) begin[count++] = from;
    begin[count] = s.m;
  }
  int end(int i) const { return begin[i + 1]; }
};

/// Runs segment i from its kept pair: y_j, j ≥ from, is w.y[j − from], the field there w.k.
template <class System, class Y>
void run_segment(const stabilized_scheme& s, const stabilized_segments& all, int i, System& sys,
                 double t, double t_new, const stabilized_tape<Y>& tape, stabilized_scratch<Y>& w) {
  const int from = all.begin[i];
  copy(i == 0 ? tape.y : w.kept[i][0], w.y[0]);
  for (int j = from + 1; j <= all.end(i); ++j) {
    const int at = j - from;
    if (j == 1)
      copy(tape.f, w.k[0]);
    else
      sys(node_time(s.c[j - 1], t, t_new), w.y[at - 1], w.k[at - 1]);
    const Y& before = at > 1 ? w.y[at - 2] : i > 0 ? w.kept[i][1] : tape.y;
    advance_recurrence(s.rows[j], scalar_t<Y>(t_new - t), tape.y, tape.f, w.y[at - 1], before,
                       w.k[at - 1], w.y[at]);
  }
}

/// The step again, as far as its pull needs it: the pairs with which segments and finish begin.
template <class System, class Y>
void keep_pairs(const stabilized_scheme& s, const stabilized_segments& all, System& sys, double t,
                double t_new, const stabilized_tape<Y>& tape, stabilized_scratch<Y>& w) {
  const int needed = s.finish > 0 && s.split == s.m ? all.count : all.count - 1;
  for (int i = 0; i < needed; ++i) {
    run_segment(s, all, i, sys, t, t_new, tape, w);
    const int rows = all.end(i) - all.begin[i];
    const bool split = i + 1 == all.finished && s.finish > 0;
    Y* const kept = split ? w.unfinished : w.kept[i + 1];
    copy(w.y[rows], kept[0]);
    copy(w.y[rows - 1], kept[1]);
    if (!split || i + 1 == all.count) continue;
    copy(kept[0], w.kept[i + 1][0]);
    copy(kept[1], w.kept[i + 1][1]);
    Y* y[3] = {&w.kept[i + 1][0], &w.kept[i + 1][1], &w.other};
    finish_values(s, sys, t, t_new, y, w.k);
  }
}

/// Of the dense output by looks: the new value, and the ends through the slopes' 1/h.
template <class Y>
void pull_slopes(double t, double t_new, const stabilized_tape<Y>& tape, const end_seeds<Y>& seeds,
                 Y& y_bar, step_ends<time_bar_t<Y>>* ends) {
  using T = scalar_t<Y>;
  add(seeds.y_new, y_bar);
  if (ends == nullptr) return;
  const auto h_bar = (dot(seeds.f, tape.slope[0]) + dot(seeds.f_new, tape.slope[1])) / T(t_new - t);
  ends->t += h_bar;
  ends->t_new -= h_bar;
}

/// The exact transpose of one step. The recurrence is run once for pairs of stages at every sixteenth,
/// and again between these.
/// cost    one field VJP a stage; two evaluations a stage, one where there are no more than sixteen
template <stabilized_method M, class System, class Y, class P>
void pull(const M&, System& sys, double t, double t_new, const stabilized_record& record,
          const stabilized_tape<Y>& tape, stabilized_scratch<Y>& w, const end_seeds<Y>* seeds,
          Y& y_bar, P& p_bar, step_ends<time_bar_t<Y>>* ends) {
  using T = scalar_t<Y>;
  const stabilized_scheme& s = M::scheme(record.stages);
  const stabilized_segments all(s, stabilized_scratch<Y>::apart);
  const bool smooth = s.smooth && seeds != nullptr;
  if (smooth)
    pull_slopes(t, t_new, tape, *seeds, y_bar, ends);
  else if (seeds != nullptr)
    pull_new_end(sys, t_new, tape.y_new, *seeds, y_bar, p_bar, ends);
  int look = smooth ? s.look_count : 0;
  const auto pull_looks = [&](int j) {
    const T per = 1 / T(t_new - t);
    for (; look > 0 && s.looks[look - 1].stage == j; --look) {
      axpy(per * T(s.looks[look - 1].weights[1]), seeds->f, y_bar);
      axpy(per * T(s.looks[look - 1].weights[2]), seeds->f_new, y_bar);
    }
  };
  keep_pairs(s, all, sys, t, t_new, tape, w);
  fill(w.zero_bar, T(0));
  fill(w.k_zero_bar, T(0));
  fill(w.before_bar, T(0));
  for (int i = all.count - 1; i >= 0; --i) {
    if (i + 1 == all.finished)
      for (int branch = 0; branch < s.branches(); ++branch)
        pull_finish(s, branch, sys, t, t_new, w.unfinished[branch], w,
                    branch == 0 ? y_bar : w.before_bar, p_bar, ends);
    run_segment(s, all, i, sys, t, t_new, tape, w);
    const int from = all.begin[i];
    for (int j = all.end(i); j > from; --j) {
      pull_looks(j);
      pull_row(s, j, sys, t, t_new, w.y[j - 1 - from], w.k[j - 1 - from], tape.f, w, y_bar, p_bar,
               ends);
    }
  }
  pull_looks(0);
  add(w.zero_bar, y_bar);
  time_bar_t<Y> t_bar(0);
  sys.vjp(t, tape.y, w.k_zero_bar, &t_bar, y_bar, p_bar);
  move_ends<T>(ends, 0, t_bar);
  if (smooth)
    add(seeds->y, y_bar);
  else if (seeds != nullptr)
    pull_old_end(sys, t, tape.y, *seeds, y_bar, p_bar, ends);
}

/// The tangent of k = f(t + c h, at) with `at` moving by at_dot.
template <class System, class Y, class P>
void push_field(System& sys, double c, double t, double t_new, const Y& at, const Y& at_dot,
                const P& p_dot, const step_ends<scalar_t<Y>>& ends, Y& k_dot) {
  using T = scalar_t<Y>;
  const T t_dot = (1 - T(c)) * ends.t + T(c) * ends.t_new;
  sys.jvp(node_time(c, t, t_new), at, t_dot, at_dot, p_dot, k_dot);
}

/// The finish of a branch: `at` and its tangent become those of its new value.
template <class System, class Y, class P>
void push_finish(const stabilized_scheme& s, int branch, System& sys, double t, double t_new, Y& at,
                 stabilized_scratch<Y>& w, Y& y_dot, const P& p_dot,
                 const step_ends<scalar_t<Y>>& ends) {
  using T = scalar_t<Y>;
  const T h = T(t_new - t), h_dot = ends.t_new - ends.t;
  Y *const k = w.k, *const k_dot = w.k + 4;
  for (int i = 0; i < s.finish; ++i) {
    add_stages(s.a[i], i, h, at, k, w.weight);
    add_stages(s.a[i], i, h, y_dot, k_dot, w.other);
    for (int j = 0; j < i; ++j) axpy(h_dot * T(s.a[i][j]), k[j], w.other);
    const double c = s.finish_node(branch, i);
    sys(node_time(c, t, t_new), w.weight, k[i]);
    push_field(sys, c, t, t_new, w.weight, w.other, p_dot, ends, k_dot[i]);
  }
  for (int i = 0; i < s.finish; ++i) {
    axpy(h * T(s.b[i]), k[i], at);
    axpy(h * T(s.b[i]), k_dot[i], y_dot);
    axpy(h_dot * T(s.b[i]), k[i], y_dot);
  }
}

/// The exact derivative of one step: the recurrence with its tangent beside it.
/// cost    one field JVP and one evaluation a stage
template <stabilized_method M, class System, class Y, class P>
void push(const M&, System& sys, double t, double t_new, const stabilized_record& record,
          const stabilized_tape<Y>& tape, stabilized_scratch<Y>& w, Y& y_dot, const P& p_dot,
          const step_ends<scalar_t<Y>>& ends) {
  using T = scalar_t<Y>;
  const stabilized_scheme& s = M::scheme(record.stages);
  const T h = T(t_new - t), h_dot = ends.t_new - ends.t;
  Y &y0_dot = w.zero_bar, &k0_dot = w.k_zero_bar, &k = w.weight, &k_dot = w.other;
  copy(y_dot, y0_dot);
  push_field(sys, 0, t, t_new, tape.y, y_dot, p_dot, ends, k0_dot);
  Y* y[3] = {&w.y[0], &w.y[1], &w.y[2]};
  Y* d[3] = {&w.y[3], &w.y[4], &w.y[5]};
  copy(tape.y, *y[0]);
  copy(y_dot, *d[0]);
  Y* const slopes[3] = {nullptr, &w.ends.f_dot, &w.ends.f_new_dot};
  const int last = s.smooth ? 3 : 1;
  for (int i = 1; i < last; ++i) fill(*slopes[i], T(0));
  int next = 0;
  look_at(s, 0, *d[0], next, 1, last, slopes);
  for (int j = 1; j <= s.m; ++j) {
    const auto& r = s.rows[j];
    if (j > 1) {
      sys(node_time(s.c[j - 1], t, t_new), *y[0], k);
      push_field(sys, s.c[j - 1], t, t_new, *y[0], *d[0], p_dot, ends, k_dot);
    } else {
      copy(tape.f, k);
      copy(k0_dot, k_dot);
    }
    advance_recurrence(r, h, tape.y, tape.f, *y[0], *y[1], k, *y[2]);
    advance_recurrence(r, h, y0_dot, k0_dot, *d[0], *d[1], k_dot, *d[2]);
    axpy(h_dot * T(r.mu_tilde), k, *d[2]);
    if (r.gamma_tilde != 0) axpy(h_dot * T(r.gamma_tilde), tape.f, *d[2]);
    for (auto* of : {&y, &d}) {
      Y* newest = (*of)[2];
      (*of)[2] = (*of)[1];
      (*of)[1] = (*of)[0];
      (*of)[0] = newest;
    }
    look_at(s, j, *d[0], next, 1, last, slopes);
    for (int branch = 0; j == s.split && branch < s.branches(); ++branch)
      push_finish(s, branch, sys, t, t_new, *y[branch], w, *d[branch], p_dot, ends);
  }
  copy(*d[0], y_dot);
  copy(y_dot, w.ends.y_new_dot);
  w.pushed_slopes = s.smooth;
  for (int k = 0; s.smooth && k < 2; ++k)  // of Σ/h
    for (int i = 0, n = length(y_dot); i < n; ++i)
      slopes[k + 1]->data()[i] = (slopes[k + 1]->data()[i] - h_dot * tape.slope[k].data()[i]) / h;
}

/// Slopes by the field: here; the others are push's.
template <hermite_method M, class System, class Tape, class Scratch, class State, class P,
          class Ends>
requires stabilized_method<M>
void push_extend(const M& m, System& sys, double t, double t_new, const Tape& tape, Scratch& w,
                 const State& state_dot, const P& p_dot, const Ends& ends) {
  if (w.pushed_slopes) return;
  sys.jvp(t, tape.y, ends.t, push_value(m, state_dot), p_dot, w.ends.f_dot);
  sys.jvp(t_new, tape.y_new, ends.t_new, w.ends.y_new_dot, p_dot, w.ends.f_new_dot);
}

}  // namespace revode
