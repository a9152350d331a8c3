// SPDX-License-Identifier: Apache-2.0
#include <revode/ad/derivatives.hpp>
#include <revode/state/vec.hpp>

// Fields as users write them, without a word that inlines them by force; sweeps.cmake looks at what is
// made of them.
namespace revode {
namespace {

struct rates_of_three {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    dy[0] = p[0] * (y[1] - y[0]);
    dy[1] = y[0] * (p[1] - y[2]) - y[1];
    dy[2] = y[0] * y[1] - p[2] * y[2];
  }
};
struct branching {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    for (int i = 0; i < 3; ++i) {
      dy[i] = p[i] * y[i];
      if (y[i] > 0) dy[i] = dy[i] * dy[i];
    }
  }
};

template <class F>
double derivative(const F& f, double* t_bar) {
  using vector = vec<double, 3>;
  const vector y{1, 2, 3};
  vector y_bar{}, p_bar{};
  derivatives<F, vector, vector> d;
  d.vjp(f, 0.5, y, y, y, t_bar, y_bar, p_bar);
  return y_bar[0] + p_bar[2];
}

}  // namespace
}  // namespace revode

double both_derivatives(double* t_bar) {
  return revode::derivative(revode::rates_of_three{}, t_bar) +
         revode::derivative(revode::branching{}, t_bar);
}
