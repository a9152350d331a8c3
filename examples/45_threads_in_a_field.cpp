// SPDX-License-Identifier: Apache-2.0
// prints: with a vjp of its own: dL/dk = -?[0-9.]+ on 4 threads, the same bits on one
// prints: without one: a recording that several threads wrote to
#include <cassert>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <vector>

#include <omp.h>

#include <revode/revode.hpp>

using namespace revode;
using state = std::vector<double>;

// A chain of cells that exchange with both neighbours and react, y' = k (y₋ − 2 y + y₊) − y³, in a loop on
// threads. A solve may always use it. For a gradient the field brings its own vjp, on threads as well: each
// writes to places of its own.
struct reaction_on_threads {
  int threads = 4;

  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    const int n = length(y);
#pragma omp parallel for num_threads(threads)
    for (int i = 0; i < n; ++i) {
      const auto &left = y.data()[i > 0 ? i - 1 : i], &right = y.data()[i < n - 1 ? i + 1 : i];
      const auto& here = y.data()[i];
      dy.data()[i] = p[0] * (left - 2 * here + right) - here * here * here;
    }
  }
};

struct reaction_with_vjp : reaction_on_threads {
  void vjp(double, const state& y, const vec<double, 1>& p, const state& w, double&, state& gy,
           vec<double, 1>& gp) const {
    const int n = length(y);
    state of_k(y.size());  // summed in one order below, whatever the number of threads
#pragma omp parallel for num_threads(threads)
    for (int i = 0; i < n; ++i) {
      const auto at = [&](const state& x, int j) {
        return x[static_cast<std::size_t>(j < 0 ? 0 : j < n ? j : n - 1)];
      };
      const auto spread = [&](const state& x) {
        return at(x, i - 1) - 2 * at(x, i) + at(x, i + 1);
      };
      const auto k = static_cast<std::size_t>(i);
      gy[k] += p[0] * spread(w) - 3 * y[k] * y[k] * w[k];  // the exchange is symmetric
      of_k[k] = w[k] * spread(y);
    }
    for (const double part : of_k) gp[0] += part;
  }
};

template <class Field>
double derivative_in_k(const Field& f) {
  state y0(1000);
  for (std::size_t i = 0; i < y0.size(); ++i) y0[i] = std::sin(0.01 * static_cast<double>(i));
  auto s = solve(problem{f, y0, 0.0, 1.0, vec{2.0}}, tsit5{}, {.rtol = 1e-6, .atol = 1e-6},
                 recursive_checkpoint{.slots = 5});
  state w(y0.size());
  w[w.size() / 4] = 1;
  return s.pullback(w).p[0];
}

int main() {
  const double on_four = derivative_in_k(reaction_with_vjp{{.threads = 4}});
  const double on_one = derivative_in_k(reaction_with_vjp{{.threads = 1}});
  assert(on_four == on_one);
  std::printf("with a vjp of its own: dL/dk = %.8f on 4 threads, the same bits on one\n", on_four);

  // Without one the field is recorded, on one thread alone.
  const double recorded = derivative_in_k(reaction_on_threads{.threads = 1});
  assert(std::abs(recorded - on_one) < 1e-9 * std::abs(on_one));
  try {
    derivative_in_k(reaction_on_threads{.threads = 4});
    assert(false);
  } catch (const std::invalid_argument& refusal) {
    std::printf("without one: %s\n", refusal.what());
  }
}
