// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include <revode/mpi/spread.hpp>

namespace revode {

/// How far a block sees beyond its rows.
struct halo_shape {
  int rows = 1;  ///< on either side
  bool periodic =
      false;  ///< the first row is behind the last; otherwise there is nothing, zeros, beyond
};

/// The rows beyond those of a rank, or of a block: H of a state is its rows with a halo on both sides.
///   fill     y → H y of a rank, the rows beyond from its neighbours
///   add      Hᵀ: what blocks say of the rows beyond theirs is added to the state, by blocks, in an order that
///            does not depend on who holds them; so its bits do not depend on the number of ranks
/// The other form of the adjoint, gathering, is `fill` of the cotangent (see over_blocks).
/// cost    a message to each neighbour and one from each, no collective
/// errors  std::invalid_argument, on every rank: a halo of more rows than a block has
template <class T>
class halo {
  static_assert(std::is_floating_point_v<T>);

 public:
  halo(const spread_layout& layout, const halo_shape& shape) : layout_(layout), shape_(shape) {
    const spread_shape& s = layout.shape();
    const index last = s.rows - layout.first_row_of(layout.blocks() - 1);
    const index least = layout.blocks() == 1 ? last : std::min<index>(last, s.rows_a_block);
    if (shape.rows < 0 || shape.rows > least)
      throw std::invalid_argument("a halo of " + std::to_string(shape.rows) +
                                  " rows about a block of " + std::to_string(least) +
                                  " (only neighbours are asked) choose blocks of as many rows, "
                                  "which divide the rows of all?");
    const int rank = layout.ranks().rank(), ranks = layout.ranks().size();
    before_ = rank > 0 ? rank - 1 : shape.periodic ? ranks - 1 : MPI_PROC_NULL;
    behind_ = rank + 1 < ranks ? rank + 1 : shape.periodic ? 0 : MPI_PROC_NULL;
  }

  const spread_layout& layout() const { return layout_; }
  const halo_shape& shape() const { return shape_; }
  /// Elements of a halo, on one side.
  int elements() const { return shape_.rows * layout_.shape().width; }

  /// rows = H y, of this rank. What is beyond the ends of the problem stays as it was, zeros at first.
  void fill(const spread<T>& y, std::vector<T>& rows) const {
    const auto beyond = static_cast<std::size_t>(elements());
    rows.resize(y.size() + 2 * beyond);
    std::copy(y.data(), y.data() + y.size(), rows.data() + beyond);
    T* end = rows.data() + rows.size();
    exchange(rows.data() + beyond, end - 2 * beyond, rows.data(), end - beyond);
  }

  /// Cotangents of the rows beyond each block here, before[b] and behind[b], one halo each; and room for those
  /// that neighbours send.
  struct borders {
    std::vector<T> before, behind, from_before, from_behind;
  };
  borders make_borders() const {
    const auto one = static_cast<std::size_t>(elements());
    const auto all = static_cast<std::size_t>(elements() * layout_.block_count());
    return {std::vector<T>(all), std::vector<T>(all), std::vector<T>(one), std::vector<T>(one)};
  }
  /// y += Hᵀ of these: of the block before, then of the block behind.
  void add(borders& of, spread<T>& y) const {
    const int n = elements(), last = layout_.block_count() - 1;
    const auto at = [n](const std::vector<T>& all, int b) { return all.data() + b * n; };
    exchange(at(of.before, 0), at(of.behind, last), of.from_before.data(), of.from_behind.data());
    for (int b = 0; b <= last; ++b) {
      const T* first = b > 0 ? at(of.behind, b - 1) : of.from_before.data();
      const T* end = b < last ? at(of.before, b + 1) : of.from_behind.data();
      for (int i = 0; i < n; ++i) y[layout_.element_of(b) + i] += first[i];
      for (int i = 0; i < n; ++i) y[layout_.element_of(b + 1) - n + i] += end[i];
    }
  }

 private:
  /// One halo to each neighbour and one from each, all on their way at once.
  void exchange(const T* to_before, const T* to_behind, T* from_before, T* from_behind) const {
    const int bytes = elements() * static_cast<int>(sizeof(T));
    const MPI_Comm comm = layout_.ranks().handle();
    enum { forwards = 22, backwards };  // both neighbours may be the same rank
    MPI_Request all[4];
    communicator::check(MPI_Irecv(from_before, bytes, MPI_BYTE, before_, forwards, comm, &all[0]));
    communicator::check(MPI_Irecv(from_behind, bytes, MPI_BYTE, behind_, backwards, comm, &all[1]));
    communicator::check(MPI_Isend(to_before, bytes, MPI_BYTE, before_, backwards, comm, &all[2]));
    communicator::check(MPI_Isend(to_behind, bytes, MPI_BYTE, behind_, forwards, comm, &all[3]));
    communicator::check(MPI_Waitall(4, all, MPI_STATUSES_IGNORE));
  }

  spread_layout layout_;
  halo_shape shape_;
  int before_, behind_;
};

}  // namespace revode
