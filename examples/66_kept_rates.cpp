// SPDX-License-Identifier: Apache-2.0
// prints: with tapes: exponentials [0-9]+, products that read a tape: all
// prints: without: exponentials [0-9]+, the same bits: yes
#include <cassert>
#include <cmath>
#include <cstdio>
#include <utility>

#include <revode/revode.hpp>

using namespace revode;

// A chain of reactions, cₖ' = rₖ₋₁ − rₖ with rₖ = e^(aₖ − bₖ/T) cₖ, heated slowly: T = 300 + 20 t. Exponentials
// are what a call takes, and what its derivatives read. So a call leaves them on a tape, and a pull of its
// step does not compute them again.
struct reactions {
  static constexpr int kinds = 6;
  mutable long exponentials = 0;

  template <class P>
  double rate(int k, double t, const P& p) const {
    ++exponentials;
    return std::exp(p[2 * k] - p[2 * k + 1] / (300 + 20 * t));
  }

  revode::index tape_size(const auto&, const auto&) const { return kinds; }
  template <class Y, class P>
  void operator()(double t, const Y& c, const P& p, Y& dc, double* tape = nullptr) const {
    double before = 0;
    for (int k = 0; k < kinds; ++k) {
      const double r = rate(k, t, p);
      if (tape != nullptr) tape[k] = r;
      dc[k] = before - r * c[k];
      before = r * c[k];
    }
  }
  template <class Y, class P>
  void vjp(double t, const Y& c, const P& p, const Y& w, double& gt, Y& gc, P& gp,
           const double* tape = nullptr) const {
    const double temperature = 300 + 20 * t;
    for (int k = 0; k < kinds; ++k) {
      const double r = tape != nullptr ? tape[k] : rate(k, t, p);
      const double along = (k + 1 < kinds ? w[k + 1] : 0.0) - w[k];
      gc[k] += r * along;
      gp[2 * k] += r * c[k] * along;
      gp[2 * k + 1] -= r * c[k] * along / temperature;
      gt += r * c[k] * along * p[2 * k + 1] * 20 / (temperature * temperature);
    }
  }
};

int main() {
  using state = vec<double, reactions::kinds>;
  using constants = vec<double, 2 * reactions::kinds>;
  constants p{};
  for (int k = 0; k < reactions::kinds; ++k) {
    p[2 * k] = 4 + 0.3 * k;
    p[2 * k + 1] = 1500;
  }
  const reactions f;
  const problem q{f, state{1, 0, 0, 0, 0, 0}, 0.0, 10.0, p};
  const options o{.rtol = 1e-8, .atol = 1e-10};
  const state last{0, 0, 0, 0, 0, 1};
  const auto gradient = [&](const recursive_checkpoint& how, long& exponentials) {
    auto s = solve(q, tsit5{}, o, how);
    assert(s.status == status::success);
    const long before = std::exchange(f.exponentials, 0);
    const auto g = s.pullback(last);
    exponentials = before + f.exponentials;
    return g;
  };
  long kept, again;
  const auto g = gradient({.schedule = schedule_kind::store_all}, kept);
  const auto h = gradient({.schedule = schedule_kind::store_all, .field_tapes = 0}, again);
  std::printf("with tapes: exponentials %ld, products that read a tape: %s\n", kept,
              g.reverse.tape_reads == g.reverse.vjp_evaluations ? "all" : "some");
  std::printf("without: exponentials %ld, the same bits: %s\n", again, g.p == h.p ? "yes" : "no");
  std::printf("tapes of calls: %.1f kB of %.1f kB\n", 1e-3 * double(g.reverse.field_tape_bytes),
              1e-3 * double(g.reverse.peak_bytes));
  assert(g.p == h.p && g.y0 == h.y0 && 10 * again > 19 * kept);
}
