// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace revode::named {

struct model_token {
  enum class kind { name, number, symbol, end_of_line, end };
  kind what = kind::end;
  std::string_view text;
  double number = 0;
  int line = 1, column = 1;

  bool is(std::string_view symbol_or_word) const {
    return (what == kind::symbol || what == kind::name) && text == symbol_or_word;
  }
};

/// Cuts a model's text into tokens; comments run from # to the end of their line.
class model_scanner {
 public:
  model_scanner(std::string_view file, std::string_view text) : file_(file), rest_(text) {}

  /// errors  std::invalid_argument for a character that has no meaning, a number that is none
  auto next() -> model_token;
  /// The rest of the line, without blanks around it.
  auto rest_of_line() -> std::string_view;

  /// "sir.ode:7:12: <problem> (<why>) <what to do>?"
  [[noreturn]] void refuse(const model_token& at, const std::string& text) const;

 private:
  auto token(model_token::kind what, std::size_t size) -> model_token;
  auto number() -> model_token;

  std::string_view file_, rest_;
  int line_ = 1, column_ = 1;
};

}  // namespace revode::named
