// SPDX-License-Identifier: Apache-2.0
// SUNDIALS: ARKODE's explicit Runge-Kutta pairs, CVODE's Adams methods (functional iteration; Newton
// with dense difference quotients), and CVODES' adjoint of both.
#include <arkode/arkode_erkstep.h>
#include <cvodes/cvodes.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_config.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include "contest.hpp"

namespace revode::peers {
namespace {

const plain& of(void* data) { return *static_cast<const plain*>(data); }
double* at(N_Vector v) { return N_VGetArrayPointer(v); }

int field(double t, N_Vector y, N_Vector dy, void* data) {
  of(data).field(of(data).self, t, at(y), at(dy));
  return 0;
}
int adjoint_field(double t, N_Vector y, N_Vector w, N_Vector dw, void* data) {
  of(data).pull(of(data).self, t, at(y), at(w), at(dw), nullptr);
  N_VScale(-1, dw, dw);
  return 0;
}
int quadrature(double t, N_Vector y, N_Vector w, N_Vector dq, void* data) {
  of(data).pull(of(data).self, t, at(y), at(w), nullptr, at(dq));
  N_VScale(-1, dq, dq);
  return 0;
}

/// A context and the state of a solve in it.
struct vectors {
  SUNContext context = nullptr;
  N_Vector y = nullptr;

  explicit vectors(std::vector<double>& values) {
    SUNContext_Create(nullptr, &context);
    y = N_VMake_Serial(static_cast<sunindextype>(values.size()), values.data(), context);
  }
  vectors(const vectors&) = delete;
  ~vectors() {
    N_VDestroy(y);
    SUNContext_Free(&context);
  }
};

wpd::ending by_arkode(const plain& q, double rtol, ARKODE_ERKTableID pair) {
  wpd::ending e{q.y0};
  const vectors v(e.y);
  void* memory = ERKStepCreate(field, 0, v.y, v.context);
  ERKStepSetErrFile(memory, nullptr);
  ERKStepSetTableNum(memory, pair);
  ERKStepSStolerances(memory, rtol, rtol);
  ERKStepSetUserData(memory, const_cast<plain*>(&q));
  ERKStepSetMaxNumSteps(memory, most_steps);
  ERKStepSetStopTime(memory, q.t1);
  double t = 0;
  const int flag = ERKStepEvolve(memory, q.t1, v.y, &t, ARK_NORMAL);
  if (flag < 0) e.status = "flag " + std::to_string(flag);
  long steps = 0, attempts = 0, fields = 0;
  ERKStepGetNumSteps(memory, &steps);
  ERKStepGetNumStepAttempts(memory, &attempts);
  ERKStepGetNumRhsEvals(memory, &fields);
  e.accepted = steps, e.rejected = attempts - steps, e.fields = fields;
  ERKStepFree(&memory);
  return e;
}

enum class corrector { functional, newton };

/// CVODES forward and, if asked, back.
class adams {
 public:
  adams(const plain& q, double rtol, corrector how, std::vector<double>& y)
      : q_(q),
        rtol_(rtol),
        how_(how),
        v_(y) {
    memory_ = CVodeCreate(CV_ADAMS, v_.context);
    CVodeSetErrFile(memory_, nullptr);
    CVodeInit(memory_, field, 0, v_.y);
    CVodeSStolerances(memory_, rtol, rtol);
    CVodeSetUserData(memory_, const_cast<plain*>(&q));
    CVodeSetMaxNumSteps(memory_, most_steps);
    CVodeSetStopTime(memory_, q.t1);
    if (how == corrector::functional) {
      iteration_[0] = SUNNonlinSol_FixedPoint(v_.y, 0, v_.context);
      CVodeSetNonlinearSolver(memory_, iteration_[0]);
      return;
    }
    make_algebra(0);
    CVodeSetLinearSolver(memory_, algebra_[0], matrix_[0]);
  }
  adams(const adams&) = delete;
  ~adams() {
    CVodeFree(&memory_);
    for (SUNNonlinearSolver s : iteration_)
      if (s != nullptr) SUNNonlinSolFree(s);
    for (SUNLinearSolver s : algebra_)
      if (s != nullptr) SUNLinSolFree(s);
    for (SUNMatrix m : matrix_)
      if (m != nullptr) SUNMatDestroy(m);
    for (N_Vector v : {w_, p_})
      if (v != nullptr) N_VDestroy(v);
  }

  void solve(wpd::ending& e) {
    double t = 0;
    count(CVode(memory_, q_.t1, v_.y, &t, CV_NORMAL), e);
  }
  void solve(wpd::ending& e, long stored, int polynomials) {
    double t = 0;
    int checkpoints = 0;
    CVodeAdjInit(memory_, stored, polynomials);
    count(CVodeF(memory_, q_.t1, v_.y, &t, CV_NORMAL, &checkpoints), e);
  }
  /// w: the loss's gradient by the end state, then by the start; p: its gradient by p
  void back(std::vector<double>& w, std::vector<double>& p, wpd::ending& e) {
    w_ = N_VMake_Serial(q_.n, w.data(), v_.context);
    p_ = N_VMake_Serial(q_.np, p.data(), v_.context);
    int which = 0;
    CVodeCreateB(memory_, CV_ADAMS, &which);
    CVodeInitB(memory_, which, adjoint_field, q_.t1, w_);
    CVodeSStolerancesB(memory_, which, rtol_, rtol_);
    CVodeSetUserDataB(memory_, which, const_cast<plain*>(&q_));
    CVodeSetMaxNumStepsB(memory_, which, most_steps);
    if (how_ == corrector::functional) {
      iteration_[1] = SUNNonlinSol_FixedPoint(w_, 0, v_.context);
      CVodeSetNonlinearSolverB(memory_, which, iteration_[1]);
    } else {
      make_algebra(1);
      CVodeSetLinearSolverB(memory_, which, algebra_[1], matrix_[1]);
    }
    CVodeQuadInitB(memory_, which, quadrature, p_);
    int flag = CVodeB(memory_, 0, CV_NORMAL);
    double t = 0;
    if (flag >= 0) flag = CVodeGetB(memory_, which, &t, w_);
    if (flag >= 0) flag = CVodeGetQuadB(memory_, which, &t, p_);
    if (flag < 0) e.status = "flag " + std::to_string(flag);
  }

 private:
  void make_algebra(int sweep) {
    matrix_[sweep] = SUNDenseMatrix(q_.n, q_.n, v_.context);
    algebra_[sweep] = SUNLinSol_Dense(v_.y, matrix_[sweep], v_.context);
  }
  void count(int flag, wpd::ending& e) {
    if (flag < 0) e.status = "flag " + std::to_string(flag);
    long steps = 0, failed = 0, iterations = 0, fields = 0, by_jacobian = 0;
    CVodeGetNumSteps(memory_, &steps);
    CVodeGetNumErrTestFails(memory_, &failed);
    CVodeGetNumNonlinSolvConvFails(memory_, &iterations);
    CVodeGetNumRhsEvals(memory_, &fields);
    if (algebra_[0] != nullptr) CVodeGetNumLinRhsEvals(memory_, &by_jacobian);
    e.accepted = steps, e.rejected = failed + iterations, e.fields = fields + by_jacobian;
  }

  const plain& q_;
  double rtol_;
  corrector how_;
  vectors v_;
  void* memory_ = nullptr;
  SUNNonlinearSolver iteration_[2] = {};
  SUNMatrix matrix_[2] = {};  // forward, and back
  SUNLinearSolver algebra_[2] = {};
  N_Vector w_ = nullptr, p_ = nullptr;
};

wpd::ending by_adams(const plain& q, double rtol, corrector how) {
  wpd::ending e{q.y0};
  adams(q, rtol, how, e.y).solve(e);
  return e;
}

wpd::ending by_adjoint(const plain& q, double rtol, corrector how, long stored, int polynomials) {
  wpd::ending e;
  std::vector<double> y = q.y0, p(q.p.size());
  {
    adams a(q, rtol, how, y);
    a.solve(e, stored, polynomials);
    if (e.status == "success") a.back(y, p, e);
  }
  e.y = y;
  e.y.insert(e.y.end(), p.begin(), p.end());
  return e;
}

constexpr int most_dense = 100;  // equations, for Newton's method

void add_adjoint(contest& c, const plain& q, corrector how, int polynomials, long stored) {
  const std::string name =
      std::string("CVODES Adams, ") + (how == corrector::newton ? "Newton, " : "") +
      (polynomials == CV_HERMITE ? "Hermite" : "polynomials") + ", Nd = " + std::to_string(stored);
  c.gradients.add(q.name, name, true, [q, how, stored, polynomials](double rtol) {
    return by_adjoint(q, rtol, how, stored, polynomials);
  });
}

}  // namespace

std::string add_sundials(contest& c) {
  for (const plain& q : plain_problems()) {
    const auto solver = [&](const char* name, auto run) { c.solves.add(q.name, name, true, run); };
    const auto pair = [&](const char* name, ARKODE_ERKTableID which) {
      solver(name, [q, which](double rtol) { return by_arkode(q, rtol, which); });
    };
    pair("ARKODE Dormand-Prince 5(4)", ARKODE_DORMAND_PRINCE_7_4_5);
    pair("ARKODE Fehlberg 8(7)", ARKODE_FEHLBERG_13_7_8);
    solver("CVODE Adams", [q](double rtol) { return by_adams(q, rtol, corrector::functional); });
    if (q.n <= most_dense)
      solver("CVODE Adams, Newton",
             [q](double rtol) { return by_adams(q, rtol, corrector::newton); });
    for (const corrector how : {corrector::functional, corrector::newton})
      for (const int polynomials : {CV_HERMITE, CV_POLYNOMIAL})
        for (const long stored : {10L, 100L, 1000L})
          if (how == corrector::functional || q.n <= most_dense)
            add_adjoint(c, q, how, polynomials, stored);
  }
  return "SUNDIALS " SUNDIALS_VERSION " (" REVODE_PEERS_ORIGIN ")";
}

}  // namespace revode::peers
