// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <revode/problems/catalog.hpp>

#include "reader.hpp"

namespace revode::named {
namespace {

struct known_function {
  std::string_view name;
  std::size_t operands;
};
constexpr std::array functions{
    known_function{"sin", 1},   known_function{"cos", 1},   known_function{"tan", 1},
    known_function{"asin", 1},  known_function{"acos", 1},  known_function{"atan", 1},
    known_function{"sinh", 1},  known_function{"cosh", 1},  known_function{"tanh", 1},
    known_function{"exp", 1},   known_function{"expm1", 1}, known_function{"log", 1},
    known_function{"log1p", 1}, known_function{"sqrt", 1},  known_function{"abs", 1},
    known_function{"min", 2},   known_function{"max", 2},   known_function{"atan2", 2},
    known_function{"hypot", 2}, known_function{"if", 3},    known_function{"log10", 1},
    known_function{"log2", 1},  known_function{"exp2", 1},  known_function{"cbrt", 1},
    known_function{"asinh", 1}, known_function{"acosh", 1}, known_function{"atanh", 1},
    known_function{"erf", 1},   known_function{"erfc", 1}};

/// How tightly the operators bind.
struct binary_operator {
  std::string_view word;
  int level;
};
constexpr int not_level = 3, comparison = 4, minus_level = 7, power = 8;
constexpr std::array operators{binary_operator{"or", 1},          binary_operator{"and", 2},
                               binary_operator{"<", comparison},  binary_operator{">", comparison},
                               binary_operator{"<=", comparison}, binary_operator{">=", comparison},
                               binary_operator{"+", 5},           binary_operator{"-", 5},
                               binary_operator{"*", 6},           binary_operator{"/", 6},
                               binary_operator{"^", power}};
constexpr int deepest = 100, highest = 2000;
constexpr std::size_t most_nodes = 1'000'000;

}  // namespace

int model_reader::expression() {
  const model_token at = now_;
  const int node = operation(1);
  need_number(node, at);
  return node;
}

double model_reader::constant() {
  const model_token at = now_;
  const std::size_t before = model_.nodes.size();
  const int node = expression();
  for (std::size_t i = before; i < model_.nodes.size(); ++i) {
    using enum model_node::kind;
    const model_node::kind what = model_.nodes[i].what;
    if (what == time || what == parameter || what == state || what == let)
      scanner_.refuse(
          at,
          "an expression that is not constant (numbers, constants and functions of them are "
          "needed here) give a number?");
  }
  const double value = constant_value(model_, node);
  if (!std::isfinite(value))
    scanner_.refuse(at, "an expression without a finite value (it is " + std::to_string(value) +
                            ") give another?");
  return value;
}

/// Operators that bind at least so tightly, by precedence climbing.
int model_reader::operation(int level) {
  if (++depth_ > deepest)
    scanner_.refuse(now_, "an expression that is nested too deep (more than " +
                              std::to_string(deepest) + " levels) name a part of it by let?");
  int left = prefix();
  for (bool compared = false;;) {
    const auto found = std::find_if(operators.begin(), operators.end(),
                                    [&](const binary_operator& o) { return now_.is(o.word); });
    if (found == operators.end() || found->level < level) break;
    const model_token at = now_;
    if (compared && found->level == comparison)
      scanner_.refuse(at,
                      "a comparison of comparisons (a < b < c has no meaning here) write "
                      "a < b and b < c?");
    compared = found->level == comparison;
    advance();
    skip_lines();
    left = pair(found->word, left, operation(found->level == power ? power : found->level + 1), at);
  }
  --depth_;
  return left;
}

int model_reader::pair(std::string_view word, int a, int b, const model_token& at) {
  const bool of_conditions = word == "and" || word == "or";
  for (const int operand : {a, b})
    of_conditions ? need_condition(operand, at) : need_number(operand, at);
  model_node n{.what = model_node::kind::operation, .word = word, .of = {a, b}};
  n.condition = of_conditions || word[0] == '<' || word[0] == '>';
  return add(std::move(n), at);
}

int model_reader::prefix() {
  const model_token at = now_;
  if (take("+")) return operation(minus_level);
  if (take("-")) {
    const int operand = operation(minus_level);
    need_number(operand, at);
    return add({.what = model_node::kind::negation, .of = {operand}}, at);
  }
  if (!take("not")) return primary();
  const int operand = operation(not_level);
  need_condition(operand, at);
  return add(
      {.what = model_node::kind::operation, .word = "not", .of = {operand}, .condition = true}, at);
}

int model_reader::primary() {
  const model_token at = now_;
  if (at.what == model_token::kind::number) {
    advance();
    return add({.what = model_node::kind::number, .number = at.number}, at);
  }
  if (now_.is("(")) {
    ++open_;
    advance();
    const int inside = operation(1);
    if (!now_.is(")")) unexpected("a closing parenthesis");
    --open_;
    advance();
    return inside;
  }
  if (at.what != model_token::kind::name) unexpected("a number, a name or a parenthesis");
  return named_value();
}

bool model_reader::is_function(std::string_view name) {
  return std::any_of(functions.begin(), functions.end(),
                     [&](const known_function& f) { return name == f.name; });
}

int model_reader::named_value() {
  const model_token at = now_;
  if (is_function(at.text)) return call();
  using enum model_node::kind;
  if (at.text == "t" || at.text == "pi") {
    advance();
    if (at.text == "t") return add({.what = time}, at);
    return add({.what = number, .number = std::numbers::pi}, at);
  }
  const auto found = names_.find(at.text);
  if (found == names_.end()) unknown(at.text, at);
  advance();
  const declared& d = found->second;
  return add({.what = d.what, .number = d.number, .at = d.at}, at);
}

int model_reader::call() {
  const model_token at = now_;
  const auto& f = *std::find_if(functions.begin(), functions.end(),
                                [&](const known_function& k) { return at.text == k.name; });
  advance();
  if (!now_.is("(")) unexpected("'(' behind " + std::string(f.name));
  ++open_;
  advance();
  model_node n{.what = model_node::kind::call, .word = f.name};
  for (bool more = !now_.is(")"); more; more = take(",")) {
    const model_token operand = now_;
    n.of.push_back(operation(1));
    n.of.size() == 1 && f.name == "if" ? need_condition(n.of.back(), operand)
                                       : need_number(n.of.back(), operand);
  }
  if (!now_.is(")")) unexpected("a comma or a closing parenthesis");
  if (n.of.size() != f.operands)
    scanner_.refuse(at, std::string(f.name) + " with " + std::to_string(n.of.size()) +
                            (n.of.size() == 1 ? " operand (" : " operands (") + "it takes " +
                            std::to_string(f.operands) + ") give that many?");
  --open_;
  advance();
  return add(std::move(n), at);
}

int model_reader::add(model_node node, const model_token& at) {
  if (model_.nodes.size() >= most_nodes)
    scanner_.refuse(at, "a model of more than " + std::to_string(most_nodes) +
                            " operations (a compiler would not end) write it as a C++ field?");
  for (const int operand : node.of)
    node.height = std::max(node.height, 1 + model_.nodes[static_cast<std::size_t>(operand)].height);
  if (node.height > highest)
    scanner_.refuse(at, "an expression of more than " + std::to_string(highest) +
                            " terms in a row (a compiler would not end) name parts of it by let?");
  model_.nodes.push_back(std::move(node));
  return static_cast<int>(model_.nodes.size() - 1);
}

void model_reader::need_number(int node, const model_token& at) {
  if (model_.nodes[static_cast<std::size_t>(node)].condition)
    scanner_.refuse(
        at, "a condition in place of a number (it is true or false) write if(condition, a, b)?");
}

void model_reader::need_condition(int node, const model_token& at) {
  if (!model_.nodes[static_cast<std::size_t>(node)].condition)
    scanner_.refuse(
        at,
        "a number in place of a condition (it is neither true nor false) compare it, as in x > 0?");
}

void model_reader::unknown(std::string_view name, const model_token& at) {
  std::vector<std::string_view> known{"t", "pi"};
  for (const auto& [declared, meaning] : names_) known.push_back(declared);
  for (const known_function& f : functions) known.push_back(f.name);
  const std::string nearest = nearest_name(name, known);
  scanner_.refuse(at, "unknown name " + in_quotes(name) + " (it is not declared above) " +
                          (nearest.empty() ? "declare it by parameter, state, constant or let?"
                                           : "did you mean " + in_quotes(nearest) + "?"));
}

double constant_value(const model& m, int node) {
  const model_node& n = m.nodes[static_cast<std::size_t>(node)];
  const auto of = [&](std::size_t i) { return constant_value(m, n.of[i]); };
  if (n.what == model_node::kind::number) return n.number;
  if (n.what == model_node::kind::negation) return -of(0);
  const std::string_view w = n.word;
  if (w == "+") return of(0) + of(1);
  if (w == "-") return of(0) - of(1);
  if (w == "*") return of(0) * of(1);
  if (w == "/") return of(0) / of(1);
  if (w == "^") return std::pow(of(0), of(1));
  if (w == "<") return of(0) < of(1);
  if (w == ">") return of(0) > of(1);
  if (w == "<=") return of(0) <= of(1);
  if (w == ">=") return of(0) >= of(1);
  if (w == "and") return of(0) != 0 && of(1) != 0;
  if (w == "or") return of(0) != 0 || of(1) != 0;
  if (w == "not") return of(0) == 0;
  if (w == "if") return of(0) != 0 ? of(1) : of(2);
  if (w == "min") return std::min(of(0), of(1));
  if (w == "max") return std::max(of(0), of(1));
  if (w == "atan2") return std::atan2(of(0), of(1));
  if (w == "hypot") return std::hypot(of(0), of(1));
  using unary = double (*)(double);
  constexpr std::array<std::pair<std::string_view, unary>, 24> by_name{
      {{"sin", std::sin},     {"cos", std::cos},     {"tan", std::tan},     {"asin", std::asin},
       {"acos", std::acos},   {"atan", std::atan},   {"sinh", std::sinh},   {"cosh", std::cosh},
       {"tanh", std::tanh},   {"exp", std::exp},     {"expm1", std::expm1}, {"log", std::log},
       {"log1p", std::log1p}, {"sqrt", std::sqrt},   {"abs", std::fabs},    {"log10", std::log10},
       {"log2", std::log2},   {"exp2", std::exp2},   {"cbrt", std::cbrt},   {"asinh", std::asinh},
       {"acosh", std::acosh}, {"atanh", std::atanh}, {"erf", std::erf},     {"erfc", std::erfc}}};
  for (const auto& [name, function] : by_name)
    if (w == name) return function(of(0));
  return std::nan("");
}

}  // namespace revode::named
