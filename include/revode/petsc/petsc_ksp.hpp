// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <petscksp.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <initializer_list>
#include <limits>
#include <memory>
#include <string>
#include <string_view>

#include <revode/linalg/attachments.hpp>
#include <revode/petsc/petsc_matrix.hpp>
#include <revode/status.hpp>

namespace revode {

/// How systems with Mats are solved. PETSc's options have the last word: -revode_ksp_type, -revode_pc_type, …
struct petsc_settings {
  /// A PCType, as "bjacobi", "asm", "gamg", "hypre", or a direct solver, "mumps", "superlu_dist". Empty: the
  /// default of PETSc.
  std::string pc{};
  std::string prefix = "revode_";
  /// Transposed systems have a Mat of their own, and a preconditioner made of that. Otherwise the one of the
  /// system itself is applied transposed, which some preconditioners do wrongly.
  bool explicit_transpose = true;
  /// The least that is asked of a solve which is looked at again, by Newton, by refinement. 1e-12: a solution
  /// differs by rounding from that of another number of ranks; 1e-3 by what Newton's iteration leaves.
  double rough = 1e-3;
  /// The user's own: sets the PC up as she likes, behind the options. Transposed: it is one of (s I − J)ᵀ.
  std::function<PetscErrorCode(PC, bool transposed)> preconditioner{};
};

/// s I − J, and with that, when first asked for, its transpose, solvers or preconditioners.
class petsc_system {
 public:
  mat_handle matrix{};
  vec_handle right{}, rest{};

  /// Of another matrix from here on.
  void renew(const petsc_matrix& j, double shift) {
    petsc_calls petsc;
    for (direction& of : directions_) {
      of.ksp.clear();
      of.pc.clear();
      of.transpose.clear();
    }
    if (!matrix) petsc(MatDuplicate(j.get(), MAT_DO_NOT_COPY_VALUES, matrix.fresh()));
    petsc(MatCopy(j.get(), matrix.get(), SAME_NONZERO_PATTERN));
    petsc(MatScale(matrix.get(), -1));
    petsc(MatShift(matrix.get(), shift));
    if (!right) petsc(MatCreateVecs(matrix.get(), right.fresh(), rest.fresh()));
  }

  template <bool Transposed>
  KSP ksp(const petsc_settings& s) {
    direction& of = directions_[Transposed ? 1 : 0];
    if (!of.ksp) make_ksp(s, operator_of<Transposed>(s, of), Transposed, of.ksp);
    return of.ksp.get();
  }
  template <bool Transposed>
  PC pc(const petsc_settings& s) {
    direction& of = directions_[Transposed && s.explicit_transpose ? 1 : 0];
    if (of.pc) return of.pc.get();
    petsc_calls petsc;
    petsc(PCCreate(comm(), of.pc.fresh()));
    PC pc = of.pc.get();
    petsc(PCSetOptionsPrefix(pc, s.prefix.c_str()));
    const Mat a = operator_of<Transposed>(s, of);
    petsc(PCSetOperators(pc, a, a));
    name_type(s, pc);
    petsc(PCSetFromOptions(pc));
    if (s.preconditioner) petsc(s.preconditioner(pc, Transposed && s.explicit_transpose));
    petsc(PCSetUp(pc));
    return pc;
  }

 private:
  struct direction {
    mat_handle transpose{};
    petsc_handle<KSP, KSPDestroy> ksp{};
    petsc_handle<PC, PCDestroy> pc{};
  };

  MPI_Comm comm() const { return PetscObjectComm(reinterpret_cast<PetscObject>(matrix.get())); }

  template <bool Transposed>
  Mat operator_of(const petsc_settings& s, direction& of) {
    if (!Transposed || !s.explicit_transpose) return matrix.get();
    petsc_calls petsc;
    if (!of.transpose) petsc(MatTranspose(matrix.get(), MAT_INITIAL_MATRIX, of.transpose.fresh()));
    return of.transpose.get();
  }

  /// A direct solver by its name, or a preconditioner by its own. Whether it is direct.
  static bool name_type(const petsc_settings& s, PC pc) {
    petsc_calls petsc;
    if (s.pc.empty()) return false;
    const auto direct = {MATSOLVERMUMPS, MATSOLVERSUPERLU_DIST, MATSOLVERSUPERLU, MATSOLVERUMFPACK,
                         MATSOLVERKLU};
    const bool is_direct = std::any_of(direct.begin(), direct.end(),
                                       [&](std::string_view name) { return name == s.pc; });
    petsc(PCSetType(pc, is_direct ? PCLU : s.pc.c_str()));
    if (is_direct) petsc(PCFactorSetMatSolverType(pc, s.pc.c_str()));
    return is_direct;
  }

  /// Made anew for every matrix: what it does depends on that alone, and a replay has the bits of the step.
  void make_ksp(const petsc_settings& s, Mat a, bool transposed,
                petsc_handle<KSP, KSPDestroy>& to) const {
    petsc_calls petsc;
    petsc(KSPCreate(comm(), to.fresh()));
    KSP ksp = to.get();
    PC pc = nullptr;
    petsc(KSPSetOptionsPrefix(ksp, s.prefix.c_str()));
    petsc(KSPSetOperators(ksp, a, a));
    petsc(KSPGetPC(ksp, &pc));
    petsc(KSPSetType(ksp, name_type(s, pc) ? KSPPREONLY : KSPGMRES));
    petsc(KSPSetTolerances(ksp, 1e-12, 1e-300, PETSC_DEFAULT, PETSC_DEFAULT));
    petsc(KSPSetFromOptions(ksp));
    if (s.preconditioner) petsc(s.preconditioner(pc, transposed && s.explicit_transpose));
    measure_true_residuals(s, ksp);
  }
  /// Where the method can: from the right, or by another norm, unless the options say otherwise.
  static void measure_true_residuals(const petsc_settings& s, KSP ksp) {
    petsc_calls petsc;
    const auto is_given = [&](const char* option) {
      PetscBool given = PETSC_FALSE;
      petsc(PetscOptionsHasName(nullptr, s.prefix.c_str(), option, &given));
      return given == PETSC_TRUE;
    };
    if (is_given("-ksp_pc_side") || is_given("-ksp_norm_type")) return;
    KSPType type = nullptr;
    petsc(KSPGetType(ksp, &type));
    const std::string_view name(type);
    if (name == KSPGMRES || name == KSPFGMRES || name == KSPLGMRES || name == KSPBCGS)
      petsc(KSPSetPCSide(ksp, PC_RIGHT));
    else if (name != KSPCG)
      return;
    petsc(KSPSetNormType(ksp, KSP_NORM_UNPRECONDITIONED));
  }

  direction directions_[2];
};

/// Solves with s I − J, or its transpose, by a KSP (Solves); or applies a preconditioner of it alone.
template <bool Solves>
class petsc_factors {
  using state = spread<double>;

 public:
  bool factor_shifted(const petsc_matrix& j, double shift) {
    if (!std::isfinite(shift) || !std::isfinite(*j.data())) return false;
    views_ = j.views();
    settings_ = j.settings;
    place_.own().renew(j, shift);
    return true;
  }
  void solve(state& x) const { solve_to<false>(0, x); }
  void solve_transposed(state& x) const { solve_to<true>(0, x); }
  /// Until |b − A x| ≤ tolerance |b|. Whether it came about the true residual tells, whatever PETSc says: where
  /// it is above √tolerance, x becomes NaN on every rank.
  template <bool Transposed>
  void solve_to(double tolerance, state& x) const {
    petsc_calls petsc;
    petsc_system& of = *place_.shared();
    {
      const placed_vec at(views_->first, x);
      double size = 0;
      petsc(VecCopy(at, of.right.get()));
      petsc(VecNorm(of.right.get(), NORM_2, &size));
      finite_ = std::isfinite(size);
      if (finite_ && (size == 0 || (Solves ? run<Transposed>(petsc, of, tolerance, size, at)
                                           : apply<Transposed>(petsc, of, at))))
        return;
    }
    fill(x, std::numeric_limits<double>::quiet_NaN());
  }
  /// Why a solve gave no numbers.
  status trouble_of_numbers() const {
    return finite_ ? status::linear_solve_failure : status::non_finite_field;
  }
  template <class Self, class Visit>
  static void parts(Self&, Visit&&) {}

 private:
  template <bool Transposed>
  bool run(petsc_calls& petsc, petsc_system& of, double tolerance, double size, Vec x) const {
    const bool explicitly = settings_->explicit_transpose;
    const KSP ksp = of.ksp<Transposed>(*settings_);
    double least = 0, left = 0;
    petsc(KSPGetTolerances(ksp, &least, nullptr, nullptr, nullptr));
    const double goal = std::fmax(std::fmin(tolerance, settings_->rough), least);
    petsc(KSPSetTolerances(ksp, goal, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT));
    petsc((Transposed && !explicitly ? KSPSolveTranspose : KSPSolve)(ksp, of.right.get(), x));
    petsc(KSPSetTolerances(ksp, least, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT));
    petsc((Transposed ? MatMultTranspose : MatMult)(of.matrix.get(), x, of.rest.get()));
    petsc(VecAXPY(of.rest.get(), -1, of.right.get()));
    petsc(VecNorm(of.rest.get(), NORM_2, &left));
    return left <= std::sqrt(goal) * size;
  }
  template <bool Transposed>
  bool apply(petsc_calls& petsc, petsc_system& of, Vec x) const {
    const bool explicitly = settings_->explicit_transpose;
    const PC pc = of.pc<Transposed>(*settings_);
    petsc((Transposed && !explicitly ? PCApplyTranspose : PCApply)(pc, of.right.get(), x));
    return true;
  }

  std::shared_ptr<const petsc_views> views_{};
  std::shared_ptr<const petsc_settings> settings_{};
  shared_place<petsc_system> place_{};
  mutable bool finite_ = true;
};

/// What petsc_ksp and petsc_pc have in common.
template <bool Solves>
struct petsc_algebra : petsc_settings {
  static constexpr bool takes_spread = true;
  template <class Y>
  using jacobian = petsc_matrix;
  template <class Y>
  using factors = petsc_factors<Solves>;
  template <class Y>
  using complex_factors = petsc_factors<Solves>;

  template <class System, class Y>
  void evaluate(System& sys, double t, const Y& y, petsc_matrix& j) const {
    if (j.settings == nullptr) j.settings = std::make_shared<petsc_settings>(*this);
    sys.jacobian(t, y, j);
  }
};

/// Implicit methods whose systems are solved by PETSc's KSP, over the ranks of a spread state (see
/// linalg/algebra.hpp). The field brings its Jacobian as a Mat (petsc_field).
///
///   with_algebra<kencarp4, petsc_ksp>{{}, {{.pc = "gamg"}}}          // or -revode_pc_type gamg
///
/// GMRES unless the options say otherwise, from the right, so that residuals are true ones: to 10⁻³ in a Newton
/// iteration (or `rough`), in a derivative to 10⁻⁸ between sweeps of refinement, which end at rounding;
/// -revode_ksp_rtol, where it is larger, instead. On one number of ranks results have the same bits with any
/// slots; on another one they differ by what Newton's iteration leaves, and a pull of the same steps by rounding.
/// cost    a Jacobian taken: an assembly; a factorisation: a KSP, set up when first asked; a solve: a product
///         and three norms more than PETSc's
/// memory  in a step two matrices, two sI − J and what PETSc makes of these; the same in a derivative, once
/// errors  a solve whose true residual is above √tolerance, preconditioners that cannot be set up:
///         status::linear_solve_failure on every rank. PETSc's own errors: std::runtime_error
using petsc_ksp = petsc_algebra<true>;

/// A PC of PETSc as a preconditioner of products alone: with_algebra<kencarp4, gmres<petsc_pc>>. J is where
/// Newton's iteration is, by state_jvp and state_vjp; the matrix may be a nearer one, and is kept.
using petsc_pc = petsc_algebra<false>;

}  // namespace revode
