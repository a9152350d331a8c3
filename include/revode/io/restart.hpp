// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <revode/io/restart_watch.hpp>

namespace revode {

/// Where a run is kept while it goes on, and how often.
///   file       written anew each time: file.new, fsync, the one before becomes file.old, rename
///   every      time between two writes; 0: at each step or action
///   on_signal  SIGTERM, SIGINT and SIGUSR1 are waited for while a solve or reverse pass goes on: behind the step at
///              hand the file is written, and the first two then end the process as they would have; a second one does
///              at once, and so does one between solves, when all is written
///   on_write   told of each stage of a write: "written", "synced", "kept", "renamed"
struct restart_request {
  std::string file;
  std::chrono::milliseconds every = std::chrono::minutes(5);
  bool on_signal = false;
  std::function<void(const char* stage)> on_write{};
};

/// The file of a run: its solves one after another, those that have ended with what is left of them, the
/// last one where it is. Numbers alone, with a checksum of all; nothing in it is executed. For solves of one thread.
/// errors  std::invalid_argument: a file that is none of these, damaged (and the one before as well), or
///         of another version, `every` below 0; std::runtime_error: one that cannot be read or written
class restart_journal {
 public:
  explicit restart_journal(restart_request how);
  restart_journal(const restart_journal&) = delete;
  restart_journal& operator=(const restart_journal&) = delete;
  ~restart_journal();

  /// The next solve of the run begins: its number.
  /// errors  std::invalid_argument: the file has another one there; the first difference is named
  std::size_t begin(const run_print& print);
  /// What is kept of a solve; empty: nothing yet.
  const std::string& kept(std::size_t solve) const { return solves_[solve].bytes; }
  /// Is it time to write, or was it asked for by a signal?
  bool due() const;
  /// Writes the file, with this of the solve.
  void keep(std::size_t solve, std::string bytes);
  /// How often it was written, and whether it was found.
  index writes() const { return writes_; }
  bool resumed() const { return resumed_; }
  bool on_signal() const { return how_.on_signal; }

 private:
  struct kept_solve {
    run_print print;
    std::string bytes;
  };
  void read();
  bool read(const std::string& path, std::string& why);
  void write();
  void tell(const char* stage) const {
    if (how_.on_write) how_.on_write(stage);
  }

  restart_request how_;
  std::vector<kept_solve> solves_;
  std::size_t begun_ = 0;
  index writes_ = 0;
  bool resumed_ = false, from_old_ = false;  // of the file before
  std::chrono::steady_clock::time_point last_;
};

/// options::restart of solves that one file keeps, one after another.
inline std::shared_ptr<restart_journal> kept_in(restart_request how) {
  return std::make_shared<restart_journal>(std::move(how));
}

}  // namespace revode
