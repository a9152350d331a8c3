// SPDX-License-Identifier: Apache-2.0
// prints: killed in the first sweep, and 2 times on the way back
// prints: dL/dy0 = .*, the bits of a run that nobody killed
#include <cassert>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <string>

#include <sys/wait.h>
#include <unistd.h>

#include <revode/io/restart.hpp>
#include <revode/revode.hpp>

using namespace revode;

// A gradient that is killed goes on where its file left it: the same command again, and the same bits. Here
// the file is written behind every action of the schedule, so that little is lost, and processes are killed
// behind some of the writes; a run of hours writes every few minutes.

namespace {

const problem lorenz_10{[](auto, const auto& y, const auto& p, auto& dy) {
                          dy[0] = p[0] * (y[1] - y[0]);
                          dy[1] = y[0] * (p[1] - y[2]) - y[1];
                          dy[2] = y[0] * y[1] - p[2] * y[2];
                        },
                        vec{1.0, 0.0, 0.0}, 0.0, 1.0, vec{10.0, 28.0, 8.0 / 3}};

/// dL/dy0 of L = the first component at the end, in the memory of five states.
auto gradient_of_run(const options& o) {
  auto s = solve(lorenz_10, tsit5{}, o, recursive_checkpoint{.slots = 5});
  return s.pullback(vec{1.0, 0.0, 0.0});
}

/// The run in a process that is killed behind so many writes.
void run_and_die(const std::string& file, int writes) {
  const pid_t child = fork();
  if (child == 0) {
    int written = 0;
    options o;
    o.restart = kept_in(
        {.file = file, .every = std::chrono::milliseconds(0), .on_write = [&](const char* stage) {
           if (stage == std::string("renamed") && ++written == writes) raise(SIGKILL);
         }});
    gradient_of_run(o);
    _exit(0);
  }
  int state = 0;
  waitpid(child, &state, 0);
  assert(WIFSIGNALED(state) && WTERMSIG(state) == SIGKILL);
}

}  // namespace

int main() {
  const std::string file =
      (std::filesystem::temp_directory_path() / ("12_" + std::to_string(getpid()) + ".kept"))
          .string();
  run_and_die(file, 30);  // of 60 steps of the first sweep
  run_and_die(file, 60);
  run_and_die(file, 60);
  std::printf("killed in the first sweep, and 2 times on the way back\n");

  options o;
  o.restart = kept_in({.file = file, .every = std::chrono::hours(1)});
  assert(o.restart->resumed());
  const auto resumed = gradient_of_run(o), whole = gradient_of_run({});
  for (int i = 0; i < 3; ++i) assert(resumed.y0[i] == whole.y0[i] && resumed.p[i] == whole.p[i]);
  assert(resumed.reverse.replayed_steps == whole.reverse.replayed_steps);
  std::printf("dL/dy0 = (%.3f, %.3f, %.3f), the bits of a run that nobody killed\n", resumed.y0[0],
              resumed.y0[1], resumed.y0[2]);
  for (const char* end : {"", ".old", ".new"}) std::remove((file + end).c_str());
}
