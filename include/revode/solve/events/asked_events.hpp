// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include <revode/state/whole.hpp>

namespace revode {

/// Located events of a spread state, N at most, whose conditions at several places are known behind one collective.
///   each(visit)   visit(k, e) for each of them, in order
template <class Each, class Y, int N>
class asked_events {
 public:
  explicit asked_events(const Each& each) : each_(each) {}

  template <class Visit>
  void operator()(const Visit& visit) const {
    each_(visit);
  }
  /// Asks all of them at so many places: at(j, seen) calls seen(t, y) for the j-th.
  template <class P, class At>
  void ask(int places, const P& p, const Y& like, const At& at) const {
    typename whole<Y>::questions all(like.layout());
    std::vector<double> times;
    for (int j = 0; j < places; ++j)
      at(j, [&](double t, const Y& y) {
        each_([&](int, auto& e) { e.ask(all, t, y, p); });
        times.push_back(t);
      });
    all.decide();
    told_.assign(times.size(), {});
    for (std::size_t j = 0; j < times.size(); ++j)
      each_([&](int k, auto& e) {
        told_[j][static_cast<std::size_t>(k)] = e.told(all, times[j], p);
      });
  }
  /// The condition of event k at the j-th.
  double told(int j, int k) const {
    return told_[static_cast<std::size_t>(j)][static_cast<std::size_t>(k)];
  }

 private:
  Each each_;
  mutable std::vector<std::array<double, N>> told_;
};

}  // namespace revode
