// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cvode/cvode.h>
#include <cvode/cvode_bandpre.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_config.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_spbcgs.h>
#include <sunlinsol/sunlinsol_spgmr.h>
#include <sunmatrix/sunmatrix_dense.h>
#if __has_include(<sunlinsol/sunlinsol_klu.h>) && __has_include(<klu.h>)
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_sparse.h>
#define REVODE_WPD_KLU 1
#endif

#include "plain.hpp"

namespace revode::wpd {

enum class jacobian_kind { user, differences, amd, colamd, bicgstab, gmres, banded_gmres };

inline constexpr int krylov = 20;    // iterations of BiCGSTAB, directions of GMRES
inline constexpr int half_band = 1;  // of the matrix that preconditions GMRES: neighbours in a row

inline bool is_sparse(jacobian_kind kind) {
  return kind == jacobian_kind::amd || kind == jacobian_kind::colamd;
}

struct user_data {
  const plain* q;
  sparse_matrix<double> sparse{};
};

inline int finite(const double* x, int n) {
  for (int i = 0; i < n; ++i)
    if (!(x[i] - x[i] == 0)) return 1;  // a failure that a shorter step may mend
  return 0;
}
inline int field(double t, N_Vector y, N_Vector dy, void* data) {
  const plain& q = *static_cast<user_data*>(data)->q;
  q.field(q.self, t, N_VGetArrayPointer(y), N_VGetArrayPointer(dy));
  return finite(N_VGetArrayPointer(dy), q.n);
}
inline int jacobian(double t, N_Vector y, N_Vector, SUNMatrix j, void* data, N_Vector, N_Vector,
                    N_Vector) {
  const plain& q = *static_cast<user_data*>(data)->q;
  q.jacobian(q.self, t, N_VGetArrayPointer(y), SUNDenseMatrix_Data(j));
  return 0;
}
/// Where a problem has it; else CVODE takes products by differences.
inline int product(N_Vector v, N_Vector jv, double t, N_Vector y, N_Vector, void* data, N_Vector) {
  const plain& q = *static_cast<user_data*>(data)->q;
  q.product(q.self, t, N_VGetArrayPointer(y), N_VGetArrayPointer(v), N_VGetArrayPointer(jv));
  return 0;
}
#ifdef REVODE_WPD_KLU
inline int sparse_jacobian(double t, N_Vector y, N_Vector, SUNMatrix j, void* data, N_Vector,
                           N_Vector, N_Vector) {
  auto& [q, values] = *static_cast<user_data*>(data);
  const auto pattern = values.pattern;
  q->sparse_jacobian(q->self, t, N_VGetArrayPointer(y), pattern, values);
  const int n = pattern->size(), entries = pattern->entries();
  std::copy(pattern->starts(), pattern->starts() + n + 1, SUNSparseMatrix_IndexPointers(j));
  std::copy(pattern->columns(), pattern->columns() + entries, SUNSparseMatrix_IndexValues(j));
  std::copy(values.values.begin(), values.values.end(), SUNSparseMatrix_Data(j));
  return 0;
}
#endif

/// One integrator, made and freed with each solve.
class integrator {
 public:
  integrator(const plain& q, double rtol, double t0, std::vector<double>& y, jacobian_kind kind,
             const std::shared_ptr<const sparsity>& pattern)
      : data_{&q, {pattern, {}}} {
    SUNContext_Create(nullptr, &context_);
    y_ = N_VMake_Serial(q.n, y.data(), context_);
    memory_ = CVodeCreate(CV_BDF, context_);
    CVodeSetErrFile(memory_, nullptr);
    CVodeInit(memory_, field, t0, y_);
    CVodeSStolerances(memory_, rtol, q.atol(rtol));
    CVodeSetUserData(memory_, &data_);
    CVodeSetMaxNumSteps(memory_, static_cast<long>(most_steps(q.n)));
    CVodeSetMaxHnilWarns(memory_, -1);
    make_solver(q.n, kind, pattern);
    CVodeSetLinearSolver(memory_, solver_, matrix_);
    if (kind == jacobian_kind::user) CVodeSetJacFn(memory_, jacobian);
    if (matrix_ == nullptr && q.product != nullptr) CVodeSetJacTimes(memory_, nullptr, product);
    if (kind == jacobian_kind::banded_gmres) CVBandPrecInit(memory_, q.n, half_band, half_band);
#ifdef REVODE_WPD_KLU
    if (is_sparse(kind)) CVodeSetJacFn(memory_, sparse_jacobian);
#endif
  }
  integrator(const integrator&) = delete;
  ~integrator() {
    CVodeFree(&memory_);
    SUNLinSolFree(solver_);
    if (matrix_ != nullptr) SUNMatDestroy(matrix_);
    N_VDestroy(y_);
    SUNContext_Free(&context_);
  }

  bool run(double t1, ending& e) {
    double t = 0;
    CVodeSetStopTime(memory_, t1);
    const int flag = CVode(memory_, t1, y_, &t, CV_NORMAL);
    if (flag < 0) e.status = "flag " + std::to_string(flag);
    long steps = 0, failed = 0, corrector = 0, fields = 0, by_jacobian = 0, jacobians = 0, lus = 0;
    CVodeGetNumSteps(memory_, &steps);
    CVodeGetNumErrTestFails(memory_, &failed);
    CVodeGetNumNonlinSolvConvFails(memory_, &corrector);
    CVodeGetNumRhsEvals(memory_, &fields);
    CVodeGetNumLinRhsEvals(memory_, &by_jacobian);
    CVodeGetNumJacEvals(memory_, &jacobians);
    CVodeGetNumLinSolvSetups(memory_, &lus);
    e.accepted += steps;
    e.rejected += failed + corrector;
    e.fields += fields + by_jacobian;
    e.jacobians += jacobians;
    e.factorizations += lus;
    return flag >= 0;
  }

 private:
  void make_solver(int n, jacobian_kind kind, const std::shared_ptr<const sparsity>& pattern) {
    if (kind == jacobian_kind::bicgstab) {
      solver_ = SUNLinSol_SPBCGS(y_, SUN_PREC_NONE, krylov, context_);
      return;
    }
    if (kind == jacobian_kind::gmres || kind == jacobian_kind::banded_gmres) {
      const int side = kind == jacobian_kind::gmres ? SUN_PREC_NONE : SUN_PREC_LEFT;
      solver_ = SUNLinSol_SPGMR(y_, side, krylov, context_);
      return;
    }
#ifdef REVODE_WPD_KLU
    if (is_sparse(kind)) {
      matrix_ = SUNSparseMatrix(n, n, pattern->entries(), CSR_MAT, context_);
      solver_ = SUNLinSol_KLU(y_, matrix_, context_);
      SUNLinSol_KLUSetOrdering(solver_, kind == jacobian_kind::amd ? 0 : 1);
      return;
    }
#else
    static_cast<void>(pattern);
#endif
    matrix_ = SUNDenseMatrix(n, n, context_);
    solver_ = SUNLinSol_Dense(y_, matrix_, context_);
  }

  user_data data_;
  SUNContext context_ = nullptr;
  N_Vector y_ = nullptr;
  void* memory_ = nullptr;
  SUNMatrix matrix_ = nullptr;
  SUNLinearSolver solver_ = nullptr;
};

}  // namespace revode::wpd
