// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include <revode/loop/tiers.hpp>

namespace revode {

/// Memory in cells of one size for what a schedule counts in units, snapshots and tapes alike. A
/// cell is made when it is first needed and then used again; content that takes several goes into
/// a chain of them, which is known by the number of its first cell.
class unit_cells {
 public:
  static constexpr index none = -1;

  /// About so many will be needed.
  explicit unit_cells(index units) {
    cells_.reserve(static_cast<std::size_t>(std::min<index>(units, 4096)));
  }

  /// Each holds so many bytes: to be said before the first is made.
  void hold(std::size_t bytes) { bytes_ = std::max<std::size_t>(bytes, 1); }

  /// for_each(visit) calls visit(first byte, bytes) for every piece of what is stored, in the chain
  /// that there is as far as it goes, or filled with what was.
  template <class ForEach>
  void store(index& chain, ForEach&& for_each) {
    transfer(chain, for_each, [](std::byte* cell, void* data, std::size_t bytes) {
      std::memcpy(cell, data, bytes);
    });
  }
  template <class ForEach>
  void load(index chain, ForEach&& for_each) {
    transfer(chain, for_each, [](std::byte* cell, void* data, std::size_t bytes) {
      std::memcpy(data, cell, bytes);
    });
  }

  index made() const { return static_cast<index>(cells_.size()); }

  /// The chain's cells can be used again.
  void give(index& chain) {
    while (chain != none) {
      index& next = at(chain).next;
      chain = std::exchange(next, std::exchange(free_, chain));
    }
  }

 private:
  struct cell {
    std::unique_ptr<std::byte[]> data;
    index next;
  };

  cell& at(index number) { return cells_[static_cast<std::size_t>(number)]; }

  index take() {
    if (free_ == none) {
      cells_.push_back({std::make_unique_for_overwrite<std::byte[]>(bytes_), none});
      return static_cast<index>(cells_.size()) - 1;
    }
    const index taken = free_;
    free_ = std::exchange(at(taken).next, none);
    return taken;
  }

  template <class ForEach, class Move>
  void transfer(index& chain, ForEach& for_each, Move move) {
    index last = none;
    std::size_t used = bytes_;  // of the last cell
    for_each([&](void* data, std::size_t bytes) {
      for (std::byte* from = static_cast<std::byte*>(data); bytes > 0;) {
        if (used == bytes_) {
          index next = last == none ? chain : at(last).next;
          if (next == none) {
            next = take();
            (last == none ? chain : at(last).next) = next;
          }
          last = next;
          used = 0;
        }
        const std::size_t part = std::min(bytes, bytes_ - used);
        move(at(last).data.get() + used, from, part);
        from += part;
        used += part;
        bytes -= part;
      }
    });
  }

  std::size_t bytes_ = 1;
  std::vector<cell> cells_;
  index free_ = none;
};

/// The snapshots' part of the cells.
class cell_pool : public slow_pool {
 public:
  explicit cell_pool(std::shared_ptr<unit_cells> cells) : cells_(std::move(cells)) {}

  void store(index slot, std::span<const std::byte> bytes) override {
    const auto i = static_cast<std::size_t>(slot);
    if (i >= chains_.size()) chains_.resize(i + 1, unit_cells::none);
    cells_->store(chains_[i],
                  [&](auto&& visit) { visit(const_cast<std::byte*>(bytes.data()), bytes.size()); });
  }
  void load(index slot, std::span<std::byte> bytes) override {
    cells_->load(chains_[static_cast<std::size_t>(slot)],
                 [&](auto&& visit) { visit(bytes.data(), bytes.size()); });
  }
  void drop(index slot) override { cells_->give(chains_[static_cast<std::size_t>(slot)]); }

 private:
  std::shared_ptr<unit_cells> cells_;
  std::vector<index> chains_;
};

}  // namespace revode
