// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <revode/solve/solve.hpp>
#include <revode/state/counter_random.hpp>
#include <revode/testing/grids.hpp>

namespace revode {

// What every method promises, as functions to be called on any method and any problem: those of the
// library and those of its users. The laws of derivatives take the adjoint as an argument:
//   dot_product_law(q, tsit5{}, options{}, recursive_checkpoint{.slots = 5}, 1).holds

template <class Y, class P>
struct tangents;  // adjoint/gradient.hpp, which comes with any adjoint
template <class Y>
struct cotangents;

/// The larger of two, NaN if one is: a maximum that no NaN slips through.
inline double larger(double a, double b) { return a > b || a != a ? a : b; }

/// Whether a law holds, by which figure, and where it fails or is worst.
struct law_result {
  bool holds = true;
  double worst = 0;
  std::string what{};
};

/// Numbers in [−1, 1), the same for a seed on every machine (the generator splitmix64).
class random_numbers {
 public:
  explicit random_numbers(std::uint64_t seed) : state_(seed) {}

  double operator()() {
    state_ += splitmix64_step;
    return static_cast<double>(splitmix64(state_) >> 11) * 0x1p-52 - 1;
  }
  template <class Y>
  Y like(const Y& shape) {
    Y y = shape;
    for (int i = 0, n = length(y); i < n; ++i) y.data()[i] = static_cast<scalar_t<Y>>((*this)());
    return y;
  }

 private:
  std::uint64_t state_;
};

/// Appends an object's bits: those of its parts where it names them (parts(self, visit), see
/// for_each_array), of its elements, or of itself (which must then have no padding).
template <class T>
void append_bits(const T& x, std::vector<std::byte>& bits) {
  const auto append = [&](const void* from, std::size_t bytes) {
    const auto* first = static_cast<const std::byte*>(from);
    bits.insert(bits.end(), first, first + bytes);
  };
  if constexpr (requires { T::parts(x, [](const auto&) {}); }) {
    T::parts(x, [&](const auto& part) { append_bits(part, bits); });
  } else if constexpr (dense<T>) {
    append(x.data(), static_cast<std::size_t>(bytes_of(x)));
  } else if constexpr (!std::is_empty_v<T>) {
    static_assert(std::is_trivially_copyable_v<T>,
                  "this part of a method is neither trivial nor dense: name its parts in a static "
                  "member parts(self, visit)?");
    append(&x, sizeof(T));
  }
}

template <class T>
bool equal_bits(const T& a, const T& b) {
  std::vector<std::byte> of_a, of_b;
  append_bits(a, of_a);
  append_bits(b, of_b);
  return of_a == of_b;
}

template <class Y>
bool equal_bits(const std::vector<Y>& a, const std::vector<Y>& b) {
  bool same = a.size() == b.size();
  for (std::size_t i = 0; same && i < a.size(); ++i) same = equal_bits(a[i], b[i]);
  return same;
}

/// The same of the steps as the engine takes them, for methods whose attempts depend on what `propose` has
/// decided behind the one before: state, tape and, from state and memo, the cache.
template <method M, class F, class Y, class P>
law_result replay_law_of_solve(const problem<F, Y, P>& q, const M& m, const options& o) {
  stepper<M, std::remove_cvref_t<F>, Y, P> loop(q, m, o);
  using loop_type = decltype(loop);
  system<std::remove_cvref_t<F>, Y, P> sys(q.f, q.p);
  auto again = make_carry(m, q.y0), fresh = again;
  begin(m, sys, q.t0, q.y0, again);
  auto tape = make_like<typename method_types<M, Y>::tape>(q.y0);
  std::optional<typename loop_type::snapshot_type> from;
  law_result r;
  const auto require = [&](bool same, const char* what) {
    if (same) return;
    if (r.holds) r.what = std::string(what) + " in step " + std::to_string(loop.position() - 1);
    r.holds = false;
    ++r.worst;
  };
  while (!loop.finished()) {
    loop.save(from);
    loop.step(loop.work_tape());
    if (loop.position() == from->step) break;
    const auto& step = loop.work_tape();
    again.state = from->state;
    again.memo = from->memo;
    refresh(m, sys, from->t, again);
    replay(m, sys, step.t, step.t_new, step.record, again, tape);
    require(equal_bits(again.state, loop.state()), "the replayed state differs");
    require(equal_bits(tape, step.stages), "the replayed tape differs");
    fresh.state = again.state;
    fresh.memo = again.memo;
    refresh(m, sys, step.t_new, fresh);
    require(equal_bits(fresh.cache, again.cache), "the refreshed cache differs");
  }
  return r;
}

/// On every accepted step of a solve: replay gives the state, memo, cache and tape of the attempt,
/// bit for bit; refresh gives that cache from state and memo; attempt leaves those of its start
/// alone. worst counts the violations. For one norm of all elements and no discontinuities; of `radau`, whose stages
/// `propose` chooses, replay_law_of_solve is the law.
template <method M, class F, class Y, class P>
law_result replay_law(const problem<F, Y, P>& q, const M& m, const options& o) {
  using tape_type = typename method_types<M, Y>::tape;
  if (is_multistep_v<M> && o.fixed_step == 0 && o.grid.empty()) return replay_law_of_solve(q, m, o);
  const auto grid = grid_of(q, m, o);
  system<std::remove_cvref_t<F>, Y, P> sys(q.f, q.p);
  const tolerance tol{o.rtol, o.atol, !grid.equidistant && o.grid.empty()};
  auto from = make_carry(m, q.y0), next = from, again = from, fresh = from;
  auto tape = make_like<tape_type>(q.y0), tape_again = tape;
  law_result r;
  const auto require = [&](bool same, const char* what, index step) {
    if (same) return;
    if (r.holds) r.what = std::string(what) + " differs in step " + std::to_string(step);
    r.holds = false;
    ++r.worst;
  };
  begin(m, sys, grid.t[0], q.y0, from);
  for (std::size_t i = 0; i < grid.records.size(); ++i) {
    const double t = grid.t[i], t_new = grid.t[i + 1];
    const auto step = static_cast<index>(i);
    again = from;
    const auto found = attempt(m, sys, tol, t, t_new, from, tape, next);
    require(equal_bits(from.state, again.state), "the start's state after attempt", step);
    require(equal_bits(from.memo, again.memo), "the start's memo after attempt", step);
    replay(m, sys, t, t_new, found.record, again, tape_again);
    require(equal_bits(again.state, next.state), "the replayed state", step);
    require(equal_bits(again.memo, next.memo), "the replayed memo", step);
    require(equal_bits(again.cache, next.cache), "the replayed cache", step);
    require(equal_bits(tape_again, tape), "the replayed tape", step);
    fresh.state = next.state;
    fresh.memo = next.memo;
    refresh(m, sys, t_new, fresh);
    require(equal_bits(fresh.cache, next.cache), "the refreshed cache", step);
    std::swap(from, next);
  }
  return r;
}

/// A random loss: cotangents of the final state and of every save point.
template <class Y, class Solution>
cotangents<Y> random_cotangents(const Solution& s, random_numbers& random) {
  cotangents<Y> w;
  w.y = random.like(s.y);
  for (const Y& y : s.ys) w.ys.push_back(random.like(y));
  return w;
}

/// Two ways to compute one gradient (slots, budget, schedule) give the same bits.
template <method M, class F, class Y, class P, class Adjoint>
law_result equal_gradients_law(const problem<F, Y, P>& q, const M& m, const options& o,
                               const Adjoint& one, const Adjoint& other) {
  random_numbers random(1);
  auto s = solve(q, m, o, one);
  auto s_other = solve(q, m, o, other);
  const cotangents<Y> w = random_cotangents<Y>(s, random);
  const auto g = s.pullback(w), g_other = s_other.pullback(w);
  law_result r;
  const auto require = [&](bool same, const char* what) {
    if (!same && r.holds) r.what = std::string(what) + " differs";
    r.holds = r.holds && same;
    r.worst += same ? 0 : 1;
  };
  require(equal_bits(s.y, s_other.y), "y");
  require(equal_bits(s.ys, s_other.ys), "ys");
  require(equal_bits(g.y0, g_other.y0), "the gradient of y0");
  require(equal_bits(g.p, g_other.p), "the gradient of p");
  require(equal_bits(g.t0, g_other.t0) && equal_bits(g.t1, g_other.t1), "that of t0 or t1");
  require(equal_bits(g.ts, g_other.ts), "the gradient of ts");
  return r;
}

/// ⟨w, J v⟩ = ⟨Jᵀ w, v⟩ for random w, v over y0, p, t0, t1, ts on one side and y, ys on the other:
///   |difference| ≤ per max(1, n/10⁴) (‖w‖ ‖J v‖ + ‖Jᵀ w‖ ‖v‖)
/// per is in units of the scalar's own precision: 2e-13 stands for 2e-13 ε/ε(double). worst is the
/// difference divided by the bracket.
template <method M, class F, class Y, class P, class Adjoint>
law_result dot_product_law(const problem<F, Y, P>& q, const M& m, const options& o,
                           const Adjoint& adjoint, std::uint64_t seed, double per = 2e-13) {
  random_numbers random(seed);
  auto s = solve(q, m, o, adjoint);
  const cotangents<Y> w = random_cotangents<Y>(s, random);
  tangents<Y, P> v{.y0 = random.like(q.y0), .p = random.like(q.p)};
  v.t0 = random();
  v.t1 = random();
  for (std::size_t k = 0; k < o.save.ts.size(); ++k) v.ts.push_back(random());
  const auto pushed = solve(q, m, o, v);
  const auto g = s.pullback(w);

  struct {
    double product = 0, left = 0, right = 0;
  } out, in;
  const auto pair = [](auto& sum, const auto& a, const auto& b) {
    for (int i = 0, n = length(a); i < n; ++i) {
      const auto x = static_cast<double>(a.data()[i]), y = static_cast<double>(b.data()[i]);
      sum.product += x * y;
      sum.left += x * x;
      sum.right += y * y;
    }
  };
  pair(out, *w.y, pushed.y_dot);
  for (std::size_t k = 0; k < w.ys.size(); ++k) pair(out, w.ys[k], pushed.ys_dot[k]);
  pair(in, g.y0, v.y0);
  pair(in, g.p, v.p);
  pair(in, vec{g.t0, g.t1}, vec{v.t0, v.t1});
  pair(in, g.ts, v.ts);

  const double scale =
      std::sqrt(out.left) * std::sqrt(out.right) + std::sqrt(in.left) * std::sqrt(in.right);
  const double precision = static_cast<double>(std::numeric_limits<scalar_t<Y>>::epsilon()) /
                           std::numeric_limits<double>::epsilon();
  const double n = static_cast<double>(s.stats.accepted);
  law_result r;
  r.worst = scale > 0 ? std::abs(out.product - in.product) / scale : 0.0;
  r.holds = r.worst <= per * precision * std::fmax(1, n / 1e4);
  r.what = std::to_string(out.product) + " pushed, " + std::to_string(in.product) + " pulled";
  return r;
}

}  // namespace revode
