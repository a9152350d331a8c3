// SPDX-License-Identifier: Apache-2.0
#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/interop/eigen.hpp>
#include <revode/solvers/carpenter_kennedy2n54.hpp>
#include <revode/solvers/dop853.hpp>
#include <revode/solvers/reversible_heun.hpp>
#include <revode/solvers/rock4.hpp>
#include <revode/solvers/stormer_verlet.hpp>
#include <revode/solvers/tsit5.hpp>
#include <revode/solvers/vern7.hpp>

#include "hashes.hpp"

namespace revode::golden {
namespace {

template <class Y = state, class M>
void print_method(const M& m, const char* form, double fixed_step = 0) {
  const auto q = oscillation<Y>();
  print_pulled(std::string(M::name) + form, solve(q, m,
                                                  options{.rtol = 1e-5,
                                                          .atol = 1e-7,
                                                          .fixed_step = fixed_step,
                                                          .save = {.t0 = true, .t1 = true}},
                                                  recursive_checkpoint{.slots = 4}));
}

}  // namespace

void print_methods() {
  print_method(tsit5{}, "");
  print_method<vec<float, 4>>(tsit5{}, ", float");
  print_method<Eigen::VectorXd>(tsit5{}, ", Eigen vector");
  print_method(dop853{}, "");
  print_method(vern7{}, ", equal steps", 0.3);
  print_method(rock4{}, "");
  print_method(carpenter_kennedy2n54{}, ", equal steps", 0.1);
  print_method(stormer_verlet{}, ", equal steps", 0.1);
  print_method(reversible_heun{}, "");
}

}  // namespace revode::golden
