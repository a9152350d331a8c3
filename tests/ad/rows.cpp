// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>
#include <vector>

#include <revode/ad/by_rows.hpp>
#include <revode/ad/derivatives_of.hpp>
#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/solvers/rk4.hpp>

// Kernels read their arrays by an int, as they are written; clang would have std::vector's asked by its own type.
#pragma GCC diagnostic ignored "-Wsign-conversion"

namespace revode {
namespace {

using state = std::vector<double>;
using numbers = vec<double, 3>;

/// A ring of cells that see one another five apart, each `width` cells in the last term.
struct ring_rows {
  int width = 2;
  template <class T, class Y, class P, class DY>
  void operator()(int first, int last, const T& t, const Y& y, const P& p, DY& dy) const {
    using std::cos;
    using std::sin;
    const int n = length(y);
    for (int i = first; i < last; ++i) {
      const auto& here = y[i];
      const auto& far = y.data()[(i + 5) % n];
      dy[i] = p[0] * sin(far - here) + cos(t) * here * far;
      for (int k = 0; k < width; ++k) dy[i] = dy[i] + p[1] * here * y[(i + k) % n];
    }
  }
};
/// The same, told as a whole.
struct whole_ring {
  ring_rows of;
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    of(0, length(y), t, y, p, dy);
  }
};
using ring = field_by<rows_rule<ring_rows>>;

state wave(int n, double a) {
  state x(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(a * static_cast<double>(i) + a);
  return x;
}

struct pulled {
  double t = 0.5;
  state y;
  numbers p{};
};
template <class F>
pulled pull(const F& f, int n, bool second) {
  derivatives<F, state, numbers> d;
  pulled g{.y = wave(n, 0.3)};
  const state y = wave(n, 0.7), w = wave(n, 1.1), k = wave(n, 1.9);
  const numbers p{1.5, -0.2, 0.0};
  for (int run = 0; run < 2; ++run)  // in the memory of the first
    if (second)
      d.second(f, 0.3, y, p, w, 0.4, k, &g.t, g.y, g.p);
    else
      d.vjp(f, 0.3, y, p, w, &g.t, g.y, g.p);
  return g;
}
void same(const pulled& a, const pulled& b) {
  CHECK(a.t == b.t);
  CHECK(same_elements(a.y, b.y));
  CHECK(same_elements(a.p, b.p));
}

}  // namespace

TEST_CASE("up to a block of rows: the bits of one recording, whatever the runs") {
  for (const int n : {1, 2, 64, 127, 700, 1024})
    for (const bool second : {false, true}) {
      CAPTURE(n);
      CAPTURE(second);
      same(pull(ring{}, n, second), pull(whole_ring{}, n, second));
    }
  // Rows of 1,400 operations and more, so that runs grow and shrink.
  same(pull(ring{{{{700}}}}, 1000, false), pull(whole_ring{{700}}, 1000, false));
}

TEST_CASE("more blocks: products along and across agree, with and without parameters and time") {
  const int n = 5000;
  const ring f{};
  derivatives<ring, state, numbers> d;
  const state y = wave(n, 0.7), w = wave(n, 1.1), v = wave(n, 1.9);
  const numbers p{1.5, -0.2, 0.0}, q{0.3, 0.7, 0.1};
  state out(y.size()), gy(y.size()), alone(y.size());
  numbers gp{};
  vec<double, 0> none{};
  double gt = 0;
  d.vjp(f, 0.3, y, p, w, &gt, gy, gp);
  d.jvp(f, 0.3, y, p, 0.4, v, q, out);
  const double along = dot(out, w), across = dot(gy, v) + dot(gp, q) + 0.4 * gt;
  CHECK(std::abs(along - across) <= 1e-12 * std::abs(along));
  d.vjp(f, 0.3, y, p, w, static_cast<double*>(nullptr), alone, none);
  CHECK(same_elements(alone, gy));

  const pulled blocks = pull(f, n, false), whole = pull(whole_ring{}, n, false);
  CHECK(std::abs(blocks.p[0] - whole.p[0]) <= 1e-12 * std::abs(whole.p[0]));
  state by_duals(y.size());
  derivatives<whole_ring, state, numbers> plain;
  plain.jvp(whole_ring{}, 0.3, y, p, 0.4, v, q, by_duals);
  CHECK(same_elements(out, by_duals));
}

TEST_CASE("rows that are elements of y, or constants, or not written") {
  const auto f =
      by_rows([](int first, int last, const auto&, const auto& y, const auto&, auto& dy) {
        for (int i = first; i < last; ++i) {
          if (i % 3 == 0) dy[i] = y[(i + 1) % y.size()];
          if (i % 3 == 1) dy[i] = 4.0;
        }
      });
  derivatives<std::remove_cvref_t<decltype(f)>, state, numbers> d;
  const state y = wave(2000, 0.7), w = wave(2000, 1.1);
  state gy(y.size());
  numbers gp{};
  d.vjp(f, 0.0, y, numbers{}, w, static_cast<double*>(nullptr), gy, gp);
  for (std::size_t i = 0; i < y.size(); ++i) CHECK(gy[(i + 1) % 2000] == (i % 3 == 0 ? w[i] : 0.0));
  state out(y.size(), 1.0);
  d.jvp(f, 0.0, y, numbers{}, 0.0, w, vec<double, 0>{}, out);
  for (std::size_t i = 0; i < y.size(); ++i)
    CHECK(out[i] == (i % 3 == 0 ? w[(i + 1) % 2000] : 0.0));
}

TEST_CASE("a gradient by rows has the bits of that by the whole recording") {
  const auto of = [](const auto& f) {
    const problem q{f, wave(700, 0.7), 0.0, 0.2, numbers{1.5, -0.2, 0.0}};
    return solve(q, rk4{}, {.fixed_step = 0.05}, recursive_checkpoint{.slots = 2})
        .pullback(wave(700, 1.1));
  };
  const auto rows = of(ring{}), whole = of(whole_ring{});
  CHECK(same_elements(rows.y0, whole.y0));
  CHECK(same_elements(rows.p, whole.p));
  CHECK(rows.t0 == whole.t0);
  CHECK(rows.t1 == whole.t1);
}

TEST_CASE("a kernel that writes to rows of others is told, along and across") {
  const auto f =
      by_rows([](int first, int last, const auto&, const auto& y, const auto&, auto& dy) {
        for (int i = first; i < last; ++i) dy[i + 1 < length(y) ? i + 1 : 0] = y[i];
      });
  const char* told =
      "dy[64] in rows 0 to 63 of a field (others are computed elsewhere, on another thread "
      "perhaps) gather into dy[first] to dy[last - 1] alone?";
  derivatives<std::remove_cvref_t<decltype(f)>, state, numbers> d;
  const state y = wave(100, 0.7);
  state out(y.size());
  numbers gp{};
  const vec<double, 0> still{};
  CHECK_THROWS_WITH_AS(d.jvp(f, 0.0, y, numbers{}, 0.0, y, still, out), told,
                       std::invalid_argument);
  CHECK_THROWS_AS(d.vjp(f, 0.0, y, numbers{}, y, static_cast<double*>(nullptr), out, gp),
                  std::invalid_argument);
}

/// Decay, with a reverse derivative of its own.
struct decay_rows {
  template <class T, class Y, class P, class DY>
  void operator()(int first, int last, const T&, const Y& y, const P& p, DY& dy) const {
    for (int i = first; i < last; ++i) dy[i] = -p[0] * y[i];
  }
  void vjp(double, const state& y, const numbers& p, const state& w, double&, state& gy,
           numbers& gp) const {
    axpy(-p[0], w, gy);
    gp[0] -= dot(y, w);
  }
};
TEST_CASE("derivatives that a kernel brings are used") {
  const problem q{by_rows(decay_rows{}), wave(50, 0.7), 0.0, 0.1, numbers{2.0, 0.0, 0.0}};
  CHECK(derivatives_of(q) ==
        "vjp: own, jvp: duals by rows, Jacobian: duals, second: recording over duals by rows");
}

TEST_CASE("a recording by rows is named, and its bytes do not grow with the formula") {
  const ring f{};
  const problem q{f, wave(20'000, 0.7), 0.0, 0.1, numbers{1.5, -0.2, 0.0}};
  CHECK(derivatives_of(q) ==
        "vjp: recording by rows, jvp: duals by rows, Jacobian: duals, second: recording over duals "
        "by rows");
  gradient<state, numbers> all[2];
  for (const int slots : {2, 40}) {
    auto s = solve(q, rk4{}, {.fixed_step = 0.01}, recursive_checkpoint{.slots = slots});
    auto& g = all[slots > 2] = s.pullback(wave(20'000, 1.1));
    CHECK(g.reverse.vjp_source == "recording by rows");
    CHECK(g.reverse.recording_bytes > 4 * 20'004);
    CHECK(g.reverse.recording_bytes < 4 * 20'004 + 150'000);
  }
  CHECK(same_elements(all[0].y0, all[1].y0));
  CHECK(same_elements(all[0].p, all[1].p));

  // Rows of 3,000 operations: fewer of them at a time.
  const ring dense{{{{1500}}}};
  const state y = wave(1600, 0.7), w = wave(1600, 1.1);
  state gy(y.size());
  numbers gp{};
  derivatives<ring, state, numbers> d;
  d.vjp(dense, 0.3, y, q.p, w, static_cast<double*>(nullptr), gy, gp);
  CHECK(d.recording_bytes() < 32 * 2 * 32'768 + 200'000);
}

}  // namespace revode
