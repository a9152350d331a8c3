// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <revode/adjoint/course/pulled_loop.hpp>
#include <revode/adjoint/course/retrace.hpp>
#include <revode/adjoint/error/checked_gradient.hpp>
#include <revode/adjoint/loss.hpp>
#include <revode/adjoint/tangent/tangent_pack.hpp>
#include <revode/adjoint/tangent/tangent_steps.hpp>
#include <revode/adjoint/value_and_gradient.hpp>

namespace revode {

/// Directions for which nobody has to know any: OfP of the parameters and OfY0 of the initial state,
/// each element moving by ½ to 1 times its size (by that of the largest where it is 0, by 1 where all
/// are), up or down, as a hash of seed, direction and element says.
template <int OfP = 1, int OfY0 = 1>
struct random_directions {
  std::uint64_t seed = 0;

  static constexpr int count = OfP + OfY0;
  static_assert(OfP >= 0 && OfY0 >= 0 && count > 0, "no direction at all");

  template <class Y, class P>
  auto operator()(const Y& y0, const P& p) const {
    const tangents<Y, P> still{.y0 = zero_like(y0), .p = zero_like(p)};
    std::array<tangents<Y, P>, std::size_t(count)> all;
    for (int k = 0; k < count; ++k) {
      tangents<Y, P>& along = all[std::size_t(k)] = still;
      if (k < OfP && length(p) > 0)
        scatter(k, p, along.p);
      else
        scatter(k, y0, along.y0);
    }
    return all;
  }

 private:
  template <class V>
  void scatter(int k, const V& x, V& x_dot) const {
    using T = scalar_t<V>;
    double most = 0;
    for (int i = 0, n = length(x); i < n; ++i)
      most = std::fmax(most, std::abs(static_cast<double>(x.data()[i])));
    for (int i = 0, n = length(x); i < n; ++i) {
      const double own = std::abs(static_cast<double>(x.data()[i]));
      const double size = own > 0 ? own : most > 0 ? most : 1.0;
      const std::uint64_t bits = hash(hash(seed + std::uint64_t(k)) + std::uint64_t(i));
      const double part = 0.5 + 0.5 * 0x1p-53 * static_cast<double>(bits >> 11);
      x_dot.data()[i] = T((bits & 1) != 0 ? part * size : -part * size);
    }
  }
  /// source  the finalizer of splitmix64: Steele, Lea, Flood, OOPSLA 2014, pp. 453-472, figure 16
  static std::uint64_t hash(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  }
};

/// Forward mode whose error norm contains the tangents: steps are short enough for y and for its
/// derivatives. A gradient that is exact for the steps taken can be exact and wrong: where y itself has
/// no error (an equilibrium, a linear invariant) nothing bounds the steps, and through the fast
/// transitions of a relaxation oscillation a gradient is off by factors where y is right.
///
///   auto s = solve(q, rodas5p{}, o, control_gradient_error{tangents{v, u}});
///   s.y_dot
///   auto r = value_and_gradient(q, rodas5p{}, o, loss, control_gradient_error{random_directions{}});
///
/// `along` is a direction, a std::array of them, or random_directions. In the norm a tangent ẏ is
/// measured by its state: |error of ẏᵢ| against S (atol + rtol |yᵢ|), with S its size relative to y,
/// (∫ √s dt/(t1 − t0))², s the rms of ẏᵢ/(atol/rtol + |yᵢ|). Not by |ẏᵢ|: that rises by the ratio of the
/// speeds in a fast transition (10⁶ times for vdpol_stiff), so a tolerance relative to it says nothing
/// about what is left behind it. S is found by solving again until it is right within a factor 2.
/// For every method that estimates errors. On its steps the derivative along y0 and p is that of the
/// computed solution; t0, t1, the save times and the times of events move along the solution: f(t, y)
/// times their tangents (tangent/tangent_events.hpp). Stops, discontinuities and listed times stand still.
/// cost    two to five solves of y and the tangents; a call of the field over K duals, or one and K
///         JVPs, a stage and attempt. With dense algebra implicit methods factor the matrix of all
///         K + 1 parts; ESDIRK and Radau methods with another algebra that of y, and multiply once by
///         the derivative of the JVP a correction
/// needs   a field generic in its scalar, or with jvp; Rosenbrock methods one with a derivative of
///         jvp (generic, or with vjp over duals), since their formula has the Jacobian
template <class Along>
struct control_gradient_error {
  Along along;
  double size = 0;    ///< S, of every direction; 0: found
  index slots = 100;  ///< states that a gradient keeps at once

  static constexpr const char* name = "control_gradient_error";
  static constexpr bool exact = true;
};
template <class Along>
control_gradient_error(Along) -> control_gradient_error<Along>;
template <class Along>
control_gradient_error(Along, double) -> control_gradient_error<Along>;
template <class Along>
control_gradient_error(Along, double, index) -> control_gradient_error<Along>;

/// A solution with its derivatives (of type Pushed), on steps that resolve both.
template <class Pushed>
struct controlled_solution : Pushed {
  std::vector<double> sizes{};  ///< S of each direction as the last solve had it
  index solves = 0;             ///< of y with its tangents
};

/// errors  std::invalid_argument for misuse, tangents of another size included
template <method M, class F, class Y, class P, class... E>
auto solve(const problem<F, Y, P>& q, const M& m, const options& o, const event_list<E...>& events,
           const control_gradient_error<tangents<Y, P>>& controlled) {
  auto s = solve_with_tangents(q, m, o, events, std::array{controlled.along}, controlled.size);
  controlled_solution<pushed_solution<Y>> one;
  static_cast<solution<Y>&>(one) = std::move(s.solution);
  one.y_dot = std::move(s.y_dot[0]);
  for (auto& ys_dot : s.ys_dot) one.ys_dot.push_back(std::move(ys_dot[0]));
  for (const auto& dots : s.events_dot) one.events_dot.push_back(dots[0]);
  one.sizes.assign(s.sizes.begin(), s.sizes.end());
  one.solves = s.solves;
  settle_tangents(one);
  return one;
}

/// The same in several directions: s.y_dot[k], s.ys_dot[i][k], s.events_dot[i][k].
template <method M, class F, class Y, class P, class... E, std::size_t K>
auto solve(const problem<F, Y, P>& q, const M& m, const options& o, const event_list<E...>& events,
           const control_gradient_error<std::array<tangents<Y, P>, K>>& controlled) {
  auto s = solve_with_tangents(q, m, o, events, controlled.along, controlled.size);
  controlled_solution<pack_solution<Y, K>> all;
  static_cast<solution<Y>&>(all) = std::move(s.solution);
  all.y_dot = std::move(s.y_dot);
  all.ys_dot = std::move(s.ys_dot);
  all.events_dot = std::move(s.events_dot);
  all.sizes.assign(s.sizes.begin(), s.sizes.end());
  all.solves = s.solves;
  settle_tangents(all);
  return all;
}
template <method M, class F, class Y, class P, class... E, int OfP, int OfY0>
auto solve(const problem<F, Y, P>& q, const M& m, const options& o, const event_list<E...>& events,
           const control_gradient_error<random_directions<OfP, OfY0>>& controlled) {
  return solve(q, m, o, events,
               control_gradient_error{controlled.along(q.y0, q.p), controlled.size});
}
template <method M, class F, class Y, class P, class Along>
auto solve(const problem<F, Y, P>& q, const M& m, const options& o,
           const control_gradient_error<Along>& controlled) {
  return solve(q, m, o, no_events{}, controlled);
}

/// A controlled solve that can be pulled back. The steps of the solve are replayed for y alone, so the
/// gradient is exact for them: its product with a direction is the tangent of L, but for the times of
/// events, which are roots of the dense output here. (Iterations are repeated as they were: the same
/// times given as options::grid would not do, where a method iterates to a tolerance.)
/// cost    the controlled solve, and the replays and the pull of a gradient each; the steps' ends and
///         records: 8 to 24 bytes a step
/// errors  as the solve; one-step methods; no discontinuity where another stop is
template <class M, class F, class Y, class P, class Events>
class controlled_steps : public solution<Y> {
  static_assert(
      !is_multistep_v<M>,
      "a gradient on steps chosen with tangents by a multistep method (the steps are taken "
      "again without) take a one-step method, or the tangents alone?");
  using course_type = course<typename method_types<M, Y>::record>;

 public:
  /// q and the field must outlive it.
  template <class Field, class Along>
  controlled_steps(const problem<Field, Y, P>& q, const M& m, const options& o,
                   const Events& events, const control_gradient_error<Along>& controlled)
      : f_(q.f),
        y0_(q.y0),
        p_(q.p),
        m_(m),
        events_(events),
        slots_(controlled.slots) {
    auto s = [&] {
      if constexpr (requires { controlled.along(q.y0, q.p); })
        return solve_with_tangents(q, m, o, events, controlled.along(q.y0, q.p), controlled.size);
      else if constexpr (requires { controlled.along[0]; })
        return solve_with_tangents(q, m, o, events, controlled.along, controlled.size);
      else
        return solve_with_tangents(q, m, o, events, std::array{controlled.along}, controlled.size);
    }();
    static_cast<solution<Y>&>(*this) = std::move(s.solution);
    steps_ = std::move(s.steps);
  }

  gradient<Y, P> pullback(const cotangents<Y>& w) const {
    check_cotangents(*this, w);
    using loop_type = retrace<M, F, Y, P, course_type, Events>;
    pulled_loop<M, Y, P, loop_type> loop(y0_, p_, f_, m_, *steps_, events_);
    auto g = run_and_pull(loop, slots_, [&](auto&) -> const cotangents<Y>& { return w; });
    settle(g.status, g);
    reverse_statistics& r = g.reverse;
    r.snapshot_bytes = r.peak_states * loop.snapshot_bytes();
    r.log_bytes = steps_->bytes();
    r.work_bytes = loop.work_bytes();
    r.peak_bytes = r.snapshot_bytes + r.log_bytes + r.work_bytes;
    return g;
  }

 private:
  const F& f_;
  Y y0_;
  P p_;
  M m_;
  Events events_;
  index slots_;
  std::optional<course_type> steps_;
};

/// L and its gradient on steps that resolve the derivatives along some directions.
///   auto r = value_and_gradient(q, rodas5p{}, o, loss, control_gradient_error{random_directions{}});
template <method M, class F, class Y, class P, class... E, class Loss, class Along>
value_and_gradient_result<Y, P> value_and_gradient(
    const problem<F, Y, P>& q, const M& m, const options& o, const event_list<E...>& events,
    const Loss& loss, const control_gradient_error<Along>& controlled) {
  const controlled_steps<M, std::remove_cvref_t<F>, Y, P, event_list<E...>> s(q, m, o, events,
                                                                              controlled);
  value_and_gradient_result<Y, P> r{.solution = s};
  if (!is_complete(s.status)) return r;
  loss_cotangents<Y, P> weights;
  r.value = pull_loss(loss, q, r.solution, weights);
  r.gradient = s.pullback(weights);
  weights.add_to(*r.gradient);
  return r;
}
template <method M, class F, class Y, class P, class Loss, class Along>
value_and_gradient_result<Y, P> value_and_gradient(
    const problem<F, Y, P>& q, const M& m, const options& o, const Loss& loss,
    const control_gradient_error<Along>& controlled) {
  return value_and_gradient(q, m, o, no_events{}, loss, controlled);
}

/// The same with a running cost, whose integral begins at 0 along every direction.
template <method M, class F, class Y, class P, class... E, class Terminal, class Running,
          class Along>
value_and_gradient_result<Y, P> value_and_gradient(
    const problem<F, Y, P>& q, const M& m, const options& o, const event_list<E...>& events,
    const loss_with_running_cost<Terminal, Running>& loss,
    const control_gradient_error<Along>& controlled) {
  const auto with = [&](const auto& along) {
    return with_running_cost(q, m, o, events, loss,
                             control_gradient_error{along, controlled.size, controlled.slots});
  };
  if constexpr (requires { controlled.along(q.y0, q.p); }) {
    return value_and_gradient(
        q, m, o, events, loss,
        control_gradient_error{controlled.along(q.y0, q.p), controlled.size, controlled.slots});
  } else if constexpr (requires { controlled.along[0]; }) {
    return std::apply([&](const auto&... each) { return with(std::array{lengthen(each)...}); },
                      controlled.along);
  } else {
    return with(lengthen(controlled.along));
  }
}
template <method M, class F, class Y, class P, class Terminal, class Running, class Along>
value_and_gradient_result<Y, P> value_and_gradient(
    const problem<F, Y, P>& q, const M& m, const options& o,
    const loss_with_running_cost<Terminal, Running>& loss,
    const control_gradient_error<Along>& controlled) {
  return value_and_gradient(q, m, o, no_events{}, loss, controlled);
}

}  // namespace revode
