// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <exception>
#include <stdexcept>

namespace revode {

/// MPI for as long as this object lives, in a program that does not call MPI_Init itself:
///
///   int main(int argc, char** argv) {
///     mpi_session session(argc, argv);
///     …                                   // exceptions that all ranks throw are caught in here
///   }
///
/// threads  MPI_THREAD_FUNNELED: lanes may run on threads, this one alone communicates
/// end      MPI_Finalize; where an exception ends the scope MPI_Abort, since ranks that did not throw
///          would wait for this one for ever
/// errors   std::logic_error where MPI is begun already, or has ended
class mpi_session {
 public:
  mpi_session(int& argc, char**& argv) : exceptions_(std::uncaught_exceptions()) {
    int begun = 0;
    MPI_Initialized(&begun);
    if (begun != 0)
      throw std::logic_error(
          "an mpi_session where MPI is begun (a program begins it once) leave it to whoever called "
          "MPI_Init?");
    int threads = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &threads);
  }
  mpi_session(const mpi_session&) = delete;
  mpi_session& operator=(const mpi_session&) = delete;
  ~mpi_session() {
    if (std::uncaught_exceptions() > exceptions_) MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Finalize();
  }

 private:
  int exceptions_;
};

}  // namespace revode
