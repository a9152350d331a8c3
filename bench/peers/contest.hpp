// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "../wpd/measure.hpp"

namespace revode::peers {

/// Who solves and who differentiates. The answer of a gradient is that of half the square of the
/// end state's norm, by y0 and then by p.
struct contest {
  wpd::contest solves, gradients;
};

/// A problem as a library in C takes it.
struct plain {
  std::string name;
  int n, np;
  double t1;
  std::vector<double> y0, p;
  void* self;
  void (*field)(void* self, double t, double* y, double* dy);
  /// by_state = Jᵀ w, by_parameters = (∂f/∂p)ᵀ w; each unless null
  void (*pull)(void* self, double t, double* y, double* w, double* by_state, double* by_parameters);
  std::shared_ptr<void> owner;
};
std::vector<plain> plain_problems();

/// One method of revode: a translation unit each.
template <class M>
void add_method(contest& c);

// Peers. Each returns what it is, or why it is not there.
std::string add_odeint(contest& c);
std::string add_sundials(contest& c);

constexpr index most_steps = 1'000'000;

}  // namespace revode::peers
