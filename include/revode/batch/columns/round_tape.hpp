// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include <revode/config.hpp>

namespace revode {

/// What one round keeps: of every sample in it, in the order of the batch, its state and stages, where its
/// step started and where it ended. A rejected attempt is a step of length 0. The numbers lie in blocks of
/// columns, see method_types::columns; a round of fewer samples takes less memory.
template <class T>
struct round_tape {
  static constexpr bool varies = true;  // in size, from round to round

  int count = 0, numbers_of_each = 0;
  std::vector<T> numbers{};
  std::vector<double> t{}, t_new{};
  std::vector<int> which{};

  /// For at most so many samples.
  round_tape(int samples, int numbers_each) : numbers_of_each(numbers_each) { fit(samples); }
  void fit(int samples) {
    count = samples;
    const auto size = static_cast<std::size_t>(count);
    numbers.resize(size * static_cast<std::size_t>(numbers_of_each));
    t.resize(size), t_new.resize(size), which.resize(size);
  }
  bool accepted(int c) const { return t_new[at(c)] != t[at(c)]; }

  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.count);
    if constexpr (requires { self.fit(0); }) self.fit(self.count);
    visit(self.numbers), visit(self.t), visit(self.t_new), visit(self.which);
  }

 private:
  static std::size_t at(int c) { return static_cast<std::size_t>(c); }
};

/// The carry of a round: state and first stage of every sample under way, and when it is there. As large as
/// that of all samples, whose first `count` columns are in use.
template <class T>
struct round_carry {
  index step = 0;
  int count = 0;
  std::vector<T> numbers{};
  std::vector<double> t{};
  std::vector<int> which{};

  round_carry(int samples, std::size_t size)
      : numbers(size),
        t(static_cast<std::size_t>(samples)),
        which(static_cast<std::size_t>(samples)) {}
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.step), visit(self.count), visit(self.numbers), visit(self.t), visit(self.which);
  }
};

/// Where the attempts of all rounds ended, 8 bytes each: by it they are repeated.
class round_log {
 public:
  void keep(const std::vector<double>& ends) {
    first_.push_back(static_cast<index>(ends_.size()));
    ends_.insert(ends_.end(), ends.begin(), ends.end());
  }
  const double* ends(index round) const {
    return ends_.data() + first_[static_cast<std::size_t>(round)];
  }
  index bytes() const {
    return static_cast<index>(ends_.capacity() * sizeof(double) +
                              first_.capacity() * sizeof(index));
  }

 private:
  std::vector<double> ends_;
  std::vector<index> first_;
};

}  // namespace revode
