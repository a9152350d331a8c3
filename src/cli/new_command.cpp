// SPDX-License-Identifier: Apache-2.0
#include <cli/commands.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <system_error>

#include <cli/text.hpp>

namespace revode::cli {
namespace {

constexpr const char* skeleton =
    R"(# A model for `revode solve`, as docs/models.md describes them: change what is here to your own.
title A population that grows to what its place can feed
time 0 .. 20                          # from when to when

parameter rate = 0.5, capacity = 10   # what gradients are taken by; --params changes them
state population = 0.1                # with its initial value

let room = 1 - population / capacity  # a name for a quantity
population' = rate * population * room

event half when population rises above capacity / 2
# event harvest when population rises above 9 then population = 3
# event end when population falls below 0.01 then stop
# stiff                               # an implicit method by default

plot population
)";

/// Letters, digits and _, as a model's name in a file name.
void check_name(const std::string& name) {
  const auto fits = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '-';
  };
  if (name.empty() || name.front() == '-' || !std::all_of(name.begin(), name.end(), fits))
    misuse("invalid name " + in_quotes(name) +
           " (it becomes a file here, of letters, digits, _ and -) give another?");
}

}  // namespace

/// Writes NAME.ode, which is solved as it is, into this folder.
report new_command(const arguments& given) {
  constexpr std::array<std::string_view, 1> known{"problem"};
  if (given.extras.size() != 2)
    misuse("'revode new' with " + std::to_string(given.extras.size()) +
           " words (it takes what to begin, and a name) give e.g. 'revode new problem mine'?");
  if (given.extras[0] != known[0])
    unknown_name("beginning", given.extras[0], "what can be begun", known, "give problem");
  const std::string& name = given.extras[1];
  check_name(name);
  const std::string path = name + ".ode";
  std::error_code none;
  if (std::filesystem::exists(path, none))
    misuse("file " + in_quotes(path) + " (it is there already) give another name?");
  write_file("new problem", path, skeleton);
  return {path + " is written; try\n  revode solve " + path + " --plot " + name +
          ".svg\n  revode grad " + path + "\n"};
}

}  // namespace revode::cli
