// expect-error: a jump of the parameters of a state spread over ranks
// links: revode::mpi revode::solvers
// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include <revode/mpi/block_event.hpp>

struct slows_down {
  template <class T, class P>
  void add(const revode::block_place&, const T&, revode::block_rows<const T> y, const P&,
           std::span<T> sum) const {
    sum[0] += y(0);
  }
  template <class T, class P>
  T condition(const T&, std::span<const T> sum, const P&) const {
    return sum[0] - 1;
  }
  template <class T>
  void jump(const revode::block_place&, const T&, revode::block_rows<const T>,
            const std::vector<T>& p, revode::block_rows<T>, std::vector<T>& p_new) const {
    p_new[0] = p[0] / 2;
  }
};

int main() { return revode::block_event{slows_down{}}.sums; }
