// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <revode/io/byte_stream.hpp>

namespace revode {

class restart_journal;

/// What must be the same for a run to go on: by name, in words or bits.
using run_print = std::vector<std::pair<std::string, std::string>>;

/// What a build's bits depend on: version, compiler, instructions, the functions of its library.
run_print library_print();

/// As restart_journal::begin.
std::size_t begin_solve(restart_journal& journal, const run_print& print);

/// A solve that a journal keeps: asked between its steps and actions.
class restart_watch {
 public:
  restart_watch(restart_journal& journal, std::size_t solve);
  restart_watch(const restart_watch&) = delete;
  restart_watch& operator=(const restart_watch&) = delete;
  virtual ~restart_watch();

  /// Writes where it is time to.
  void look();
  void write();
  /// Goes on where the journal left it; false: it has nothing.
  /// errors  std::invalid_argument: the bytes are those of something else
  bool resume();

 protected:
  /// Is it looked at often, from now on? So it begins. Else signals do not wait.
  void work(bool begins);
  /// Behind each step and action, written or not: what no file has is given up, so that a run that was
  /// killed and one that was not go on alike.
  virtual void give_up() {}
  /// All that the solve is made of.
  virtual void pass(byte_stream& bytes) = 0;

 private:
  restart_journal& journal_;
  std::size_t solve_;
  bool works_ = false;
};

}  // namespace revode
