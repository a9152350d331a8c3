// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <cmath>
#include <ostream>
#include <string>

#include <revode/solve/events.hpp>

namespace revode {

/// One line of JSON for an attempt: what is not finite is null.
///   {"t":0.25,"h":0.125,"error":0.5,"accepted":true,"status":"success"}
inline std::string json_line(const step_attempt& a) {
  const auto number = [](double x) {
    char text[32];
    if (!std::isfinite(x)) return std::string("null");
    return std::string(text, std::to_chars(text, text + sizeof text, x).ptr);
  };
  return "{\"t\":" + number(a.t) + ",\"h\":" + number(a.t_new - a.t) +
         ",\"error\":" + number(a.error) + ",\"accepted\":" + (a.accepted ? "true" : "false") +
         ",\"status\":\"" + name(a.what) + "\"}\n";
}

/// Writes a line for every attempt of a solve, the rejected ones included, and none for those that a
/// gradient repeats:
///   solve(q, tsit5{}, options{}, events(step_lines{std::clog}));
struct step_lines {
  std::ostream& to;
  void after_attempt(const step_attempt& a) const { to << json_line(a); }
};

}  // namespace revode
