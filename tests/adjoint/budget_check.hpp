// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include "allocations.hpp"

#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/interop/eigen.hpp>
#include <revode/linalg/sparse/sparsity.hpp>

namespace revode {

/// Heat along a rod of n points, whose derivatives take no memory of their own.
struct rod {
  static constexpr bool autonomous = true;
  template <class Y>
  static auto bend(const Y& y, int i) {
    using T = scalar_t<Y>;
    const T none(0), &before = i > 0 ? y.data()[i - 1] : none;
    const T& after = i + 1 < length(y) ? y.data()[i + 1] : none;
    return T(before - 2.0 * y.data()[i] + after);
  }
  template <class S, class Y, class Out>
  static void laplacian(const S& by, const Y& y, Out& out) {
    const int n = length(y);
    for (int i = 0; i < n; ++i) out.data()[i] += by * bend(y, i);
  }
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    fill(dy, scalar_t<Y>(0));
    laplacian(p.data()[0], y, dy);
  }
  template <class T, class Y, class P, class J>
  void jacobian(const T&, const Y& y, const P& p, J& j) const {
    for (int i = 0, n = length(y); i < n; ++i)
      for (int k = 0; k < n; ++k)
        j(i, k) = i == k ? -2 * p.data()[0] : i - k == 1 || k - i == 1 ? p.data()[0] : 0;
  }
  template <class T, class Y, class P>
  void vjp(const T&, const Y& y, const P& p, const Y& w, T&, Y& gy, P& gp) const {
    laplacian(p.data()[0], w, gy);
    for (int i = 0, n = length(y); i < n; ++i) gp.data()[0] += w.data()[i] * bend(y, i);
  }
  template <class T, class Y, class P>
  void second(const T&, const Y&, const P&, const Y& u, const T&, const Y& k, T*, Y&, P& gp) const {
    for (int i = 0, n = length(k); i < n; ++i) gp.data()[0] += u.data()[i] * bend(k, i);
  }
  template <class T, class Y, class P>
  void jvp(const T&, const Y& y, const P& p, const T&, const Y& dy, const P& dp, Y& out) const {
    fill(out, T(0));
    laplacian(p.data()[0], dy, out);
    laplacian(dp.data()[0], y, out);
  }
};

/// That of the rod, and of a second neighbour `apart` points away. Each is analysed anew, and factors that another
/// solve has left on it are none.
inline std::shared_ptr<const sparsity> pattern_of_rod(int n, int apart) {
  std::vector<std::pair<int, int>> entries;
  for (int i = 0; i < n; ++i)
    for (const int by : {1, apart})
      if (i + by < n) entries.insert(entries.end(), {{i, i + by}, {i + by, i}});
  return std::make_shared<const sparsity>(n, entries);
}

/// Gradients of the least budget and of more: the bytes that are taken, those that are told, and the bits. `make()` gives
/// the method.
template <class Make>
void check_budget(int n, double stiffness, const Make& make) {
  using method = decltype(make());
  const Eigen::VectorXd y0 = Eigen::VectorXd::LinSpaced(n, 1, 2), w = y0;
  const problem q{rod{}, y0, 0.0, 0.2, vec<double, 1>{stiffness}};
  const options o{.rtol = 1e-6, .atol = 1e-8, .max_steps = 1500};
  CAPTURE(std::string(method::name));
  index least = 0;
  try {
    solve(q, make(), o, recursive_checkpoint{.budget = 1});
  } catch (const std::invalid_argument& misuse) {
    const std::string text = misuse.what(), at = "at least ";
    least = std::stol(text.substr(text.find(at) + at.size()));
  }
  Eigen::VectorXd expected;
  for (const index budget : {least, least + 100 * n * static_cast<index>(sizeof(double))}) {
    const method m = make();
    const auto before = allocations_now().live_bytes;
    watch_peak();
    auto s = solve(q, m, o, recursive_checkpoint{.budget = budget});
    const auto g = s.pullback(w);
    const index used = allocations_now().peak_bytes - before;
    CHECK(g.status == status::success);
    CHECK(used <= budget);
    CHECK(used <= s.plan().bytes);
    if (budget == least) expected = g.y0;
    if (budget == least && counts_malloc()) {
      const auto real = static_cast<double>(used - g.reverse.snapshot_bytes - g.reverse.log_bytes);
      CHECK(static_cast<double>(g.reverse.work_bytes) == doctest::Approx(real).epsilon(0.1));
    }
    CHECK(std::memcmp(g.y0.data(), expected.data(), static_cast<std::size_t>(n) * 8) == 0);
  }
}

}  // namespace revode
