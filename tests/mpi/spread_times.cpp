// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstring>
#include <vector>

#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/linalg/gmres.hpp>
#include <revode/solvers/imex.hpp>
#include <revode/solvers/kencarp3.hpp>
#include <revode/solvers/kvaerno3.hpp>
#include <revode/solvers/radau_iia5.hpp>
#include <revode/solvers/rock4.hpp>
#include <revode/solvers/rodas3p.hpp>
#include <revode/solvers/tsit5.hpp>

#include "spread_crossings.hpp"

namespace revode {
namespace {

using state = spread<double>;
using rates = block_parameters<double>;

/// The ring with a source p₁ t² u, by recording; the same with its transpose, and with its diffusion as a stiff part.
struct driven_ring {
  template <class T, class P>
  void operator()(const block_place& b, const T& t, block_rows<const T> u, const P& p,
                  block_rows<T> du) const {
    ring{}(b, t, u, p, du);
    for (int i = 0; i < b.rows; ++i) du(i) = du(i) + p[1] * t * t * u(i);
  }
};
struct gathering_driven_ring : driven_ring {
  template <class T, class P>
  void vjp(const block_place& b, const T& t, block_rows<const T> u, const P& p,
           block_rows<const T> w, T& gt, block_rows<T> gu, std::span<T> gp) const {
    gathering_ring{}.vjp(b, t, u, p, w, gt, gu, gp);
    for (int i = 0; i < b.rows; ++i) {
      gt += 2 * p[1] * t * u(i) * w(i);
      gu(i) += p[1] * t * t * w(i);
      gp[1] += t * t * u(i) * w(i);
    }
  }
};
struct split_driven_ring : driven_ring {
  template <class T, class P>
  void implicit_part(const block_place& b, const T& t, block_rows<const T> u, const P& p,
                     block_rows<T> du) const {
    split_ring{}.implicit_part(b, t, u, p, du);
  }
  template <class T, class P>
  void implicit_vjp(const block_place& b, const T& t, block_rows<const T> u, const P& p,
                    block_rows<const T> w, T& gt, block_rows<T> gu, std::span<T> gp) const {
    split_ring{}.implicit_vjp(b, t, u, p, w, gt, gu, gp);
  }
  template <class T, class P>
  void explicit_part(const block_place& b, const T& t, block_rows<const T> u, const P& p,
                     block_rows<T> du) const {
    for (int i = 0; i < b.rows; ++i) du(i) = p[1] * u(i) * (1 - u(i)) + p[1] * t * t * u(i);
  }
};

struct solved {
  solution<state> s;
  gradient<state, rates> g;
  index forward, reverse;  // collectives
};

template <class M, class Local, class... E>
solved solve_over(const spread_layout& layout, const M& m, const Local& local, const options& o,
                  const recursive_checkpoint& adjoint, const E&... event) {
  const over_blocks f(layout, {.rows = 1, .periodic = true}, local);
  const problem q{f, bumps(layout, 0), 0.0, 0.05, rates(layout, {6.0, 2.0})};
  const index before = layout.ranks().statistics().collectives;
  auto s = solve(q, m, o, events(block_event{event}...), adjoint);
  const index behind = layout.ranks().statistics().collectives;
  cotangents<state> w{.y = uneven_bumps(layout, 1)};
  for (std::size_t k = 0; k < s.ys.size(); ++k)
    w.ys.push_back(uneven_bumps(layout, 2 + static_cast<double>(k)));
  for (std::size_t k = 0; k < s.events.size(); ++k) w.events.push_back(1 + static_cast<double>(k));
  auto g = s.pullback(w);
  return {s, g, behind - before, layout.ranks().statistics().collectives - behind};
}

/// Every cotangent of a time, those of listed ones last.
std::vector<double> times_of(const gradient<state, rates>& g) {
  std::vector<double> all{g.t0, g.t1};
  for (const auto* of : {&g.ts, &g.stops, &g.events}) all.insert(all.end(), of->begin(), of->end());
  for (const auto& of : g.times) all.insert(all.end(), of.begin(), of.end());
  return all;
}

/// All of a gradient has the bits of one rank, by as many collectives, for any slots.
template <class M, class Local, class... E>
solved check_bits(const M& m, const Local& local, const options& o, std::size_t occurred,
                  const E&... event) {
  CAPTURE(M::name);
  const both_layouts on({.rows = 60, .rows_a_block = 8});
  const auto by = [&](const spread_layout& layout, const recursive_checkpoint& adjoint) {
    return solve_over(layout, m, local, o, adjoint, event...);
  };
  const solved whole = by(on.alone, {.slots = 1000});
  REQUIRE(whole.g.status == status::success);
  REQUIRE(whole.s.events.size() == occurred);
  const std::vector<double> times = times_of(whole.g);
  for (const auto& adjoint :
       {recursive_checkpoint{.slots = 1}, recursive_checkpoint{.slots = 3},
        recursive_checkpoint{.slots = 1000}, recursive_checkpoint{.budget = 400'000}}) {
    const solved part = by(on.spread_out, adjoint);
    CHECK(is_part(part.s.y, whole.s.y));
    CHECK(is_part(part.g.y0, whole.g.y0));
    for (int j = 0; j < 2; ++j) CHECK(part.g.p[j] == whole.g.p[j]);
    const std::vector<double> of_part = times_of(part.g);
    REQUIRE(of_part.size() == times.size());
    CHECK(std::memcmp(of_part.data(), times.data(), times.size() * sizeof(double)) == 0);
    CHECK(part.forward == whole.forward);
    if (adjoint.slots == 1000) CHECK(part.reverse == whole.reverse);
    if (adjoint.budget) CHECK(part.g.reverse.peak_bytes <= *adjoint.budget);
  }
  return whole;
}

const options points{.rtol = 1e-4, .atol = 1e-6, .stops = {0.03}, .save = {.ts = {0.013, 0.042}}};

TEST_CASE(
    "spread: cotangents of t0, t1, save times, stops and listed times have the bits of one rank") {
  for (const double x : times_of(check_bits(tsit5{}, driven_ring{}, points, 2, doses{}).g))
    CHECK(x != 0);
  const solved of = check_bits(tsit5{}, gathering_driven_ring{}, points, 2, doses{});
  CHECK(of.reverse == 1 + 1);  // are there cotangents of save points, and the end
  const solved equal = check_bits(tsit5{}, gathering_driven_ring{}, {.fixed_step = 0.005}, 0);
  CHECK(equal.reverse == 1);
  check_bits(rock4{}, driven_ring{}, points, 2, doses{});
}

TEST_CASE(
    "spread: gradients behind jumps at located and at moving times have the bits of one rank") {
  const solved of = check_bits(tsit5{}, driven_ring{}, points, 2, harvest{0.43}, dose{});
  CHECK(of.reverse == 1 + 2 + 1);  // what the condition is there, and how fast it moves
  CHECK(of.g.t0 != 0);
  const options at{.rtol = 1e-2, .atol = 1e-4, .save = {.ts = {0.013}}};
  check_bits(with_algebra<kvaerno3, gmres<>>{}, driven_ring{}, at, 2, harvest{0.43}, dose{});
  check_bits(with_algebra<rodas3p, gmres<>>{}, driven_ring{}, at, 2, harvest{0.43}, dose{});
  check_bits(with_algebra<radau_iia5, gmres<>>{}, driven_ring{}, at, 2, harvest{0.43}, dose{});
  check_bits(with_algebra<imex<kencarp3>, gmres<>>{}, split_driven_ring{}, at, 2, harvest{0.43},
             dose{});
}

}  // namespace
}  // namespace revode
