// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>
#include <type_traits>

#include <revode/concepts.hpp>
#include <revode/problem.hpp>
#include <revode/solve/course/rules.hpp>
#include <revode/solve/stepping/first_step.hpp>

namespace revode {

/// How far the next attempt of a solve goes, and what becomes of one: tolerances, controller, bounds.
template <class M, class Y>
class attempts {
 public:
  using control_type = decltype(snapshot<M, Y>::control);

  /// `o` must outlive it.
  template <class F>
  attempts(const options& o, const F& f, const Y& y0, double t0, double t1)
      : options_(o),
        components_(norm_of(o.norm, f), o.rtol, o.atol, revode::length(y0)),
        tolerance_{o.rtol, o.atol, true, components_.get()},
        span_(t1 - t0),
        direction_(t1 < t0 ? -1 : 1),
        bounds_(o.max_step > 0 || o.min_step > 0 || o.step_rounding != rounding::none) {}
  attempts(const attempts&) = delete;
  attempts& operator=(const attempts&) = delete;

  const revode::tolerance& tolerance() const { return tolerance_; }
  double length() const { return h_; }
  void length(double h) { h_ = bounded(h); }

  /// Chooses the first length; false where the field is not finite.
  template <class March>
  bool start(March& on, double t1) {
    const double h = options_.first_step != 0 ? options_.first_step
                                              : first_step(on.sys, on.t, t1, on.y(), tolerance_,
                                                           estimate_order_of(on.method));
    if (!std::isnan(h)) length(h);
    return !std::isnan(h);
  }
  /// Forgets the attempts so far: the solution goes on from another state.
  void forget() { memory_ = {}; }

  /// What decides the next attempt.
  control_type control() const {
    if constexpr (has_estimate_v<M>)
      return {h_, memory_.rejected ? -memory_.previous : memory_.previous, memory_.before};
    else
      return {};
  }
  void control(const control_type& c) {
    if constexpr (has_estimate_v<M>) {
      h_ = c.h;
      memory_ = {std::abs(c.previous), c.before, std::signbit(c.previous)};
    }
  }

  /// The end of the next attempt from t, in a stretch up to `end`; no further than max_step.
  double next_time(double t, double end) {
    const double t_new = fills_stretch(direction_, t, end, h_) ? end : t + h_;
    return bounds_ ? bounded_time(t, t_new, end) : t_new;
  }

  /// The controller's answer to an attempt from t to t_new of a stretch up to `end`. Returns its length.
  template <class Outcome, class Carry>
  REVODE_FORCE(gnu::always_inline)
  double adapt(const M& m, const Outcome& found, double t, double t_new, double end, Carry& from,
               Carry& to) {
    // A rounded step is t_new − t only to rounding: keeping its length keeps it exactly.
    const bool exact = options_.step_rounding != rounding::none && t_new != end;
    const double h = exact ? h_ : t_new - t;
    h_ = bounded(h * propose(m, options_.controller, memory_, found, from, to));
    return h;
  }
  /// Is there no shorter attempt from t than that of length h, just rejected?
  bool ends_here(double t, double h) const {
    return too_short(t, span_, h_) || std::abs(h) <= options_.min_step;
  }

  /// Behind a step for which h was meant.
  void restore_length(double t, double t_new, double end, double h) {
    if (!cut_short(t, t_new, end, h)) return;
    if (std::abs(h) > std::abs(h_)) h_ = h;
    memory_ = without_last(options_.controller, memory_);
  }

  /// Why the attempt just rejected was the last.
  template <class Outcome, class System>
  [[gnu::noinline, gnu::cold]] status why(const Outcome& found, bool overflow, System& sys,
                                          double t, const Y& y) const {
    if (lacks_scale(sys, t, y)) return status::no_error_scale;
    if (found.what != status::success) return found.what;
    if (overflow) return status::non_finite_state;
    const bool finite = found.error_squared - found.error_squared == 0;
    return finite ? status::step_underflow : status::non_finite_field;
  }

 private:
  template <class F>
  static error_norm norm_of(error_norm norm, const F& f) {
    if constexpr (says_complex_pairs<F>) norm.pairs = true;
    if constexpr (requires { f.paired(); }) norm.paired = f.paired();
    return norm;
  }
  /// Is an element of y so near 0, without an absolute tolerance, that what it allows is no normal number, where the
  /// field is finite? Then errors in it have no scale.
  template <class System>
  bool lacks_scale(System& sys, double t, const Y& y) const {
    bool lacks = false;
    for (int i = 0, n = revode::length(y); i < n; ++i) {
      const component_scale* each = components_.get();
      const auto size = value_of(y.data()[i] < 0 ? -y.data()[i] : y.data()[i]);
      using number = std::remove_const_t<decltype(size)>;
      const auto atol = static_cast<number>(each != nullptr ? each->atol[i] : options_.atol);
      const auto rtol = static_cast<number>(each != nullptr ? each->rtol[i] : options_.rtol);
      lacks = lacks || muladd(rtol, size, atol) < std::numeric_limits<number>::min();
    }
    if constexpr (is_spread_v<Y>) lacks = whole<Y>::any(y, lacks);
    if (!lacks) return false;
    auto slope = rebind_like<scalar_t<Y>>(y);
    sys(t, y, slope);
    if constexpr (is_spread_v<Y>) return !whole<Y>::any(y, !all_finite(slope));
    return all_finite(slope);
  }
  double bounded(double h) const {
    if (!bounds_) return h;
    if (options_.max_step > 0 && std::abs(h) > options_.max_step)
      h = direction_ * options_.max_step;
    if (std::abs(h) < options_.min_step) h = direction_ * options_.min_step;
    return round_step(options_.step_rounding, h);
  }
  [[gnu::noinline]] double bounded_time(double t, double t_new, double end) {
    const double most = options_.max_step;
    if (!(most > 0) || std::abs(t_new - t) <= most) return t_new;
    const double nearer = within_max_step(direction_, t, t_new, end, most);
    if (options_.step_rounding == rounding::none) return nearer;
    // Rounded steps are t + h, whose length the log keeps.
    h_ = t_new == end ? nearer - t : std::nextafter(h_, 0.0);
    for (h_ = round_step(options_.step_rounding, h_); std::abs(t + h_ - t) > most;)
      h_ = round_step(options_.step_rounding, std::nextafter(h_, 0.0));
    return t + h_;
  }

  const options& options_;
  component_tolerances components_;
  revode::tolerance tolerance_;
  double span_, direction_, h_ = 0;
  controller_memory memory_{};
  bool bounds_;
};

}  // namespace revode
