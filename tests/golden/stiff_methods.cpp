// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/linalg/banded.hpp>
#include <revode/linalg/gmres.hpp>
#include <revode/solvers/esdirk547.hpp>
#include <revode/solvers/imex.hpp>
#include <revode/solvers/kencarp4.hpp>
#include <revode/solvers/radau_iia5.hpp>
#include <revode/solvers/rodas5p.hpp>

#include "hashes.hpp"

namespace revode::golden {
namespace {

template <class Y = state, class M>
void print_method(const M& m, const char* form, save_at save = {}) {
  print_pulled(std::string(M::name) + form,
               solve(oscillation<Y>(), m, options{.rtol = 1e-5, .atol = 1e-7, .save = save},
                     recursive_checkpoint{.slots = 4}));
}

}  // namespace

void print_stiff_methods() {
  const save_at inside{.ts = {0.4, 1.9}};
  print_method(rodas5p{}, ", save points", inside);
  print_method<std::vector<double>>(rodas5p{}, ", std::vector");
  print_method(with_algebra<rodas5p, banded>{{}, {3, 2}}, ", banded");
  print_method(esdirk547{}, ", save points", inside);
  print_method(kencarp4{}, "");
  print_method(imex<kencarp4>{}, ", both parts");
  print_method(radau_iia5{}, ", save points", inside);
  print_method<std::vector<double>>(with_algebra<radau_iia5, gmres<>>{}, ", GMRES");
}

}  // namespace revode::golden
