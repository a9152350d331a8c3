// SPDX-License-Identifier: Apache-2.0
// A model is refused by a line and a column that it has, or it is written as a field: from bytes as they are, and from
// bytes that stand for the words of models.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <stdexcept>
#include <string>

#include <problems/model/model.hpp>

namespace {

constexpr const char* words[] = {"x",
                                 "y",
                                 "a",
                                 "b",
                                 "f",
                                 "t",
                                 "pi",
                                 "1",
                                 "0.5",
                                 "2e-3",
                                 "x'",
                                 "y'",
                                 "state",
                                 "parameter",
                                 "constant",
                                 "let",
                                 "event",
                                 "when",
                                 "rises above",
                                 "falls below",
                                 "crosses",
                                 "then",
                                 "stop",
                                 "continue",
                                 "time 0 .. 1",
                                 "time",
                                 "..",
                                 "stiff, atol = 1e-4 * rtol",
                                 "discontinuity",
                                 "plot",
                                 "over",
                                 "title",
                                 "source",
                                 "and",
                                 "or",
                                 "not",
                                 "if(",
                                 "min(",
                                 "max(",
                                 "sin(",
                                 "sqrt(",
                                 "(",
                                 ")",
                                 ",",
                                 "=",
                                 "+",
                                 "-",
                                 "*",
                                 "/",
                                 "^",
                                 "<",
                                 ">",
                                 "<=",
                                 ">=",
                                 "#",
                                 "\n",
                                 "\ntime 0 .. 1\n",
                                 "\nstate x = 1\n",
                                 "\nstate y = 2\n",
                                 "\nx' = ",
                                 "\ny' = ",
                                 "\nparameter a = 1\n",
                                 "\nlet b = "};

void require(bool holds) {
  if (!holds) std::abort();
}

std::string text_of(const std::uint8_t* data, std::size_t size) {
  if (size == 0 || data[0] % 4 == 0) return {reinterpret_cast<const char*>(data), size};
  std::string text = data[0] % 4 == 1 ? "time 0 .. 1\nstate x = 1, y = 2\nparameter a = 3\n" : "";
  for (std::size_t i = 1; i < size; ++i) text.append(words[data[i] % std::size(words)]).append(" ");
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = text_of(data, size);
  int lines = 1;
  for (const char c : text) lines += c == '\n';
  try {
    const auto m = revode::named::read_model("m.ode", text);
    require(!m.states.empty() && m.slopes.size() == m.states.size());
    require(revode::named::source_of(m).find("REVODE_PROBLEM(model)") != std::string::npos);
  } catch (const std::invalid_argument& e) {
    const std::string why = e.what();
    require(why.starts_with("m.ode:") && why.ends_with("?"));
    const int line = std::atoi(why.c_str() + 6);
    require(line >= 1 && line <= lines);
  }
  return 0;
}
