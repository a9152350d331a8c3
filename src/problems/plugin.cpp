// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>

#include <revode/problems/plugin.hpp>

#include "erase.hpp"
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

/// The problem of a shared library, which stays loaded: the problem's code is in it.
auto load(const std::string& path, const char* argument) -> erased_problem {
  const bool here = path.find('/') == std::string::npos;  // dlopen would look elsewhere
  void* library = dlopen((here ? "./" + path : path).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* why = dlerror();
    misuse("cannot load problem " + in_quotes(path) + " (" +
           (why == nullptr ? "no reason given" : why) + ") give the path of a shared library?");
  }
  const auto say = reinterpret_cast<plugin (*)()>(dlsym(library, "revode_plugin"));
  if (say == nullptr)
    misuse("shared library " + in_quotes(path) +
           " is no problem (it has no revode_plugin) write REVODE_PROBLEM in it?");
  const plugin own = plugin_of_this_build(nullptr);
  const plugin its = say();
  if (its.problem_size != own.problem_size || std::string_view(its.version) != own.version ||
      its.eigen != own.eigen || its.alignment != own.alignment)
    misuse("problem " + in_quotes(path) + " is of another build (revode " + its.version +
           ", Eigen " + std::to_string(its.eigen) + ", arrays aligned to " +
           std::to_string(its.alignment) + "; here " + own.version + ", " +
           std::to_string(own.eigen) + ", " + std::to_string(own.alignment) +
           ") compile it with this revode and without -march?");
  return std::move(*std::unique_ptr<erased_problem>(its.make(argument)));
}

}  // namespace

auto find_file_problem(std::string_view spec) -> std::optional<erased_problem> {
  if (spec.ends_with(".ode")) {
    const std::string path(spec);
    const model m = read_model(path, text_of(path));
    return load(compiled_model(path, source_of(m)), nullptr);
  }
  const std::size_t end = spec.ends_with(".so") ? spec.size() - 3 : spec.find(".so:");
  if (end == spec.npos) return {};
  const std::string argument(spec.substr(std::min(end + 4, spec.size())));
  const bool given = end + 3 < spec.size();
  return load(std::string(spec.substr(0, end + 3)), given ? argument.c_str() : nullptr);
}

}  // namespace revode::named
