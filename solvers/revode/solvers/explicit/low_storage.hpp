// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/explicit/butcher_tableau.hpp>

namespace revode {

// Forms in which low-storage methods are published, and the tableaus that they are. The steps are
// those of the tableau: an adjoint reads every stage from its tape, so registers would save nothing.

/// Williamson's 2N form, two registers u and d:
///   d ← α_i d + h f(t + c_i h, u),  u ← u + β_i d,  i = 1 … S.
template <int S>
struct two_n_form {
  double alpha[S], beta[S], c[S];
};

template <int S>
constexpr butcher_tableau<S> tableau_of(const two_n_form<S>& form) {
  butcher_tableau<S> tableau{};
  double u[S] = {}, d[S] = {};  // what the registers hold of h k_1 … h k_S
  for (int i = 0; i < S; ++i) {
    tableau.c[i] = form.c[i];
    for (int j = 0; j < i; ++j) tableau.a[i][j] = u[j];
    for (int j = 0; j < i; ++j) d[j] *= form.alpha[i];
    d[i] = 1;
    for (int j = 0; j <= i; ++j) u[j] += form.beta[i] * d[j];
  }
  for (int j = 0; j < S; ++j) tableau.b[j] = u[j];
  return tableau;
}

/// Ketcheson's 3S*+ form with the field at the new point as last stage, three registers u, v = 0 and
/// the old state w:
///   v ← v + δ_i u,  u ← γ¹_i u + γ²_i v + γ³_i w + β_i h f(t + c_i h, u),  i = 1 … S;
/// b_embedded has a weight for the last stage.
template <int S>
struct three_s_star_form {
  double gamma1[S], gamma2[S], gamma3[S], delta[S], beta[S], c[S], b_embedded[S + 1];
};

template <int S>
constexpr butcher_tableau<S + 1> tableau_of(const three_s_star_form<S>& form) {
  butcher_tableau<S + 1> tableau{};
  double u[S] = {}, v[S] = {};
  for (int i = 0; i < S; ++i) {
    tableau.c[i] = form.c[i];
    for (int j = 0; j < i; ++j) {
      tableau.a[i][j] = u[j];
      v[j] += form.delta[i] * u[j];
      u[j] = form.gamma1[i] * u[j] + form.gamma2[i] * v[j];
    }
    u[i] = form.beta[i];
  }
  tableau.c[S] = 1;
  for (int j = 0; j < S; ++j) tableau.b[j] = tableau.a[S][j] = u[j];
  for (int j = 0; j <= S; ++j) tableau.b_embedded[j] = form.b_embedded[j];
  return tableau;
}

}  // namespace revode
