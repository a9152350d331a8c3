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
#include <revode/linalg/sparse/sparsity.hpp>
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

/// What is compiled of a method. Empty where it has no such use. Of the events those for which nothing is
/// compiled are empty; after_step is told of every step in any case.
struct method_uses {
  std::function<solution_type(const initial_value_problem&, const options&, const erased_events&)>
      solve{};
  std::function<std::unique_ptr<dense>(const initial_value_problem&, const options&,
                                       const erased_events&)>
      keep{};
  std::function<std::unique_ptr<differentiable>(const initial_value_problem&, const options&,
                                                const recursive_checkpoint&, const erased_events&)>
      differentiate{};
  std::function<pushed_solution<vector>(const initial_value_problem&, const options&,
                                        const tangents<vector, vector>&, const erased_events&)>
      push{};
};

/// For whom a method is compiled.
struct kind_of_problem {
  bool events = false, massive = false;
  bool operator==(const kind_of_problem&) const = default;
};

struct method_entry {
  std::string_view name, source;
  int order = 0;
  bool has_estimate = false;
  bool asks_jacobian = false;  ///< of the field: its stages are implicit
  bool asks_parts = false;     ///< of the field: one is implicit
  bool asks_second = false;    ///< derivatives of the field's Jacobian, in its pull
  method_uses plain, with_events;
  method_uses massive,
      massive_with_events;  ///< for fields with a mass matrix; empty where it takes none

  static auto place_of(kind_of_problem kind) -> method_uses method_entry::* {
    if (kind.massive)
      return kind.events ? &method_entry::massive_with_events : &method_entry::massive;
    return kind.events ? &method_entry::with_events : &method_entry::plain;
  }
  bool takes_mass() const { return massive.solve != nullptr; }
  const method_uses& uses(const erased_field& f, const erased_events& events) const {
    return this->*place_of({!events.empty(), f.has_mass()});
  }
};

/// All of them: explicit ones, Rosenbrock methods, then implicit Runge–Kutta methods.
auto method_table() -> const std::vector<method_entry>&;

/// That of a name, or of a shared library, "libmine.so" (any/method_plugin.hpp), which is loaded once; null where there
/// is none of the name.
/// errors  std::invalid_argument: a library that cannot be loaded, is no method, or is of another build
auto find_method_entry(std::string_view spec) -> const method_entry*;

/// Those that take fields with a mass matrix.
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

/// Where a Jacobian may be nonzero: a band, or a pattern. What is negative or null is not known.
struct jacobian_structure {
  int lower = -1, upper = -1;
  std::shared_ptr<const sparsity> pattern{};
  bool check = false;  ///< of a field whose products are exact: each Jacobian is compared with one
};

/// A linear algebra of implicit methods as it is listed, and what it asks for.
struct algebra_text {
  std::string_view name, summary;
  bool band = false, pattern = false, products = false;
  bool compiled = true;  ///< its library was there
};
auto algebra_texts() -> const std::vector<algebra_text>&;
/// "dense"
inline constexpr std::string_view dense_name = "dense";

/// That of a problem; a solve asks for it when it begins.
using structure_finder = std::function<jacobian_structure(const initial_value_problem&)>;

/// An algebra besides the dense one with a method and a kind of problem that it is compiled for.
struct algebra_entry {
  std::string_view algebra, method;
  kind_of_problem kind;
  std::function<method_uses(const structure_finder&)> uses;
};
auto algebra_table() -> const std::vector<algebra_entry>&;
/// "dense, banded, klu": of a method
auto algebras_of(std::string_view method) -> std::string;
/// "bdf5, rodas5p": of an algebra, for problems of a kind; of the dense one for y' = f without events "all implicit"
auto methods_of_algebra(std::string_view algebra, kind_of_problem kind = {},
                        std::string_view between = ", ") -> std::string;

/// errors  std::invalid_argument: there is none of the name, or it is not compiled
auto find_algebra(std::string_view name) -> const algebra_text&;

/// A method with an algebra, for problems of one kind; with "dense" it stays as it is. What the algebra asks to know
/// of the Jacobian is as given, or found near each problem's start where the field tells.
/// errors  std::invalid_argument: it is not compiled for that; of a solve, before any work: a structure of another size,
///         one that is neither given nor told, or that leaves elements of a mass matrix out
auto entry_with_algebra(const method_entry& m, const algebra_text& a, jacobian_structure given,
                        kind_of_problem kind, bool field_tells) -> method_entry;

}  // namespace revode::compiled
