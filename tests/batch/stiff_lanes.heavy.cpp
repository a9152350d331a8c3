// SPDX-License-Identifier: Apache-2.0
#include <revode/problems/hires.hpp>

#include "stiff_lanes.hpp"

namespace revode {
namespace {

TEST_CASE("stiff lanes: save points and gradients, for any memory plan") {
  check_stiff_lanes<16>(reactions(40), rosenbrock23{});
}

template <int W, class M>
void check_forward(const M& m) {
  const auto e = reactions(40);
  ensemble_solver<M, rober, state, state, place, W, false> solver(e, m, {});
  solver.run();
  check_against_single_solves(e, m, {}, solver.result());
}

TEST_CASE("stiff lanes: other methods and widths") {
  check_forward<1>(rosenbrock23{});
  check_forward<32>(rodas4p2{});
  check_forward<32>(rodas5p{});
}

TEST_CASE("stiff lanes: the other Rosenbrock methods, alone and sixteen together") {
  const auto both = [](const auto& m) {
    CAPTURE(m.name);
    check_forward<1>(m);
    check_forward<16>(m);
  };
  both(ros3p{});
  both(rodas3{});
  both(rodas3p{});
  both(ros34pw2{});
  both(rodas4{});
  both(rodas4p{});
  both(rodas5{});
}

TEST_CASE("stiff lanes: eight components") {
  const hires f;
  using Y = std::remove_cvref_t<decltype(f.y0())>;
  using P = std::remove_cvref_t<decltype(f.parameters())>;
  ensemble<hires, Y, P> e{.t1 = {20.0}, .p = {f.parameters()}};
  for (int l = 0; l < 20; ++l) {
    e.y0.push_back(f.y0());
    e.y0.back()[0] = 1 + 0.01 * l;
  }
  ensemble_solver<rosenbrock23, hires, Y, P, place, 16, false> solver(e, rosenbrock23{}, {});
  solver.run();
  check_against_single_solves(e, rosenbrock23{}, {}, solver.result());
  const auto g = solver.gradient(first_component{});
  for (index l = 0; l < 20; ++l) {
    auto alone = solve(problem_of(e, l), rosenbrock23{}, {}, recursive_checkpoint{});
    Y bar{};
    bar[0] = 1;
    CHECK(g.y0[static_cast<std::size_t>(l)] == alone.pullback({.y = bar}).y0);
  }
}

}  // namespace
}  // namespace revode
