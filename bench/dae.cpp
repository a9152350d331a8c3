// SPDX-License-Identifier: Apache-2.0
// The named problems M y' = f by every kind of method that takes a mass matrix, beside SUNDIALS' IDA where
// it is installed, with its usual Newton tolerance and with a hundredth of it.

#include <algorithm>
#include <cmath>
#include <string>

#include <revode/problems/andrews.hpp>
#include <revode/problems/car_axis.hpp>
#include <revode/problems/chemakzo.hpp>
#include <revode/problems/pendulum_index1.hpp>
#include <revode/problems/pendulum_index2.hpp>
#include <revode/problems/pendulum_index3.hpp>
#include <revode/problems/rober_dae.hpp>
#include <revode/problems/transamp.hpp>
#include <revode/solve/solve.hpp>
#include <revode/solvers/bdf.hpp>
#include <revode/solvers/radau_iia5.hpp>
#include <revode/solvers/radau_iia9.hpp>
#include <revode/solvers/rodas4.hpp>
#include <revode/solvers/rodas5p.hpp>

#include "json_lines.hpp"
#include "processor_seconds.hpp"

#ifdef REVODE_BENCH_IDA
#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#endif

namespace revode {
namespace {

struct row {
  std::string method;
  bool success = false;
  double digits = 0, seconds = 1e300;
  long steps = 0, rejected = 0, evaluations = 0, jacobians = 0, factorizations = 0;
};

/// −log₁₀ of the largest error over atol/rtol + |reference|.
template <class F, class Y>
double digits_of(const F& f, const Y& y, const options& o) {
  double worst = 0;
  const auto reference = f.reference();
  for (int i = 0; i < length(y); ++i)
    worst = std::fmax(worst,
                      std::abs(y[i] - reference[i]) / (o.atol / o.rtol + std::abs(reference[i])));
  return -std::log10(worst);
}

/// The best time of some runs of `solve_once`, which returns a row.
template <class Solve>
row best_of(const Solve& solve_once) {
  row best;
  for (int run = 0; run < 10; ++run) {
    const double start = processor_seconds();
    row r = solve_once();
    r.seconds = std::min(best.seconds, processor_seconds() - start);
    best = r;
    if (r.seconds > 0.2) break;
  }
  return best;
}

template <class Solution>
row row_of(const char* method, const Solution& s, double digits) {
  return {method,
          s.status == status::success,
          digits,
          0,
          s.stats.accepted,
          s.stats.rejected,
          s.stats.field_evaluations,
          s.stats.jacobian_evaluations,
          s.stats.factorizations};
}

template <class M, class F>
row measure(const F& f, const options& o) {
  const problem q{f, f.y0(), F::t0, F::t1, f.parameters()};
  return best_of([&] {
    const auto s = solve(q, M{}, o);
    return row_of(M::name, s, digits_of(f, s.y, o));
  });
}

#ifdef REVODE_BENCH_IDA
/// F(t, y, y') = M y' − f by IDA, with the Jacobian that revode has.
template <class F>
struct ida_problem {
  using state = decltype(F{}.y0());
  using parameters = decltype(F{}.parameters());
  static constexpr int n = state::size();
  F f{};
  parameters p = f.parameters();
  system<F, state, parameters> sys{f, p};

  static state take(N_Vector v) {
    state y;
    std::copy_n(N_VGetArrayPointer(v), n, y.data());
    return y;
  }
  static int residual(double t, N_Vector y, N_Vector slope, N_Vector out, void* self) {
    auto& sys = static_cast<ida_problem*>(self)->sys;
    state dy;
    sys(t, take(y), dy);
    const double* rate = N_VGetArrayPointer(slope);
    for (int i = 0; i < n; ++i)
      N_VGetArrayPointer(out)[i] = add_mass_times(sys.mass, i, 1.0, rate, -dy[i]);
    return all_finite(dy) ? 0 : 1;
  }
  static int jacobian(double t, double shift, N_Vector y, N_Vector, N_Vector, SUNMatrix j,
                      void* self, N_Vector, N_Vector, N_Vector) {
    auto& sys = static_cast<ida_problem*>(self)->sys;
    mat<double, n> a;
    sys.jacobian(t, take(y), a);
    sys.mass.subtract_from(a, shift);
    for (int i = 0; i < n; ++i)
      for (int k = 0; k < n; ++k) SM_ELEMENT_D(j, i, k) = -a(i, k);
    return 0;
  }
};

template <class F>
row measure_ida(const options& o, double newton) {
  using problem_type = ida_problem<F>;
  problem_type q;
  const auto once = [&] {
    SUNContext context;
    SUNContext_Create(nullptr, &context);
    N_Vector y = N_VNew_Serial(q.n, context), slope = N_VClone(y);
    auto start = q.f.y0(), rate = start;
    make_consistent(q.sys, F::t0, start);
    slope_of(q.sys, F::t0, start, rate);
    std::copy_n(start.data(), q.n, N_VGetArrayPointer(y));
    std::copy_n(rate.data(), q.n, N_VGetArrayPointer(slope));
    void* ida = IDACreate(context);
    IDAInit(ida, problem_type::residual, F::t0, y, slope);
    IDASStolerances(ida, o.rtol, o.atol);
    IDASetUserData(ida, &q);
    SUNMatrix j = SUNDenseMatrix(q.n, q.n, context);
    SUNLinearSolver solver = SUNLinSol_Dense(y, j, context);
    IDASetLinearSolver(ida, solver, j);
    IDASetJacFn(ida, problem_type::jacobian);
    IDASetMaxNumSteps(ida, 1'000'000);
    IDASetNonlinConvCoef(ida, newton);
    if (o.first_step > 0) IDASetInitStep(ida, o.first_step);
    IDASetErrHandlerFn(
        ida, [](int, const char*, const char*, char*, void*) {}, nullptr);
    double t = F::t0;
    row r{newton < 0.1 ? "IDA, Newton 0.0033" : "IDA"};
    r.success = IDASolve(ida, F::t1, &t, y, slope, IDA_NORMAL) == IDA_SUCCESS;
    r.digits = digits_of(q.f, problem_type::take(y), o);
    IDAGetNumSteps(ida, &r.steps);
    IDAGetNumErrTestFails(ida, &r.rejected);
    IDAGetNumResEvals(ida, &r.evaluations);
    IDAGetNumJacEvals(ida, &r.jacobians);
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

/// The row of `r`, with what it is of.
nlohmann::json named(const row& r, const char* problem, const options& o) {
  return {{"problem", problem},
          {"rtol", o.rtol},
          {"atol", o.atol},
          {"method", r.method},
          {"success", r.success},
          {"digits", r.digits},
          {"steps", r.steps},
          {"rejected", r.rejected},
          {"evaluations", r.evaluations},
          {"jacobians", r.jacobians},
          {"factorizations", r.factorizations},
          {"seconds", r.seconds}};
}

/// Those of index 1, with times.
template <class F>
void measure_all(kept_rows& rows, const F& f, double atol = 0) {
  for (const double rtol : {1e-4, 1e-6, 1e-8, 1e-10}) {
    const options o{.rtol = rtol,
                    .atol = atol > 0 ? atol : f.atol(rtol),
                    .first_step = F::t1 < 1e6 ? 1e-6 : 0,
                    .max_steps = 1'000'000};
    const auto add = [&](const row& r) { rows.add(named(r, F::name, o)); };
    add(measure<rodas4>(f, o));
    add(measure<rodas5p>(f, o));
    add(measure<radau_iia5>(f, o));
    add(measure<radau_iia9>(f, o));
    add(measure<bdf5>(f, o));
#ifdef REVODE_BENCH_IDA
    add(measure_ida<F>(o, 0.33));
    add(measure_ida<F>(o, 0.0033));
#endif
  }
}

/// Those of index 2 and 3, which are Radau's alone: counts, and digits of the first `count` elements, the
/// positions, beside those of all.
template <class F>
void count_all(kept_rows& rows, const F& f, int count) {
  const problem q{f, f.y0(), F::t0, F::t1, f.parameters()};
  for (const double rtol : {1e-4, 1e-6, 1e-8, 1e-10, 1e-12}) {
    const options o{.rtol = rtol, .atol = rtol, .first_step = 1e-6};
    const auto add = [&](const auto& m) {
      const auto s = solve(q, m, o);
      double positions = 0;
      for (int i = 0; i < count; ++i)
        positions = std::fmax(
            positions, std::abs(s.y[i] - f.reference()[i]) / (1 + std::abs(f.reference()[i])));
      nlohmann::json r = named(row_of(m.name, s, digits_of(f, s.y, o)), F::name, o);
      r.erase("seconds");
      r["positions"] = -std::log10(positions);
      rows.add(r);
    };
    add(radau_iia5{});
    add(radau_iia9{});
  }
}

}  // namespace
}  // namespace revode

int main(int argc, char** argv) {
  revode::kept_rows rows;
  revode::measure_all(rows, revode::transamp{});
  revode::measure_all(rows, revode::chemakzo{}, 1e-12);
  revode::measure_all(rows, revode::pendulum_index1{});
  revode::measure_all(rows, revode::rober_dae{});
  revode::count_all(rows, revode::pendulum_index2{}, 2);
  revode::count_all(rows, revode::pendulum_index3{}, 2);
  revode::count_all(rows, revode::car_axis{}, 4);
  revode::count_all(rows, revode::andrews{}, 7);
  rows.write(revode::output_of(argc, argv, "dae.json"));
}
