// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <revode/interop/eigen.hpp>

#include <revode/adjoint/forward.hpp>
#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/problems/erased_events.hpp>
#include <revode/problems/erased_field.hpp>
#include <revode/solve/dense_output.hpp>

namespace revode::compiled {

// Methods and adjoints over one type of problem, each compiled once: what the command, the compiled
// interface and whatever stands on it call by name.

using vector = Eigen::VectorXd;
using initial_value_problem = problem<const erased_field&, vector, vector>;
using solution_type = solution<vector>;
using gradient_type = gradient<vector, vector>;

/// How well a reverse pass that reconstructs states or solves backwards has done.
struct reverse_outcome {
  double reconstruction_error = 0;  ///< in tolerances
  statistics backward;              ///< of the solves backwards in time
};
struct pulled_gradient {
  gradient_type bar;
  std::optional<reverse_outcome> outcome{};
};

/// A solve that can be pulled back, of whatever method and adjoint. It refers to its problem.
struct differentiable {
  virtual ~differentiable() = default;
  virtual auto result() const -> const solution_type& = 0;
  virtual auto plan() const -> memory_plan = 0;  ///< of recursive_checkpoint alone
  virtual auto pullback(const cotangents<vector>& w) -> pulled_gradient = 0;
  virtual auto gradients(const std::vector<cotangents<vector>>& losses)
      -> std::vector<gradient_type> = 0;
};

/// A solve that knows its solution at every time. It refers to its problem.
struct dense {
  virtual ~dense() = default;
  virtual auto result() const -> const solution_type& = 0;
  virtual auto value(double t, side which) -> vector = 0;
  virtual auto derivative(double t, side which) -> vector = 0;
};

/// What is compiled of a method. Null where it has no such use. Of the events those for which nothing is
/// compiled are empty; after_step is told of every step in any case.
struct method_uses {
  solution_type (*solve)(const initial_value_problem&, const options&,
                         const erased_events&) = nullptr;
  std::unique_ptr<dense> (*keep)(const initial_value_problem&, const options&,
                                 const erased_events&) = nullptr;
  std::unique_ptr<differentiable> (*differentiate)(const initial_value_problem&, const options&,
                                                   const recursive_checkpoint&,
                                                   const erased_events&) = nullptr;
  pushed_solution<vector> (*push)(const initial_value_problem&, const options&,
                                  const tangents<vector, vector>&, const erased_events&) = nullptr;
};

struct method_entry {
  std::string_view name, source;
  int order = 0;
  bool has_estimate = false;
  bool asks_jacobian = false;                ///< of the field: its stages are implicit
  bool asks_second = false;                  ///< derivatives of the field's Jacobian, in its pull
  method_uses plain, with_events;            ///< with_events: empty where it is compiled without
  method_uses massive, massive_with_events;  ///< the same for fields with a mass matrix

  bool finds_events(bool with_mass = false) const {
    return (with_mass ? massive_with_events : with_events).solve != nullptr;
  }
  bool takes_mass() const { return massive.solve != nullptr; }
  const method_uses& uses(const erased_field& f, const erased_events& events) const {
    if (f.has_mass()) return events.empty() ? massive : massive_with_events;
    return events.empty() ? plain : with_events;
  }
};

/// All of them: explicit ones, Rosenbrock methods, then implicit Runge–Kutta methods.
auto method_table() -> const std::vector<method_entry>&;

/// That of a name, or of a shared library, "libmine.so" (any/method_plugin.hpp), which is loaded once; null where there
/// is none of the name.
/// errors  std::invalid_argument: a library that cannot be loaded, is no method, or is of another build
auto find_method_entry(std::string_view spec) -> const method_entry*;

/// Those that find events, of fields with a mass matrix or without; those that take such fields: each takes
/// seconds to compile.
auto methods_with_events(bool with_mass = false) -> std::vector<method_entry>;
auto methods_with_mass() -> std::vector<method_entry>;
/// "rodas5p, radau_iia5"
auto names_of(const std::vector<method_entry>& methods) -> std::string;

/// An adjoint as it is listed.
struct adjoint_text {
  std::string_view name;
  bool exact;
  std::string_view summary;
};
auto adjoint_texts() -> std::vector<adjoint_text>;

/// One of the adjoints besides recursive_checkpoint with a method that it is compiled for.
struct adjoint_entry {
  using function = std::unique_ptr<differentiable>(const initial_value_problem&, const options&,
                                                   index every, const erased_events&);
  std::string_view adjoint, method;
  function *plain = nullptr, *with_events = nullptr;  ///< with_events may be null

  function* use(const erased_events& events) const { return events.empty() ? plain : with_events; }
};
auto adjoint_table() -> std::vector<adjoint_entry>;

}  // namespace revode::compiled
