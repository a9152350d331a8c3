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

constexpr const char* problem_text =
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

constexpr const char* method_text =
    R"(// A method for `revode solve --method`, as docs/models.md describes them: change its numbers to your own.
#include <revode/any/method_plugin.hpp>
#include <revode/solvers/explicit/runge_kutta.hpp>

struct mine {
  static constexpr const char* name = "NAME";
  static constexpr const char* source = "Heun's method, with Euler's for the estimate";
  static constexpr int order = 2, embedded_order = 1, dense_order = 2;
  static constexpr revode::butcher_tableau<2> tableau{
      .a = {{}, {1}}, .b = {1. / 2, 1. / 2}, .b_embedded = {1, 0}, .c = {0, 1}};
  static constexpr revode::dense_tableau<2, 1, 3> dense = revode::cubic_hermite<1>(tableau);
};

REVODE_METHOD(mine)
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

/// Writes NAME.ode, which is solved as it is, or NAME.cpp, which is compiled as it is, into this folder.
report new_command(const arguments& given) {
  constexpr std::array<std::string_view, 2> known{"problem", "method"};
  if (given.extras.size() != 2)
    misuse("'revode new' with " + std::to_string(given.extras.size()) +
           " words (it takes what to begin, and a name) give e.g. 'revode new problem mine'?");
  const std::string& what = given.extras[0];
  if (std::find(known.begin(), known.end(), what) == known.end())
    unknown_name("beginning", what, "what can be begun", known, "give problem or method");
  const std::string& name = given.extras[1];
  check_name(name);
  const bool problem = what == known[0];
  const std::string path = name + (problem ? ".ode" : ".cpp");
  std::error_code none;
  if (std::filesystem::exists(path, none))
    misuse("file " + in_quotes(path) + " (it is there already) give another name?");
  std::string text = problem ? problem_text : method_text;
  if (!problem) text.replace(text.find("NAME"), 4, name);
  write_file("new " + what, path, text);
  const std::string library = "lib" + name + ".so";
  return {path + " is written; try\n" +
          (problem
               ? "  revode solve " + path + " --plot " + name + ".svg\n  revode grad " + path + "\n"
               : "  g++ -std=c++20 -O2 -fPIC -shared " + path +
                     " $(pkg-config --cflags --libs revode) -o " + library +
                     "\n  revode solve lorenz --method ./" + library + "\n")};
}

}  // namespace revode::cli
