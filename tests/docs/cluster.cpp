// SPDX-License-Identifier: Apache-2.0
// links: revode::mpi
// What docs/cluster.md shows, between what a reader has of one's own.
#include <vector>

#include <revode/mpi/block_event.hpp>
#include <revode/mpi/mpi_ensemble.hpp>
#include <revode/mpi/mpi_session.hpp>
#include <revode/mpi/over_blocks.hpp>
#include <revode/revode.hpp>
using namespace revode;

struct decay {
  template <class T, class Y, class P>
  REVODE_HD void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    dy[0] = -p[0] * y[0];
  }
};
using one = vec<double, 1>;
const ensemble<decay, one, one> e{.y0 = {one{1}}, .t1 = {2}, .p = {one{0.5}, one{0.6}}};
const options o;
const std::vector<one> next{one{0.7}, one{0.8}};
struct what_is_left {
  template <class Y>
  REVODE_HD auto operator()(revode::index, const Y& y) const {
    return y[0];
  }
};
const what_is_left loss;

int main(int argc, char** argv) {
  mpi_session session(argc, argv);          // MPI_Init and MPI_Finalize; or call them yourself
  mpi_ensemble all(communicator(), e, tsit5{}, o, {.distribution = distribution::counter});
  auto g = all.gradient(loss);              // g.total_p: Σ over lanes, on every rank
  all.set_parameters(next);                 // … and again
}

struct heat {                               // the field of a block, between the rows before and behind
  template <class T, class P>
  void operator()(const block_place& b, const T&, block_rows<const T> y, const P& p, block_rows<T> dy) const {
    for (int i = 0; i < b.rows; ++i) dy(i) = p[0] * (y(i - 1) - 2 * y(i) + y(i + 1));
  }
};

struct arrives {                            // at a row, wherever it is
  static constexpr auto direction = crossing::rising;
  static constexpr bool terminal = true;
  template <class T, class P>
  void add(const block_place& b, const T&, block_rows<const T> y, const P&, std::span<T> sum) const {
    if (b.holds(700'000)) sum[0] += y(b.at(700'000));
  }
  template <class T, class P>
  T condition(const T&, std::span<const T> sum, const P&) const { return sum[0] - 0.5; }
};

void spread_out(spread<double> w) {
  const spread_layout layout(communicator(), {.rows = 1'000'000});
  spread<double> y0(layout);                  // rows layout.first_row() … of this rank: y0[0] …
  const over_blocks f(layout, {.rows = 1, .periodic = true}, heat{});
  const problem q{f, y0, 0.0, 1.0, block_parameters<double>(layout, {0.1})};
  auto s = solve(q, tsit5{}, o, recursive_checkpoint{.slots = 10});
  auto g = s.pullback(w);                     // w, g.y0: this rank's rows; g.p[0]: on every rank
  const auto until_it_arrives = [&] {
    auto s = solve(q, tsit5{}, o, events(block_event{arrives{}}), recursive_checkpoint{.slots = 10});
    auto g = s.pullback({.events = {1.0}});     // of the time at which it arrives: s.t
  };
  until_it_arrives();
}
