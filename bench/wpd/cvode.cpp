// SPDX-License-Identifier: Apache-2.0
// SUNDIALS' CVODE, BDF: dense with the user's Jacobian and with its own difference quotients, sparse
// by KLU in the ordering that revode's has (AMD) and in SUNDIALS' own (COLAMD), and on grids BiCGSTAB
// and GMRES without preconditioner, whose products CVODE takes by differences.
#include "cvode.hpp"

#include "grids.hpp"

namespace revode::wpd {
namespace {

void add(contest& c, const plain& q, const char* name, jacobian_kind kind,
         const std::shared_ptr<const sparsity>& pattern = nullptr) {
  c.add(q.name, name, true, [q, kind, pattern](double rtol) {
    ending e{q.y0};
    over_pieces(q.ends, q.t0, [&](double from, double to) {
      return integrator(q, rtol, from, e.y, kind, pattern).run(to, e);
    });
    return e;
  });
}

void add_sparse_cvode(contest& c, const plain& q) {
#ifdef REVODE_WPD_KLU
  const auto pattern = q.pattern(q.self);
  if (pattern->entries() >= q.n * q.n / 4) return;
  add(c, q, "CVODE, KLU", jacobian_kind::amd, pattern);
  add(c, q, "CVODE, KLU by COLAMD", jacobian_kind::colamd, pattern);
#else
  static_cast<void>(c), static_cast<void>(q);
#endif
}
void add_krylov_cvode(contest& c, const plain& q) {
  add(c, q, "CVODE, BiCGSTAB", jacobian_kind::bicgstab);
  add(c, q, "CVODE, GMRES", jacobian_kind::gmres);
}

}  // namespace

std::string add_cvode(contest& c) {
  for (const plain& q : plain_problems(c)) {
    add(c, q, "CVODE", jacobian_kind::user);
    add(c, q, "CVODE, differences", jacobian_kind::differences);
    if (q.n > 20) add_sparse_cvode(c, q);
    if (q.name == grid_name(brusselator_2d::default_size)) add_krylov_cvode(c, q);
  }
  for (const plain& q : grid_problems(c)) {
    add_sparse_cvode(c, q);
    add_krylov_cvode(c, q);
  }
  return "SUNDIALS " SUNDIALS_VERSION;
}

}  // namespace revode::wpd
