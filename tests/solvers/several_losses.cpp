// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <revode/adjoint/gradients.hpp>
#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/linalg/banded.hpp>
#include <revode/linalg/gmres.hpp>
#include <revode/solvers/all.hpp>

#include <vector>

namespace revode {
namespace {

using states = std::vector<double>;

/// Numbers that spread to their neighbours' neighbours, and grow to 1.
struct spreading {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& u, const P& p, Y& du) const {
    for (int i = 0, n = static_cast<int>(u.size()); i < n; ++i) {
      auto flow = u[i] * (-2.0);
      if (i > 1) flow = flow + u[i - 2];
      if (i + 2 < n) flow = flow + u[i + 2];
      du[i] = p[0] * flow + u[i] * u[i] * (1.0 - u[i]);
    }
  }
};

/// A reverse pass keeps factors from step to step, and what it keeps depends on its loss.
template <class M>
void has_the_bits_of_each_alone(const M& m) {
  CAPTURE(M::name);
  states y0(40);
  for (std::size_t i = 0; i < y0.size(); ++i) y0[i] = 0.1 + 0.02 * static_cast<double>(i);
  const problem q{spreading{}, y0, 0.0, 2.0, states{20.0}};
  auto s = solve(q, m, {.rtol = 1e-5, .atol = 1e-5, .save = {.ts = {0.7}}},
                 recursive_checkpoint{.slots = 3});
  states all(40, 1.0), some(40, 0.0);
  some[3] = 1;
  some[30] = -2;
  const std::vector<cotangents<states>> losses{
      {.y = all}, {.y = some, .ys = {all}}, {.ys = {some}}};
  const auto together = s.gradients(losses);
  for (std::size_t k = 0; k < losses.size(); ++k) {
    CAPTURE(k);
    const auto alone = s.pullback(losses[k]);
    CHECK(alone.status == status::success);
    CHECK(together[k].y0 == alone.y0);
    CHECK(together[k].p == alone.p);
    CHECK(together[k].t1 == alone.t1);
    CHECK(together[k].ts == alone.ts);
  }
}
template <class M>
void by_bands() {
  has_the_bits_of_each_alone(with_algebra<M, banded>{{}, {2, 2}});
}

TEST_CASE("gradients of several losses have the bits of each alone where factors are kept") {
  by_bands<esdirk547>();
  by_bands<kvaerno3>();
  by_bands<radau_iia5>();
  by_bands<bdf5>();
  has_the_bits_of_each_alone(radau{});
  has_the_bits_of_each_alone(with_algebra<kvaerno3, gmres<>>{});
}

}  // namespace
}  // namespace revode
