// SPDX-License-Identifier: Apache-2.0
// Explicit methods: on coarse grids their many short steps cost less than one factorisation each;
// ROCK4's are as long as the error allows.
#include <algorithm>

#include <revode/solvers/bosh3.hpp>
#include <revode/solvers/rock4.hpp>
#include <revode/solvers/tsit5.hpp>

#include "method.hpp"

namespace revode::bench {

void add_explicit(const selection& which, const std::vector<std::string>& methods,
                  std::vector<contender>& all) {
  if (which.problem != "brusselator_2d") return;
  const written_brusselator f{{which.width}};
  const auto add = [&]<class M>(const M& m) {
    if (methods.empty() || std::find(methods.begin(), methods.end(), M::name) != methods.end())
      add_contender(all, M::name, f, f.y0(), m);
  };
  add(bosh3{});
  add(tsit5{});
  add(rock4{});
}

}  // namespace revode::bench
