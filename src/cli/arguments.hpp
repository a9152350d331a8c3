// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace revode::cli {

/// A command line taken apart, its values still text. Names carry their dashes.
struct arguments {
  std::string command;
  std::string subject;  ///< the problem, or what to list; empty when not given
  std::map<std::string, std::string, std::less<>> values;
  std::vector<std::string> extras;  ///< bench: all that belongs to the benchmark; merge: files

  bool has(std::string_view option) const { return values.find(option) != values.end(); }
  const std::string& at(std::string_view option) const { return values.find(option)->second; }
  std::string value_or(std::string_view option, std::string_view otherwise) const {
    return has(option) ? at(option) : std::string(otherwise);
  }
};

/// A command as --help has it, for pages and shells. kind is empty of an option without a value.
struct described_option {
  std::string name, kind, help;
};
struct described_command {
  std::string name, help;
  std::vector<described_option> options;
};
auto described_commands() -> std::vector<described_command>;

/// What was typed; nothing when it was a call for help or for the version, which is then printed.
/// errors  misuse: unknown commands and options, missing values and subjects, surplus words
auto parse_arguments(int argc, const char* const* argv) -> std::optional<arguments>;

}  // namespace revode::cli
