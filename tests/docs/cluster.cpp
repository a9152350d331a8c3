// SPDX-License-Identifier: Apache-2.0
// links: revode::mpi
// What docs/cluster.md shows, between what a reader has of one's own.
#include <vector>

#include <revode/mpi/mpi_ensemble.hpp>
#include <revode/mpi/mpi_session.hpp>
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
