// SPDX-License-Identifier: Apache-2.0
#include "task.hpp"

namespace revode::large {

std::string add_petsc(const task&, contenders&) {
  return "no PETSc (petsc-dev was not there at build time)";
}

}  // namespace revode::large
