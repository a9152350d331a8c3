// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <Eigen/Core>

#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/interop/eigen.hpp>
#include <revode/solvers/rk4.hpp>
#include <revode/solvers/tsit5.hpp>

#include "malloc_counts.hpp"

#if defined(COUNTS_MALLOC)
namespace revode {
namespace {

struct ring {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    const int n = length(y);
    for (int i = 0; i < n; ++i)
      dy.data()[i] = p.data()[0] * y.data()[(i + 1) % n] - y.data()[i] * y.data()[i];
  }
};

template <class Work>
long allocations_of(Work&& work) {
  const long before = allocations;
  work();
  return allocations - before;
}

/// How often a solve, and a gradient in `slots` states or with every tape, allocates for n steps.
template <class M, class Y, class P>
void check_allocations(const M& m, const Y& y0, const P& p) {
  CAPTURE(M::name);
  const auto plain = [&](int n) {
    return allocations_of([&] {
      solve(problem{ring{}, y0, 0.0, 1.0, p}, m, {.fixed_step = 1.0 / n});
    });
  };
  const auto gradient = [&](int n, schedule_kind kind) {
    return allocations_of([&] {
      const problem q{ring{}, y0, 0.0, 1.0, p};
      const recursive_checkpoint adjoint{.slots = 10, .schedule = kind};
      solve(q, m, {.fixed_step = 1.0 / n}, adjoint).pullback(y0);
    });
  };
  CHECK(plain(1000) > 0);
  CHECK(plain(4000) == plain(1000));
  CHECK(gradient(4000, schedule_kind::binomial) == gradient(1000, schedule_kind::binomial));
  CHECK(gradient(4000, schedule_kind::online) == gradient(1000, schedule_kind::online));
  CHECK(gradient(4000, schedule_kind::store_all) == gradient(1000, schedule_kind::store_all));
}

TEST_CASE("no step allocates, forwards or backwards, with fixed and with dynamic states") {
  const vec<double, 4> small{1, 0.5, 0.2, 0.7};
  const Eigen::VectorXd large = Eigen::VectorXd::LinSpaced(40, 0.1, 0.9);
  const Eigen::VectorXd p = Eigen::VectorXd::Constant(1, 0.7);
  check_allocations(tsit5{}, small, vec{0.7});
  check_allocations(tsit5{}, large, p);
  check_allocations(rk4{}, large, p);
}

TEST_CASE("the log of adaptive steps allocates by blocks of 4096 steps") {
  const vec<double, 4> y0{1, 0.5, 0.2, 0.7};
  const auto count = [&](double longest) {
    const problem q{ring{}, y0, 0.0, 1.0, vec{0.7}};
    return allocations_of([&] {
      auto s = solve(q, tsit5{}, {.max_step = longest}, recursive_checkpoint{.slots = 10});
      s.pullback(y0);
    });
  };
  CHECK(count(1.0 / 4000) == count(1.0 / 1000));
}

}  // namespace
}  // namespace revode

#endif
