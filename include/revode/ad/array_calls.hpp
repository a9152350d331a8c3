// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include <revode/ad/faces.hpp>
#include <revode/ad/recording/recorded.hpp>
#include <revode/ad/recording/recording.hpp>
#include <revode/state/elements.hpp>

namespace revode {

/// Is a state of type Y one array in a recording, an operation a node whatever its size? Eigen's are, with
/// interop/eigen_recording.hpp.
template <class Y>
inline constexpr bool recorded_whole_v = false;

template <class Y, class S>
using recorded_over_t = typename recorded<rebind_t<Y, S>>::type;

/// The field can be called with recorded arrays over S for y and dy, and with p as it is recorded.
template <class F, class Y, class P, class S>
concept array_call_accepts = recorded_whole_v<Y> && takes_arrays_v<F> &&
    std::same_as<scalar_t<Y>, scalar_t<P>> &&
    requires(const F& f, const variable<S>& t, const recorded_over_t<Y, S>& y,
             const recorded_over_t<P, S>& p, recorded_over_t<Y, S>& dy) {
  f(t, y, p, dy);
};

/// One call of a field recorded on arrays, and its pull.
template <class F, class Y, class P, class S>
class array_call {
  using state = rebind_t<Y, S>;
  using parameters = rebind_t<P, S>;

 public:
  array_call() = default;
  array_call(const array_call&) {}  // what was recorded belongs to the recording that it is in
  array_call& operator=(const array_call&) { return *this; }

  /// gt (unless null), gy, gp (unless empty) += wᵀ (f_t, f_y, f_p), those of arrays in place.
  /// The first call compares what was recorded with what the field is.
  /// errors  std::invalid_argument: dy is of another shape than y, or not that of the field; what recorded
  ///         matrices refuse
  template <class GP>
  [[gnu::noinline]] void pull(const F& f, const S& t, const state& y, const parameters& p,
                              const state& w, S* gt, state& gy, GP& gp) {
    recording_.clear();
    parameters* of_p = nullptr;
    if constexpr (std::same_as<GP, parameters>) of_p = &gp;
    recorded<state>::open(recording_, y, &gy, y_);
    recorded<parameters>::open(recording_, p, of_p, p_);
    recorded<state>::shape(recording_, y, dy_);
    const variable<S> at = gt != nullptr ? recording_.input(t) : variable<S>(t);
    f(at, std::as_const(y_), std::as_const(p_), dy_);
    expect_shape(y);
    if constexpr (std::is_arithmetic_v<S>)
      if (!compared_) expect_same(f, t, y, p);
    recording_.begin_pull();
    recorded<state>::seed(recording_, dy_, w);
    recording_.pull();
    recorded<parameters>::collect(recording_, p_, of_p);
    if (gt != nullptr) *gt = *gt + recording_.adjoint(at.id);
  }
  index bytes() const { return static_cast<index>(recording_.bytes()); }

 private:
  void expect_shape(const state& y) const {
    if (dy_.rows() == y.rows() && dy_.cols() == y.cols()) return;
    const auto text = [](const auto& of) {
      return std::to_string(of.rows()) + "x" + std::to_string(of.cols());
    };
    throw std::invalid_argument("a field that gives dy as " + text(dy_) + " for a state of " +
                                text(y) +
                                " (each element of the state has one derivative) mend the shape?");
  }

  /// Is dy as recorded that of the field? What lies within the effect of slight changes is rounding.
  [[gnu::cold]] void expect_same(const F& f, const S& t, const state& y, const parameters& p) {
    state noted = zero_like(y), told = noted, moved = noted;
    recorded<state>::read(dy_, noted);
    f(t, y, p, told);
    const double off = largest_difference(noted, told);
    compared_ = off <= slight() * largest_difference(told, moved);
    if (compared_) return;
    const state other = nearby(y);
    const parameters others = nearby(p);
    f(t, other, others, moved);
    compared_ = off <= largest_difference(moved, told);
    if (compared_) return;
    throw std::invalid_argument(
        "a field whose recording differs from it by " + std::to_string(off) +
        " (an auto of an Eigen expression or view sees what its matrices become later, a recorded "
        "one does not; or the field is no function of t, y and p) write .eval(), or "
        "by_elements(field)?");
  }
  static double slight() { return std::cbrt(double(std::numeric_limits<S>::epsilon())); }
  /// NaNs aside.
  static double largest_difference(const state& a, const state& b) {
    double most = 0;
    for (int i = 0, size = length(a); i < size; ++i)
      most = std::max(most, std::abs(double(a.data()[i]) - double(b.data()[i])));
    return most;
  }
  template <class Z>
  static Z nearby(Z z) {
    for (int i = 0, size = length(z); i < size; ++i)
      z.data()[i] *= S(1 + slight() * (1 + std::sin(i + 1.0)));
    return z;
  }

  recording<S> recording_;  // outlives what refers to it
  typename recorded<state>::type y_, dy_;
  typename recorded<parameters>::type p_;
  bool compared_ = false;
};

}  // namespace revode
