// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <sys/resource.h>

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "product_loop.hpp"

#include <revode/loop/executor.hpp>
#include <revode/loop/tiers.hpp>
#include <revode/schedule/auditor.hpp>
#include <revode/schedule/two_tier.hpp>

namespace revode {
namespace {

namespace fs = std::filesystem;

/// A folder of its own, gone with this object.
struct folder {
  fs::path path;
  folder() {
    static int number = 0;
    path = fs::temp_directory_path() /
           ("revode-tiers-" + std::to_string(reinterpret_cast<std::uintptr_t>(&number)) + "-" +
            std::to_string(number++));
    fs::create_directories(path);
  }
  ~folder() { fs::remove_all(path); }
  auto files() const {
    return std::distance(fs::directory_iterator(path), fs::directory_iterator{});
  }
};

std::vector<std::byte> bytes(std::size_t size, int seed) {
  std::vector<std::byte> all(size);
  for (std::size_t i = 0; i < size; ++i)
    all[i] = static_cast<std::byte>(static_cast<int>(i * 37) + seed);
  return all;
}

/// The file of a pool, which has no name any more.
fs::path place_of(file_pool& pool) {
  return "/proc/self/fd/" + std::to_string(fileno(pool.file()));
}
void flip_bit(const fs::path& path, std::streamoff at) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekg(at);
  const int byte = file.get();
  file.seekp(at);
  file.put(static_cast<char>(byte ^ 4));
}

/// Files of this process end after so many bytes, while this object lives.
struct small_files {
  explicit small_files(rlim_t limit) {
    handler = std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &old);
    rlimit low = old;
    low.rlim_cur = limit;
    setrlimit(RLIMIT_FSIZE, &low);
  }
  ~small_files() {
    setrlimit(RLIMIT_FSIZE, &old);
    std::signal(SIGXFSZ, handler);
  }
  rlimit old{};
  void (*handler)(int) = nullptr;
};

std::string message_of(auto&& action) {
  try {
    action();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "nothing thrown";
}

std::vector<double> gradient(index n, index slots, index slow, bool known,
                             std::unique_ptr<slow_pool> pool) {
  product_loop loop(n);
  const two_tier plan(slots, slow, known ? n : unbounded);
  executor<product_loop, two_tier> run(loop, plan, std::move(pool));
  run.forward();
  run.reverse();
  const audit_counts expected = audit(plan, n);
  CHECK(run.snapshots().slow_written() == expected.slow_written);
  CHECK(run.snapshots().slow_read() == expected.slow_restores);
  CHECK(run.snapshots().peak() == expected.peak_snapshots);
  CHECK(run.snapshots().written() == expected.snapshots_written);
  CHECK(run.snapshots().made() <= slots - slow);
  return loop.bar;
}

}  // namespace

TEST_CASE("a pool gives back what was stored, slot by slot, and again after other stores") {
  const folder here;
  memory_pool memory;
  file_pool file(here.path);
  for (slow_pool* pool : {static_cast<slow_pool*>(&memory), static_cast<slow_pool*>(&file)}) {
    std::vector<std::byte> back(1001);
    for (const int seed : {1, 50}) {
      for (const index slot : {2, 0, 7})
        pool->store(slot, bytes(1001, seed + static_cast<int>(slot)));
      for (const index slot : {0, 7, 2, 2}) {
        pool->load(slot, back);
        CHECK(back == bytes(1001, seed + static_cast<int>(slot)));
      }
      pool->drop(0);
    }
  }
}

TEST_CASE("the gradient has the same bits whatever is slow, and slow accesses are those planned") {
  const folder here;
  for (const bool known : {true, false})
    for (const index n : {0, 1, 2, 7, 60}) {
      const std::vector<double> expected = gradient(n, 6, 0, known, nullptr);
      for (const index slow : {1, 3, 6}) {
        CHECK(gradient(n, 6, slow, known, nullptr) == expected);
        CHECK(gradient(n, 6, slow, known, std::make_unique<file_pool>(here.path)) == expected);
      }
    }
  CHECK(here.files() == 0);
}

TEST_CASE("1000 steps, 5 of 20 slots in a file: 35 writes, 55 reads") {
  const folder here;
  product_loop loop(1000);
  executor<product_loop, two_tier> run(loop, two_tier(20, 5, 1000),
                                       std::make_unique<file_pool>(here.path));
  CHECK(here.files() == 0);  // whoever ends this program leaves none
  run.forward();
  run.reverse();
  CHECK(run.snapshots().slow_written() == 35);
  CHECK(run.snapshots().slow_read() == 55);
}

TEST_CASE("a single flipped bit of the file is found before it is used") {
  const folder here;
  file_pool pool(here.path);
  std::vector<std::byte> back(64);
  for (const std::streamoff at : {0, 5, 63}) {
    pool.store(0, bytes(64, 3));
    flip_bit(place_of(pool), at);
    CHECK(message_of([&] { pool.load(0, back); }) ==
          "the snapshot in slot 0 of " + pool.path() +
              " is damaged (its checksum is not the one of what was stored) check the disk, and "
              "run again?");
  }
  pool.store(0, bytes(64, 3));
  pool.load(0, back);
  CHECK(back == bytes(64, 3));
}

TEST_CASE("every single bit counts in the checksum, and so does the length") {
  std::vector<std::byte> data = bytes(29, 8);
  const std::uint64_t sum = checksum(data);
  for (std::size_t i = 0; i < data.size(); ++i)
    for (int bit = 0; bit < 8; ++bit) {
      data[i] ^= static_cast<std::byte>(1 << bit);
      CHECK(checksum(data) != sum);
      data[i] ^= static_cast<std::byte>(1 << bit);
    }
  data.push_back(std::byte{0});
  CHECK(checksum(data) != sum);
}

TEST_CASE("a full disk is reported, the file goes away, and a rerun gives the same bits") {
  const folder here;
  const std::vector<double> expected = gradient(200, 8, 4, true, nullptr);
  {
    const small_files limit(100);
    product_loop loop(200);
    executor<product_loop, two_tier> run(loop, two_tier(8, 4, 200),
                                         std::make_unique<file_pool>(here.path));
    const std::string text = message_of([&] { run.forward(); });
    CHECK(text == "the spill file " + (here.path / "revode-0.spill").string() +
                      " cannot be written (File too large) make room there, or take fewer slow "
                      "slots?");
  }
  CHECK(here.files() == 0);
  CHECK(gradient(200, 8, 4, true, std::make_unique<file_pool>(here.path)) == expected);
}

TEST_CASE("a file that was cut short is reported") {
  const folder here;
  file_pool pool(here.path);
  pool.store(1, bytes(64, 3));
  fs::resize_file(place_of(pool), 100);
  std::vector<std::byte> back(64);
  CHECK(message_of([&] { pool.load(1, back); }) ==
        "the spill file " + pool.path() +
            " cannot be read (it ended early) look whether somebody else changes it?");
}

TEST_CASE("two pools share a folder; one that is missing is reported") {
  const folder here;
  const auto first = std::make_unique<file_pool>(here.path);
  const auto second = std::make_unique<file_pool>(here.path);
  std::vector<std::byte> back(9);
  first->store(0, bytes(9, 1));
  second->store(0, bytes(9, 2));
  first->load(0, back);
  CHECK(back == bytes(9, 1));
  CHECK(here.files() == 0);
  const fs::path missing = here.path / "missing";
  CHECK(message_of([&] { file_pool{missing}; }) ==
        "the spill file " + (missing / "revode-0.spill").string() +
            " cannot be made (No such file or directory) give a folder that exists and can be "
            "written?");
}

}  // namespace revode
