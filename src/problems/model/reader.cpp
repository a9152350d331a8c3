// SPDX-License-Identifier: Apache-2.0
#include "reader.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <revode/problems/catalog.hpp>

namespace revode::named {
namespace {

/// Beside the names of functions.
constexpr std::array<std::string_view, 27> reserved{
    "title",         "source", "time", "parameter", "constant", "state",
    "let",           "event",  "when", "rises",     "falls",    "crosses",
    "above",         "below",  "then", "stop",      "continue", "stiff",
    "discontinuity", "plot",   "over", "index",     "and",      "or",
    "not",           "t",      "pi"};

/// Does an expression see a state?
bool moves_with_state(const model& m, int node) {
  std::vector<bool> seen(m.nodes.size(), false);
  std::vector<int> open{node};
  while (!open.empty()) {
    const auto at = static_cast<std::size_t>(open.back());
    open.pop_back();
    if (seen[at]) continue;
    seen[at] = true;
    const model_node& here = m.nodes[at];
    if (here.what == model_node::kind::state) return true;
    if (here.what == model_node::kind::let)
      open.push_back(m.lets[static_cast<std::size_t>(here.at)].second);
    open.insert(open.end(), here.of.begin(), here.of.end());
  }
  return false;
}

std::string stem(std::string_view file) {
  const std::string_view last = file.substr(file.find_last_of('/') + 1);
  return std::string(last.substr(0, last.find_last_of('.')));
}

}  // namespace

model_reader::model_reader(std::string_view file, std::string_view text) : scanner_(file, text) {
  model_.name = stem(file);
}

auto model_reader::read() -> model {
  advance();
  while (now_.what != model_token::kind::end) {
    if (now_.what == model_token::kind::end_of_line)
      advance();
    else
      line();
  }
  complete();
  return std::move(model_);
}

void model_reader::line() {
  const model_token at = now_;
  if (at.what == model_token::kind::number && at.number == 0) {
    algebraic();
    return end_of_line();
  }
  if (at.what != model_token::kind::name) unexpected("a line that begins with a word or a state");
  if (now_.is("title") || now_.is("source")) {
    (now_.is("title") ? model_.title : model_.source) = scanner_.rest_of_line();
    return advance();
  }
  if (take("time"))
    time();
  else if (take("parameter"))
    numbers(model_.parameters, model_node::kind::parameter);
  else if (take("state"))
    numbers(model_.states, model_node::kind::state);
  else if (take("constant"))
    constants();
  else if (take("let"))
    let();
  else if (take("event"))
    event();
  else if (take("stiff"))
    stiff();
  else if (take("discontinuity"))
    jumps();
  else if (take("index"))
    indices();
  else if (take("plot"))
    drawn();
  else
    slope();
  end_of_line();
}

/// a = 1, b = 2
void model_reader::numbers(std::vector<named_number>& into, model_node::kind what) {
  do {
    skip_lines();
    const std::string name = new_name(what, static_cast<int>(into.size()));
    expect("=", "a " + std::string(what == model_node::kind::state ? "state" : "parameter") +
                    " has a value");
    into.push_back({name, constant()});
    if (what == model_node::kind::state) {
      model_.slopes.push_back(-1);
      slope_lines_.push_back(0);
    }
  } while (take(","));
}

void model_reader::constants() {
  do {
    skip_lines();
    const std::string name = new_name(model_node::kind::number, 0);
    expect("=", "a constant has a value");
    names_[name].number = constant();
  } while (take(","));
}

void model_reader::let() {
  const std::string name = new_name(model_node::kind::let, static_cast<int>(model_.lets.size()));
  const declared own = names_.extract(name).mapped();  // it does not see itself
  expect("=", "what is let has a value");
  skip_lines();
  model_.lets.emplace_back(name, expression());
  names_[name] = own;
}

/// x' = expression
void model_reader::slope() {
  const model_token at = now_;
  const auto found = names_.find(at.text);
  if (found == names_.end()) {
    advance();
    if (now_.is("'"))
      scanner_.refuse(at, "an equation for " + in_quotes(at.text) +
                              " (it is no state declared above) write state " +
                              std::string(at.text) + " = VALUE before it?");
    const std::string nearest = nearest_name(at.text, std::span(reserved).first(24));
    scanner_.refuse(at, "unknown beginning of a line " + in_quotes(at.text) +
                            " (a line begins with a word such as state, or with NAME' =) " +
                            (nearest.empty() ? "see docs/models.md?"
                                             : "did you mean " + in_quotes(nearest) + "?"));
  }
  const std::size_t which =
      static_cast<std::size_t>(state("the equations of a model are those of its states"));
  expect("'", "an equation is written NAME' = …");
  expect("=", "an equation is written NAME' = …");
  skip_lines();
  if (model_.slopes[which] >= 0)
    scanner_.refuse(at, "a second equation for " + in_quotes(at.text) + " (the first is in line " +
                            std::to_string(slope_lines_[which]) + ") leave one out?");
  model_.slopes[which] = expression();
  slope_lines_[which] = at.line;
}

/// 0 = expression
void model_reader::algebraic() {
  const model_token at = now_;
  advance();
  expect("=", "an algebraic equation is written 0 = …");
  skip_lines();
  algebraic_.emplace_back(expression(), at);
}

/// index u = 2, lambda = 3
void model_reader::indices() {
  do {
    skip_lines();
    index_at_ = now_;
    const int which = state("an index is that of a state");
    expect("=", "an index is written index NAME = 2");
    const double value = constant();
    if (value != 1 && value != 2 && value != 3)
      scanner_.refuse(index_at_, "an index of " + in_quotes(index_at_.text) +
                                     " that is not 1, 2 or 3 (how often its equations are "
                                     "differentiated until they give it) give one of them?");
    model_.index.resize(model_.states.size(), 1);
    model_.index[static_cast<std::size_t>(which)] = static_cast<int>(value);
  } while (take(","));
}

/// event bounce when height falls below 0 then speed = -restitution * speed
void model_reader::event() {
  model_event e;
  const model_token at = now_;
  if (model_.events.size() >= 8)
    scanner_.refuse(at, "a ninth event (a named problem has at most 8) write it as a C++ field?");
  if (at.what != model_token::kind::name) unexpected("the event's name");
  e.name = at.text;
  advance();
  expect("when", "an event says when it occurs");
  const model_token begin = now_;
  e.condition = expression();
  if (take("rises")) {
    e.direction = crossing::rising;
    expect("above", "a condition rises above a value");
  } else if (take("falls")) {
    e.direction = crossing::falling;
    expect("below", "a condition falls below a value");
  } else {
    expect("crosses", "what is looked at rises above, falls below or crosses a value");
  }
  const int level = expression();
  const model_node& last = model_.nodes[static_cast<std::size_t>(level)];
  if (last.what != model_node::kind::number || last.number != 0)
    e.condition = pair("-", e.condition, level, begin);
  if (take("then")) {
    do {
      skip_lines();
      action(e);
    } while (take(","));
  }
  // A jump cannot leave a surface that does not move with the state, as a dose at a time.
  e.passes = e.passes || !moves_with_state(model_, e.condition);
  model_.events.push_back(std::move(e));
}

void model_reader::action(model_event& e) {
  const model_token at = now_;
  if (take("stop")) {
    e.stops = true;
    return;
  }
  if (take("continue")) {
    e.passes = true;
    return;
  }
  const int which = state("an event stops, continues, or gives states new values");
  for (const auto& [other, value] : e.jump)
    if (other == which)
      scanner_.refuse(
          at, "a second value for " + in_quotes(at.text) + " (an event gives one) leave one out?");
  expect("=", "an event gives a state a new value");
  skip_lines();
  e.jump.emplace_back(which, expression());
}

void model_reader::time() {
  const model_token at = now_;
  if (has_time_)
    scanner_.refuse(at, "a second time (a model is solved over one interval) leave one out?");
  has_time_ = true;
  model_.t0 = constant();
  expect("..", "the interval is written time 0 .. 10");
  model_.t1 = constant();
  if (model_.t0 == model_.t1)
    scanner_.refuse(at, "an interval without length (it begins where it ends) give another end?");
}

/// stiff, or: stiff, atol = 1e-4 * rtol
void model_reader::stiff() {
  model_.atol = 1;
  if (!take(",")) return;
  expect("atol", "behind stiff only its absolute tolerance is said");
  expect("=", "it is written stiff, atol = 1e-4 * rtol");
  const model_token at = now_;
  if (at.what != model_token::kind::number || !(at.number > 0)) unexpected("a positive number");
  model_.atol = at.number;
  advance();
  expect("*", "it is written stiff, atol = 1e-4 * rtol");
  expect("rtol", "it is written stiff, atol = 1e-4 * rtol");
}

void model_reader::jumps() {
  do {
    skip_lines();
    const model_token at = now_;
    model_.jumps.push_back(constant());
    if (model_.jumps.size() > 1 && model_.jumps.back() <= model_.jumps[model_.jumps.size() - 2])
      scanner_.refuse(
          at, "a discontinuity that is not behind the one before (they ascend) order them?");
  } while (take(","));
}

/// plot S, I, or: plot y over x
void model_reader::drawn() {
  do {
    skip_lines();
    model_.drawn.push_back(state("a picture shows states"));
  } while (take(","));
  if (take("over") && !take("t"))
    model_.drawn_over = state("a picture shows states over t or over a state");
}

int model_reader::state(std::string_view why) {
  const model_token at = now_;
  if (at.what != model_token::kind::name) unexpected("the name of a state");
  const auto found = names_.find(at.text);
  if (found == names_.end()) unknown(at.text, at);
  if (found->second.what != model_node::kind::state)
    scanner_.refuse(
        at, in_quotes(at.text) + " in place of a state (" + std::string(why) + ") give a state?");
  advance();
  return found->second.at;
}

auto model_reader::new_name(model_node::kind what, int at, double number) -> std::string {
  const model_token name = now_;
  if (name.what != model_token::kind::name) unexpected("a name");
  if (is_function(name.text) ||
      std::find(reserved.begin(), reserved.end(), name.text) != reserved.end())
    scanner_.refuse(name, "the name " + in_quotes(name.text) +
                              " (the word has a meaning in models) choose another?");
  const auto [place, is_new] =
      names_.try_emplace(std::string(name.text), declared{what, at, number, name.line});
  if (!is_new)
    scanner_.refuse(name, "a second " + in_quotes(name.text) + " (it is declared in line " +
                              std::to_string(place->second.line) + ") choose another name?");
  advance();
  return place->first;
}

void model_reader::complete() {
  if (model_.states.empty())
    scanner_.refuse(now_,
                    "a model without states (there is nothing to solve) declare state x = 1?");
  auto next = algebraic_.begin();
  for (std::size_t i = 0; i < model_.states.size(); ++i) {
    model_.algebraic.push_back(model_.slopes[i] < 0);
    if (model_.slopes[i] < 0 && next != algebraic_.end()) model_.slopes[i] = next++->first;
    if (model_.slopes[i] < 0)
      scanner_.refuse(now_, "no equation for state " + in_quotes(model_.states[i].name) +
                                " (each has one) add " + model_.states[i].name + "' = 0?");
  }
  if (next != algebraic_.end())
    scanner_.refuse(next->second,
                    "an algebraic equation too many (each stands for a state without NAME' =, and "
                    "the others have all) leave it out?");
  if (!model_.index.empty() && algebraic_.empty())
    scanner_.refuse(index_at_,
                    "an index without an algebraic equation (states of x' = … are all of index 1) "
                    "leave it out, or write 0 = …?");
  if (!model_.index.empty()) model_.index.resize(model_.states.size(), 1);
  if (!has_time_)
    scanner_.refuse(now_,
                    "no time (a model says from when to when it is solved) add time 0 .. 10?");
}

auto read_model(std::string_view file, std::string_view text) -> model {
  return model_reader(file, text).read();
}

}  // namespace revode::named
