// SPDX-License-Identifier: Apache-2.0
// Large named problems M y' = f by sparse matrices: methods with KLU, beside SUNDIALS' IDA with KLU where it is
// installed, with its usual Newton tolerance and with a hundredth of it. Both take the same Jacobian, made of the same
// products, and KLU orders by minimum degree for both. The fields jump: IDA is started anew behind each jump, from the
// consistent state and slope that revode finds, in its time.

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <revode/interop/eigen.hpp>
#include <revode/interop/klu.hpp>
#include <revode/linalg/sparse/sparsity_of.hpp>
#include <revode/problems/battery_cell.hpp>
#include <revode/problems/two_bit_adder.hpp>
#include <revode/solve/solve.hpp>
#include <revode/solvers/bdf.hpp>
#include <revode/solvers/radau.hpp>
#include <revode/solvers/radau_iia5.hpp>
#include <revode/solvers/radau_iia9.hpp>
#include <revode/solvers/rodas5p.hpp>

#include "json_lines.hpp"
#include "processor_seconds.hpp"

#ifdef REVODE_BENCH_IDA
#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_sparse.h>
#endif

namespace revode {
namespace {

using state = std::vector<double>;

struct row {
  std::string method;
  bool success = false;
  double digits = 0, seconds = 1e300;
  long steps = 0, rejected = 0, evaluations = 0, jacobians = 0, factorizations = 0;
};

/// −log₁₀ of the largest error over atol/rtol + |reference|.
template <class F>
double digits_of(const F& f, const state& y, const options& o) {
  double worst = 0;
  const auto at = f.reference_components();
  const auto reference = f.reference();
  for (std::size_t k = 0; k < at.size(); ++k)
    worst = std::fmax(worst, std::abs(y[static_cast<std::size_t>(at[k])] - reference[k]) /
                                 (o.atol / o.rtol + std::abs(reference[k])));
  return -std::log10(worst);
}

/// The best time of three runs of `solve_once`, which returns a row.
template <class Solve>
row best_of(const Solve& solve_once) {
  row best;
  for (int run = 0; run < 3; ++run) {
    const double start = processor_seconds();
    row r = solve_once();
    r.seconds = std::min(best.seconds, processor_seconds() - start);
    best = r;
  }
  return best;
}

template <class F>
using parameters_t = decltype(F{}.parameters());
template <class F>
auto problem_of() {
  return problem<F, state, parameters_t<F>>{F{}, F{}.y0(), F::t0, F::t1, F{}.parameters()};
}

template <class M, class F>
row measure(const std::shared_ptr<const sparsity>& pattern, const options& o) {
  const auto q = problem_of<F>();
  return best_of([&] {
    const auto s = solve(q, with_algebra<M, klu>{{}, {pattern}}, o);
    return row{M::name,
               s.status == status::success,
               digits_of(q.f, s.y, o),
               0,
               s.stats.accepted,
               s.stats.rejected,
               s.stats.field_evaluations,
               s.stats.jacobian_evaluations,
               s.stats.factorizations};
  });
}

#ifdef REVODE_BENCH_IDA
/// F(t, y, y') = M y' − f.
template <class F>
struct ida_problem {
  F f{};
  parameters_t<F> p = f.parameters();
  system<F, state, parameters_t<F>> sys{f, p};
  std::shared_ptr<const sparsity> pattern;
  sparse_matrix<double> j;
  state y = f.y0(), slope = y;

  void take(N_Vector v) { std::copy_n(N_VGetArrayPointer(v), y.size(), y.data()); }
  static int residual(double t, N_Vector y, N_Vector slope, N_Vector out, void* self) {
    auto& q = *static_cast<ida_problem*>(self);
    q.take(y);
    q.sys(t, q.y, q.slope);
    const double* rate = N_VGetArrayPointer(slope);
    for (std::size_t i = 0; i < q.y.size(); ++i)
      N_VGetArrayPointer(out)[i] =
          add_mass_times(q.sys.mass, static_cast<int>(i), 1.0, rate, -q.slope[i]);
    return all_finite(q.slope) ? 0 : 1;
  }
  static int jacobian(double t, double shift, N_Vector y, N_Vector, N_Vector, SUNMatrix to,
                      void* self, N_Vector, N_Vector, N_Vector) {
    auto& q = *static_cast<ida_problem*>(self);
    q.take(y);
    evaluate_on_pattern(q.sys, t, q.y, q.pattern, false, q.j);
    q.sys.mass.subtract_from(q.j, shift);
    const sparsity& s = *q.pattern;
    for (int i = 0; i <= s.size(); ++i) SM_INDEXPTRS_S(to)[i] = s.start(i);
    for (int e = 0; e < s.entries(); ++e) {
      SM_INDEXVALS_S(to)[e] = s.column(e);
      SM_DATA_S(to)[e] = -q.j.values[static_cast<std::size_t>(e)];
    }
    return 0;
  }
};

template <class F>
row measure_ida(const std::shared_ptr<const sparsity>& pattern, const options& o, double newton) {
  const auto once = [&] {
    ida_problem<F> q;
    q.pattern = pattern;
    hold_jacobians(klu{pattern}, q.sys);
    const auto n = static_cast<sunindextype>(q.y.size());
    SUNContext context;
    SUNContext_Create(nullptr, &context);
    N_Vector y = N_VNew_Serial(n, context), slope = N_VClone(y);
    SUNMatrix j = SUNSparseMatrix(n, n, pattern->entries(), CSR_MAT, context);
    SUNLinearSolver solver = SUNLinSol_KLU(y, j, context);
    SUNLinSol_KLUSetOrdering(solver, 0);  // AMD
    void* ida = IDACreate(context);
    row r{newton < 0.1 ? "IDA, Newton 0.0033" : "IDA"};
    r.success = true;
    std::vector<double> ends(F::jumps.begin(), F::jumps.end());
    ends.push_back(F::t1);
    double t = F::t0;
    state at = q.f.y0(), rate = at;
    for (std::size_t k = 0; k < ends.size() && r.success; ++k) {
      make_consistent(q.sys, t, at);
      slope_of(q.sys, t, at, rate);
      std::copy_n(at.data(), n, N_VGetArrayPointer(y));
      std::copy_n(rate.data(), n, N_VGetArrayPointer(slope));
      if (k == 0) {
        IDAInit(ida, ida_problem<F>::residual, t, y, slope);
        IDASStolerances(ida, o.rtol, o.atol);
        IDASetUserData(ida, &q);
        IDASetLinearSolver(ida, solver, j);
        IDASetJacFn(ida, ida_problem<F>::jacobian);
        IDASetMaxNumSteps(ida, 1'000'000);
        IDASetNonlinConvCoef(ida, newton);
        IDASetErrHandlerFn(
            ida, [](int, const char*, const char*, char*, void*) {}, nullptr);
      } else {
        IDAReInit(ida, t, y, slope);
      }
      const double end = k + 1 < ends.size() ? std::nextafter(ends[k], t) : ends[k];
      IDASetStopTime(ida, end);
      r.success = IDASolve(ida, end, &t, y, slope, IDA_NORMAL) >= 0;
      std::copy_n(N_VGetArrayPointer(y), n, at.data());
      t = std::nextafter(ends[k], std::numeric_limits<double>::infinity());
      long steps = 0, rejected = 0, evaluations = 0, jacobians = 0;
      IDAGetNumSteps(ida, &steps);
      IDAGetNumErrTestFails(ida, &rejected);
      IDAGetNumResEvals(ida, &evaluations);
      IDAGetNumJacEvals(ida, &jacobians);
      r.steps += steps;
      r.rejected += rejected;
      r.evaluations += evaluations;
      r.jacobians += jacobians;
    }
    r.digits = digits_of(q.f, at, o);
    r.factorizations = r.jacobians;
    IDAFree(&ida);
    SUNLinSolFree(solver);
    SUNMatDestroy(j);
    N_VDestroy(y);
    N_VDestroy(slope);
    SUNContext_Free(&context);
    return r;
  };
  return best_of(once);
}
#endif

template <class F>
void measure_all(kept_rows& rows, const std::vector<double>& tolerances) {
  const auto pattern = std::make_shared<const sparsity>(sparsity_of(problem_of<F>()));
  for (const double rtol : tolerances) {
    options o{.rtol = rtol, .atol = rtol, .max_steps = 1'000'000};
    o.discontinuities.assign(F::jumps.begin(), F::jumps.end());
    const auto add = [&](const row& r) {
      rows.add({{"problem", F::name},
                {"unknowns", pattern->size()},
                {"entries", pattern->entries()},
                {"rtol", rtol},
                {"atol", rtol},
                {"method", r.method},
                {"success", r.success},
                {"digits", r.digits},
                {"steps", r.steps},
                {"rejected", r.rejected},
                {"evaluations", r.evaluations},
                {"jacobians", r.jacobians},
                {"factorizations", r.factorizations},
                {"seconds", r.seconds}});
    };
    add(measure<bdf5, F>(pattern, o));
    add(measure<rodas5p, F>(pattern, o));
    add(measure<radau_iia5, F>(pattern, o));
    add(measure<radau_iia9, F>(pattern, o));
    add(measure<radau, F>(pattern, o));
#ifdef REVODE_BENCH_IDA
    add(measure_ida<F>(pattern, o, 0.33));
    add(measure_ida<F>(pattern, o, 0.0033));
#endif
  }
}

}  // namespace
}  // namespace revode

int main(int argc, char** argv) {
  revode::kept_rows rows;
  revode::measure_all<revode::battery_cell>(rows, {1e-4, 1e-6, 1e-8});
  revode::measure_all<revode::two_bit_adder>(rows, {1e-4, 1e-5, 1e-6});
  rows.write(revode::output_of(argc, argv, "sparse_dae.json"));
}
