// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

#include <revode/linalg/krylov/krylov_factors.hpp>

namespace revode {

/// No preconditioner: for problems whose stiffness lies in a few directions.
struct unconditioned {
  struct matrix {
    const double* data() const { return nullptr; }
    std::size_t size() const { return 0; }
  };
  struct identity {
    template <class... Shift>
    bool factor_shifted(const matrix&, const Shift&...) {
      return true;
    }
    template <class... X>
    void solve(X&...) const {}
    template <class X>
    void solve_transposed(X&) const {}
    template <class X>
    void solve_adjoint(X&, X&) const {}
  };
  template <class Y>
  using jacobian = matrix;
  template <class Y>
  using factors = identity;
  template <class Y>
  using complex_factors = identity;
  template <class System, class Y>
  void evaluate(System&, double, const Y&, matrix&) const {}
};

/// Implicit methods without a Jacobian matrix (see algebra.hpp): a Krylov space of products J v of the
/// field's JVP, for transposed solves of its VJP. The preconditioner, from the right, is any algebra,
/// one of the user's as well: it is given the same system and may take a nearer matrix for J.
/// Newton iterations of ESDIRK and IMEX methods take J where they are, and their solves end at a goal, a part
/// of Newton's own tolerance (inexact Newton–Krylov); the preconditioner is kept as factors are.
/// cost    a JVP (VJP) and a preconditioner's solve a product, two of each in Radau's complex half
/// limits  solves end at tolerance |b|, those of refinement, which takes adjoints to rounding, before;
///         what a Newton iteration's solve does not get done within `most` products, the next one does
///         or fails
/// errors  a preconditioner that has no factors or gives NaN: status::linear_solve_failure
/// source  Dembo, Eisenstat & Steihaug, SIAM J. Numer. Anal. 19 (1982) 400–408; Brown & Hindmarsh,
///         SIAM J. Numer. Anal. 23 (1986) 610–638
template <class L, template <class> class Solver>
struct krylov {
  L preconditioner{};
  gmres_limits limits{};
  static constexpr bool inexact = true;
  static constexpr bool near_over_ranks = requires { requires L::takes_spread; };

  template <class Y>
  using jacobian = product_jacobian<L, Y>;
  template <class Y>
  using factors = krylov_factors<L, Solver, Y, 1>;
  template <class Y>
  using complex_factors = krylov_factors<L, Solver, Y, 2>;

  template <class System, class Y>
  void evaluate(System& sys, double t, const Y& y, product_jacobian<L, Y>& j) const {
    if (limits.restart < 1 || limits.most < 1)
      throw std::invalid_argument("GMRES that restarts after " + std::to_string(limits.restart) +
                                  " and ends after " + std::to_string(limits.most) +
                                  " products (it takes one at least) give more?");
    ++sys.counts.jacobian_evaluations;
    j.limits = limits;
    j.take(sys, t, y);
    preconditioner.evaluate(sys, t, y, j.near);
  }
};

///   with_algebra<kencarp4, gmres<banded>> m{{}, {.preconditioner = {1, 1}}};
/// memory  (restart + 8) n numbers an object, 2 (restart + 8) n in the complex half
template <class L = unconditioned>
using gmres = krylov<L, gmres_solver>;

}  // namespace revode
