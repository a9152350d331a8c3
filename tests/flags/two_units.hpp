// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <revode/ad/derivatives_of.hpp>
#include <revode/problems/hires.hpp>
#include <revode/problems/lorenz.hpp>

// What two units of one program, compiled with different flags, make of the same fields.

struct derivatives_seen {
  std::string names;
  std::vector<double> numbers{};
};

namespace two_units {
struct as_users_write {  // nothing is inlined by force
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    dy[0] = p[0] * (y[1] - y[0]) + t * t;
    dy[1] = y[0] * (p[1] - y[2]) - y[1];
    dy[2] = y[0] * y[1] - p[2] * y[2];
  }
};

namespace {  // each unit calls for itself what the linker may merge

template <class F, class Y, class P>
derivatives_seen see(const F& f, const Y& y, const P& p) {
  using namespace revode;
  derivatives<F, Y, P> d;
  Y g{}, h{}, w{};
  P gp{}, hp{};
  constexpr int n = static_size_v<Y>;
  for (int i = 0; i < n; ++i) w[i] = 1.0 / (i + 3);
  mat<double, n> j;
  d.vjp(f, 0.1, y, p, w, static_cast<double*>(nullptr), g, gp);
  d.second(f, 0.1, y, p, w, 0.0, y, static_cast<double*>(nullptr), h, hp);
  d.jacobian(f, 0.1, y, p, j);
  Y timed{}, frozen{};
  vec<double, 0> none{};
  double gt = 0;
  d.vjp(f, 0.1, y, p, w, &gt, timed, gp);
  d.vjp(f, 0.1, y, p, w, static_cast<double*>(nullptr), frozen, none);
  derivatives_seen seen{derivatives_of(f, 0.1, y, p)};
  for (const Y& x : {g, h, timed, frozen})
    seen.numbers.insert(seen.numbers.end(), x.data(), x.data() + n);
  for (const P& x : {gp, hp})
    seen.numbers.insert(seen.numbers.end(), x.data(), x.data() + static_size_v<P>);
  seen.numbers.insert(seen.numbers.end(), j.data(), j.data() + n * n);
  seen.numbers.push_back(gt);
  return seen;
}

[[maybe_unused]] std::vector<derivatives_seen> see_all() {
  const revode::lorenz small;
  const revode::hires larger;
  auto y = larger.y0();
  for (int i = 0; i < 8; ++i) y[i] = 0.1 + 0.37 * i;
  return {see(small, revode::vec{1.1, 2.3, 20.7}, small.parameters()),
          see(as_users_write{}, revode::vec{1.1, 2.3, 20.7}, small.parameters()),
          see(larger, y, larger.parameters())};
}

}  // namespace
}  // namespace two_units

std::vector<derivatives_seen> seen_unoptimised();
std::vector<derivatives_seen> seen_optimised();
