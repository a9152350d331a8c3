// SPDX-License-Identifier: Apache-2.0
#include <cli/commands.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>

#include <any/automatic.hpp>
#include <cli/methods.hpp>
#include <cli/text.hpp>
#include <revode/problems/catalog.hpp>
#include <revode/schedule/all.hpp>

namespace revode::cli {
namespace {

template <class List, class Name>
std::string joined(const List& list, Name&& name) {
  std::string all;
  for (const auto& one : list) all.append(all.empty() ? "" : " ").append(name(one));
  return all;
}

std::string problem_words() {
  return joined(catalog(), [](const catalog_entry& q) { return std::string(q.name); });
}

/// What an option takes, where it is a word of a list.
std::map<std::string, std::string> words_of_options() {
  const std::string schedules =
      joined(schedule_names, [](const auto& s) { return std::string(s.second); });
  return {{"--method",
           std::string(compiled::automatic::name) + " " +
               joined(compiled::method_table(), [](const auto& m) { return std::string(m.name); })},
          {"--adjoint",
           joined(compiled::adjoint_texts(), [](const auto& a) { return std::string(a.name); })},
          {"--schedule", schedules},
          {"--kind", schedules},
          {"--loss", "sum squared component:0 event:0"},
          {"--log", "steps controller"},
          {"--step-rounding", "none bits24 octave16"},
          {"--device", "threads cpp omp tbb cuda"}};
}

/// The words behind a command, besides its options and files.
std::string words_behind(const std::string& command) {
  if (command == "list") return "problems methods algebras adjoints schedules ensembles";
  if (command == "train") return "spiral density";
  if (command == "new") return "problem method";
  if (command == "bench") return "wpd adjoint";
  if (command == "completion") return "bash zsh fish man";
  return command == "schedule" || command == "merge" ? "" : problem_words();
}

std::string options_of(const described_command& c) {
  return joined(c.options, [](const described_option& o) { return o.name; });
}

std::string bash() {
  const auto all = described_commands();
  std::string text =
      "# Completion of revode's command line, by 'revode completion bash'.\n_revode() {\n"
      "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words=\n"
      "  case $prev in\n";
  for (const auto& [option, words] : words_of_options())
    text +=
        "    " + option + ") COMPREPLY=($(compgen -W '" + words + "' -- \"$cur\")); return ;;\n";
  text +=
      "    --out|--plot|--loss-plot|--events|--steps-log|--histogram|--spill) COMPREPLY=($(compgen "
      "-f -- "
      "\"$cur\")); return ;;\n  esac\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n    words='" +
      joined(all, [](const described_command& c) { return c.name; }) +
      " --help --version'\n  else\n    case ${COMP_WORDS[1]} in\n";
  for (const described_command& c : all)
    text += "      " + c.name + ")\n        case $cur in\n          -*) words='" + options_of(c) +
            "' ;;\n          *) words='" + words_behind(c.name) + "' ;;\n        esac ;;\n";
  return text +
         "    esac\n  fi\n  COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
         "  case $cur in -*) ;; *) [ \"$COMP_CWORD\" -eq 1 ] || COMPREPLY+=($(compgen -f -X "
         "'!*.@(ode|so)' -- \"$cur\")) ;; esac\n}\n"
         "shopt -s extglob 2>/dev/null\ncomplete -o filenames -F _revode revode\n";
}

std::string zsh() {
  return "#compdef revode\nautoload -U +X bashcompinit && bashcompinit\n" + bash();
}

/// Without what a shell or roff would read as its own.
std::string escaped(std::string text, std::string_view special, const char* with) {
  for (std::size_t at = 0; (at = text.find_first_of(special, at)) < text.size();) {
    text.insert(at, with);
    at += std::string_view(with).size() + 1;
  }
  return text;
}

std::string fish() {
  const auto words = words_of_options();
  std::string text = "# Completion of revode's command line, by 'revode completion fish'.\n";
  for (const described_command& c : described_commands()) {
    const std::string within =
        "complete -c revode -n '__fish_seen_subcommand_from " + c.name + "' ";
    text += "complete -c revode -n __fish_use_subcommand -f -a " + c.name + " -d '" +
            escaped(c.help, "\\'", "\\") + "'\n";
    if (const std::string behind = words_behind(c.name); !behind.empty())
      text += within + "-a '" + behind + "'\n";
    for (const described_option& o : c.options) {
      text += within + "-l " + o.name.substr(2) + " -d '" + escaped(o.help, "\\'", "\\") + "'";
      const auto known = words.find(o.name);
      if (known != words.end()) text += " -x -a '" + known->second + "'";
      if (known == words.end() && !o.kind.empty()) text += " -r";
      text += "\n";
    }
  }
  return text;
}

std::string roff(const std::string& text) { return escaped(escaped(text, "\\", "\\"), "-", "\\"); }

std::string manual() {
  std::string text =
      ".TH REVODE 1 \"\" \"revode " REVODE_VERSION
      "\"\n.SH NAME\nrevode \\- ordinary differential equations and exact gradients\n"
      ".SH SYNOPSIS\n.B revode\n.I COMMAND\n[\\fIPROBLEM\\fR] [\\fIoptions\\fR]\n"
      ".SH DESCRIPTION\nSolves ordinary differential equations and gives the exact gradient of "
      "what "
      "was computed, in as little memory as is allowed. A\n.I PROBLEM\nis a name of\n.B revode "
      "list "
      "problems\\fR,\na model in a text file (\\fIsir.ode\\fR) or a shared library "
      "(\\fIlibmine.so:argument\\fR).\n.SH COMMANDS\n";
  for (const described_command& c : described_commands()) {
    text += ".SS " + c.name + "\n" + roff(c.help) + "\n";
    for (const described_option& o : c.options)
      text += ".TP\n.B " + roff(o.name) + (o.kind.empty() ? "" : " \\fI" + roff(o.kind) + "\\fR") +
              "\n" + roff(o.help) + "\n";
  }
  return text +
         ".SH EXIT STATUS\n0, 1 where a solve or a gradient failed, 2 for misuse, 3 where an "
         "output "
         "could not be written; all but 0 leave a line on stderr.\n"
         ".SH ENVIRONMENT\n.TP\n.B REVODE_CACHE\nwhere compiled models are kept\n"
         ".TP\n.B REVODE_INCLUDE\nfolders of revode's and Eigen's headers, between colons\n"
         ".TP\n.B CXX\nthe compiler of models\n"
         ".SH EXAMPLES\n.nf\nrevode solve lorenz \\-\\-plot lorenz.svg\nrevode grad lorenz "
         "\\-\\-slots 8 \\-\\-check\nrevode solve sir.ode \\-\\-params beta=0.5 \\-\\-why\n.fi\n";
}

}  // namespace

report completion_command(const arguments& given) {
  constexpr std::array<std::string_view, 4> known{"bash", "zsh", "fish", "man"};
  if (given.extras.size() != 1)
    misuse("'revode completion' with " + std::to_string(given.extras.size()) +
           " words (it takes the name of a shell) give e.g. 'revode completion bash'?");
  const std::string& shell = given.extras[0];
  if (shell == "bash") return {bash()};
  if (shell == "zsh") return {zsh()};
  if (shell == "fish") return {fish()};
  if (shell == "man") return {manual()};
  unknown_name("shell", shell, "shells", known, "give bash, zsh, fish or man");
}

}  // namespace revode::cli
