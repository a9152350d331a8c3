// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include <revode/io/restart.hpp>
#include <revode/solve/options.hpp>

namespace revode {

/// The file of a run, and what is left of it, gone at the end. In memory where there is such a folder.
struct run_file {
  std::string path;
  run_file() {
    const char* shared = "/dev/shm";
    const auto folder = access(shared, W_OK) == 0 ? std::filesystem::path(shared)
                                                  : std::filesystem::temp_directory_path();
    path = (folder / ("revode_" + std::to_string(getpid()) + ".kept")).string();
  }
  ~run_file() { clear(); }
  void clear() const {
    for (const char* end : {"", ".old", ".new"}) std::remove((path + end).c_str());
  }
  std::string text() const {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream all;
    all << file.rdbuf();
    return all.str();
  }
  void text(const std::string& bytes) const { std::ofstream(path, std::ios::binary) << bytes; }
};

/// The numbers of a run, all that must be the same.
using found = std::vector<double>;

inline options watched(const run_file& file,
                       const std::function<void(const char*)>& on_write = {}) {
  options o{.save = {.ts = {0.3, 0.5}}};
  o.restart =
      kept_in({.file = file.path, .every = std::chrono::milliseconds(0), .on_write = on_write});
  return o;
}

/// Runs in a process that is gone at the n-th stage of its writes; was it?
template <class Run>
bool killed(const run_file& file, int n, Run&& run) {
  const pid_t child = fork();
  if (child == 0) {
    int stage = 0;
    run(watched(file, [&](const char*) {
      if (++stage == n) raise(SIGKILL);
    }));
    _exit(0);
  }
  int state = 0;
  waitpid(child, &state, 0);
  return WIFSIGNALED(state) != 0;
}

/// Killed again and again, `apart` stages further each time, until it comes to its end.
template <class Run>
int kills_until_the_end(const run_file& file, int apart, Run&& run) {
  int kills = 0;
  while (killed(file, apart, run)) ++kills;
  return kills;
}

template <class Run>
void check_kills(int apart, int at_least, const Run& run) {
  const run_file file;
  const found whole = run(options{.save = {.ts = {0.3, 0.5}}});
  for (const int first : {1, 2, 3, 4}) {  // inside a write, at each of its stages
    file.clear();
    CHECK(killed(file, first, run));
    CHECK(run(watched(file)) == whole);
  }
  file.clear();
  CHECK(kills_until_the_end(file, apart, run) >= at_least);
  const auto journal = kept_in({.file = file.path});
  CHECK(journal->resumed());
  options o{.save = {.ts = {0.3, 0.5}}};
  o.restart = journal;
  CHECK(run(o) == whole);
}

}  // namespace revode
