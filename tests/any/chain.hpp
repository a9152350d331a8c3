// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include <revode/any.hpp>

namespace revode {

/// y_i' = d (1.25 y_{i-1} - 2 y_i + 0.75 y_{i+1}) + r y_i (1 - y_i), 0 beyond both ends, with p = (d, r): generic, and by callbacks
/// with derivatives of each shape.
struct chain {
  [[maybe_unused]] static constexpr const char* name = "chain";

  void operator()(const auto&, const auto& y, const auto& p, auto& dy) const {
    const auto n = static_cast<std::ptrdiff_t>(y.size());
    for (std::ptrdiff_t i = 0; i < n; ++i) {
      auto flow = y[i] * (-2.0);
      if (i > 0) flow = flow + 1.25 * y[i - 1];
      if (i + 1 < n) flow = flow + 0.75 * y[i + 1];
      dy[i] = p[0] * flow + p[1] * (y[i] * (1.0 - y[i]));
    }
  }
};

inline any_callbacks chain_alone() {
  return {.f = [](double t, auto y, auto p, auto dy) {
    struct indexed {
      std::span<const double> of;
      std::size_t size() const { return of.size(); }
      double operator[](std::ptrdiff_t i) const { return of[static_cast<std::size_t>(i)]; }
    };
    struct written {
      std::span<double> of;
      double& operator[](std::ptrdiff_t i) const { return of[static_cast<std::size_t>(i)]; }
    } out{dy};
    chain{}(t, indexed{y}, indexed{p}, out);
  }};
}
/// ∂f_i/∂y_i; 1.25 p[0] and 0.75 p[0] lie before and behind it.
inline double on_diagonal(std::span<const double> y, std::span<const double> p, std::size_t i) {
  return -2 * p[0] + p[1] * (1 - 2 * y[i]);
}
inline any_callbacks chain_with_vjp() {
  any_callbacks c = chain_alone();
  c.vjp = [](double, auto y, auto p, auto w, double&, auto gy, auto gp) {
    const std::size_t n = y.size();
    for (std::size_t i = 0; i < n; ++i) {
      const double below = i > 0 ? y[i - 1] : 0, above = i + 1 < n ? y[i + 1] : 0;
      if (i > 0) gy[i - 1] += 1.25 * p[0] * w[i];
      gy[i] += on_diagonal(y, p, i) * w[i];
      if (i + 1 < n) gy[i + 1] += 0.75 * p[0] * w[i];
      if (gp.empty()) continue;
      gp[0] += w[i] * (1.25 * below - 2 * y[i] + 0.75 * above);
      gp[1] += w[i] * y[i] * (1 - y[i]);
    }
  };
  return c;
}
inline any_callbacks chain_with_jvp() {
  any_callbacks c = chain_with_vjp();
  c.jvp = [](double, auto y, auto p, double, auto v, auto u, auto out) {
    const std::size_t n = y.size();
    const double d = u.empty() ? 0 : u[0], r = u.empty() ? 0 : u[1];
    for (std::size_t i = 0; i < n; ++i) {
      const double below = i > 0 ? y[i - 1] : 0, above = i + 1 < n ? y[i + 1] : 0;
      out[i] = on_diagonal(y, p, i) * v[i] + d * (1.25 * below - 2 * y[i] + 0.75 * above) +
               r * y[i] * (1 - y[i]);
      if (i > 0) out[i] += 1.25 * p[0] * v[i - 1];
      if (i + 1 < n) out[i] += 0.75 * p[0] * v[i + 1];
    }
  };
  return c;
}
inline any_callbacks chain_with_band() {
  any_callbacks c = chain_alone();
  c.banded_jacobian = [](double, auto y, auto p, auto band) {
    for (std::size_t i = 0; i < y.size(); ++i) {
      band[3 * i] = 1.25 * p[0];  // beyond both ends as well
      band[3 * i + 2] = 0.75 * p[0];
      band[3 * i + 1] = on_diagonal(y, p, i);
    }
  };
  return c;
}

/// Its pattern by columns, each from the last row to the first.
struct chain_pattern {
  std::vector<int> starts{0}, rows;
  explicit chain_pattern(int n) {
    for (int j = 0; j < n; ++j) {
      for (int i = j + 1; i >= j - 1; --i)
        if (i >= 0 && i < n) rows.push_back(i);
      starts.push_back(static_cast<int>(rows.size()));
    }
  }
};
inline any_callbacks chain_with_entries() {
  any_callbacks c = chain_alone();
  c.sparse_jacobian = [](double, auto y, auto p, auto entries) {
    std::size_t e = 0;
    for (std::size_t j = 0; j < y.size(); ++j) {
      if (j + 1 < y.size()) entries[e++] = 1.25 * p[0];
      entries[e++] = on_diagonal(y, p, j);
      if (j > 0) entries[e++] = 0.75 * p[0];
    }
  };
  return c;
}

inline any_problem of_chain(any_callbacks c, std::size_t n = 12) {
  any_problem q{.f = std::move(c), .y0 = any_state(n), .t1 = 0.5, .p = {40, 3}};
  for (std::size_t i = 0; i < n; ++i) q.y0[i] = 0.1 + 0.05 * static_cast<double>(i * 5 % n);
  return q;
}

}  // namespace revode
