// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "model.hpp"

namespace revode::named {
namespace {

/// A literal of type double that reads back to the same bits.
std::string literal(double x) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, x).ptr;
  std::string text(digits, end);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return std::signbit(x) ? "(" + text + ")" : text;
}

/// A C++ string: letters, digits and blanks as they are, every other byte by its number.
std::string text_literal(std::string_view text) {
  constexpr char octal[] = "01234567";
  std::string out = "\"";
  for (const char c : text) {
    const unsigned code = static_cast<unsigned char>(c);
    const bool plain = c == ' ' || c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                       (c >= 'A' && c <= 'Z');
    if (plain)
      out += c;
    else
      ((out += '\\') += octal[code >> 6]) += std::string{octal[(code >> 3) & 7], octal[code & 7]};
  }
  return out + "\"";
}

template <class Items, class Text>
std::string listed(const Items& items, Text&& text) {
  std::string all;
  for (const auto& item : items) all.append(all.empty() ? "" : ", ").append(text(item));
  return all;
}

/// Expressions as C++, with as few parentheses as their precedence allows: compilers bound the depth of these.
class writer {
 public:
  explicit writer(const model& m) : m_(m) {}

  std::string operator()(int node) const { return write(node).text; }

  /// "const auto v_3 = …;" for each let that these nodes need, directly or through others.
  std::string lets_of(const std::vector<int>& nodes, const std::string& indent) const {
    std::vector<bool> needed(m_.lets.size());
    for (const int node : nodes) mark(node, needed);
    for (std::size_t i = m_.lets.size(); i-- > 0;)
      if (needed[i]) mark(m_.lets[i].second, needed);
    std::string text;
    for (std::size_t i = 0; i < m_.lets.size(); ++i)
      if (needed[i])
        text +=
            indent + "const auto " + name_of_let(i) + " = " + (*this)(m_.lets[i].second) + ";\n";
    return text;
  }

 private:
  struct written {
    std::string text;
    int level;  ///< 1: or, … 7: what needs no parentheses
  };
  static constexpr int atom = 7;

  const model_node& at(int node) const { return m_.nodes[static_cast<std::size_t>(node)]; }
  std::string name_of_let(std::size_t i) const { return "v_" + m_.lets[i].first; }

  void mark(int node, std::vector<bool>& needed) const {
    const model_node& n = at(node);
    if (n.what == model_node::kind::let) needed[static_cast<std::size_t>(n.at)] = true;
    for (const int operand : n.of) mark(operand, needed);
  }

  std::string inside(int node, int level) const {
    written w = write(node);
    return w.level < level ? "(" + w.text + ")" : std::move(w.text);
  }

  written write(int node) const {
    const model_node& n = at(node);
    switch (n.what) {
      case model_node::kind::number: return {literal(n.number), atom};
      case model_node::kind::time: return {"t", atom};
      case model_node::kind::parameter: return {"p[" + std::to_string(n.at) + "]", atom};
      case model_node::kind::state: return {"y[" + std::to_string(n.at) + "]", atom};
      case model_node::kind::let: return {name_of_let(static_cast<std::size_t>(n.at)), atom};
      case model_node::kind::negation: return {"-" + inside(n.of[0], atom), 6};
      case model_node::kind::operation: return operation(n);
      case model_node::kind::call: return call(n);
    }
    return {"", atom};
  }

  written operation(const model_node& n) const {
    const std::string word(n.word);
    if (word == "^") return power(n);
    if (word == "not") return {"!" + inside(n.of[0], atom), 6};
    const bool sum = word == "+" || word == "-", product = word == "*" || word == "/";
    const int level = product ? 5 : sum ? 4 : word == "and" ? 2 : word == "or" ? 1 : 3;
    const std::string sign = word == "and" ? "&&" : word == "or" ? "||" : word;
    return {inside(n.of[0], level) + " " + sign + " " + inside(n.of[1], level + 1), level};
  }

  written power(const model_node& n) const {
    if (const std::optional<int> whole = small_whole(n.of[1]))
      return {"whole_power<" + std::to_string(*whole) + ">(" + (*this)(n.of[0]) + ")", atom};
    return {"pow(" + (*this)(n.of[0]) + ", " + (*this)(n.of[1]) + ")", atom};
  }

  std::optional<int> small_whole(int node) const {
    const bool negative = at(node).what == model_node::kind::negation;
    const model_node& n = negative ? at(at(node).of[0]) : at(node);
    if (n.what != model_node::kind::number || n.number != std::floor(n.number) ||
        !(std::abs(n.number) <= 32))
      return {};
    return static_cast<int>(negative ? -n.number : n.number);
  }

  written call(const model_node& n) const {
    const std::string name(n.word == "if" ? "choose" : n.word);
    return {name + "(" + listed(n.of, [&](int operand) { return (*this)(operand); }) + ")", atom};
  }

  const model& m_;
};

constexpr const char* names_of_functions =
    "      using std::abs, std::acos, std::acosh, std::asin, std::asinh, std::atan, std::atan2, "
    "std::atanh,\n"
    "          std::cbrt, std::cos, std::cosh, std::erf, std::erfc, std::exp, std::exp2, "
    "std::expm1,\n"
    "          std::hypot, std::log, std::log10, std::log1p, std::log2, std::max, std::min, "
    "std::pow,\n"
    "          std::sin, std::sinh, std::sqrt, std::tan, std::tanh;\n";
constexpr const char* sees =
    "[[maybe_unused]] const T& t, [[maybe_unused]] const Y& y, [[maybe_unused]] const P& p";

std::string numbers_of(const char* type, const std::vector<named_number>& numbers) {
  return std::string(type) + std::to_string(numbers.size()) + ">{" +
         listed(numbers, [](const named_number& x) { return literal(x.value); }) + "}";
}

std::string event_text(const model& m, const model_event& e, std::size_t number) {
  const writer write(m);
  std::string text = "  struct event_" + std::to_string(number) +
                     " {\n    static constexpr const char* name = " + text_literal(e.name) +
                     ";\n    static constexpr auto direction = revode::crossing::" +
                     (e.direction == crossing::rising    ? "rising"
                      : e.direction == crossing::falling ? "falling"
                                                         : "both") +
                     ";\n";
  if (e.stops) text += "    static constexpr bool terminal = true;\n";
  if (e.passes) text += "    static constexpr bool passes = true;\n";
  text += std::string("    template <class T, class Y, class P>\n    auto condition(") + sees +
          ") const {\n" + names_of_functions + write.lets_of({e.condition}, "      ") +
          "      return " + write(e.condition) + ";\n    }\n";
  if (!e.jump.empty()) {
    std::vector<int> values;
    for (const auto& [state, value] : e.jump) values.push_back(value);
    text += std::string("    template <class T, class Y, class P>\n    void jump(") + sees +
            ", Y& y_new) const {\n" + names_of_functions + write.lets_of(values, "      ");
    for (const auto& [state, value] : e.jump)
      text += "      y_new[" + std::to_string(state) + "] = " + write(value) + ";\n";
    text += "    }\n";
  }
  return text + "  };\n";
}

std::string field_text(const model& m) {
  const writer write(m);
  std::string text = std::string("  template <class T, class Y, class P>\n  void operator()(") +
                     sees + ", Y& dy) const {\n" + names_of_functions +
                     write.lets_of(m.slopes, "    ");
  for (std::size_t i = 0; i < m.slopes.size(); ++i)
    text += "    dy[" + std::to_string(i) + "] = " + write(m.slopes[i]) + ";\n";
  return text + "  }\n";
}

/// M of M y' = f, where there are algebraic equations: 1 for each state that has a slope.
std::string mass_text(const model& m) {
  if (std::find(m.algebraic.begin(), m.algebraic.end(), true) == m.algebraic.end()) return "";
  std::string text = "  template <class Matrix>\n  void mass([[maybe_unused]] Matrix& m) const {\n";
  for (std::size_t i = 0; i < m.algebraic.size(); ++i)
    if (!m.algebraic[i])
      text += "    m(" + std::to_string(i) + ", " + std::to_string(i) + ") = 1;\n";
  return text + "  }\n";
}

std::string index_text(const std::vector<int>& index) {
  if (index.empty()) return "";
  const auto number = [](int i) { return std::to_string(i); };
  return "  static constexpr auto index() { return std::array{" + listed(index, number) + "}; }\n";
}

std::string list_text(const char* type, const char* name, const std::string& items) {
  return items.empty()
             ? std::string()
             : std::string("  static constexpr ") + type + " " + name + "[] = {" + items + "};\n";
}

}  // namespace

auto source_of(const model& m) -> std::string {
  const auto number = [](auto x) { return std::to_string(x); };
  std::string text =
      "// The field of a model file, written by revode.\n#include <algorithm>\n#include <array>\n"
      "#include <cmath>\n\n"
      "#include <revode/problems/plugin.hpp>\n\nnamespace {\n\nusing revode::choose, "
      "revode::whole_power;\n\nstruct model {\n"
      "  static constexpr const char* name = " +
      text_literal(m.name) + ";\n  static constexpr const char* title = " + text_literal(m.title) +
      ";\n  static constexpr const char* source = " + text_literal(m.source) +
      ";\n  static constexpr double t0 = " + literal(m.t0) + ", t1 = " + literal(m.t1) + ";\n" +
      list_text("const char*", "labels",
                listed(m.states, [](const named_number& s) { return text_literal(s.name); })) +
      list_text("const char*", "parameter_names",
                listed(m.parameters, [](const named_number& p) { return text_literal(p.name); })) +
      list_text("double", "jumps", listed(m.jumps, literal)) +
      list_text("int", "drawn", listed(m.drawn, number)) +
      "  static constexpr int drawn_over = " + number(m.drawn_over) + ";\n";
  if (m.atol > 0)
    text += "  static double atol(double rtol) { return " + literal(m.atol) + " * rtol; }\n";
  text += "  auto y0() const { return " + numbers_of("revode::vec<double, ", m.states) + "; }\n" +
          "  auto parameters() const { return " + numbers_of("revode::vec<double, ", m.parameters) +
          "; }\n\n" + mass_text(m) + index_text(m.index) + field_text(m);
  for (std::size_t i = 0; i < m.events.size(); ++i) text += event_text(m, m.events[i], i);
  if (!m.events.empty()) {
    std::vector<std::size_t> all(m.events.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    text += "  auto events() const { return revode::events(" +
            listed(all, [](std::size_t i) { return "event_" + std::to_string(i) + "{}"; }) +
            "); }\n";
  }
  return text + "};\n\n}  // namespace\n\nREVODE_PROBLEM(model)\n";
}

}  // namespace revode::named
