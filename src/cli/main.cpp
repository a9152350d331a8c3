// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <iostream>
#include <new>
#include <string>

#include <cli/commands.hpp>

namespace revode::cli {
namespace {

report run(const arguments& given) {
  if (given.command == "list") return list_command(given);
  if (given.command == "solve") return solve_command(given);
  if (given.command == "grad") return gradient_command(given);
  if (given.command == "ensemble") return ensemble_command(given);
  if (given.command == "train") return train_command(given);
  if (given.command == "merge") return merge_command(given);
  if (given.command == "new") return new_command(given);
  if (given.command == "completion") return completion_command(given);
  if (given.command == "bench") return bench_command(given);
  return schedule_command(given);
}

int refuse(const std::string& why, int exit_status = 2) {
  std::fprintf(stderr, "%s\n", why.c_str());
  return exit_status;
}

/// A closed stdin, stdout or stderr keeps its number, so that no file that is opened later takes it;
/// and a pipe that nobody reads is an error like any other.
void keep_standard_streams() {
  std::signal(SIGPIPE, SIG_IGN);
  for (int number = 0; number <= 2; ++number)
    if (fcntl(number, F_GETFD) == -1) open("/dev/null", O_RDONLY);
}

/// exit_status, or 3 where stdout did not take all.
int written(bool all, int exit_status) {
  std::cout.flush();
  if (std::fflush(stdout) == 0 && all && std::cout) return exit_status;
  return refuse("cannot write the result (stdout is closed or full) give it room?", 3);
}

int main(int argc, const char* const* argv) {
  keep_standard_streams();
  try {
    const auto given = parse_arguments(argc, argv);
    if (!given) return written(true, 0);
    const report done = run(*given);
    if (!done.complaint.empty()) std::fprintf(stderr, "%s\n", done.complaint.c_str());
    const std::size_t size = done.text.size();
    return written(std::fwrite(done.text.data(), 1, size, stdout) == size, done.exit_status);
  } catch (const unwritten& e) {
    return refuse(e.what(), 3);
  } catch (const std::bad_alloc&) {
    return refuse("not enough memory (it was asked for in vain) give a smaller problem or budget?");
  } catch (const std::exception& e) {
    return refuse(e.what());
  }
}

}  // namespace
}  // namespace revode::cli

int main(int argc, char** argv) { return revode::cli::main(argc, argv); }
