// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace revode {

/// "A,B,C"
inline std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, ',');) parts.push_back(part);
  return parts;
}

/// The positive number of an option; `example` is one that makes sense there.
/// errors  std::invalid_argument: another text
inline double positive_number(const std::string& option, const std::string& text,
                              const char* example) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !(value > 0))
    throw std::invalid_argument(option + " " + text +
                                " (it takes positive numbers) give one such as " + example + "?");
  return value;
}

/// What main of such a program returns: run(words)'s status, or 2 and a line for misuse.
template <class Run>
int status_of(const char* program, int argc, char** argv, const Run& run) {
  try {
    return run(std::vector<std::string>(argv + 1, argv + argc));
  } catch (const std::invalid_argument& e) {
    std::fprintf(stderr, "%s: %s\n", program, e.what());
    return 2;
  }
}

}  // namespace revode
