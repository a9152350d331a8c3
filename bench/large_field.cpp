// SPDX-License-Identifier: Apache-2.0
// What does the gradient of a field of a million elements cost where nobody wrote its vjp? The 2-D Brusselator by
// rows, beside its vjp by hand, the recording of the whole field, and CoDiPack's, where its headers are found; and
// on two threads, where OpenMP is. Arguments: the file to write, cells in a row.

#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include <revode/ad/by_rows.hpp>
#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/solvers/rock4.hpp>
#include <revode/solvers/tsit5.hpp>

#include "json_lines.hpp"

#if __has_include(<codi.hpp>)
#include <codi.hpp>
#define REVODE_BENCH_CODI
#endif

namespace revode {
namespace {

using state = std::vector<double>;
using numbers = vec<double, 4>;

/// u' = b + u² v − (a + 1) u + α Δu, v' = a u − u² v + β Δv on a torus, p = (a, b, α, β); u of all cells, then v.
struct brusselator {
  int width;

  int size() const { return 2 * width * width; }
  template <class T, class Y, class P, class DY>
  void operator()(int first, int last, const T&, const Y& y, const P& p, DY& dy) const {
    const int cells = width * width;
    for (int i = first; i < last; ++i) {
      const int cell = i % cells, from = i - cell;
      const int row = cell / width, column = cell - row * width;
      const int up = row > 0 ? cell - width : cell + cells - width;
      const int down = row < width - 1 ? cell + width : column;
      const int left = column > 0 ? cell - 1 : cell + width - 1;
      const int right = column < width - 1 ? cell + 1 : cell - width + 1;
      const auto& u = y[cell];
      const auto& v = y[cells + cell];
      const auto spread =
          y[from + up] + y[from + down] + y[from + left] + y[from + right] - 4 * y[i];
      if (i < cells)
        dy[i] = p[1] + u * u * v - (p[0] + 1) * u + p[2] * spread;
      else
        dy[i] = p[0] * u - u * u * v + p[3] * spread;
    }
  }
};

/// The same told as a whole.
struct whole {
  brusselator of;
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    of(0, of.size(), t, y, p, dy);
  }
};

/// With its vjp by hand.
struct by_hand : whole {
  void vjp(double, const state& y, const numbers& p, const state& w, double&, state& gy,
           numbers& gp) const {
    const int n = of.width, cells = n * n;
    const double *u = y.data(), *v = u + cells, *a = w.data(), *b = a + cells;
    double *gu = gy.data(), *gv = gu + cells;
    numbers sum{};
    for (int row = 0; row < n; ++row) {
      const int up = (row > 0 ? row - 1 : n - 1) * n, down = (row < n - 1 ? row + 1 : 0) * n;
      for (int i = 0; i < n; ++i) {
        const int k = row * n + i;
        const int left = row * n + (i > 0 ? i - 1 : n - 1),
                  right = row * n + (i < n - 1 ? i + 1 : 0);
        const auto spread = [&](const double* x) {
          return x[up + i] + x[down + i] + x[left] + x[right] - 4 * x[k];
        };
        const double across = a[k] - b[k];
        gu[k] += 2 * u[k] * v[k] * across - (p[0] + 1) * a[k] + p[0] * b[k] + p[2] * spread(a);
        gv[k] += u[k] * u[k] * across + p[3] * spread(b);
        sum[0] -= u[k] * across;
        sum[1] += a[k];
        sum[2] += a[k] * spread(u);
        sum[3] += b[k] * spread(v);
      }
    }
    for (int k = 0; k < 4; ++k) gp[k] += sum[k];
  }
};

#if defined(REVODE_BENCH_CODI)
/// With a vjp by CoDiPack's fastest tape for first derivatives, as its manual's: recorded and evaluated
/// anew each time, in memory that is kept.
struct by_codi : whole {
  using number = codi::RealReverse;
  struct arrays {
    std::vector<number> y, dy;
  };
  std::shared_ptr<arrays> at = std::make_shared<arrays>();

  void vjp(double t, const state& y, const numbers& p, const state& w, double&, state& gy,
           numbers& gp) const {
    auto& tape = number::getTape();
    at->y.resize(y.size());
    at->dy.resize(y.size());
    tape.reset();
    tape.setActive();
    vec<number, 4> q;
    for (std::size_t i = 0; i < y.size(); ++i) {
      at->y[i] = y[i];
      tape.registerInput(at->y[i]);
    }
    for (int k = 0; k < 4; ++k) {
      q[k] = p[k];
      tape.registerInput(q[k]);
    }
    of(0, of.size(), number(t), at->y, q, at->dy);
    for (std::size_t i = 0; i < y.size(); ++i) tape.registerOutput(at->dy[i]);
    tape.setPassive();
    for (std::size_t i = 0; i < y.size(); ++i) at->dy[i].setGradient(w[i]);
    tape.evaluate();
    for (std::size_t i = 0; i < y.size(); ++i) gy[i] += at->y[i].getGradient();
    for (int k = 0; k < 4; ++k) gp[k] += q[k].getGradient();
  }
};
#endif

double seconds(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}
double resident() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return static_cast<double>(used.ru_maxrss) * 1e-3;
}

struct measured {
  double solve = 1e300, gradient = 1e300, megabytes = 0;
  index recording_bytes = 0, vjps = 0, steps = 0;
  state y0;
  numbers p{};
};

/// The least of three runs: of a solve alone, and of a solve with its gradient.
template <class M, class F>
measured run(const F& f, const brusselator& shape, clockid_t clock, int threads) {
  state y0(static_cast<std::size_t>(shape.size())), w(y0.size(), 1.0);
  for (std::size_t i = 0; i < y0.size(); ++i)
    y0[i] = 1 + 0.3 * std::sin(0.01 * static_cast<double>(i));
  const problem q{f, y0, 0.0, 0.1, numbers{3.4, 1, 0.1, 0.1}};
  const options o{.rtol = 1e-6, .atol = 1e-6, .threads = threads};
  measured m;
  for (int repeat = 0; repeat < 3; ++repeat) {
    double from = seconds(clock);
    const auto alone = solve(q, M{}, o);
    m.solve = std::min(m.solve, seconds(clock) - from);
    from = seconds(clock);
    auto s = solve(q, M{}, o, recursive_checkpoint{.slots = 3});
    auto g = s.pullback(w);
    m.gradient = std::min(m.gradient, seconds(clock) - from);
    m.recording_bytes = g.reverse.recording_bytes;
    m.vjps = g.reverse.vjp_evaluations;
    m.steps = alone.stats.accepted;
    m.y0 = std::move(g.y0);
    m.p = g.p;
  }
  m.megabytes = resident();
  return m;
}

nlohmann::json named(const char* method, const char* vjp, const measured& m, const measured& hand) {
  double worst = 0, size = 0;
  for (std::size_t i = 0; i < m.y0.size(); ++i) {
    worst = std::fmax(worst, std::abs(m.y0[i] - hand.y0[i]));
    size = std::fmax(size, std::abs(hand.y0[i]));
  }
  return {{"elements", m.y0.size()},
          {"method", method},
          {"vjp", vjp},
          {"steps", m.steps},
          {"vjps", m.vjps},
          {"solve", m.solve},
          {"gradient", m.gradient},
          {"most_resident_so_far", m.megabytes},
          {"recording", 1e-6 * static_cast<double>(m.recording_bytes)},
          {"off_by", worst / size}};
}

template <class M>
void compare(kept_rows& kept, const brusselator& f) {
  const auto rows = by_rows(f);
  const measured hand = run<M>(by_hand{{f}}, f, CLOCK_THREAD_CPUTIME_ID, 1);
  const auto add = [&](const char* vjp, const measured& m) {
    kept.add(named(M::name, vjp, m, hand));
  };
  add("by hand", hand);
  add("recorded by rows", run<M>(rows, f, CLOCK_THREAD_CPUTIME_ID, 1));
#if defined(REVODE_BENCH_CODI)
  add("CoDiPack", run<M>(by_codi{{f}}, f, CLOCK_THREAD_CPUTIME_ID, 1));
#endif
  add("recorded as a whole", run<M>(whole{f}, f, CLOCK_THREAD_CPUTIME_ID, 1));
  if constexpr (has_threads) {
    const measured one = run<M>(rows, f, CLOCK_MONOTONIC, 1),
                   two = run<M>(rows, f, CLOCK_MONOTONIC, 2);
    kept.add({{"method", M::name},
              {"clock_of_one_thread", one.gradient},
              {"clock_of_two_threads", two.gradient},
              {"same_bits", same_elements(one.y0, two.y0) && same_elements(one.p, two.p)}});
  }
}

}  // namespace
}  // namespace revode

int main(int argc, char** argv) {
  const revode::brusselator f{argc > 2 ? std::atoi(argv[2]) : 708};
  revode::kept_rows rows;
  revode::compare<revode::tsit5>(rows, f);
  revode::compare<revode::rock4>(rows, f);
  rows.write(revode::output_of(argc, argv, "large_field.json"));
}
