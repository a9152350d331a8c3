// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <petscsys.h>

#include <exception>
#include <stdexcept>

namespace revode {

/// PETSc, and MPI where nobody began it, for as long as this object lives, in a program that does not call
/// PetscInitialize itself. Options are read from the command line, from PETSC_OPTIONS and from the usual files.
/// end      PetscFinalize; where an exception ends the scope MPI_Abort, as with mpi_session
/// errors   std::logic_error where PETSc is begun already
class petsc_session {
 public:
  petsc_session(int& argc, char**& argv) : exceptions_(std::uncaught_exceptions()) {
    PetscBool begun = PETSC_FALSE;
    PetscInitialized(&begun);
    if (begun == PETSC_TRUE)
      throw std::logic_error(
          "a petsc_session where PETSc is begun (a program begins it once) leave it to whoever "
          "called PetscInitialize?");
    if (PetscInitialize(&argc, &argv, nullptr, nullptr) != 0)
      throw std::runtime_error("PetscInitialize failed (what it printed says why) look there?");
  }
  petsc_session(const petsc_session&) = delete;
  petsc_session& operator=(const petsc_session&) = delete;
  ~petsc_session() {
    if (std::uncaught_exceptions() > exceptions_) MPI_Abort(MPI_COMM_WORLD, 1);
    PetscFinalize();
  }

 private:
  int exceptions_;
};

}  // namespace revode
