// SPDX-License-Identifier: Apache-2.0
#include <cli/loss.hpp>

#include <array>

#include <cli/text.hpp>

namespace revode::cli {
namespace {

double term(const loss& of, const vector& y) {
  double sum = 0;
  switch (of.what) {
    case loss::form::component: return y[of.component];
    case loss::form::squared: return dot(y, y);
    case loss::form::sum: break;
  }
  for (const double x : y) sum += x;
  return sum;
}

vector slope(const loss& of, const vector& y) {
  switch (of.what) {
    case loss::form::component: return vector::Unit(y.size(), of.component);
    case loss::form::squared: return 2 * y;
    case loss::form::sum: break;
  }
  return vector::Ones(y.size());
}

}  // namespace

double loss::value(const solution_type& s) const {
  if (s.ys.empty()) return term(*this, s.y);
  double sum = 0;
  for (const vector& y : s.ys) sum += term(*this, y);
  return sum;
}

cotangents<vector> loss::weigh(const solution_type& s) const {
  if (s.ys.empty()) return {.y = slope(*this, s.y)};
  cotangents<vector> w;
  for (const vector& y : s.ys) w.ys.push_back(slope(*this, y));
  return w;
}

auto read_loss(std::string_view text, std::string_view problem, int size) -> loss {
  constexpr std::string_view component = "component:";
  if (text == "sum") return {loss::form::sum};
  if (text == "squared") return {loss::form::squared};
  if (text.starts_with(component)) {
    const std::string_view digits = text.substr(component.size());
    const bool plain = !digits.empty() && digits.size() <= 9 &&
                       digits.find_first_not_of("0123456789") == std::string_view::npos;
    if (const int i = plain ? std::stoi(std::string(digits)) : size; i < size)
      return {loss::form::component, i};
    misuse("invalid --loss " + in_quotes(text) + " (the components of " + std::string(problem) +
           " are 0 to " + std::to_string(size - 1) + ") give e.g. --loss component:0?");
  }
  constexpr std::array<std::string_view, 3> known{"sum", "component:0", "squared"};
  unknown_name("loss", text, "losses", known, "give sum, component:I or squared");
}

std::string describe(const loss& of, bool over_save_points) {
  const std::string where = over_save_points ? "over the save points" : "of the final state";
  switch (of.what) {
    case loss::form::component:
      return "component " + std::to_string(of.component) + (over_save_points ? " summed " : " ") +
             where;
    case loss::form::squared: return "sum of squares " + where;
    case loss::form::sum: break;
  }
  return "sum " + where;
}

}  // namespace revode::cli
