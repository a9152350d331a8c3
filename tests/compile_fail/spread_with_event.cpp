// expect-error: an event whose condition or jump sees the part of a spread state that is here
// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include <revode/solve/solve.hpp>
#include <revode/solvers/tsit5.hpp>

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
struct first_is_half {
  template <class T>
  T condition(const T&, const part<T>& y, const part<T>&) const {
    return y[0] - 0.5;
  }
};

int main() {
  using events = revode::event_list<first_is_half>;
  const part<double> y{1, 2};
  revode::solve_cuts<revode::tsit5, decay, part<double>, part<double>, events> cuts({}, events{}, y,
                                                                                    y, 0, 1);
}
