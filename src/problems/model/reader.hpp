// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model.hpp"
#include "scanner.hpp"

namespace revode::named {

/// Reads the lines of a model, one after the other; a name is declared above its use.
class model_reader {
 public:
  model_reader(std::string_view file, std::string_view text);
  auto read() -> model;

 private:
  struct declared {
    model_node::kind what = model_node::kind::number;
    int at = 0;
    double number = 0;
    int line = 0;
  };

  // Lines (reader.cpp).
  void line();
  void numbers(std::vector<named_number>& into, model_node::kind what);
  void constants();
  void let();
  void slope();
  void algebraic();
  void indices();
  void event();
  void action(model_event& e);
  void time();
  void stiff();
  void jumps();
  void drawn();
  void complete();
  int state(std::string_view why);
  auto new_name(model_node::kind what, int at, double number = 0) -> std::string;

  // Expressions (expression.cpp).
  static bool is_function(std::string_view name);
  int expression();
  double constant();
  int operation(int level);
  int prefix();
  int primary();
  int named_value();
  int call();
  int pair(std::string_view word, int a, int b, const model_token& at);
  int add(model_node node, const model_token& at);
  void need_number(int node, const model_token& at);
  void need_condition(int node, const model_token& at);

  // Tokens (tokens.cpp).
  void advance();
  bool take(std::string_view text);
  void expect(std::string_view text, std::string_view why);
  void skip_lines();
  void end_of_line();
  [[noreturn]] void unexpected(std::string_view needed);
  [[noreturn]] void unknown(std::string_view name, const model_token& at);

  model_scanner scanner_;
  model_token now_;
  model model_;
  std::map<std::string, declared, std::less<>> names_;
  std::vector<int> slope_lines_;                        ///< 0: none yet
  std::vector<std::pair<int, model_token>> algebraic_;  ///< nodes of 0 = …, and where they stand
  int open_ = 0, depth_ = 0;                            ///< parentheses; operands within operands
  bool has_time_ = false;
  model_token index_at_;  ///< the last state that was given one
};

}  // namespace revode::named
