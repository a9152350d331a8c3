// expect-error: a method that takes no state spread over ranks
// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include <revode/solve/solve.hpp>
#include <revode/solvers/rodas5p.hpp>

/// A part of a state, the rest of which is elsewhere.
template <class T>
struct part : std::vector<T> {
  using std::vector<T>::vector;
};
template <class T>
struct revode::whole<part<T>> {
  static constexpr bool is_here = false;
};

struct decay {
  template <class T>
  void operator()(const T&, const part<T>& y, const part<T>& p, part<T>& dy) const {
    for (std::size_t i = 0; i < y.size(); ++i) dy[i] = -p[0] * y[i];
  }
};

int main() {
  const revode::problem q{decay{}, part<double>{1, 2}, 0.0, 1.0, part<double>{0.5}};
  revode::march<revode::rodas5p, decay, part<double>, part<double>> by_matrices(
      q.f, q.p, revode::rodas5p{}, q.y0, q.t0);
}
