// SPDX-License-Identifier: Apache-2.0
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <revode/mpi/communicator.hpp>
#include <revode/mpi/mpi_session.hpp>

// Every rank runs every test; all but the first are silent unless something fails.
int main(int argc, char** argv) {
  bool refused = false;
  try {
    revode::communicator too_early;
  } catch (const std::invalid_argument&) {
    refused = true;
  }
  revode::mpi_session session(argc, argv);
  doctest::Context context(argc, argv);
  context.setOption("minimal", revode::communicator().rank() != 0);
  return refused ? context.run() : 2;
}
