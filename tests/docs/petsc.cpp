// SPDX-License-Identifier: Apache-2.0
// links: revode::petsc
// What docs/petsc.md shows, between what a reader has of one's own.
#include <petscts.h>

#include <revode/petsc/petsc_field.hpp>
#include <revode/petsc/petsc_ksp.hpp>
#include <revode/petsc/petsc_session.hpp>
#include <revode/revode.hpp>
using namespace revode;

int main(int argc, char** argv) {
  petsc_session session(argc, argv);                     // or PetscInitialize and PetscFinalize of your own
  const options o;
  Vec u = nullptr;
  Mat j = nullptr;
  DM dm = nullptr;
  TS ts = nullptr;
  using parameters = petsc_callbacks::parameters;
  const auto value = [](double, Vec y, parameters p, Vec dy) { return VecAXPBY(dy, -p[0], 0, y); };
  const auto jacobian = [](double, Vec, parameters p, Mat to) { return MatShift(to, -p[0]); };
  const auto parameter_vjp = [](double, Vec, parameters, Vec, double&, std::span<double>) {
    return PetscErrorCode(0);
  };
  const spread_layout layout = layout_of(u);             // u: a Vec, as a DM gives it; its parts are the state's
  const petsc_field f(layout, {.value = value, .jacobian = jacobian, .parameter_vjp = parameter_vjp, .matrix = j, .halos = dm});
  const spread<double> w(layout);
  const problem q{f, state_of(layout, u), 0.0, 1.0, block_parameters<double>(layout, {0.1})};
  const with_algebra<kencarp4, petsc_ksp> m{{}, {{.pc = "gamg"}}};
  auto s = solve(q, m, o, recursive_checkpoint{.slots = 10});
  auto g = s.pullback(w);                                // g.y0: this rank's part; g.p[0]: on every rank
  copy_to(g.y0, u);
  const petsc_callbacks of_ts{
      .value = [&](double t, Vec y, auto, Vec dy) { return TSComputeRHSFunction(ts, t, y, dy); },
      .jacobian = [&](double t, Vec y, auto, Mat to) { return TSComputeRHSJacobian(ts, t, y, to, to); },
  };
}
