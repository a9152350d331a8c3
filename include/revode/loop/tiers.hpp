// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include <revode/config.hpp>

namespace revode {

/// Memory for snapshots that are seldom used: bytes in, the same bytes out, by slot. All snapshots
/// of a pool have the same size. A store that throws leaves its slot empty.
class slow_pool {
 public:
  virtual ~slow_pool() = default;
  virtual void store(index slot, std::span<const std::byte> bytes) = 0;
  /// Fills `bytes` with what slot holds.
  virtual void load(index slot, std::span<std::byte> bytes) = 0;
  virtual void drop(index slot) = 0;
};

/// In this process's own memory; a dropped slot keeps its bytes for reuse.
class memory_pool : public slow_pool {
 public:
  void store(index slot, std::span<const std::byte> bytes) override {
    const auto i = static_cast<std::size_t>(slot);
    if (i >= slots_.size()) slots_.resize(i + 1);
    slots_[i].assign(bytes.begin(), bytes.end());
  }
  void load(index slot, std::span<std::byte> bytes) override {
    std::memcpy(bytes.data(), slots_[static_cast<std::size_t>(slot)].data(), bytes.size());
  }
  void drop(index) override {}

 private:
  std::vector<std::vector<std::byte>> slots_;
};

/// FNV-1a over words of 8 bytes (the last one filled up with zeros) and the number of bytes. Each
/// step is a bijection of the sum for given data and of the data for a given sum, so that a change
/// within one word always shows.
std::uint64_t checksum(std::span<const std::byte> bytes);

/// A file of its own in a folder, "revode-<number>.spill", whose name is removed as soon as it is open:
/// however the program ends, its room is given back. Checksums stay in memory, 8 bytes a slot: what a
/// load gives is what was stored.
/// errors  std::runtime_error: the file cannot be made, written or read, or gives other bytes
class file_pool : public slow_pool {
 public:
  explicit file_pool(const std::string& folder);
  file_pool(const file_pool&) = delete;
  file_pool& operator=(const file_pool&) = delete;
  ~file_pool() override;

  void store(index slot, std::span<const std::byte> bytes) override;
  void load(index slot, std::span<std::byte> bytes) override;
  void drop(index) override {}

  /// The name it had.
  const std::string& path() const { return path_; }
  std::FILE* file() { return file_; }

 private:
  void open(const std::string& folder);
  bool seek(index slot, std::size_t size);
  [[noreturn]] void fail(const char* what, const char* advice) const;

  std::string path_;
  bool named_ = false;  // where a file that is open keeps its name
  std::FILE* file_ = nullptr;
  std::vector<std::uint64_t> sums_;
};

}  // namespace revode
