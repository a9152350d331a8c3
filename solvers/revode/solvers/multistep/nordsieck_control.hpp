// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>

#include <revode/solvers/implicit/newton_control.hpp>
#include <revode/solvers/multistep/nordsieck_step.hpp>

namespace revode {

/// Estimates are enlarged by this, so that a solve leaves a few tolerances (the law of honesty).
inline constexpr double nordsieck_honesty = 3;

/// The order of the next attempt. Behind a step that a stop has cut short the array would be stretched
/// too far: only its first two columns are taken. Where no error is looked at, on equal steps and given grids, an
/// order is taken as far as steps grow by no more than M::stretch.
template <class M, class Y, int K, class D>
int choose_order(const nordsieck_memo<Y, K, D>& memo, double h, bool adaptive) {
  const double ratio = std::abs(h / memo.tau[0]);
  if (memo.next.first && adaptive) return 1;
  if (adaptive) return ratio > 10.5 ? 1 : memo.next.order;
  if (K > 1 && memo.tau[K > 1] == 0) return M::first_of_equal;
  int q = memo.order < M::most_of_equal ? memo.order + 1 : M::most_of_equal;
  while (q > 1 && ratio > M::stretch(q)) --q;
  return q;
}

/// 1/((bias D)^(1/power) + 10⁻⁶)
inline double growth_by(double bias, double error, int power) {
  const double log2 = 0.5 * log2_error(error * error) + log2_approx(bias);
  return 1 / (exp2_approx(log2 / power) + 1e-6);
}

/// The factor on the next step, and its order: that of the longest step among three, where the order may
/// change. Factors below M::least_growth keep both. An order above `highest` goes down, whatever the steps.
template <class M, class Y, class Record>
void choose_growth(const tolerance& tol, double error, const typename M::formula& by,
                   const nordsieck_decisions& d, bool changed, int highest, Record& r,
                   carry<M, Y>& c) {
  const int q = r.order, wait = (changed ? q + 1 : d.wait) - 1;
  double best = growth_by(6, error, q + 1);
  int next = q;
  const auto size = [&](const Y& x) {
    return nordsieck_honesty * std::sqrt(error_squared(tol, x, c.cache.weight));
  };
  const auto lower = [&] { return growth_by(6, by.lower * size(c.state.z[q]), q); };
  if (q > highest) {
    r.next_order = static_cast<std::uint8_t>(q - 1);
    r.factor = static_cast<float>(std::fmin(1, lower()));
    return;
  }
  if (wait <= 0 && !d.rejected) {
    if (q > 1) {
      const double down = lower();
      if (down > best) best = down, next = q - 1;
    }
    if (q < highest && d.saved_ratio != 0) {
      double power = by.ratio / d.saved_ratio;
      const double steps = c.memo.tau[0] / c.memo.tau[1];
      for (int i = 0; i <= q; ++i) power *= steps;
      copy(c.state.correction, c.cache.change);
      axpy(scalar_t<Y>(-power), c.memo.saved, c.cache.change);
      const double up = growth_by(10, by.higher * size(c.cache.change), q + 2);
      if (up > best) best = up, next = q + 1;
    }
  }
  if (!(best >= M::least_growth)) best = 1, next = q;
  r.factor = static_cast<float>(best);
  r.next_order = static_cast<std::uint8_t>(next);
}

/// The factor after a rejection: by the error, 0.25 where the attempt has none; the third failure of a step
/// goes back to order 1.
template <class Record>
double reject_step(const outcome<Record>& found, nordsieck_decisions& d) {
  d.rejected = true;
  if (found.what != status::success) return 0.25;
  if (!(found.error_squared - found.error_squared == 0)) return 0.1;
  if (++d.error_failures > 3) {
    d.order = 1;
    return 0.1;
  }
  const int power = found.record.order + 1;
  const double factor = std::fmax(0.1, growth_by(6, std::sqrt(found.error_squared), power));
  return d.error_failures > 1 ? std::fmin(0.2, factor) : std::fmin(0.9, factor);
}

/// What an accepted step leaves to decide by, and the factor on the next one.
template <class M, class Controller, class Record, class Y>
double accept_step(const Controller& c, const Record& r, const carry<M, Y>& from,
                   carry<M, Y>& next) {
  constexpr int most = M::most_order;
  const nordsieck_decisions& before = from.memo.next;
  nordsieck_decisions& d = next.memo.next;
  d = before;
  d.wait = (r.order != from.memo.order ? r.order + 1 : before.wait) - 1;
  if (d.wait == 1 && r.order < most) {
    const typename M::formula by(r.order, next.memo.tau[0], from.memo.tau);
    d.saved_ratio = by.ratio;
    copy(next.state.correction, next.memo.saved);
  }
  d.order = before.rejected ? r.order : r.next_order;
  if (before.rejected)
    d.wait = d.wait > 2 ? d.wait : 2;
  else if (d.wait <= 0)
    d.wait = 2;
  d.first = d.rejected = false;
  d.error_failures = 0;
  if (before.rejected) return 1;
  const double bound =
      before.first ? (c.factor_max < 10 ? c.factor_max : 1e4) : std::fmin(10.0, c.factor_max);
  return std::fmin(static_cast<double>(r.factor), bound);
}

/// CVODE's rules, within the controller's bounds; its gains are not read.
template <nordsieck_method M, class Controller, class Memory, class Record, class Y>
double propose(const M&, const Controller& c, Memory& memory, const outcome<Record>& found,
               carry<M, Y>& from, carry<M, Y>& next) {
  memory.rejected = !(found.error_squared <= 1);
  note_of_family(found, memory.rejected, from.memo.next, next.memo.next);
  if (memory.rejected) return reject_step(found, from.memo.next);
  return accept_step<M>(c, found.record, from, next);
}

}  // namespace revode
