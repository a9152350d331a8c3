// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <revode/linalg/sparse/sparse_matrix.hpp>
#include <revode/linalg/sparse/sparsity_of.hpp>

namespace revode::bench {

/// The gradient of one problem's loss: half the square of the end state's norm.
struct answer {
  std::vector<double> by_state, by_parameters;
  bool good = false;
  std::size_t bytes = 0;     ///< most that were allocated at once
  long steps = 0, back = 0;  ///< accepted, forward and in reverse
};

/// A problem as a library in C takes it. `pieces` are the spans between which the field jumps.
struct plain {
  std::string name;
  int n, np;
  std::vector<std::pair<double, double>> pieces;
  double (*atol)(double rtol);
  std::vector<double> y0;
  void* self;
  void (*field)(void* self, double t, const double* y, double* dy);
  /// by_state = Jᵀ w, by_parameters = (∂f/∂p)ᵀ w; each unless null
  void (*pull)(void* self, double t, const double* y, const double* w, double* by_state,
               double* by_parameters);
  void (*dense)(void* self, double t, const double* y, double* columns);
  void (*sparse)(void* self, double t, const double* y, sparse_matrix<double>& j);
  std::shared_ptr<const sparsity> pattern;  ///< null: dense Jacobians
  std::shared_ptr<void> owner;
};

/// One solver with one setting of what it stores.
struct contender {
  std::string solver, setting;
  std::function<answer(double rtol)> gradient;
};

/// What the program was asked to run on: brusselator_2d with `width` cells a side, hires or rober.
struct selection {
  std::string problem;
  int width = 0;
};

/// Contenders of one method of revode: a translation unit each.
template <class M>
void add_method(const selection& which, std::vector<contender>& all);

/// Contenders of explicit methods, of which `methods` names some (empty: all), on the Brusselator.
void add_explicit(const selection& which, const std::vector<std::string>& methods,
                  std::vector<contender>& all);

std::string add_cvodes(const plain& q, std::vector<contender>& all);
plain plain_problem(const selection& which);
answer reference(const selection& which);

}  // namespace revode::bench
