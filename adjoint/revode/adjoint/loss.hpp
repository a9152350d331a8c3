// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <revode/ad/recording/recording.hpp>
#include <revode/adjoint/course/settle.hpp>
#include <revode/problem.hpp>
#include <revode/solve/solution.hpp>
#include <revode/state/elements.hpp>

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

/// What a loss of the solution sees, over the scalar by which it is recorded.
template <class Y, class P>
struct seen_solution {
  Y y;                                ///< where the solve ended
  scalar_t<Y> t;                      ///< when: t1, or the time of the event that ended it
  std::vector<Y> ys{};                ///< the save points
  std::vector<scalar_t<Y>> events{};  ///< the times of events
  Y y0;
  P p;
  scalar_t<Y> t0;
};

/// A loss that sees by name all that the solve was given and came to:
///   loss_of_solution{[](const auto& s) { return s.y[0] * s.y[0] + 0.1 * s.p[0] * s.p[0] + s.t; }}
/// The gradient has its derivatives in y0, p, t0 and the end's time themselves, and those through the solution.
template <class Function>
struct loss_of_solution {
  Function function;
};
template <class Function>
loss_of_solution(Function) -> loss_of_solution<Function>;

template <class Loss>
inline constexpr bool is_loss_of_solution = false;
template <class Function>
inline constexpr bool is_loss_of_solution<loss_of_solution<Function>> = true;

/// The cotangents of a loss, and its derivatives in what the solve was given.
template <class Y, class P>
struct loss_cotangents : cotangents<Y> {
  using time = event_time_t<scalar_t<Y>>;
  struct of_given {
    Y y0;
    P p;
    time t0{0}, t1{0};
  };
  std::optional<of_given> given{};

  /// The gradient through the solution becomes that of the loss.
  void add_to(gradient<Y, P>& g) const {
    if (!given || g.status != status::success) return;
    add(given->y0, g.y0);
    if (length(g.p) > 0) add(given->p, g.p);
    g.t0 += given->t0;
    g.t1 += given->t1;
    if constexpr (std::is_same_v<time, double>) settle(g.status, g);  // duals: when they are split
  }
};

/// Where a loss is evaluated.
template <class Y, class P>
struct loss_arguments {
  const Y& y;
  const scalar_t<Y>& t;
  const std::vector<Y>& ys;
  const std::vector<scalar_t<Y>>& events;
  const Y& y0;
  const P& p;
  const scalar_t<Y>& t0;
  status ended;
};

/// The arguments of a loss as inputs of one recording, and their adjoints in the same order.
template <class Y, class P>
class recorded_arguments {
  using S = scalar_t<Y>;
  using V = variable<S>;

 public:
  template <class X>
  auto input(const X& x) {
    auto v = rebind_like<V>(x);
    for (int i = 0, n = length(x); i < n; ++i)
      v.data()[i] = recording_.input(static_cast<S>(x.data()[i]));
    return v;
  }
  V input(const S& x) { return recording_.input(x); }
  template <class X>
  auto input(const std::vector<X>& xs) {
    std::vector<decltype(input(xs[0]))> all;
    for (const X& x : xs) all.push_back(input(x));
    return all;
  }
  void pull(const V& value) {
    const S one(1);
    recording_.pull(&value, &one, 1);
  }
  template <class X>
  void read(X& bar) {
    for (int i = 0, n = length(bar); i < n; ++i)
      bar.data()[i] = static_cast<scalar_t<X>>(recording_.adjoint(next_++));
  }
  template <class T>
  T number() {
    return static_cast<T>(recording_.adjoint(next_++));
  }

 private:
  recording<S> recording_;
  int next_ = 0;
};

/// What the recording says of each argument. The end's time is t1's, or that of the event that ended the solve.
template <bool OfTimes, bool OfAll, class Y, class P>
void read_cotangents(recorded_arguments<Y, P>& a, const loss_arguments<Y, P>& s,
                     loss_cotangents<Y, P>& bar) {
  using time = typename loss_cotangents<Y, P>::time;
  a.read(*bar.y);
  for (Y& y : bar.ys) a.read(y);
  if constexpr (OfTimes)
    for (std::size_t k = 0; k < s.events.size(); ++k)
      bar.events.push_back(a.template number<time>());
  if constexpr (OfAll) {
    const auto of_end = a.template number<time>();
    bar.given = {zero_like(s.y0), zero_like(s.p)};
    a.read(bar.given->y0);
    a.read(bar.given->p);
    bar.given->t0 = a.template number<time>();
    if (s.ended == status::success) bar.given->t1 = of_end;
    if (s.ended == status::terminal_event) bar.events.back() += of_end;
  }
}

/// Does a loss give a number, over the scalar of Y and P? Asked in the form in which it is called.
template <class Loss, class Y, class P>
inline constexpr bool is_loss_over = [] {
  using V = scalar_t<Y>;
  using points = std::vector<Y>;
  using times = std::vector<V>;
  if constexpr (std::is_invocable_v<const Loss&, const Y&, const points&, const times&>)
    return std::is_invocable_r_v<V, const Loss&, const Y&, const points&, const times&>;
  else if constexpr (std::is_invocable_v<const Loss&, const Y&, const points&>)
    return std::is_invocable_r_v<V, const Loss&, const Y&, const points&>;
  else
    return std::is_invocable_r_v<V, const Loss&, const Y&>;
}();
template <class Function, class Y, class P>
inline constexpr bool is_loss_over<loss_of_solution<Function>, Y, P> =
    std::is_invocable_r_v<scalar_t<Y>, const Function&, const seen_solution<Y, P>&>;

/// The value of a loss L(y), L(y, ys), L(y, ys, times), of the final state, the save points and the times of
/// events (a std::vector of y's scalar), or of a loss_of_solution, and its cotangents. The loss is generic in
/// its scalar (it is recorded once), or brings pull(y[, ys], y_bar[, ys_bar]).
template <class Loss, class Y, class P>
scalar_t<Y> pull_loss(const Loss& loss, const loss_arguments<Y, P>& s, loss_cotangents<Y, P>& bar) {
  constexpr bool of_all = is_loss_of_solution<Loss>;
  using points = std::vector<Y>;
  constexpr bool of_times =
      of_all ||
      std::is_invocable_v<const Loss&, const Y&, const points&, const std::vector<scalar_t<Y>>&>;
  constexpr bool of_points = of_times || std::is_invocable_v<const Loss&, const Y&, const points&>;
  bar.y = zero_like(s.y);
  if constexpr (of_points)
    for (const Y& y : s.ys) bar.ys.push_back(zero_like(y));
  if constexpr (requires { loss.pull(s.y, *bar.y); }) {
    loss.pull(s.y, *bar.y);
    return loss(s.y);
  } else if constexpr (requires { loss.pull(s.y, s.ys, *bar.y, bar.ys); }) {
    loss.pull(s.y, s.ys, *bar.y, bar.ys);
    return loss(s.y, s.ys);
  } else {
    recorded_arguments<Y, P> a;
    const auto y = a.input(s.y);
    using V = scalar_t<decltype(a.input(s.y))>;
    static_assert(is_loss_over<Loss, rebind_t<Y, V>, rebind_t<P, V>>,
                  "a loss that is no number of y, of y and the save points, or of these and the "
                  "times of events, over a recording's scalar (it is recorded once) write "
                  "[](const auto& y) { return y[0]; }, or loss_of_solution{[](const auto& s) { "
                  "return s.y[0]; }}?");
    V value;
    if constexpr (of_all) {
      auto ys = a.input(s.ys);
      auto events = a.input(s.events);
      const V t = a.input(s.t);
      const auto y0 = a.input(s.y0);
      const auto p = a.input(s.p);
      value = loss.function(seen_solution<rebind_t<Y, V>, rebind_t<P, V>>{
          y, t, std::move(ys), std::move(events), y0, p, a.input(s.t0)});
    } else if constexpr (of_times) {
      const auto ys = a.input(s.ys);
      value = loss(y, ys, a.input(s.events));
    } else if constexpr (of_points) {
      value = loss(y, a.input(s.ys));
    } else {
      value = loss(y);
    }
    a.pull(value);
    read_cotangents<of_times, of_all>(a, s, bar);
    return value.value;
  }
}

/// The same at a solution of q.
template <class Loss, class F, class Y, class P>
double pull_loss(const Loss& loss, const problem<F, Y, P>& q, const solution<Y>& s,
                 loss_cotangents<Y, P>& bar) {
  using S = scalar_t<Y>;
  std::vector<S> times;
  for (const auto& event : s.events) times.push_back(static_cast<S>(event.t));
  const S t(s.t), t0(q.t0);
  const loss_arguments<Y, P> arguments{s.y, t, s.ys, times, q.y0, q.p, t0, s.status};
  return static_cast<double>(pull_loss(loss, arguments, bar));
}

}  // namespace revode
