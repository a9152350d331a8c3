// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <revode/batch/columns/round_tape.hpp>
#include <revode/concepts.hpp>
#include <revode/state/samples.hpp>

namespace revode {

/// Steps of some samples of a round, one behind the other: what dense output and pulls are about.
template <class M, class T>
struct listed_steps {
  using steps = typename method_types<M, sample_column<T>>::columns;

  std::vector<double> t{}, t_new{};
  std::vector<int> which{};
  std::vector<typename steps::tape_type> tapes{};

  void reserve(std::size_t n) {
    t.reserve(n), t_new.reserve(n), which.reserve(n), tapes.reserve(n);
  }
  void clear() { t.clear(), t_new.clear(), which.clear(), tapes.clear(); }
  int count() const { return static_cast<int>(t.size()); }
  typename steps::ends ends() const { return {t.data(), t_new.data()}; }

  void add(int sample, double from, double to) {
    t.push_back(from), t_new.push_back(to), which.push_back(sample);
  }
  /// Column c of a tape.
  void add(const round_tape<T>& tape, const typename steps::blocks& b, int c) {
    const auto i = static_cast<std::size_t>(c);
    add(tape.which[i], tape.t[i], tape.t_new[i]);
    tapes.push_back(steps::tape_of(b, c));
  }
};

}  // namespace revode
