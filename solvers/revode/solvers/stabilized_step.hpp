// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <revode/ad/functions.hpp>
#include <revode/solvers/stabilized_types.hpp>

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
  const T zero(1 - r.mu - r.nu), mu(r.mu), nu(r.nu);
  const T a = h * T(r.mu_tilde), b = h * T(r.gamma_tilde);
  for (int i = 0, n = length(to); i < n; ++i) {
    T sum = mu * last.data()[i];
    if (r.nu != 0) sum = muladd(nu, before.data()[i], sum);
    if (1 - r.mu - r.nu != 0) sum = muladd(zero, y0.data()[i], sum);
    if (r.gamma_tilde != 0) sum = muladd(b, k0.data()[i], sum);
    to.data()[i] = muladd(a, k.data()[i], sum);
  }
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

/// The finishing stages from base = y_m: k[i], with `stage` for their arguments.
template <class System, class Y>
void run_finish(const stabilized_scheme& s, System& sys, double t, double t_new, const Y& base,
                Y* k, Y& stage) {
  const auto h = static_cast<scalar_t<Y>>(t_new - t);
  for (int i = 0; i < s.finish; ++i) {
    add_stages(s.a[i], i, h, base, k, stage);
    sys(node_time(s.finish_node(i), t, t_new), stage, k[i]);
  }
}

/// tape.y and tape.f → tape.y_new; with finishing stages, work[4 …] are these and work[0] y_m.
template <class System, class Y>
void run_step(const stabilized_scheme& s, System& sys, double t, double t_new,
              stabilized_tape<Y>& tape) {
  copy(tape.y, tape.work[0]);
  Y* y[3] = {&tape.work[0], &tape.work[1], &tape.work[2]};
  run_recurrence(s, sys, t, t_new, 0, s.m, tape.y, tape.f, y, tape.work[3], [](int, const Y&) {});
  if (s.finish == 0) {
    copy(*y[0], tape.y_new);
  } else {
    run_finish(s, sys, t, t_new, *y[0], tape.work + 4, tape.work[3]);
    add_stages(s.b, s.finish, static_cast<scalar_t<Y>>(t_new - t), *y[0], tape.work + 4,
               tape.y_new);
  }
  sys(t_new, tape.y_new, tape.f_new);
}

/// Mean of (error / (atol + rtol max(|y|, |y_new|)))², or options::norm of them.
template <class Y>
double stabilized_error_squared(const stabilized_scheme& s, const tolerance& tol, double h,
                                const stabilized_tape<Y>& tape) {
  const int n = length(tape.y);
  const auto number = [](const auto& x) { return static_cast<double>(value_of(x)); };
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    const double from = number(tape.y.data()[i]), to = number(tape.y_new.data()[i]);
    const double f = number(tape.f.data()[i]), f_new = number(tape.f_new.data()[i]);
    double error = 0;
    if (s.finish == 0) {
      error = 0.8 * (from - to) + 0.4 * h * (f + f_new);
    } else {
      for (int j = 0; j < s.finish; ++j) error += h * s.e[j] * number(tape.work[4 + j].data()[i]);
      error += h * s.e[4] * f_new;
    }
    const double size = std::abs(from) > std::abs(to) ? std::abs(from) : std::abs(to);
    if (tol.each != nullptr) tol.each->put(i, size, error);
    error /= tol.atol + tol.rtol * size;
    sum += error * error;
  }
  if (tol.each != nullptr) return tol.each->squared();
  return n > 0 ? sum / n : 0.0;
}

/// Estimates the spectral radius of ∂f/∂y by power iterations on differences of f, from a vector of
/// alternating signs, and adds a fifth. Deterministic.
/// cost    an evaluation an iteration, of which there are at most 50
/// source  Sommeijer, Shampine & Verwer, J. Comput. Appl. Math. 88 (1998) 315–326, section 3
template <class System, class Y>
double estimate_spectral_radius(System& sys, double t, const Y& y, const Y& f, Y& v, Y& fv) {
  const auto number = [](const auto& x) { return static_cast<double>(value_of(x)); };
  const int n = length(y);
  double size = 0, v_size = 0;
  for (int i = 0; i < n; ++i) {
    const auto mixed = static_cast<std::uint32_t>(i + 1) * 2654435761u;
    const double x = (i % 2 == 0 ? 1 : -1) * (0.75 + 0.5 * (mixed >> 16) / 65536.0);
    v.data()[i] = scalar_t<Y>(x);
    v_size += x * x;
    size += number(y.data()[i]) * number(y.data()[i]);
  }
  const double small = 1.5e-8 * (size > 1e-12 ? std::sqrt(size) : 1e-6);
  double radius = 0;
  for (int iteration = 0; iteration < 50; ++iteration) {
    const double scale = small / std::sqrt(v_size);
    double squared = 0;  // of the perturbation as it is after rounding
    for (int i = 0; i < n; ++i) {
      const double moved = number(y.data()[i]) + scale * number(v.data()[i]);
      const double by = moved - number(y.data()[i]);
      v.data()[i] = scalar_t<Y>(moved);
      squared += by * by;
    }
    sys(t, v, fv);
    v_size = 0;
    for (int i = 0; i < n; ++i) {
      v.data()[i] = fv.data()[i] - f.data()[i];
      v_size += number(v.data()[i]) * number(v.data()[i]);
    }
    if (!(v_size > 0)) return 1.2 * radius;
    const double before = radius;
    radius = std::sqrt(v_size / squared);
    if (iteration > 0 && std::abs(radius - before) <= 0.01 * radius) break;
  }
  return 1.2 * radius;
}

template <stabilized_method M, class System, class Y>
void refresh(const M&, System& sys, double t, carry<M, Y>& c) {
  sys(t, c.state, c.cache.f);
}

template <stabilized_method M, class System, class Y>
outcome<stabilized_record> attempt(const M& m, System& sys, const tolerance& tol, double t,
                                   double t_new, const carry<M, Y>& from, stabilized_tape<Y>& tape,
                                   carry<M, Y>& next) {
  constexpr std::int64_t estimated_every = 25;
  const double h = t_new - t;
  stabilized_memo memo = from.memo;
  if (m.spectral_radius > 0) {
    memo = {m.spectral_radius, 0};
  } else if (memo.age == 0 || memo.age >= estimated_every) {
    memo.radius =
        estimate_spectral_radius(sys, t, from.state, from.cache.f, tape.work[0], tape.work[1]);
    memo.age = 0;
  }
  ++memo.age;
  int stages = M::stages_for(std::abs(h) * memo.radius);
  if (stages > M::max_stages) {
    if (tol.estimate) {  // so long a step is stable with more stages only: s² grows with h
      const double ratio = double(stages) / M::max_stages;
      return {std::pow(ratio, 4 * (estimate_order<M>() + 1))};
    }
    stages = M::max_stages;
  }
  copy(from.state, tape.y);
  copy(from.cache.f, tape.f);
  const stabilized_scheme scheme = M::scheme(stages);
  run_step(scheme, sys, t, t_new, tape);
  copy(tape.y_new, next.state);
  copy(tape.f_new, next.cache.f);
  next.memo = memo;
  outcome<stabilized_record> found;
  found.record = {memo.radius, stages, static_cast<std::int32_t>(memo.age)};
  if (tol.estimate) found.error_squared = stabilized_error_squared(scheme, tol, h, tape);
  return found;
}

template <stabilized_method M, class System, class Y>
void replay(const M&, System& sys, double t, double t_new, const stabilized_record& record,
            carry<M, Y>& c, stabilized_tape<Y>& tape) {
  copy(c.state, tape.y);
  copy(c.cache.f, tape.f);
  run_step(M::scheme(record.stages), sys, t, t_new, tape);
  copy(tape.y_new, c.state);
  copy(tape.f_new, c.cache.f);
  c.memo = {record.radius, record.age};
}

template <stabilized_method M, class Tape, class Scratch, class Y>
void end_of(const M&, double, double, const Tape& tape, const Scratch&, Y& y) {
  copy(tape.y_new, y);
}

}  // namespace revode
