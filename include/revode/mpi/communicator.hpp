// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <revode/config.hpp>
#include <revode/solve/kept/run_print.hpp>

namespace revode {

/// What was asked of MPI.
struct mpi_statistics {
  index collectives = 0;  ///< calls in which all ranks take part, windows made and freed among them
  index fetches = 0;      ///< numbers drawn from a shared counter by this rank
  index most_bytes = 0;   ///< that one collective brought here
};

/// The ranks that work together: an MPI communicator of the caller's, which stays the caller's. Copies
/// count their calls together. Nothing is begun, duplicated or freed here, and no destructor
/// communicates; calls take their turn with the caller's own collectives on the same communicator.
/// errors  std::invalid_argument before MPI_Init, behind MPI_Finalize and of MPI_COMM_NULL;
///         std::runtime_error for a call that MPI refuses, where its error handler returns
class communicator {
 public:
  explicit communicator(MPI_Comm comm = MPI_COMM_WORLD) : comm_(comm) {
    int begun = 0, ended = 0;
    MPI_Initialized(&begun);
    MPI_Finalized(&ended);
    if (begun == 0 || ended != 0 || comm == MPI_COMM_NULL)
      throw std::invalid_argument(std::string("a communicator ") +
                                  (begun == 0   ? "before MPI_Init"
                                   : ended != 0 ? "behind MPI_Finalize"
                                                : "of no ranks") +
                                  " (it is one of a program under MPI) make an mpi_session first?");
    check(MPI_Comm_rank(comm_, &rank_));
    check(MPI_Comm_size(comm_, &size_));
  }

  MPI_Comm handle() const { return comm_; }
  int rank() const { return rank_; }
  int size() const { return size_; }
  mpi_statistics& statistics() const { return *statistics_; }

  /// Throws for a code that is not MPI_SUCCESS.
  static void check(int code) {
    if (code == MPI_SUCCESS) return;
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;
    MPI_Error_string(code, text, &length);
    throw std::runtime_error("MPI failed (" + std::string(text, static_cast<std::size_t>(length)) +
                             ") look for its reason on the other ranks?");
  }
  /// The same of a call of all ranks, which is counted.
  void collective(int code) const {
    ++statistics_->collectives;
    check(code);
  }

  /// The x of every rank, in their order, on all of them.
  /// cost    a collective
  template <class X>
  std::vector<X> gather(const X& x) const {
    static_assert(std::is_trivially_copyable_v<X>, "ranks exchange what is trivially copyable");
    std::vector<X> all(static_cast<std::size_t>(size_));
    const int bytes = static_cast<int>(sizeof(X));
    collective(MPI_Allgather(&x, bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE, comm_));
    return all;
  }

  /// The lists of all ranks, one behind the other in their order, on all of them or on one alone; counts
  /// are their lengths, the same on all.
  /// cost    a collective
  /// errors  std::length_error, on every rank, where there are more elements than an int counts
  template <class X>
  std::vector<X> gather(std::span<const X> mine, const std::vector<index>& counts,
                        int to = everywhere) const {
    static_assert(std::is_trivially_copyable_v<X>, "ranks exchange what is trivially copyable");
    std::vector<int> lengths, places;
    const index total = lay_out(counts, lengths, places);
    const bool here = to == everywhere || to == rank_;
    std::vector<X> all(here ? static_cast<std::size_t>(total) : 0);
    const element_type type(sizeof(X));
    const int length = static_cast<int>(mine.size());
    statistics_->most_bytes =
        std::max(statistics_->most_bytes, static_cast<index>(all.size() * sizeof(X)));
    collective(to == everywhere
                   ? MPI_Allgatherv(mine.data(), length, type.handle, all.data(), lengths.data(),
                                    places.data(), type.handle, comm_)
                   : MPI_Gatherv(mine.data(), length, type.handle, all.data(), lengths.data(),
                                 places.data(), type.handle, to, comm_));
    return all;
  }
  static constexpr int everywhere = -1;

  /// The text of one rank, whose length all know.
  /// cost    a collective
  std::string text_of(int rank, std::string text, std::size_t length) const {
    text.resize(length);
    collective(MPI_Bcast(text.data(), static_cast<int>(length), MPI_CHAR, rank, comm_));
    return text;
  }

  /// Do all ranks have the same? `what` lists it by name, in words or bits, with as many entries on each.
  /// cost    a collective
  /// errors  std::invalid_argument, on every rank, with the name of the first that differs
  void agree(const run_print& what) const {
    std::vector<std::uint64_t> sums;
    for (const auto& [name, value] : what) {
      const std::uint64_t sum = sum_of_bytes(value.data(), value.size());
      sums.push_back(sum);
      sums.push_back(~sum);
    }
    collective(MPI_Allreduce(MPI_IN_PLACE, sums.data(), static_cast<int>(sums.size()), MPI_UINT64_T,
                             MPI_MAX, comm_));
    for (std::size_t k = 0; k < what.size(); ++k)
      if (sums[2 * k] != ~sums[2 * k + 1])  // the greatest and the least
        throw std::invalid_argument(what[k].first +
                                    ": not the same on all ranks (each is given the whole problem) "
                                    "make it on one and broadcast it?");
  }

 private:
  /// Elements as wholes, so that their number has the range of an int, not their bytes.
  struct element_type {
    MPI_Datatype handle;
    explicit element_type(std::size_t bytes) {
      check(MPI_Type_contiguous(static_cast<int>(bytes), MPI_BYTE, &handle));
      check(MPI_Type_commit(&handle));
    }
    element_type(const element_type&) = delete;
    element_type& operator=(const element_type&) = delete;
    ~element_type() { MPI_Type_free(&handle); }  // which is local
  };

  static index lay_out(const std::vector<index>& counts, std::vector<int>& lengths,
                       std::vector<int>& places) {
    index total = 0;
    for (const index count : counts) {
      lengths.push_back(static_cast<int>(count));
      places.push_back(static_cast<int>(total));
      total += count;
      if (total > std::numeric_limits<int>::max())
        throw std::length_error(
            "results of more than 2147483647 elements in one place (MPI counts by int) gather "
            "fewer, or sums alone?");
    }
    return total;
  }

  MPI_Comm comm_;
  int rank_ = 0, size_ = 1;
  std::shared_ptr<mpi_statistics> statistics_ = std::make_shared<mpi_statistics>();
};

}  // namespace revode
