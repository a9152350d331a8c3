// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <cstddef>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <revode/interop/eigen.hpp>

#include <revode/problems/erased_events.hpp>
#include <revode/problems/erased_field.hpp>

namespace revode {

/// A named problem with everything it carries, behind one type. A reference covers the components
/// listed (counted from 0; none listed: there is no reference for this size), at t1, to that many
/// significant digits of each (kepler and heat_1d: of the largest).
struct erased_problem {
  std::string name;
  std::string source;
  double t0 = 0, t1 = 1;
  Eigen::VectorXd y0, p;
  erased_field f;
  std::vector<std::string> labels;
  std::vector<int> reference_components;
  Eigen::VectorXd reference;
  int digits = 0;
  double (*atol)(double) = nullptr;  ///< stiff: the absolute tolerance for a relative one
  erased_events events{};            ///< solve(q, m, o, events(problem.events)) where there are any
  std::vector<double> jumps{};       ///< times at which the field jumps: options::discontinuities
  std::string title{};               ///< what it is, for people; empty: its name says it
  std::vector<int> drawn{};          ///< the components of its picture; none: the picture chooses
  int drawn_over = -1;               ///< … against that component; −1: over time
  std::vector<std::string> parameter_names{};  ///< "0", "1", … where they have none

  bool stiff() const { return atol != nullptr; }  ///< wants an implicit method
  bool has_mass() const { return f.has_mass(); }  ///< M y' = f: solve it as an erased_massive_field
};

namespace named {

inline constexpr int largest_size = 10'000'000;

[[noreturn]] inline void misuse(const std::string& text) { throw std::invalid_argument(text); }

/// 'text', its beginning where it is long, a ? for each control character.
inline std::string in_quotes(std::string_view text) {
  constexpr std::size_t most = 200;
  std::string quote = std::string("'").append(text.substr(0, most));
  for (char& c : quote)
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = '?';
  return quote.append(text.size() > most ? "…'" : "'");
}

/// The whole text as a number, or false.
template <class Number>
bool parse(std::string_view text, Number& number) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc{} && stop == end && !text.empty();
}

/// What stands behind the colon of "name:argument"; given is false without a colon.
struct argument {
  bool given = false;
  std::string_view text;
};

template <class F>
void set_argument(F& f, argument a) {
  const std::string name = F::name;
  if (!a.given) return;
  const std::string spec = in_quotes(name + ":" + std::string(a.text));
  if constexpr (requires { F::default_size; }) {
    if (!parse(a.text, f.n) || f.n < F::least_size || f.n > largest_size) {
      misuse("invalid size " + in_quotes(a.text) + " in " + spec + " (a whole number from " +
             std::to_string(F::least_size) + " to " + std::to_string(largest_size) +
             " is needed) did you mean '" + name + ":" + std::to_string(F::default_size) + "'?");
    }
  } else if constexpr (requires { f.family; }) {
    const bool one_of_set = a.text.size() == 2 && a.text[0] >= 'A' && a.text[0] <= 'E' &&
                            a.text[1] >= '1' && a.text[1] <= '5';
    if (!one_of_set)
      misuse("unknown number " + in_quotes(a.text) + " in " + spec + " (there are A1 to A5, " +
             "B1 to B5, up to E5) did you mean '" + name + ":A1'?");
    f.family = a.text[0];
    f.number = a.text[1] - '0';
  } else if constexpr (requires { f.eccentricity = 0; }) {
    if (!parse(a.text, f.eccentricity) || !(f.eccentricity >= 0 && f.eccentricity < 1)) {
      misuse("invalid eccentricity " + in_quotes(a.text) + " in " + spec +
             " (an ellipse needs 0 <= e < 1) did you mean '" + name + ":0.5'?");
    }
  } else {
    misuse("invalid problem " + spec + " (" + name + " takes no argument) did you mean '" + name +
           "'?");
  }
}

template <class Values>
Eigen::VectorXd as_vector(const Values& values) {
  Eigen::VectorXd v(static_cast<Eigen::Index>(values.size()));
  copy(values, v);
  return v;
}

template <class F>
std::vector<std::string> labels_of(int n) {
  std::vector<std::string> labels;
  if constexpr (requires { F::labels; }) {
    labels.assign(std::begin(F::labels), std::end(F::labels));
  } else {
    for (int i = 1; i <= n; ++i) labels.emplace_back("y").append(std::to_string(i));
  }
  return labels;
}

template <class F>
std::vector<std::string> parameter_names_of(int np) {
  if constexpr (requires { F::parameter_names; })
    return {std::begin(F::parameter_names), std::end(F::parameter_names)};
  std::vector<std::string> numbers;
  for (int i = 0; i < np; ++i) numbers.push_back(std::to_string(i));
  return numbers;
}

template <class F>
std::vector<int> components_of(const F& f, int n) {
  std::vector<int> components;
  if constexpr (requires { f.reference_components(); }) {
    components = f.reference_components();
    if (n == 0) components.clear();
  } else {
    for (int i = 0; i < n; ++i) components.push_back(i);
  }
  return components;
}

/// A stiff problem says which absolute tolerance goes with a relative one.
template <class F>
constexpr bool is_stiff = requires {
  F::atol(1.0);
};
template <class F>
constexpr auto atol_of() -> double (*)(double) {
  if constexpr (is_stiff<F>) return F::atol;
  return nullptr;
}

template <class F>
constexpr bool has_events = requires(const F& f) {
  f.events();
};
template <class F>
erased_events events_of([[maybe_unused]] const F& f) {
  if constexpr (has_events<F>) return revode::erase(f.events());
  return {};
}

/// When the field jumps.
template <class F>
std::vector<double> jumps_of() {
  if constexpr (requires { F::jumps; }) return {std::begin(F::jumps), std::end(F::jumps)};
  if constexpr (requires { F::jump; }) return {F::jump};
  return {};
}

/// What a problem without a reference solution leaves empty.
template <class F>
void add_reference(const F& f, erased_problem& q) {
  if constexpr (requires { f.reference(); }) {
    q.reference = as_vector(f.reference());
    q.reference_components = components_of(f, length(q.reference));
    q.digits = F::digits;
  }
}
template <class F>
void add_picture([[maybe_unused]] erased_problem& q) {
  if constexpr (requires { F::title; }) q.title = F::title;
  if constexpr (requires { F::drawn; }) q.drawn.assign(std::begin(F::drawn), std::end(F::drawn));
  if constexpr (requires { F::drawn_over; }) q.drawn_over = F::drawn_over;
}

/// A problem as a type, with name, t0, t1, y0(), parameters() and the field; source, labels, parameter_names,
/// reference() with digits, atol, events(), jumps and drawn where it has them.
template <class F>
erased_problem erase(const F& f) {
  erased_problem q{.name = F::name,
                   .source = {},
                   .t0 = F::t0,
                   .t1 = F::t1,
                   .y0 = as_vector(f.y0()),
                   .p = as_vector(f.parameters()),
                   .f = erased_field(f),
                   .labels = {},
                   .reference_components = {},
                   .reference = {},
                   .atol = atol_of<F>(),
                   .events = events_of(f),
                   .jumps = jumps_of<F>()};
  if constexpr (requires { F::source; }) q.source = F::source;
  q.labels = labels_of<F>(length(q.y0));
  q.parameter_names = parameter_names_of<F>(length(q.p));
  add_reference(f, q);
  add_picture<F>(q);
  return q;
}

}  // namespace named

}  // namespace revode
