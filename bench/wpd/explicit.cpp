// SPDX-License-Identifier: Apache-2.0
#include <revode/solvers/dop853.hpp>
#include <revode/solvers/rock2.hpp>
#include <revode/solvers/rock4.hpp>

#include "method.hpp"

namespace revode::wpd {

void add_explicit(contest& c) {
  const auto add = [&](const auto& m) {
    if (contest::among(c.methods, m.name)) add_run(c, m.name, m, brusselator_2d{});
  };
  add(rock4{});
  add(rock2{});
  add(dop853{});
}

}  // namespace revode::wpd
