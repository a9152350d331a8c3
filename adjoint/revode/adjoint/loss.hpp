// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include <revode/ad/recording.hpp>
#include <revode/adjoint/gradient.hpp>
#include <revode/solve/solution.hpp>
#include <revode/state/algebra.hpp>

namespace revode {

/// A loss with a running cost: L = terminal(y(t1)[, ys]) + ∫ running(t, y, p) dt, the integral
/// computed by the method itself as one more component of the state.
template <class Terminal, class Running>
struct loss_with_running_cost {
  Terminal terminal;
  Running running;
  bool outside_norm = false;  ///< the integral takes no part in the choice of steps
};
template <class Terminal, class Running>
loss_with_running_cost(Terminal, Running, bool = false)
    -> loss_with_running_cost<Terminal, Running>;

/// Value and cotangents of a loss L(y), L(y, ys) or L(y, ys, times) of the final state, the save
/// points and the times of events (a std::vector of y's scalar). The loss is generic in its scalar (it is recorded once), or brings pull(y[, ys], y_bar[, ys_bar]).
template <class Loss, class Y>
class loss_evaluation {
 public:
  using scalar = scalar_t<Y>;
  static constexpr bool of_times =
      std::is_invocable_v<const Loss&, const Y&, const std::vector<Y>&, const std::vector<scalar>&>;
  static constexpr bool of_points =
      of_times || std::is_invocable_v<const Loss&, const Y&, const std::vector<Y>&>;

  explicit loss_evaluation(const Loss& loss) : loss_(loss) {}

  double operator()(const solution<Y>& s, cotangents<Y>& bar) {
    bar.y = zero_like(s.y);
    if constexpr (of_points)
      for (const Y& y : s.ys) bar.ys.push_back(zero_like(y));
    if constexpr (requires { loss_.pull(s.y, *bar.y); }) {
      loss_.pull(s.y, *bar.y);
      return static_cast<double>(loss_(s.y));
    } else if constexpr (requires { loss_.pull(s.y, s.ys, *bar.y, bar.ys); }) {
      loss_.pull(s.y, s.ys, *bar.y, bar.ys);
      return static_cast<double>(loss_(s.y, s.ys));
    } else {
      return record(s, bar);
    }
  }

 private:
  using variable_type = variable<scalar>;
  using recorded = rebind_t<Y, variable_type>;

  recorded input(const Y& y) {
    recorded v = rebind_like<variable_type>(y);
    for (int i = 0, n = length(y); i < n; ++i) v.data()[i] = recording_.input(y.data()[i]);
    return v;
  }

  double record(const solution<Y>& s, cotangents<Y>& bar) {
    const recorded y = input(s.y);
    variable_type value;
    std::vector<recorded> ys;
    if constexpr (of_points)
      for (const Y& point : s.ys) ys.push_back(input(point));
    if constexpr (of_times) {
      std::vector<variable_type> times;
      for (const auto& event : s.events)
        times.push_back(recording_.input(static_cast<scalar>(event.t)));
      value = loss_(y, ys, times);
    } else if constexpr (of_points) {
      value = loss_(y, ys);
    } else {
      value = loss_(y);
    }
    const scalar one(1);
    recording_.pull(&value, &one, 1);
    int id = 0;
    for (int i = 0; i < length(*bar.y); ++i) bar.y->data()[i] = recording_.adjoint(id++);
    for (Y& point : bar.ys)
      for (int i = 0; i < length(point); ++i) point.data()[i] = recording_.adjoint(id++);
    if constexpr (of_times)
      for (std::size_t k = 0; k < s.events.size(); ++k)
        bar.events.push_back(static_cast<double>(recording_.adjoint(id++)));
    return static_cast<double>(value.value);
  }

  const Loss& loss_;
  recording<scalar> recording_;
};

}  // namespace revode
