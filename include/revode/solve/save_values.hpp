// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>
#include <utility>
#include <vector>

#include <revode/solve/solve.hpp>

namespace revode {

/// Keeps value(t, y) at the save points in place of the states: some components, an energy, a norm.
///
///   auto s = solve(q, tsit5{}, options{.save = {.ts = times}},
///                  save_values{[](auto t, const auto& y) { return y[0] * y[0]; }});
///   s.ts, s.values
///
/// Generic in its scalar where a gradient goes through it (adjoint/pull_save_values.hpp).
template <class V>
struct save_values {
  V value;
};
template <class V>
save_values(V) -> save_values<V>;

template <class V, class Y>
using saved_value_t = std::remove_cvref_t<std::invoke_result_t<const V&, double, const Y&>>;

/// A solution whose ys is empty: values has an element for each of ts.
template <class Y, class R>
struct solution_of_values : solution<Y> {
  std::vector<R> values{};
};

/// cost  memory for the values; of the states, those within one step
template <method M, class F, class Y, class P, class V, class... E>
auto solve(const problem<F, Y, P>& q, const M& m, const options& o, const event_list<E...>& events,
           const save_values<V>& save) {
  using loop_type = stepper<M, std::remove_cvref_t<F>, Y, P, event_list<E...>>;
  if constexpr (sizeof...(E) == 0)
    validate(q, m, o);
  else
    validate(q, m, o, events);
  loop_type loop(q, m, o, {}, events);
  std::vector<saved_value_t<V, Y>> values;
  const auto take = [&] {
    auto& s = loop.so_far();
    for (const Y& y : s.ys) values.push_back(save.value(s.ts[values.size()], y));
    s.ys.clear();
  };
  take();
  while (!loop.finished()) {
    loop.step(loop.work_tape());
    take();
  }
  return solution_of_values<Y, saved_value_t<V, Y>>{std::move(loop.result()), std::move(values)};
}
template <method M, class F, class Y, class P, class V>
auto solve(const problem<F, Y, P>& q, const M& m, const options& o, const save_values<V>& save) {
  return solve(q, m, o, no_events{}, save);
}

}  // namespace revode
