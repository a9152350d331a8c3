// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <exception>
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
  if (given.command == "bench") return bench_command(given);
  return schedule_command(given);
}

int refuse(const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  return 2;
}

int main(int argc, const char* const* argv) {
  try {
    const auto given = parse_arguments(argc, argv);
    if (!given) return 0;
    const report done = run(*given);
    std::fwrite(done.text.data(), 1, done.text.size(), stdout);
    return std::fflush(stdout) == 0 ? done.exit_status
                                    : refuse(
                                          "cannot write the result (stdout is closed or full) "
                                          "give it room?");
  } catch (const std::bad_alloc&) {
    return refuse("not enough memory (it was asked for in vain) give a smaller problem or budget?");
  } catch (const std::exception& e) {
    return refuse(e.what());
  }
}

}  // namespace
}  // namespace revode::cli

int main(int argc, char** argv) { return revode::cli::main(argc, argv); }
