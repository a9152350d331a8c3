// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <revode/ad/field_calls.hpp>
#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/solve/save_values.hpp>

namespace revode {

/// What a loss says about y(t1) and the saved values.
template <class Y, class R>
struct value_cotangents {
  std::optional<Y> y{};
  std::vector<R> values{};
};

/// out = (Σ wᵢ valueᵢ(t, y), 0, …): a field whose pull is that of the value.
template <class V, class R>
struct weighted_value {
  const V& value;
  const R& weight;
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P&, Y& out) const {
    using S = scalar_t<Y>;
    fill(out, S(0));
    const auto r = value(t, y);
    if constexpr (requires { weight.data(); }) {
      for (int i = 0, n = length(weight); i < n; ++i)
        out.data()[0] = out.data()[0] + S(weight.data()[i]) * r.data()[i];
    } else {
      out.data()[0] = S(weight) * r;
    }
  }
};

/// A differentiable solution with value(t, y) at the save points. It keeps the states there as well
/// (in ys), for the value's own derivative.
template <class Solution, class Y, class P, class V>
class differentiable_values : public Solution {
 public:
  using value_type = saved_value_t<V, Y>;
  std::vector<value_type> values{};

  differentiable_values(Solution s, save_values<V> save, save_at points)
      : Solution(std::move(s)),
        save_(std::move(save)),
        points_(std::move(points)) {
    for (std::size_t k = 0; k < this->ys.size(); ++k)
      values.push_back(save_.value(this->ts[k], this->ys[k]));
  }

  using Solution::pullback;
  /// The derivative of a loss of y(t1) and of the values: through the states at the save points, and
  /// through t where the value depends on it (listed times, t0, t1; the times of save.every are
  /// constants).
  /// errors  std::invalid_argument: as for states; another number of cotangents than of values
  gradient<Y, P> pullback(const value_cotangents<Y, value_type>& w) {
    if (w.values.size() != values.size())
      throw std::invalid_argument(std::to_string(w.values.size()) + " cotangents for " +
                                  std::to_string(values.size()) +
                                  " saved values (each has one) give as many?");
    cotangents<Y> of_states{.y = w.y};
    std::vector<double> of_times;
    for (std::size_t k = 0; k < values.size(); ++k) {
      const weighted_value<V, value_type> field{save_.value, w.values[k]};
      Y one = zero_like(this->ys[k]);
      one.data()[0] = 1;
      recorded_field<weighted_value<V, value_type>, Y, vec<scalar, 0>, scalar> pull;
      pull.pull(field, static_cast<scalar>(this->ts[k]), this->ys[k], vec<scalar, 0>{}, one.data(),
                true, true);
      for (int i = 0, n = length(one); i < n; ++i) one.data()[i] = pull.of_state(i);
      of_states.ys.push_back(std::move(one));
      of_times.push_back(static_cast<double>(pull.of_time()));
    }
    const bool at_event = points_.t1 && this->status == status::terminal_event;
    if (at_event && !this->events.empty()) {
      of_states.events.assign(this->events.size(), 0.0);
      of_states.events.back() = of_times.back();
    }
    gradient<Y, P> g = Solution::pullback(of_states);
    if (points_.t0) g.t0 += of_times.front();
    if (points_.t1 && !at_event && this->t == this->ts.back()) g.t1 += of_times.back();
    for (std::size_t k = 0; k < g.ts.size(); ++k) g.ts[k] += of_times[k + (points_.t0 ? 1 : 0)];
    settle(g.status, g);
    return g;
  }

 private:
  using scalar = scalar_t<Y>;
  save_values<V> save_;
  save_at points_;
};

/// auto s = solve(q, tsit5{}, o, save_values{value}, recursive_checkpoint{});
/// auto g = s.pullback(value_cotangents<Y, R>{.values = w});
template <method M, class F, class Y, class P, class V>
auto solve(const problem<F, Y, P>& q, const M& m, const options& o, const save_values<V>& save,
           const recursive_checkpoint& adjoint) {
  auto s = solve(q, m, o, adjoint);
  return differentiable_values<decltype(s), Y, P, V>(std::move(s), save, o.save);
}
template <method M, class F, class Y, class P, class V, class... E>
auto solve(const problem<F, Y, P>& q, const M& m, const options& o, const event_list<E...>& events,
           const save_values<V>& save, const recursive_checkpoint& adjoint) {
  auto s = solve(q, m, o, events, adjoint);
  return differentiable_values<decltype(s), Y, P, V>(std::move(s), save, o.save);
}

}  // namespace revode
