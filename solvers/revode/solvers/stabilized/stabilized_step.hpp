// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <revode/ad/functions.hpp>
#include <revode/solvers/stabilized/stabilized_radius.hpp>

namespace revode {

/// t + c h, exactly t_new for c = 1 up to rounding.
inline double node_time(double c, double t, double t_new) {
  return std::abs(c - 1) < 1e-12 ? t_new : muladd(c, t_new - t, t);
}

/// y_j from y_0, y_{j−1} (last), y_{j−2} (before) and the field there.
template <class Y>
void advance_recurrence(const stabilized_scheme::row& r, scalar_t<Y> h, const Y& y0, const Y& k0,
                        const Y& last, const Y& before, const Y& k, Y& to) {
  using T = scalar_t<Y>;
  const T zero = T(1 - r.mu - r.nu), mu = T(r.mu), nu = T(r.nu);
  const T a = h * T(r.mu_tilde), b = h * T(r.gamma_tilde);
  sweep_elements(to, [&](int i) {
    T sum = mu * last.data()[i];
    if (r.nu != 0) sum = muladd(nu, before.data()[i], sum);
    if (1 - r.mu - r.nu != 0) sum = muladd(zero, y0.data()[i], sum);
    if (r.gamma_tilde != 0) sum = muladd(b, k0.data()[i], sum);
    to.data()[i] = muladd(a, k.data()[i], sum);
  });
}

/// Stages `from` + 1 … `to` of the recurrence over the rotating buffers y[3], y[0] the newest and
/// y[1] the one before; seen(j, y_j) after each.
template <class System, class Y, class Seen>
void run_recurrence(const stabilized_scheme& s, System& sys, double t, double t_new, int from,
                    int to, const Y& y0, const Y& k0, Y* (&y)[3], Y& k, const Seen& seen) {
  const auto h = static_cast<scalar_t<Y>>(t_new - t);
  for (int j = from + 1; j <= to; ++j) {
    if (j > 1) sys(node_time(s.c[j - 1], t, t_new), *y[0], k);
    advance_recurrence(s.rows[j], h, y0, k0, *y[0], *y[1], j > 1 ? k : k0, *y[2]);
    Y* newest = y[2];
    y[2] = y[1];
    y[1] = y[0];
    y[0] = newest;
    seen(j, *newest);
  }
}

/// to = base + h Σ_{j<count} w_j k_j
template <class Y>
void add_stages(const double* w, int count, scalar_t<Y> h, const Y& base, const Y* k, Y& to) {
  copy(base, to);
  for (int j = 0; j < count; ++j)
    if (w[j] != 0) axpy(h * scalar_t<Y>(w[j]), k[j], to);
}

/// The finishing stages from `base`, the value of that branch: k[i], with `stage` for their arguments.
template <class System, class Y>
void run_finish(const stabilized_scheme& s, int branch, System& sys, double t, double t_new,
                const Y& base, Y* k, Y& stage) {
  const auto h = static_cast<scalar_t<Y>>(t_new - t);
  for (int i = 0; i < s.finish; ++i) {
    add_stages(s.a[i], i, h, base, k, stage);
    sys(node_time(s.finish_node(branch, i), t, t_new), stage, k[i]);
  }
}

/// The same, with the new values in place of y[0] and, where rows follow, y[1].
template <class System, class Y>
void finish_values(const stabilized_scheme& s, System& sys, double t, double t_new, Y* (&y)[3],
                   Y* k) {
  const auto h = static_cast<scalar_t<Y>>(t_new - t);
  for (int branch = 0; branch < s.branches(); ++branch) {
    run_finish(s, branch, sys, t, t_new, *y[branch], k, *y[2]);
    for (int i = 0; i < s.finish; ++i)
      if (s.b[i] != 0) axpy(h * scalar_t<Y>(s.b[i]), k[i], *y[branch]);
  }
}

/// Adds the looks at stage j, from `next` on, to sums[0], the estimate, and to two slopes, from and to
/// which ones `first` and `last` say.
template <class Y>
void look_at(const stabilized_scheme& s, int j, const Y& y, int& next, int first, int last,
             Y* const (&sums)[3]) {
  for (; next < s.look_count && s.looks[next].stage == j; ++next)
    for (int i = first; i < last; ++i) axpy(scalar_t<Y>(s.looks[next].weights[i]), y, *sums[i]);
}

/// tape.y and tape.f → tape.y_new and the slopes. With an estimate by looks, it is in work[4]; with another
/// by finishing stages, these are work[4 …].
template <class System, class Y>
void run_step(const stabilized_scheme& s, System& sys, double t, double t_new,
              stabilized_tape<Y>& tape, bool estimate) {
  using T = scalar_t<Y>;
  copy(tape.y, tape.work[0]);
  Y* y[3] = {&tape.work[0], &tape.work[1], &tape.work[2]};
  Y* const sums[3] = {&tape.f_new, &tape.slope[0], &tape.slope[1]};  // f_new is free until the end
  const int first = estimate ? 0 : 1, last = s.smooth ? 3 : 1;
  for (int i = first; s.look_count > 0 && i < last; ++i) fill(*sums[i], T(0));
  int next = 0;
  const auto seen = [&](int j, const Y& at) { look_at(s, j, at, next, first, last, sums); };
  seen(0, tape.y);
  run_recurrence(s, sys, t, t_new, 0, s.split, tape.y, tape.f, y, tape.work[3], seen);
  finish_values(s, sys, t, t_new, y, tape.work + 4);
  run_recurrence(s, sys, t, t_new, s.split, s.m, tape.y, tape.f, y, tape.work[3], seen);
  seen(s.m + 1, *y[0]);
  if (s.look_count > 0 && estimate) copy(tape.f_new, tape.work[4]);
  copy(*y[0], tape.y_new);
  sys(t_new, tape.y_new, tape.f_new);
  if (s.smooth) {
    const T per = 1 / static_cast<T>(t_new - t);
    for (Y& slope : tape.slope) sweep_elements(slope, [&](int i) { slope.data()[i] *= per; });
  } else {
    copy(tape.f, tape.slope[0]);
    copy(tape.f_new, tape.slope[1]);
  }
}

/// Mean of (error / (atol + rtol max(|y|, |y_new|)))², or options::norm of them.
template <class Y>
mean_of_all stabilized_error_squared(const stabilized_scheme& s, const tolerance& tol, double h,
                                     const stabilized_tape<Y>& tape) {
  const auto number = [](const auto& x) { return static_cast<double>(value_of(x)); };
  const auto squared = [&](int i) {
    const double from = number(tape.y.data()[i]), to = number(tape.y_new.data()[i]);
    const double f = number(tape.f.data()[i]), f_new = number(tape.f_new.data()[i]);
    double error = 0;
    if (s.look_count > 0) {
      error = number(tape.work[4].data()[i]);
    } else if (s.finish == 0) {
      error = 0.8 * (from - to) + 0.4 * h * (f + f_new);
    } else {
      for (int j = 0; j < s.finish; ++j) error += h * s.e[j] * number(tape.work[4 + j].data()[i]);
      error += h * s.e[4] * f_new;
    }
    const double size = std::abs(from) > std::abs(to) ? std::abs(from) : std::abs(to);
    if (tol.each != nullptr) tol.each->put(i, size, error);
    error /= tol.atol + tol.rtol * size;
    return error * error;
  };
  if (tol.each == nullptr) return mean_over(tape.y_new, squared);
  for (int i = 0, n = length(tape.y); i < n; ++i) squared(i);
  return {tol.each->squared()};
}

template <stabilized_method M, class System, class Y>
void refresh(const M&, System& sys, double t, carry<M, Y>& c) {
  sys(t, c.state, c.cache.f);
}

template <stabilized_method M, class System, class Y>
outcome<stabilized_record> attempt(const M& m, System& sys, const tolerance& tol, double t,
                                   double t_new, const carry<M, Y>& from, stabilized_tape<Y>& tape,
                                   carry<M, Y>& next) {
  const double h = t_new - t;
  next.memo =
      current_radius(m.spectral_radius, sys, t, from.memo, from.state, from.cache.f, tape.work);
  const stabilized_memo& memo = next.memo;
  int stages = M::stages_for(std::abs(h) * memo.radius);
  outcome<stabilized_record> found;
  found.record = {memo.radius, stages, static_cast<std::int32_t>(memo.age)};
  if (stages > M::max_stages) {
    if (tol.estimate) {  // so long a step is stable with more stages only: s² grows with h
      const double ratio = double(stages) / M::max_stages;
      found.error_squared = std::pow(ratio, 4 * (estimate_order<M>() + 1));
      return found;
    }
    found.record.stages = stages = M::max_stages;
  }
  copy(from.state, tape.y);
  copy(from.cache.f, tape.f);
  const stabilized_scheme scheme = M::scheme(stages);
  run_step(scheme, sys, t, t_new, tape, tol.estimate);
  copy(tape.y_new, next.state);
  copy(tape.f_new, next.cache.f);
  bool finite = true;
  if (tol.estimate) {
    const mean_of_all error = stabilized_error_squared(scheme, tol, h, tape);
    found.error_squared = error.mean, finite = error.finite;
  } else if (is_spread_v<Y>) {
    finite = all_of_it_finite(next.state);
  }
  if (found.error_squared <= 1 && !finite) found.what = status::non_finite_state;
  return found;
}

/// As for any method, but that the radius is estimated again after a rejection: too small a one may be
/// the reason. Not where the step was merely longer than the most stages allow; with these, steps do not
/// grow.
template <stabilized_method M, class Controller, class Memory, class Carry>
double propose(const M&, const Controller& controller, Memory& memory,
               const outcome<stabilized_record>& found, Carry& from, Carry& next) {
  if (!(found.error_squared <= 1)) {
    const bool here = from.memo.due();  // estimated by this attempt
    if (found.record.stages <= M::max_stages)
      from.memo.age =
          from.memo.age < 0 ? stabilized_memo::estimated_here : stabilized_memo::rejected;
    else if (here)
      from.memo.age = stabilized_memo::estimated_here;
    from.memo.radius = next.memo.radius;
  }
  const double factor =
      propose_factor(controller, memory, found.error_squared, estimate_order<M>() + 1);
  return found.error_squared <= 1 && found.record.stages >= M::max_stages && factor > 1 ? 1.0
                                                                                        : factor;
}

template <stabilized_method M, class System, class Y>
void replay(const M&, System& sys, double t, double t_new, const stabilized_record& record,
            carry<M, Y>& c, stabilized_tape<Y>& tape) {
  copy(c.state, tape.y);
  copy(c.cache.f, tape.f);
  run_step(M::scheme(record.stages), sys, t, t_new, tape, false);
  copy(tape.y_new, c.state);
  copy(tape.f_new, c.cache.f);
  c.memo = {record.radius, record.age};
}

/// Dense output is the tape's alone.
template <hermite_method M, class System, class Tape, class Scratch>
requires stabilized_method<M>
void extend(const M&, System&, double, double, const Tape&, Scratch&) {}
template <class Y>
struct tape_slopes {
  const Y &y_new, &f, &f_new;
};
template <class Y, class Scratch>
tape_slopes<Y> slopes_of(const stabilized_tape<Y>& tape, const Scratch&) {
  return {tape.y_new, tape.slope[0], tape.slope[1]};
}

}  // namespace revode
