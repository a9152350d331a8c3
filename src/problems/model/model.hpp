// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <revode/solve/events/crossing.hpp>

namespace revode::named {

// A model in a text file, as docs/models.md has its grammar: read, written as a type that REVODE_PROBLEM takes, and
// compiled. Only what was read reaches the compiler: names by their numbers, numbers as they are printed again.

/// One node of an expression: a number, something that has a value, or an operation on others.
struct model_node {
  enum class kind { number, time, parameter, state, let, negation, operation, call };
  kind what = kind::number;
  double number = 0;
  int at = 0;               ///< which parameter, state or let
  std::string_view word{};  ///< of an operation or call: "+", "and", "sin"; a literal
  std::vector<int> of{};    ///< the operands' nodes
  bool condition = false;   ///< true or false, not a number
  int height = 1;           ///< of the tree below
};

struct named_number {
  std::string name;
  double value = 0;
};
struct model_event {
  std::string name;
  int condition = 0;  ///< its node
  crossing direction = crossing::both;
  bool stops = false, passes = false;
  std::vector<std::pair<int, int>> jump{};  ///< state and node
};

struct model {
  std::string name, title, source;
  double t0 = 0, t1 = 0;
  double atol = 0;  ///< of a stiff one: what times rtol is the absolute tolerance; 0: not stiff
  std::vector<named_number> parameters, states;
  std::vector<std::pair<std::string, int>> lets;  ///< name and node
  std::vector<int> slopes;                        ///< a node a state
  std::vector<bool> algebraic;                    ///< of a state: 0 in place of its slope
  std::vector<int> index;                         ///< of a state; none: all 1
  std::vector<model_event> events;
  std::vector<double> jumps;  ///< times at which the field jumps
  std::vector<int> drawn;
  int drawn_over = -1;
  std::vector<model_node> nodes;
};

/// errors  std::invalid_argument: "sir.ode:7:12: unknown name 'gama' (…) did you mean 'gamma'?"
auto read_model(std::string_view file, std::string_view text) -> model;

/// The source of a shared library with its problem.
auto source_of(const model& m) -> std::string;

/// The value of an expression of numbers alone.
double constant_value(const model& m, int node);

/// The shared library of a source, compiled with the compiler at hand unless it has been before.
/// errors  std::invalid_argument: no compiler, no headers of revode's, or the compiler fails; `file` is the model's
auto compiled_model(const std::string& file, const std::string& source) -> std::string;

}  // namespace revode::named
