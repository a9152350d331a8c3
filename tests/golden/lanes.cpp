// SPDX-License-Identifier: Apache-2.0
// As main.cpp, of lanes side by side (lanes.txt).
#include <vector>

#include <revode/batch/ensemble_events.hpp>
#include <revode/batch/ensemble_solver.hpp>
#include <revode/solvers/rodas4.hpp>
#include <revode/solvers/tsit5.hpp>

#include "hashes.hpp"

namespace revode::golden {
namespace {

/// Lanes that take steps of their own.
auto lanes() {
  ensemble<oscillators, state, parameters> e{.t1 = {2.5}, .p = {}};
  for (int l = 0; l < 11; ++l) {
    e.y0.push_back(start());
    e.y0.back()[1] += 0.1 * l;
    e.p.push_back({1.5 + 0.3 * l, 0.4});
  }
  return e;
}
template <class S>
void put_lanes(hash& h, const S& s) {
  h(s.t)(s.y)(s.ys.numbers);
  for (const auto& of_lane : s.events)
    for (const auto& e : of_lane) h(e.t)(e.which);
}
/// y·y and, of the save points, their sum.
struct loss {
  template <class Y>
  auto operator()(index, const Y& y) const {
    return y[0] * y[1] + y[2] * y[3];
  }
};
struct loss_of_points {
  template <class Y, class Points, class Bars>
  auto operator()(index, const Y& y, const Points& ys, Y& y_bar, Bars& bars) const {
    auto sum = y[0];
    y_bar[0] = 1;
    for (index k = 0; k < ys.size(); bars.add(k++, Y{0, 1, 2, 3}))
      sum += ys.at(k)[1] + 2 * ys.at(k)[2] + 3 * ys.at(k)[3];
    return sum;
  }
};

template <class M, class Loss>
void print_lanes(const char* what, const M& m, const options& o, const Loss& of) {
  hash of_solution, of_gradient;
  ensemble_solver<M, oscillators, state, parameters> solver(lanes(), m, o);
  const auto g = solver.gradient(of, {}, of_times{});
  put_lanes(of_solution, solver.result());
  of_gradient(g.loss)(g.y0)(g.p)(g.t0)(g.t1)(g.ts)(g.total_p);
  print(std::string(M::name) + what, of_solution, of_gradient);
}

}  // namespace
}  // namespace revode::golden

int main() {
  using namespace revode;
  using namespace revode::golden;
  const options o{.rtol = 1e-5, .atol = 1e-7};
  options saving = o;
  saving.save = {.t0 = true, .ts = {0.4, 1.9}, .t1 = true};
  print_lanes("", tsit5{}, o, loss{});
  print_lanes(", equal steps", tsit5{}, {.fixed_step = 0.1}, loss{});
  print_lanes(", save points", tsit5{}, saving, loss_of_points{});
  print_lanes("", rodas4{}, o, loss{});
  print_lanes(", save points", rodas4{}, saving, loss_of_points{});

  hash of_solution;
  put_lanes(of_solution, solve(lanes(), tsit5{}, o, std::vector{events(turn{}, dose{{1, 2}})}));
  print("tsit5, an event and doses", of_solution, hash{});
}
