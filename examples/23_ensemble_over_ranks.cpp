// SPDX-License-Identifier: Apache-2.0
// prints: 1500 herds on [0-9]+ ranks?
// prints: rates found: 1\.500000 1\.000000 3\.000000 1\.000000
// prints: one rank alone: the same bits
#include <cassert>
#include <cstdio>
#include <cstring>
#include <vector>

#include <Eigen/Core>

#include <revode/mpi/mpi_ensemble.hpp>
#include <revode/mpi/mpi_session.hpp>
#include <revode/problems/lotka_volterra.hpp>
#include <revode/revode.hpp>

using namespace revode;
using state = vec<double, 2>;
using rates = vec<double, 4>;
using herds = ensemble<lotka_volterra, state, rates>;
using solver = mpi_ensemble<tsit5, lotka_volterra, state, rates, on_device, 0, false>;  // no saves

/// How far a herd is from what was counted.
struct miscount {
  const state* counted;
  template <class Y>
  auto operator()(revode::index herd, const Y& y) const {
    const auto x = y[0] - counted[herd][0], z = y[1] - counted[herd][1];
    return 0.5 * (x * x + z * z);
  }
};

/// Broyden, Fletcher, Goldfarb and Shanno's steps, halved until they lead downhill. All ranks make the same,
/// as they know the same bits: nobody has to tell anybody.
template <class Loss>
rates fitted(const Loss& loss, rates start, bool speaks) {
  using vector = Eigen::Vector4d;
  vector p(start.data()), slope;
  Eigen::Matrix4d inverse = 1e-4 * Eigen::Matrix4d::Identity();
  double now = loss(start, slope);
  for (int n = 0; n < 60 && now > 1e-14; ++n) {
    if (speaks && n % 4 == 0) std::printf("step %2d: loss %.1e\n", n, now);
    vector step = -inverse * slope, next;
    rates at;
    double found = 0;
    for (int halved = 0; halved < 30; ++halved, step *= 0.5) {
      vector::Map(at.data()) = p + step;
      found = loss(at, next);
      if (found < now) break;
    }
    const vector bend = next - slope;
    const double curved = step.dot(bend);
    if (curved > 0) {
      const Eigen::Matrix4d left = Eigen::Matrix4d::Identity() - step * bend.transpose() / curved;
      inverse = left * inverse * left.transpose() + step * step.transpose() / curved;
    }
    p += step;
    slope = next;
    now = found;
  }
  vector::Map(start.data()) = p;
  return start;
}

// Finds the rates that 1,500 herds of predators and prey share from their counts, over ranks: mpiexec -n 4 …
// Each rank follows its herds; the sums of gradients are the same bits on all, however many ranks there are.
int main(int argc, char** argv) {
  mpi_session session(argc, argv);
  const communicator ranks;
  const bool speaks = ranks.rank() == 0;
  const options o{.rtol = 1e-8, .atol = 1e-8};
  herds e{.y0 = {}, .t1 = {2}, .p = {{1.5, 1, 3, 1}}};
  for (int l = 0; l < 1500; ++l) e.y0.push_back({0.5 + l % 30 * 0.1, 0.5 + l / 30 * 0.05});

  solver counting(ranks, e, tsit5{}, o);
  counting.run();
  const std::vector<state> counted = counting.result().y;  // of all herds, on every rank
  assert(counting.result().failed() == 0);
  if (speaks)
    std::printf("%zu herds on %d rank%s, of which the first has %lld\n", counted.size(),
                ranks.size(), ranks.size() > 1 ? "s" : "",
                static_cast<long long>(counting.share().lanes));

  const rates guess{1.2, 0.9, 2.6, 1.1};
  const miscount loss{counted.data()};
  solver fit(ranks, e, tsit5{}, o,
             {.distribution = distribution::counter, .results = lanes_on::none});
  const auto sum = [&](const rates& p, Eigen::Vector4d& slope) {
    fit.set_parameters({p});
    const auto g = fit.gradient(loss);
    slope = Eigen::Vector4d(g.total_p.data());
    return g.total_loss;
  };
  const rates found = fitted(sum, guess, speaks);
  Eigen::Vector4d here, there;
  sum(found, here);
  if (!speaks) return 0;
  std::printf("rates found: %.6f %.6f %.6f %.6f\n", found[0], found[1], found[2], found[3]);

  solver alone(communicator(MPI_COMM_SELF), e, tsit5{}, o);  // the first rank, and no other
  alone.set_parameters({found});
  there = Eigen::Vector4d(alone.gradient(loss).total_p.data());
  const bool same = std::memcmp(&here, &there, sizeof here) == 0;
  std::printf("one rank alone: %s\n", same ? "the same bits" : "other bits");
  assert(same);
}
