// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <cstdint>

#include <revode/mpi/communicator.hpp>

namespace revode {

/// 0, 1, 2, … drawn by all ranks, each number once: MPI_Fetch_and_op on a word of rank 0's. On one
/// machine, and over networks that fetch by themselves, rank 0 is not interrupted; over others it answers
/// when it next calls MPI, and the others wait till then.
/// cost    2 collectives to make it, 1 to close it; a draw is one-sided
class shared_counter {
 public:
  /// Of all ranks.
  explicit shared_counter(const communicator& ranks) : ranks_(ranks) {
    std::int64_t* word = nullptr;
    const MPI_Aint bytes = ranks.rank() == 0 ? sizeof *word : 0;
    ranks_.collective(
        MPI_Win_allocate(bytes, sizeof *word, MPI_INFO_NULL, ranks.handle(), &word, &window_));
    communicator::check(MPI_Win_lock_all(MPI_MODE_NOCHECK, window_));
    if (ranks.rank() == 0) *word = 0;
    communicator::check(MPI_Win_sync(window_));
    ranks_.collective(MPI_Barrier(ranks.handle()));
  }
  shared_counter(const shared_counter&) = delete;
  shared_counter& operator=(const shared_counter&) = delete;

  index next() {
    const std::int64_t one = 1;
    std::int64_t drawn = 0;
    communicator::check(MPI_Fetch_and_op(&one, &drawn, MPI_INT64_T, 0, 0, MPI_SUM, window_));
    communicator::check(MPI_Win_flush(0, window_));
    ++ranks_.statistics().fetches;
    return drawn;
  }

  /// Of all ranks, when none draws any more. The destructor does not, as it must not communicate.
  void close() {
    communicator::check(MPI_Win_unlock_all(window_));
    ranks_.collective(MPI_Win_free(&window_));
  }

 private:
  communicator ranks_;
  MPI_Win window_ = MPI_WIN_NULL;
};

}  // namespace revode
