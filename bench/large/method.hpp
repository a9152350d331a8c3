// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/interop/klu.hpp>
#include <revode/interop/umfpack.hpp>
#include <revode/linalg/algebra.hpp>
#include <revode/linalg/banded.hpp>
#include <revode/linalg/gmres.hpp>
#include <revode/linalg/ilu0.hpp>
#include <revode/linalg/krylov/bicgstab.hpp>
#include <revode/solvers/bdf.hpp>
#include <revode/solvers/esdirk547.hpp>
#include <revode/solvers/rkc.hpp>
#include <revode/solvers/rock2.hpp>
#include <revode/solvers/rock4.hpp>

#include "task.hpp"

namespace revode::large {

inline const char* label(method m) {
  switch (m) {
    case method::rock4: return "rock4";
    case method::rock2: return "rock2";
    case method::rkc: return "rkc";
    case method::esdirk_klu: return "esdirk547, KLU";
    case method::bdf_klu: return "bdf5, KLU";
    case method::esdirk_umfpack: return "esdirk547, UMFPACK";
    case method::bdf_umfpack: return "bdf5, UMFPACK";
    case method::esdirk_ilu: return "esdirk547, GMRES, ILU(0)";
    case method::bdf_ilu: return "bdf5, GMRES, ILU(0)";
    case method::esdirk_bicgstab: return "esdirk547, BiCGSTAB";
    case method::bdf_bicgstab: return "bdf5, BiCGSTAB";
    case method::esdirk_banded: return "esdirk547, banded";
    case method::bdf_banded: return "bdf5, banded";
  }
  return "";
}

/// For one solve: what an algebra works out for a pattern, each solve does anew.
template <method M>
auto make(const task& q) {
  const auto pattern = [&] { return std::make_shared<const sparsity>(*q.pattern); };
  if constexpr (M == method::rock4) return rock4{};
  if constexpr (M == method::rock2) return rock2{};
  if constexpr (M == method::rkc) return rkc{};
  if constexpr (M == method::esdirk_klu) return with_algebra<esdirk547, klu>{{}, {pattern()}};
  if constexpr (M == method::bdf_klu) return with_algebra<bdf5, klu>{{}, {pattern()}};
  if constexpr (M == method::esdirk_umfpack)
    return with_algebra<esdirk547, umfpack>{{}, {pattern()}};
  if constexpr (M == method::bdf_umfpack) return with_algebra<bdf5, umfpack>{{}, {pattern()}};
  if constexpr (M == method::esdirk_ilu)
    return with_algebra<esdirk547, gmres<ilu0>>{{}, {.preconditioner = {pattern()}}};
  if constexpr (M == method::bdf_ilu)
    return with_algebra<bdf5, gmres<ilu0>>{{}, {.preconditioner = {pattern()}}};
  if constexpr (M == method::esdirk_bicgstab) return with_algebra<esdirk547, bicgstab<>>{};
  if constexpr (M == method::bdf_bicgstab) return with_algebra<bdf5, bicgstab<>>{};
  if constexpr (M == method::esdirk_banded)
    return with_algebra<esdirk547, banded>{{}, {q.band, q.band}};
  if constexpr (M == method::bdf_banded) return with_algebra<bdf5, banded>{{}, {q.band, q.band}};
}

/// Three diagonals' widths of so many numbers are held at once.
constexpr double most_in_bands = 1e7;

inline bool fits(const task& q, method m) {
  if (m != method::esdirk_banded && m != method::bdf_banded) return true;
  return q.band > 0 && static_cast<double>(q.band) * q.n <= most_in_bands;
}

template <class Solution>
wpd::ending ending_of(const Solution& s, numbers result) {
  wpd::ending e{std::move(result)};
  e.status = std::string(name(s.status));
  e.accepted = s.stats.accepted, e.rejected = s.stats.rejected;
  e.jacobians = s.stats.jacobian_evaluations, e.factorizations = s.stats.factorizations;
  return e;
}

template <method M>
void add_method(const task& q, contenders& all) {
  if (!fits(q, M)) return;
  const auto asked = [](double rtol) {
    return options{.rtol = rtol, .atol = rtol, .max_steps = most_attempts};
  };
  all.add(
      label(M), false,
      [&q, asked](double rtol) {
        return counted(q, [&] {
          const called f{q.of.get()};
          const auto s = solve(problem{f, q.y0, 0.0, q.t1, q.p}, make<M>(q), asked(rtol));
          return ending_of(s, s.y);
        });
      },
      [&q, asked](double rtol) {
        return counted(q, [&] {
          const called f{q.of.get()};
          auto s = solve(problem{f, q.y0, 0.0, q.t1, q.p}, make<M>(q), asked(rtol),
                         recursive_checkpoint{.slots = slots});
          if (s.status != status::success) return ending_of(s, q.y0);
          auto g = s.pullback(s.y);
          g.y0.insert(g.y0.end(), g.p.begin(), g.p.end());
          return ending_of(s, std::move(g.y0));
        });
      });
}

}  // namespace revode::large
