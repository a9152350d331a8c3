// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <stdexcept>
#include <vector>

#include <revode/config.hpp>

namespace revode {

/// x ← x (1 + i / 8) on three numbers in a vector; counts nothing, checks every load.
struct product_loop {
  struct snapshot_type {
    index step;
    std::vector<double> x;
    template <class Self, class Visit>
    static void parts(Self& self, Visit&& visit) {
      visit(self.step);
      visit(self.x);
    }
  };
  using tape_type = snapshot_type;

  index n, at = 0;
  std::vector<double> x{1, 2, 3}, bar{1, 1, 1};
  tape_type tape{0, {0, 0, 0}};

  explicit product_loop(index steps) : n(steps) {}
  index position() const { return at; }
  bool finished() const { return at == n; }
  void step(tape_type& t) {
    t = {at, x};
    for (double& v : x) v *= 1 + static_cast<double>(at) / 8;
    ++at;
  }
  void run(index to, tape_type& t) {
    while (at < to && !finished()) step(t);
  }
  void save(std::optional<snapshot_type>& slot) const { slot = snapshot_type{at, x}; }
  void save_previous(std::optional<snapshot_type>& slot) const { slot = tape; }
  void load(const snapshot_type& s) {
    at = s.step;
    x = s.x;
  }
  void pull_step(index i, const tape_type& t) {
    if (t.step != i) throw std::logic_error("the tape of another step");
    for (std::size_t k = 0; k < 3; ++k) bar[k] = bar[k] * (1 + static_cast<double>(i) / 8) + t.x[k];
  }
  tape_type& work_tape() { return tape; }
};

}  // namespace revode
