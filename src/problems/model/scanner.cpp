// SPDX-License-Identifier: Apache-2.0
#include "scanner.hpp"

#include <charconv>
#include <cmath>

#include <revode/problems/erased_problem.hpp>

namespace revode::named {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool begins_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

}  // namespace

auto model_scanner::token(model_token::kind what, std::size_t size) -> model_token {
  model_token t{what, rest_.substr(0, size), 0, line_, column_};
  rest_.remove_prefix(size);
  column_ += static_cast<int>(size);
  return t;
}

/// Digits with a point and an exponent; the two points of "0..1" are not of it.
auto model_scanner::number() -> model_token {
  std::size_t size = 0;
  const auto digits = [&] {
    while (size < rest_.size() && is_digit(rest_[size])) ++size;
  };
  digits();
  if (size < rest_.size() && rest_[size] == '.' && !rest_.substr(size).starts_with("..")) {
    ++size;
    digits();
  }
  if (size < rest_.size() && (rest_[size] == 'e' || rest_[size] == 'E')) {
    std::size_t exponent = size + 1;
    if (exponent < rest_.size() && (rest_[exponent] == '+' || rest_[exponent] == '-')) ++exponent;
    if (exponent < rest_.size() && is_digit(rest_[exponent])) {
      size = exponent;
      digits();
    }
  }
  model_token t = token(model_token::kind::number, size);
  const auto read = std::from_chars(t.text.data(), t.text.data() + t.text.size(), t.number);
  if (read.ec != std::errc{} || read.ptr != t.text.data() + t.text.size())
    refuse(t, "number " + in_quotes(t.text) + " (it is none that a double can hold) give another?");
  return t;
}

auto model_scanner::next() -> model_token {
  while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\t' || rest_[0] == '\r'))
    token(model_token::kind::symbol, 1);
  if (!rest_.empty() && rest_[0] == '#')
    token(model_token::kind::symbol, std::min(rest_.find('\n'), rest_.size()));
  if (rest_.empty()) return token(model_token::kind::end, 0);
  const char c = rest_[0];
  if (c == '\n') {
    const model_token t = token(model_token::kind::end_of_line, 1);
    ++line_;
    column_ = 1;
    return t;
  }
  if (is_digit(c) || (c == '.' && rest_.size() > 1 && is_digit(rest_[1]))) return number();
  if (begins_name(c)) {
    std::size_t size = 1;
    while (size < rest_.size() && (begins_name(rest_[size]) || is_digit(rest_[size]))) ++size;
    return token(model_token::kind::name, size);
  }
  for (const std::string_view two : {"..", "<=", ">=", "=="})
    if (rest_.starts_with(two)) return token(model_token::kind::symbol, 2);
  if (std::string_view("+-*/^()=,'<>").find(c) != std::string_view::npos)
    return token(model_token::kind::symbol, 1);
  std::size_t size = 1;  // a letter of UTF-8 in one piece
  while (size < rest_.size() && (static_cast<unsigned char>(rest_[size]) & 0xC0) == 0x80) ++size;
  const model_token t = token(model_token::kind::symbol, size);
  refuse(t, "character " + in_quotes(t.text) +
                " (names are of letters a to z, digits and _) write it otherwise?");
}

auto model_scanner::rest_of_line() -> std::string_view {
  std::string_view line =
      token(model_token::kind::symbol, std::min(rest_.find('\n'), rest_.size())).text;
  const std::size_t first = line.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return line.substr(first, line.find_last_not_of(" \t\r") - first + 1);
}

void model_scanner::refuse(const model_token& at, const std::string& text) const {
  misuse(std::string(file_) + ":" + std::to_string(at.line) + ":" + std::to_string(at.column) +
         ": " + text);
}

}  // namespace revode::named
