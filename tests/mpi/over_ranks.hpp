// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include <revode/mpi/mpi_ensemble.hpp>
#include <revode/problems/lotka_volterra.hpp>
#include <revode/solvers/tsit5.hpp>

#include "thrown_words.hpp"

namespace revode {

using state = vec<double, 2>;
using rates = vec<double, 4>;
using place = std::conditional_t<on_device::catches, on_device, on_host>;

/// Predators and prey, and what may go wrong in a lane or on a rank, behind t = 1.
struct troubled {
  enum kind { none, throws, overflows, gives_nan, is_slow };
  kind of_lane = none;  ///< where p[2] is negative
  kind of_rank = none;  ///< in all lanes of this rank

  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    lotka_volterra{}(t, y, p, dy);
    if (!(t > 1)) return;
    if (p[2] < 0) happen(of_lane, dy);
    happen(of_rank, dy);
  }

  template <class Y>
  static void happen(kind what, Y& dy) {
    if (what == throws) throw std::runtime_error("no prey is left");
    if (what == overflows) dy[0] = dy[0] * 1e200 * 1e200;
    if (what == gives_nan) dy[1] = dy[1] * std::nan("");
    if (what == is_slow) wait(1e-6);  // ten times what the rest takes, and more
  }
  static void wait(double seconds) {
    for (const double begin = MPI_Wtime(); MPI_Wtime() < begin + seconds;) {
    }
  }
};

/// The distance of the end from a target that differs from lane to lane.
struct distance_loss {
  template <class Y>
  auto operator()(index lane, const Y& y) const {
    const auto x = y[0] - 0.01 * static_cast<double>(lane % 50);
    return 0.5 * (x * x + y[1] * y[1]);
  }
};

/// Lanes that differ in start, span and rates; the last of some chunks is not full.
inline ensemble<troubled, state, rates> herds(index lanes) {
  ensemble<troubled, state, rates> e;
  e.t1.clear(), e.p.clear();
  for (index l = 0; l < lanes; ++l) {
    const double x = static_cast<double>(l % 41) / 41;
    e.y0.push_back({1 + x, 1 - 0.5 * x});
    e.t1.push_back(2 + x);
    e.p.push_back({1.5 + 0.3 * x, 1, 3 - x, 1});
  }
  return e;
}

template <class X>
bool same_bits(const std::vector<X>& a, const std::vector<X>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(X)) == 0);
}
template <class X>
bool same_bits(const X& a, const X& b) {
  return std::memcmp(&a, &b, sizeof(X)) == 0;
}

inline bool same(const ensemble_solution<state>& a, const ensemble_solution<state>& b) {
  return a.status == b.status && same_bits(a.t, b.t) && same_bits(a.y, b.y) &&
         same_bits(a.stats, b.stats) && a.ys.counts == b.ys.counts &&
         same_bits(a.ys.numbers, b.ys.numbers);
}
template <class G>
bool same_totals(const G& a, const G& b) {
  return same_bits(a.total_loss, b.total_loss) && same_bits(a.total_y0, b.total_y0) &&
         same_bits(a.total_p, b.total_p);
}
template <class G>
bool same(const G& a, const G& b) {
  return same_totals(a, b) && a.status == b.status && same_bits(a.loss, b.loss) &&
         same_bits(a.y0, b.y0) && same_bits(a.p, b.p) && a.t0 == b.t0 && a.t1 == b.t1;
}

using serial_herds = ensemble_solver<tsit5, troubled, state, rates, place>;
using spread_herds = mpi_ensemble<tsit5, troubled, state, rates, place>;

/// The first ranks of the world, as many as there are up to `most`: a communicator for these, none for others.
struct first_ranks {
  MPI_Comm comm = MPI_COMM_NULL;
  explicit first_ranks(int most) {
    const int rank = communicator().rank();
    MPI_Comm_split(MPI_COMM_WORLD, rank < most ? 0 : MPI_UNDEFINED, rank, &comm);
  }
  first_ranks(const first_ranks&) = delete;
  first_ranks& operator=(const first_ranks&) = delete;
  ~first_ranks() {
    if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
  }
  explicit operator bool() const { return comm != MPI_COMM_NULL; }
};

}  // namespace revode
