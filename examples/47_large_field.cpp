// SPDX-License-Identifier: Apache-2.0
// prints: 200000 cells: vjp: recording by rows, jvp: duals by rows
// prints: recorded in [0-9]+ kB, and dL/dk = -?[0-9.]+ on 1 thread and on 2
#include <cassert>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include <revode/ad/by_rows.hpp>
#include <revode/revode.hpp>

using namespace revode;
using state = std::vector<double>;

// A chain of cells that exchange with both neighbours and react, y' = k (y₋ − 2 y + y₊) − y³, told as a function of
// a run of its rows. No derivative is written: the reverse one is recorded a few rows at a time, in memory that does
// not grow with the formula, and with options::threads on several threads, in the same bits.
struct reaction {
  template <class T, class Y, class P, class DY>
  void operator()(int first, int last, const T&, const Y& y, const P& p, DY& dy) const {
    const int n = length(y);
    for (int i = first; i < last; ++i) {
      const auto &left = y[i > 0 ? i - 1 : i], &right = y[i < n - 1 ? i + 1 : i];
      const auto& here = y[i];
      dy[i] = p[0] * (left - 2 * here + right) - here * here * here;
    }
  }
};

int main() {
  state y0(200'000), w(y0.size());
  for (std::size_t i = 0; i < y0.size(); ++i) y0[i] = std::sin(0.5 * static_cast<double>(i));
  w[w.size() / 4] = 1;
  const auto field = by_rows(reaction{});
  const problem q{field, y0, 0.0, 0.5, vec{2.0}};
  std::printf("%zu cells: %s\n", y0.size(), derivatives_of(q).c_str());

  double of_k[2] = {};
  long bytes = 0;
  for (const int threads : {1, 2}) {
    options o{.rtol = 1e-4, .atol = 1e-6};
#if defined(_OPENMP)
    o.threads = threads;
#endif
    auto s = solve(q, tsit5{}, o, recursive_checkpoint{.slots = 5});
    const auto g = s.pullback(w);
    of_k[threads - 1] = g.p[0];
    if (threads == 1) bytes = static_cast<long>(g.reverse.recording_bytes);
  }
  assert(of_k[0] == of_k[1]);
  assert(bytes < 5 * static_cast<long>(y0.size()));  // a whole recording: 100 bytes a cell and more
  std::printf("recorded in %ld kB, and dL/dk = %.8f on 1 thread and on 2\n", bytes / 1000, of_k[0]);

  // By a difference of two solves, for comparison.
  const double step = 1e-4;
  double at[2] = {};
  for (const int k : {0, 1})
    at[k] = solve(problem{field, y0, 0.0, 0.5, vec{2.0 + (k == 0 ? -step : step)}}, tsit5{},
                  {.rtol = 1e-8, .atol = 1e-8})
                .y[w.size() / 4];
  const double difference = (at[1] - at[0]) / (2 * step);
  assert(std::abs(of_k[0] - difference) < 1e-3 * std::abs(difference));
}
