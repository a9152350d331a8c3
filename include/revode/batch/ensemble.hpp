// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include <revode/batch/lane/lane_step.hpp>
#include <revode/problem.hpp>
#include <revode/solve/solve.hpp>
#include <revode/state/elements.hpp>

namespace revode {

/// Many initial value problems of one field, a lane each:
///
///   ensemble e{.f = lorenz{}, .y0 = {vec{1., 0., 0.}}, .t1 = {10.}, .p = parameters_of_lanes};
///
/// Every vector has an element a lane, or one element that all lanes share; rtol, atol, max_steps and
/// save_ts may also be empty: then the options' hold for all. F, Y and P are of fixed size and
/// trivially copyable, since lanes are copied to wherever they run.
template <class F, class Y, class P = vec<scalar_t<Y>, 0>>
struct ensemble {
  using field_type = F;
  using state_type = Y;
  using parameter_type = P;

  F f{};
  std::vector<Y> y0{};
  std::vector<double> t0{0.0};
  std::vector<double> t1{1.0};
  std::vector<P> p{P{}};
  std::vector<double> rtol{}, atol{};
  std::vector<index> max_steps{};
  std::vector<std::vector<double>> save_ts{};
  std::vector<double>
      cost{};  ///< predicted, any unit: expensive lanes start first, like beside like
};

/// The number of lanes: the length of the longest of its vectors. Throws std::invalid_argument for
/// none, and for a vector of another length than that, 1, or 0 where it may be empty.
template <class F, class Y, class P>
index lanes_of(const ensemble<F, Y, P>& e) {
  index lanes = 0;
  const auto see = [&](const auto& v) { lanes = std::max(lanes, static_cast<index>(v.size())); };
  const auto check = [&](const char* name, const auto& v, bool may_be_empty) {
    const auto size = static_cast<index>(v.size());
    if (size == lanes || size == 1 || (size == 0 && may_be_empty)) return;
    throw std::invalid_argument(std::string(name) + " with " + std::to_string(size) +
                                " elements in an ensemble of " + std::to_string(lanes) +
                                " lanes (each lane has its own, or all share one) give " +
                                std::to_string(lanes) + " of them, or 1?");
  };
  see(e.y0), see(e.t0), see(e.t1), see(e.p), see(e.rtol), see(e.atol), see(e.max_steps);
  see(e.save_ts), see(e.cost);
  if (e.y0.empty() || lanes == 0)
    throw std::invalid_argument(
        "an ensemble of 0 lanes (y0 is empty) give an initial state for "
        "each lane, or one for all?");
  check("y0", e.y0, false), check("t0", e.t0, false), check("t1", e.t1, false);
  check("p", e.p, false), check("rtol", e.rtol, true), check("atol", e.atol, true);
  check("max_steps", e.max_steps, true), check("save_ts", e.save_ts, true);
  check("cost", e.cost, true);
  return lanes;
}

/// Element l of a vector with one for each lane, or one for all.
template <class V>
const auto& of_lane(const V& v, index l) {
  return v[v.size() == 1 ? 0 : static_cast<std::size_t>(l)];
}

/// The options that the single solve of lane l has.
template <class F, class Y, class P>
options options_of(const ensemble<F, Y, P>& e, const options& o, index l) {
  options of = o;
  if (!e.rtol.empty()) of.rtol = of_lane(e.rtol, l);
  if (!e.atol.empty()) of.atol = of_lane(e.atol, l);
  if (!e.max_steps.empty()) of.max_steps = of_lane(e.max_steps, l);
  if (!e.save_ts.empty()) of.save.ts = of_lane(e.save_ts, l);
  return of;
}

/// Lane l alone: `solve` of this with options_of gives the same bits.
template <class F, class Y, class P>
problem<const F&, Y, P> problem_of(const ensemble<F, Y, P>& e, index l) {
  return {e.f, of_lane(e.y0, l), of_lane(e.t0, l), of_lane(e.t1, l), of_lane(e.p, l)};
}

/// What of this single solves know and lanes side by side do not; empty: nothing.
inline std::string what_lanes_lack(const options& o) {
  if (o.step_rounding != rounding::none) return "step_rounding";
  if (o.min_step > 0) return "min_step";
  if (!o.grid.empty()) return "grid";
  if (o.norm.given()) return "norm";
  if (o.restart) return "restart";
  if (o.controller.ratio != 0 || o.controller.at_most_integral)
    return "a controller with a step ratio";
  return o.save.every > 0 ? "save.every" : "";
}
inline void refuse_what_lanes_lack(const options& o) {
  std::string what = what_lanes_lack(o);
  if (what.empty() && !o.stops.empty()) what = "stops";
  if (what.empty() && !o.discontinuities.empty()) what = "discontinuities";
  if (!what.empty())
    throw std::invalid_argument(what +
                                " in an ensemble (lanes side by side are without it) leave it "
                                "out, or solve lane by lane with events()?");
}

/// Throws for an element of a lane that is 0 where the lane's atol is: a solve alone tells by its
/// status whether its error needs a scale, lanes do not.
template <class F, class Y, class P>
void validate_scales(const ensemble<F, Y, P>& e, const options& o) {
  bool some = o.atol == 0;
  for (const double atol : e.atol) some = some || atol == 0;
  if (!some || o.fixed_step > 0) return;
  for (index l = 0, lanes = lanes_of(e); l < lanes; ++l) {
    const Y y0 = of_lane(e.y0, l);
    if (options_of(e, o, l).atol != 0) continue;
    for (int i = 0; i < length(y0); ++i)
      if (y0.data()[i] == 0)
        throw std::invalid_argument("lane " + std::to_string(l) + " with atol = 0 and y0[" +
                                    std::to_string(i) +
                                    "] = 0 (its error has no scale) give an atol above 0?");
  }
}

/// Throws std::invalid_argument, before any work, for the first thing wrong; returns the number of
/// lanes. A state that is no number is told by its lane's status.
template <class M, class F, class Y, class P>
[[gnu::always_inline]] inline index validate(const ensemble<F, Y, P>& e, const M& m,
                                             const options& o) {
  static_assert(static_size_v<Y> > 0 && static_size_v<P> >= 0,
                "lanes need states and parameters of fixed size such as vec<double, 3>");
  static_assert(std::is_trivially_copyable_v<F> && std::is_trivially_copyable_v<Y> &&
                    std::is_trivially_copyable_v<P>,
                "lanes need fields, states and parameters that are trivially copyable");
  static_assert(
      !requires { requires F::complex_pairs; },
      "lanes measure real elements: solve complex problems one by one?");
  const index lanes = lanes_of(e);
  if (!lanes_take_v<M, Y>)
    throw std::invalid_argument(
        "method " + std::string(M::name) +
        " in an ensemble (lanes take explicit Runge-Kutta and Rosenbrock methods, whose steps are "
        "the same operations every time) choose a method such as rodas5p, or solve lane by "
        "lane with events()?");
  if (!fits_lanes_v<M, Y>)
    throw std::invalid_argument(
        "method " + std::string(M::name) + " with states of " + std::to_string(static_size_v<Y>) +
        " in an ensemble (a lane keeps matrices of up to " + std::to_string(most_in_lane_matrix) +
        " rows) solve lane by lane with events()?");
  const bool alike = e.t0.size() == 1 && e.t1.size() == 1 && e.rtol.size() <= 1 &&
                     e.atol.size() <= 1 && e.max_steps.size() <= 1 && e.save_ts.size() <= 1;
  validate_scales(e, o);
  for (index l = 0; l < (alike ? 1 : lanes); ++l) {
    try {
      const options of = options_of(e, o, l);
      const double t0 = of_lane(e.t0, l), t1 = of_lane(e.t1, l);
      validate_request(problem<const F&, Y, P>{e.f, e.y0[0], t0, t1, e.p[0]}, m, of);
      if (of.fixed_step > 0) fixed_step_count(t0, t1, of.fixed_step);
    } catch (const std::invalid_argument& wrong) {
      if (alike) throw;
      throw std::invalid_argument("lane " + std::to_string(l) + ": " + wrong.what());
    }
  }
  refuse_what_lanes_lack(o);
  return lanes;
}

}  // namespace revode
