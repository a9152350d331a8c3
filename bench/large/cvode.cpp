// SPDX-License-Identifier: Apache-2.0
// SUNDIALS: CVODE's BDF with KLU in the ordering that revode's has (AMD), with BiCGSTAB without preconditioner
// and with GMRES and its banded preconditioner, products by the problem's code; CVODES' adjoint, a checkpoint
// every 50 steps as in SUNDIALS' own examples of advection and diffusion.
#include "../wpd/cvode.hpp"

#include "arrays.hpp"

namespace revode::large {
namespace {

constexpr const char* stored = "Nd = 50";

void add_solve(const task& q, contenders& all, const wpd::plain& p, const char* name,
               wpd::jacobian_kind kind) {
  all.add(name, true, [&q, p, kind](double rtol) {
    return counted(q, [&] {
      wpd::ending e{q.y0};
      wpd::integrator(p, rtol, 0, e.y, kind, q.pattern).run(q.t1, e);
      return e;
    });
  });
}

wpd::ending ending_of(bench::answer a) {
  wpd::ending e{std::move(a.by_state)};
  e.y.insert(e.y.end(), a.by_parameters.begin(), a.by_parameters.end());
  e.status = a.good ? "success" : "failure";
  e.accepted = a.steps;
  return e;
}

}  // namespace

std::string add_cvode(const task& q, contenders& all) {
  const wpd::plain p = to_solve(q);
#ifdef REVODE_WPD_KLU
  add_solve(q, all, p, "CVODE, KLU", wpd::jacobian_kind::amd);
#endif
  add_solve(q, all, p, "CVODE, BiCGSTAB", wpd::jacobian_kind::bicgstab);
  add_solve(q, all, p, "CVODE, GMRES, banded", wpd::jacobian_kind::banded_gmres);
  const auto adjoint = std::make_shared<const bench::plain>(to_differentiate(q));
  std::vector<bench::contender> found;
  bench::add_cvodes(*adjoint, found);
  for (const bench::contender& one : found) {
    if (one.setting != stored || one.solver == "CVODES, GMRES") continue;
    const auto run = one.gradient;
    // named as the solve that it is beside
    all.add("CVODE" + one.solver.substr(6), true, {}, [&q, run, adjoint](double rtol) {
      return counted(q, [&] { return ending_of(run(rtol)); });
    });
  }
#if __has_include(<arkode/arkode_lsrkstep.h>)
  const std::string stabilised = " (its LSRKStep is not driven here)";
#else
  const std::string stabilised = " (which has no LSRKStep)";
#endif
  return "SUNDIALS " SUNDIALS_VERSION + stabilised;
}

}  // namespace revode::large
