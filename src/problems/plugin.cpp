// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>

#include <revode/problems/plugin.hpp>

#include "erase.hpp"
#include "library.hpp"
#include "model/model.hpp"

namespace revode::named {
namespace {

constexpr std::size_t longest_model = 10'000'000;

std::string text_of(const std::string& path) {
  std::error_code none;
  std::ifstream in(path, std::ios::binary);
  if (!in || std::filesystem::is_directory(path, none))
    misuse("cannot read model " + in_quotes(path) +
           " (there is no such file) give the path of one?");
  std::string text;
  for (char c; text.size() <= longest_model && in.get(c);) text += c;
  if (text.size() > longest_model)
    misuse("model " + in_quotes(path) + " of more than " + std::to_string(longest_model) +
           " bytes (it is read whole) write it as a C++ field?");
  return text;
}

/// The problem of a shared library.
auto load(const std::string& path, const char* argument) -> erased_problem {
  const auto say = reinterpret_cast<plugin (*)()>(
      function_of_library(path, "problem", "revode_plugin", "REVODE_PROBLEM"));
  const plugin its = say();
  expect_same_build(its.build, plugin_build_of(sizeof(erased_problem)), path, "problem");
  return std::move(*std::unique_ptr<erased_problem>(its.make(argument)));
}

}  // namespace

auto find_file_problem(std::string_view spec) -> std::optional<erased_problem> {
  if (spec.ends_with(".ode")) {
    const std::string path(spec);
    const model m = read_model(path, text_of(path));
    return load(compiled_model(path, source_of(m)), nullptr);
  }
  const std::size_t end = end_of_library(spec);
  if (end == spec.npos) return {};
  const std::string argument(spec.substr(std::min(end + 1, spec.size())));
  return load(std::string(spec.substr(0, end)), end < spec.size() ? argument.c_str() : nullptr);
}

}  // namespace revode::named
