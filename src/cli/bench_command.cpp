// SPDX-License-Identifier: Apache-2.0
#include <cli/commands.hpp>

#include <algorithm>
#include <array>
#include <csignal>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

#include <unistd.h>

#include <cli/text.hpp>
#include <cli/work_precision.hpp>

namespace revode::cli {

/// wpd of one problem is the command's own. Else becomes the program revode-bench-NAME beside this one or on PATH: benchmarks stand on libraries
/// that the command does without.
report bench_command(const arguments& given) {
  constexpr std::array<std::string_view, 2> known{"adjoint", "wpd"};
  if (given.extras.empty())
    misuse("no benchmark given ('revode bench' needs its name) run 'revode bench wpd --help'?");
  const std::string& name = given.extras.front();
  if (std::find(known.begin(), known.end(), name) == known.end())
    unknown_name("benchmark", name, "benchmarks", known, "run 'revode bench wpd --help'");
  const std::vector<std::string>& extras = given.extras;
  if (name == "wpd" && extras.size() > 1 && !extras[1].starts_with('-'))
    return work_precision_command(std::span(extras).subspan(1));
  const std::string program = "revode-bench-" + name;
  std::vector<char*> words{const_cast<char*>(program.c_str())};
  for (std::size_t i = 1; i < given.extras.size(); ++i)
    words.push_back(const_cast<char*>(given.extras[i].c_str()));
  words.push_back(nullptr);
  std::signal(SIGPIPE, SIG_DFL);
  std::error_code none;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", none);
  execv((self.parent_path() / program).c_str(), words.data());
  execvp(program.c_str(), words.data());
  misuse(program +
         " not found (neither beside revode nor on PATH) build it with 'tools/dev bench " + name +
         "'?");
}

}  // namespace revode::cli
