// SPDX-License-Identifier: Apache-2.0
#include "reader.hpp"

#include <revode/problems/catalog.hpp>

namespace revode::named {

void model_reader::end_of_line() {
  if (now_.what == model_token::kind::end_of_line || now_.what == model_token::kind::end) return;
  const bool operand = now_.what == model_token::kind::name ||
                       now_.what == model_token::kind::number || now_.is("(");
  scanner_.refuse(now_,
                  "unexpected " + in_quotes(now_.text) +
                      (operand ? " (products are written with *, and a line is one statement) "
                               : " (the line is complete before it) ") +
                      (operand ? "put * before it?" : "leave it out?"));
}

void model_reader::advance() {
  do now_ = scanner_.next();
  while (open_ > 0 && now_.what == model_token::kind::end_of_line);
}

bool model_reader::take(std::string_view text) {
  if (!now_.is(text)) return false;
  advance();
  return true;
}

void model_reader::expect(std::string_view text, std::string_view why) {
  if (!take(text)) unexpected("'" + std::string(text) + "': " + std::string(why));
}

void model_reader::skip_lines() {
  while (now_.what == model_token::kind::end_of_line) advance();
}

void model_reader::unexpected(std::string_view needed) {
  const bool over =
      now_.what == model_token::kind::end_of_line || now_.what == model_token::kind::end;
  scanner_.refuse(now_, "unexpected " +
                            (over ? std::string("end of the line") : in_quotes(now_.text)) + " (" +
                            std::string(needed) + " is needed) write that?");
}

}  // namespace revode::named
