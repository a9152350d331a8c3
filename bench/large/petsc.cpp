// SPDX-License-Identifier: Apache-2.0
// PETSc's TS, on one rank: BDF of order 5 and ARKIMEX of order 5 with everything in its implicit part, y' − f = 0
// with the matrix shift I − J; the rest as PETSc has it: GMRES with ILU(0), its controllers, its Newton method.
// The first step is revode's.
#include <petscts.h>

#include <algorithm>
#include <type_traits>

#include "arrays.hpp"

namespace revode::large {
namespace {

static_assert(sizeof(PetscInt) == sizeof(int) && std::is_same_v<PetscScalar, double>);

/// One integrator, made and freed with each solve.
class integrator {
 public:
  integrator(const task& q, const wpd::plain& p, TSType type, double rtol)
      : q_(p),
        j_{q.pattern, {}} {
    const sparsity& s = *q.pattern;
    starts_.assign(s.starts(), s.starts() + p.n + 1);
    columns_.assign(s.columns(), s.columns() + s.entries());
    values_.assign(columns_.size(), 0);
    MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, p.n, p.n, starts_.data(), columns_.data(),
                              values_.data(), &matrix_);
    VecCreateSeq(PETSC_COMM_SELF, p.n, &y_);
    double* to = nullptr;
    VecGetArray(y_, &to);
    std::copy(p.y0.begin(), p.y0.end(), to);
    VecRestoreArray(y_, &to);
    TSCreate(PETSC_COMM_SELF, &ts_);
    TSSetProblemType(ts_, TS_NONLINEAR);
    TSSetType(ts_, type);
    if (std::string(type) == TSBDF) {
      TSBDFSetOrder(ts_, 5);
    } else {
      TSARKIMEXSetType(ts_, TSARKIMEX5);
      TSARKIMEXSetFullyImplicit(ts_, PETSC_TRUE);
    }
    TSSetIFunction(ts_, nullptr, residual, this);
    TSSetIJacobian(ts_, matrix_, matrix_, jacobian, this);
    TSSetTolerances(ts_, p.atol(rtol), nullptr, rtol, nullptr);
    TSSetMaxTime(ts_, p.t1);
    TSSetMaxSteps(ts_, static_cast<PetscInt>(most_attempts));
    TSSetMaxSNESFailures(ts_, -1);
    TSSetExactFinalTime(ts_, TS_EXACTFINALTIME_MATCHSTEP);
    TSSetTimeStep(ts_, p.first_step(p.self, 0, p.y0.data(), rtol, 2));
  }
  integrator(const integrator&) = delete;
  ~integrator() {
    TSDestroy(&ts_);
    VecDestroy(&y_);
    MatDestroy(&matrix_);
  }

  wpd::ending run() {
    wpd::ending e;
    const PetscErrorCode failed = TSSolve(ts_, y_);
    TSConvergedReason why = TS_CONVERGED_ITERATING;
    TSGetConvergedReason(ts_, &why);
    if (failed != 0 || why != TS_CONVERGED_TIME)
      e.status = failed != 0 ? "error " + std::to_string(failed) : TSConvergedReasons[why];
    PetscInt steps = 0, rejected = 0;
    TSGetStepNumber(ts_, &steps);
    TSGetStepRejections(ts_, &rejected);
    e.accepted = steps, e.rejected = rejected;
    e.jacobians = e.factorizations = jacobians_;
    const double* from = nullptr;
    VecGetArrayRead(y_, &from);
    e.y.assign(from, from + q_.n);
    VecRestoreArrayRead(y_, &from);
    return e;
  }

 private:
  static PetscErrorCode residual(TS, double t, Vec y, Vec slope, Vec out, void* data) {
    const wpd::plain& q = static_cast<integrator*>(data)->q_;
    const double *at = nullptr, *dy = nullptr;
    double* r = nullptr;
    VecGetArrayRead(y, &at);
    VecGetArrayRead(slope, &dy);
    VecGetArray(out, &r);
    q.field(q.self, t, at, r);
    for (int i = 0; i < q.n; ++i) r[i] = dy[i] - r[i];
    VecRestoreArray(out, &r);
    VecRestoreArrayRead(slope, &dy);
    VecRestoreArrayRead(y, &at);
    return 0;
  }
  static PetscErrorCode jacobian(TS, double t, Vec y, Vec, double shift, Mat, Mat to, void* data) {
    auto& self = *static_cast<integrator*>(data);
    const double* at = nullptr;
    VecGetArrayRead(y, &at);
    self.q_.sparse_jacobian(self.q_.self, t, at, self.j_.pattern, self.j_);
    VecRestoreArrayRead(y, &at);
    ++self.jacobians_;
    double* values = nullptr;
    MatSeqAIJGetArray(to, &values);
    for (int i = 0; i < self.q_.n; ++i)
      for (int e = self.starts_[static_cast<std::size_t>(i)];
           e < self.starts_[static_cast<std::size_t>(i) + 1]; ++e) {
        const auto k = static_cast<std::size_t>(e);
        values[k] = (self.columns_[k] == i ? shift : 0.0) - self.j_.values[k];
      }
    MatSeqAIJRestoreArray(to, &values);
    return 0;
  }

  const wpd::plain& q_;
  sparse_matrix<double> j_;
  std::vector<int> starts_, columns_;
  std::vector<double> values_;
  index jacobians_ = 0;
  Mat matrix_ = nullptr;
  Vec y_ = nullptr;
  TS ts_ = nullptr;
};

/// PETSc, from its first use to the program's end; its errors are returned, not printed.
void begin() {
  static const struct session {
    session() {
      PetscInitializeNoArguments();
      PetscPushErrorHandler(PetscReturnErrorHandler, nullptr);
    }
    ~session() { PetscFinalize(); }
  } only;
}

}  // namespace

std::string add_petsc(const task& q, contenders& all) {
  begin();
  const auto p = std::make_shared<const wpd::plain>(to_solve(q));
  const auto add = [&](const char* name, TSType type) {
    all.add(name, true, [&q, p, type](double rtol) {
      return counted(q, [&] { return integrator(q, *p, type, rtol).run(); });
    });
  };
  add("PETSc BDF, GMRES, ILU(0)", TSBDF);
  add("PETSc ARKIMEX, GMRES, ILU(0)", TSARKIMEX);
  return "PETSc " + std::to_string(PETSC_VERSION_MAJOR) + "." +
         std::to_string(PETSC_VERSION_MINOR) + "." + std::to_string(PETSC_VERSION_SUBMINOR);
}

}  // namespace revode::large
