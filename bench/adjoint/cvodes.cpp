// SPDX-License-Identifier: Apache-2.0
// SUNDIALS' CVODES: BDF forward with checkpoints every Nd steps and the states between them again,
// cubic Hermite polynomials through these, BDF for the adjoint equations, quadratures for the
// parameters. Linear algebra: GMRES or BiCGSTAB without preconditioner, KLU with the ordering that
// revode's has (AMD; SUNDIALS' own default is COLAMD), or dense.
#include <cvodes/cvodes.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_config.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_spbcgs.h>
#include <sunlinsol/sunlinsol_spgmr.h>
#include <sunmatrix/sunmatrix_dense.h>
#if __has_include(<sunlinsol/sunlinsol_klu.h>) && __has_include(<klu.h>)
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_sparse.h>
#define REVODE_BENCH_KLU 1
#endif

#include <algorithm>

#include "allocator.hpp"
#include "contest.hpp"

namespace revode::bench {
namespace {

enum class algebra { gmres, bicgstab, direct };

constexpr int krylov = 20;  // directions of GMRES, iterations of BiCGSTAB
constexpr int amd = 0;      // among KLU's orderings

const plain& of(void* data) { return *static_cast<const plain*>(data); }
double* at(N_Vector v) { return N_VGetArrayPointer(v); }

int field(double t, N_Vector y, N_Vector dy, void* data) {
  of(data).field(of(data).self, t, at(y), at(dy));
  return 0;
}
void negate(double* x, int n) {
  for (int i = 0; i < n; ++i) x[i] = -x[i];
}
int adjoint_field(double t, N_Vector y, N_Vector w, N_Vector dw, void* data) {
  of(data).pull(of(data).self, t, at(y), at(w), at(dw), nullptr);
  negate(at(dw), of(data).n);
  return 0;
}
int adjoint_product(N_Vector v, N_Vector out, double t, N_Vector y, N_Vector, N_Vector, void* data,
                    N_Vector) {
  return adjoint_field(t, y, v, out, data);
}
int quadrature(double t, N_Vector y, N_Vector w, N_Vector dq, void* data) {
  of(data).pull(of(data).self, t, at(y), at(w), nullptr, at(dq));
  negate(at(dq), of(data).np);
  return 0;
}
int dense(double t, N_Vector y, N_Vector, SUNMatrix j, void* data, N_Vector, N_Vector, N_Vector) {
  of(data).dense(of(data).self, t, at(y), SUNDenseMatrix_Data(j));
  return 0;
}
int adjoint_dense(double t, N_Vector y, N_Vector, N_Vector, SUNMatrix j, void* data, N_Vector,
                  N_Vector, N_Vector) {
  const int n = of(data).n;
  double* a = SUNDenseMatrix_Data(j);
  of(data).dense(of(data).self, t, at(y), a);
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < i; ++k) std::swap(a[i * n + k], a[k * n + i]);
  negate(a, n * n);
  return 0;
}
#ifdef REVODE_BENCH_KLU
/// Row by row, which is Jᵀ column by column.
int sparse(double t, N_Vector y, N_Vector, SUNMatrix to, void* data, N_Vector, N_Vector, N_Vector) {
  const plain& q = of(data);
  sparse_matrix<double> j{q.pattern, {}};
  q.sparse(q.self, t, at(y), j);
  std::copy_n(q.pattern->starts(), q.n + 1, SUNSparseMatrix_IndexPointers(to));
  std::copy_n(q.pattern->columns(), q.pattern->entries(), SUNSparseMatrix_IndexValues(to));
  std::copy(j.values.begin(), j.values.end(), SUNSparseMatrix_Data(to));
  return 0;
}
int adjoint_sparse(double t, N_Vector y, N_Vector, N_Vector, SUNMatrix to, void* data, N_Vector,
                   N_Vector, N_Vector) {
  sparse(t, y, nullptr, to, data, nullptr, nullptr, nullptr);
  negate(SUNSparseMatrix_Data(to), of(data).pattern->entries());
  return 0;
}
#endif

/// One piece: forward, and back.
class sweep {
 public:
  sweep(const plain& q, double rtol, double t0, double* y, algebra how, long stored)
      : q_(q),
        rtol_(rtol),
        how_(how) {
    SUNContext_Create(nullptr, &context_);
    y_ = N_VMake_Serial(q.n, y, context_);
    memory_ = CVodeCreate(CV_BDF, context_);
    CVodeSetErrFile(memory_, nullptr);
    CVodeInit(memory_, field, t0, y_);
    CVodeSStolerances(memory_, rtol, q.atol(rtol));
    CVodeSetUserData(memory_, const_cast<plain*>(&q));
    CVodeSetMaxNumSteps(memory_, 100000);
    make_algebra(false);
    CVodeSetLinearSolver(memory_, solver_[0], matrix_[0]);
    if (how == algebra::direct) CVodeSetJacFn(memory_, forward_jacobian());
    CVodeAdjInit(memory_, stored, CV_HERMITE);
  }
  sweep(const sweep&) = delete;
  ~sweep() {
    CVodeFree(&memory_);
    for (int k = 0; k < 2; ++k) {
      if (solver_[k] != nullptr) SUNLinSolFree(solver_[k]);
      if (matrix_[k] != nullptr) SUNMatDestroy(matrix_[k]);
    }
    for (N_Vector v : {y_, w_, p_})
      if (v != nullptr) N_VDestroy(v);
    SUNContext_Free(&context_);
  }

  bool forward(double t1, long& steps) {
    int checkpoints = 0;
    double t = 0;
    CVodeSetStopTime(memory_, t1);
    const int flag = CVodeF(memory_, t1, y_, &t, CV_NORMAL, &checkpoints);
    long taken = 0;
    CVodeGetNumSteps(memory_, &taken);
    steps += taken;
    return flag >= 0;
  }

  /// w: the loss's gradient by the end state, then by the start; its gradient by p is added to `by_p`.
  bool back(double t0, double t1, double* w, double* by_p, long& steps) {
    w_ = N_VMake_Serial(q_.n, w, context_);
    p_ = N_VNew_Serial(q_.np, context_);
    N_VConst(0, p_);
    int which = 0;
    CVodeCreateB(memory_, CV_BDF, &which);
    CVodeInitB(memory_, which, adjoint_field, t1, w_);
    CVodeSStolerancesB(memory_, which, rtol_, q_.atol(rtol_));
    CVodeSetUserDataB(memory_, which, const_cast<plain*>(&q_));
    CVodeSetMaxNumStepsB(memory_, which, 100000);
    make_algebra(true);
    CVodeSetLinearSolverB(memory_, which, solver_[1], matrix_[1]);
    if (how_ == algebra::direct)
      CVodeSetJacFnB(memory_, which, adjoint_jacobian());
    else
      CVodeSetJacTimesB(memory_, which, nullptr, adjoint_product);
    CVodeQuadInitB(memory_, which, quadrature, p_);
    bool good = CVodeB(memory_, t0, CV_NORMAL) >= 0;
    double t = 0;
    good = good && CVodeGetB(memory_, which, &t, w_) >= 0;
    good = good && CVodeGetQuadB(memory_, which, &t, p_) >= 0;
    long taken = 0;
    CVodeGetNumSteps(CVodeGetAdjCVodeBmem(memory_, which), &taken);
    steps += taken;
    for (int i = 0; i < q_.np; ++i) by_p[i] += at(p_)[i];
    return good;
  }

 private:
  void make_algebra(bool adjoint) {
    SUNMatrix& matrix = matrix_[adjoint];
    SUNLinearSolver& solver = solver_[adjoint];
    if (how_ == algebra::gmres) {
      solver = SUNLinSol_SPGMR(y_, SUN_PREC_NONE, std::min(krylov, q_.n), context_);
      return;
    }
    if (how_ == algebra::bicgstab) {
      solver = SUNLinSol_SPBCGS(y_, SUN_PREC_NONE, krylov, context_);
      return;
    }
#ifdef REVODE_BENCH_KLU
    if (q_.pattern != nullptr) {
      matrix =
          SUNSparseMatrix(q_.n, q_.n, q_.pattern->entries(), adjoint ? CSC_MAT : CSR_MAT, context_);
      solver = SUNLinSol_KLU(y_, matrix, context_);
      SUNLinSol_KLUSetOrdering(solver, amd);
      return;
    }
#endif
    matrix = SUNDenseMatrix(q_.n, q_.n, context_);
    solver = SUNLinSol_Dense(y_, matrix, context_);
  }
  CVLsJacFn forward_jacobian() const {
#ifdef REVODE_BENCH_KLU
    if (q_.pattern != nullptr) return sparse;
#endif
    return dense;
  }
  CVLsJacFnB adjoint_jacobian() const {
#ifdef REVODE_BENCH_KLU
    if (q_.pattern != nullptr) return adjoint_sparse;
#endif
    return adjoint_dense;
  }

  const plain& q_;
  double rtol_;
  algebra how_;
  SUNContext context_ = nullptr;
  N_Vector y_ = nullptr, w_ = nullptr, p_ = nullptr;
  void* memory_ = nullptr;
  SUNMatrix matrix_[2] = {};
  SUNLinearSolver solver_[2] = {};
};

answer gradient_of(const plain& q, double rtol, algebra how, long stored) {
  const heap_count heap;
  std::vector<double> y = q.y0;
  answer a{{}, std::vector<double>(static_cast<std::size_t>(q.np)), true};
  std::vector<std::unique_ptr<sweep>> sweeps;
  for (const auto& [t0, t1] : q.pieces) {
    sweeps.push_back(std::make_unique<sweep>(q, rtol, t0, y.data(), how, stored));
    a.good = a.good && sweeps.back()->forward(t1, a.steps);
  }
  a.by_state = y;
  while (!sweeps.empty() && a.good) {
    const auto [t0, t1] = q.pieces[sweeps.size() - 1];
    a.good = sweeps.back()->back(t0, t1, a.by_state.data(), a.by_parameters.data(), a.back);
    sweeps.pop_back();
  }
  a.bytes = heap.peak();
  return a;
}

}  // namespace

std::string add_cvodes(const plain& q, std::vector<contender>& all) {
  for (const algebra how : {algebra::gmres, algebra::bicgstab, algebra::direct})
    for (const long stored : {2L, 10L, 50L, 250L, 1000L}) {
      const char* name = how == algebra::gmres      ? "CVODES, GMRES"
                         : how == algebra::bicgstab ? "CVODES, BiCGSTAB"
                         : q.pattern != nullptr     ? "CVODES, KLU"
                                                    : "CVODES, dense";
      all.push_back({name, "Nd = " + std::to_string(stored),
                     [=](double rtol) { return gradient_of(q, rtol, how, stored); }});
    }
  return "SUNDIALS " SUNDIALS_VERSION;
}

}  // namespace revode::bench
