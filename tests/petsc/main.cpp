// SPDX-License-Identifier: Apache-2.0
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <revode/mpi/communicator.hpp>
#include <revode/petsc/petsc_session.hpp>

// Every rank runs every test; all but the first are silent unless something fails.
int main(int argc, char** argv) {
  doctest::Context context(argc, argv);
  int none = 0;  // PETSc knows no option of these tests
  char** no_words = nullptr;
  revode::petsc_session session(none, no_words);
  context.setOption("minimal", revode::communicator().rank() != 0);
  return context.run();
}
