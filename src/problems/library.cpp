// SPDX-License-Identifier: Apache-2.0
#include "library.hpp"

#include <dlfcn.h>

#include <string_view>

#include <revode/problems/erased_problem.hpp>

namespace revode::named {

void* function_of_library(const std::string& path, const std::string& kind, const char* symbol,
                          const std::string& macro) {
  const bool here = path.find('/') == std::string::npos;  // dlopen would look elsewhere
  void* library = dlopen((here ? "./" + path : path).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* why = dlerror();
    misuse("cannot load " + kind + " " + in_quotes(path) + " (" +
           (why == nullptr ? "no reason given" : why) + ") give the path of a shared library?");
  }
  void* function = dlsym(library, symbol);
  if (function == nullptr)
    misuse("shared library " + in_quotes(path) + " is no " + kind + " (it has no " + symbol +
           ") write " + macro + " in it?");
  return function;
}

void expect_same_build(const plugin_build& its, const plugin_build& own, const std::string& path,
                       const std::string& kind) {
  if (its.size == own.size && std::string_view(its.version) == own.version &&
      its.eigen == own.eigen && its.alignment == own.alignment)
    return;
  misuse(kind + " " + in_quotes(path) + " is of another build (revode " + its.version + ", Eigen " +
         std::to_string(its.eigen) + ", arrays aligned to " + std::to_string(its.alignment) +
         "; here " + own.version + ", " + std::to_string(own.eigen) + ", " +
         std::to_string(own.alignment) + ") compile it with this revode and without -march?");
}

std::size_t end_of_library(std::string_view spec) {
  if (spec.ends_with(".so")) return spec.size();
  const std::size_t colon = spec.find(".so:");
  return colon == spec.npos ? spec.npos : colon + 3;
}

}  // namespace revode::named
