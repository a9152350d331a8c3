// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
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
  /// errors  std::invalid_argument: dy is of another shape than y; what recorded matrices refuse
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

  recording<S> recording_;  // outlives what refers to it
  typename recorded<state>::type y_, dy_;
  typename recorded<parameters>::type p_;
};

}  // namespace revode
