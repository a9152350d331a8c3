// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include <revode/adjoint/gradient.hpp>
#include <revode/problem.hpp>
#include <revode/solve/events.hpp>
#include <revode/solve/options.hpp>

namespace revode {

/// Throws for a direction that is not one of this problem's.
template <class F, class Y, class P>
void check(const problem<F, Y, P>& q, const options& o, const tangents<Y, P>& along) {
  if (length(along.y0) != length(q.y0))
    throw std::invalid_argument("a tangent of " + std::to_string(length(along.y0)) +
                                " elements for a state of " + std::to_string(length(q.y0)) +
                                " (they have the same shape) resize it?");
  if (length(along.p) != length(q.p))
    throw std::invalid_argument("a tangent of " + std::to_string(length(along.p)) +
                                " elements for " + std::to_string(length(q.p)) +
                                " parameters (they have the same shape) resize it?");
  if (!along.ts.empty() && along.ts.size() != o.save.ts.size())
    throw std::invalid_argument(std::to_string(along.ts.size()) + " tangents for " +
                                std::to_string(o.save.ts.size()) +
                                " listed save times (one belongs to each) give as many, or none?");
  const std::size_t stops = o.stops.size() + o.discontinuities.size();
  if (!along.stops.empty() && along.stops.size() != stops)
    throw std::invalid_argument(std::to_string(along.stops.size()) + " tangents for " +
                                std::to_string(stops) +
                                " stops and discontinuities (one belongs to each) give as many, or "
                                "none?");
}
/// The same for the times of events.
template <class F, class Y, class P, class... E>
void check(const problem<F, Y, P>& q, const options& o, const event_list<E...>& events,
           const tangents<Y, P>& along) {
  check(q, o, along);
  if (along.times.empty()) return;
  std::vector<std::size_t> sizes;
  std::apply(
      [&](const auto&... e) {
        [[maybe_unused]] const auto size = [](const auto& event) -> std::size_t {
          if constexpr (listed_times<std::remove_cvref_t<decltype(event)>>)
            return event.times.size();
          else
            return 0;
        };
        sizes = {size(e)...};
      },
      events.each);
  bool fits = along.times.size() == sizes.size();
  for (std::size_t k = 0; fits && k < sizes.size(); ++k)
    fits = sizes[k] == 0 || along.times[k].size() == sizes[k];
  if (!fits)
    throw std::invalid_argument(
        "tangents of event times that are not those of the events (times[k] has one for each time "
        "in the list of event k) give as many, or none?");
}

}  // namespace revode
