// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

#include <cli/run.hpp>

namespace revode::cli {
namespace {

const char* const commands[] = {"list", "solve", "grad", "ensemble", "schedule", "train"};

/// What bash offers at the end of these words.
std::string offered(const std::string& words) {
  const std::string place =
      (std::filesystem::temp_directory_path() / ("complete_" + std::to_string(getpid())));
  std::ofstream(place) << "source <(" << REVODE_COMMAND << " completion bash)\nCOMP_WORDS=(revode "
                       << words << ")\n[ \"$1\" ] && COMP_WORDS+=(\"\")\n"
                       << "COMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_revode\necho \" "
                          "${COMPREPLY[*]} \"\n";
  const bool open = words.ends_with(' ');
  std::FILE* bash = popen(("bash " + place + (open ? " open" : "")).c_str(), "r");
  std::string text;
  for (int c; (c = std::fgetc(bash)) != EOF;) text += static_cast<char>(c);
  pclose(bash);
  std::filesystem::remove(place);
  return text;
}

}  // namespace

TEST_CASE("every option of --help is completed, and in the manual") {
  const std::string bash = run("completion bash").out, fish = run("completion fish").out,
                    zsh = run("completion zsh").out, man = run("completion man").out;
  CHECK(zsh.starts_with("#compdef revode\n"));
  CHECK(zsh.ends_with(bash));
  int count = 0;
  for (const std::string command : commands) {
    const std::string help = run(command + " --help").out;
    const std::regex option("\n  (?:-h,)?(--[a-z0-9-]+)");
    for (std::sregex_iterator i(help.begin(), help.end(), option), end; i != end; ++i, ++count) {
      const std::string name = (*i)[1];
      CAPTURE(name);
      CHECK(bash.find(name) != std::string::npos);
      CHECK(fish.find("-l " + name.substr(2) + " -d") != std::string::npos);
      CHECK(man.find(std::regex_replace(".B " + name, std::regex("-"), "\\-")) !=
            std::string::npos);
    }
  }
  CHECK(count > 60);
}

TEST_CASE("bash completes commands, problems, options and methods") {
  CHECK(offered("sol") == " solve \n");
  CHECK(offered("solve loren") == " lorenz lorenz96 \n");
  CHECK(offered("solve lorenz --metho") == " --method \n");
  CHECK(offered("solve lorenz --method rodas5") == " rodas5 rodas5p \n");
  CHECK(offered("schedule --kind bin") == " binomial \n");
  CHECK(offered("train den") == " density \n");
  CHECK(offered("list prob") == " problems \n");
  CHECK(offered("grad ").find(" lorenz ") != std::string::npos);
}

TEST_CASE("what no shell is") {
  const outcome o = run("completion tcsh");
  CHECK(o.exit_status == 2);
  CHECK(o.err == "unknown shell 'tcsh' (not in the list of shells) did you mean 'bash'?\n");
  CHECK(run("completion").err ==
        "'revode completion' with 0 words (it takes the name of a shell) give e.g. 'revode "
        "completion bash'?\n");
}

}  // namespace revode::cli
