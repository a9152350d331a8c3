// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <revode/adjoint/checkpoint_request.hpp>
#include <revode/adjoint/gradient.hpp>
#include <revode/solve/dense_request.hpp>
#include <revode/solve/events/crossing.hpp>
#include <revode/solve/request/method_settings.hpp>
#include <revode/solve/request/solve_request.hpp>
#include <revode/solve/solution.hpp>

namespace revode {

// The compiled interface: methods and adjoints by name, fields as callbacks over arrays, nothing to
// instantiate. Link revode::any.
//
//   revode::any_problem q{
//       .f = revode::any_callbacks{
//           .f = [](double, auto y, auto p, auto dy) { dy[0] = -p[0] * y[0]; },
//           .jvp = [](double, auto y, auto p, double, auto v, auto u, auto out) { … }},
//       .y0 = {1}, .t1 = 2, .p = {0.5}};
//   auto s = solve(q, "tsit5", {.rtol = 1e-8});                                // s.y, s.status
//   auto d = solve(q, "tsit5", {}, recursive_checkpoint{.slots = 20});         // d.pullback({.y = {1}})
//
// States and parameters are std::vector<double>. What it computes are the bits of the templates over
// Eigen vectors compiled with the same flags.

class erased_field;
class erased_event;
class sparsity;

using any_state = std::vector<double>;
using any_solution = solution<any_state>;
using any_cotangents = cotangents<any_state>;
using any_gradient = gradient<any_state, any_state>;
using any_tangents = tangents<any_state, any_state>;

/// A field and what it has of derivatives. Those that are missing are made of others: Jacobian and jvp of the vjp,
/// Jacobian and vjp of the jvp, each exact, by n to 1 + n + np calls; of f alone by differences, if they are asked for
/// (`by_finite_differences`). A method or adjoint that needs one that cannot be had is misuse.
struct any_callbacks {
  using in = std::span<const double>;
  using out = std::span<double>;
  std::function<void(double t, in y, in p, out dy)> f{};
  /// Adds wᵀ∂f/∂t to gt, wᵀ∂f/∂y to gy, wᵀ∂f/∂p to gp.
  std::function<void(double t, in y, in p, in w, double& gt, out gy, out gp)> vjp{};
  /// df = ∂f/∂t dt + ∂f/∂y dy + ∂f/∂p dp
  std::function<void(double t, in y, in p, double dt, in dy, in dp, out df)> jvp{};
  /// ∂f/∂y row by row, into zeros: jac[i n + j] = ∂f_i/∂y_j
  std::function<void(double t, in y, in p, out jac)> jacobian{};
  /// The same for the algebra "banded", a row's part of the band behind the other, into zeros:
  /// band[i (lower + 1 + upper) + lower + j - i] = ∂f_i/∂y_j; what would lie outside the matrix stays 0.
  std::function<void(double t, in y, in p, out band)> banded_jacobian{};
  /// The same on the algebra's pattern, in the order of its entries, into zeros.
  std::function<void(double t, in y, in p, out entries)> sparse_jacobian{};
  bool by_finite_differences = false;
  double typical_size = 1, typical_time = 1;  ///< of y and p, and of t, as in by_finite_differences
  /// M of M y' = f(t, y, p), singular or not: n × n numbers row by row. Empty: y' = f.
  std::vector<double> mass{};
  /// Of which index each element of y is: n times 1, 2 or 3. Empty: all 1.
  std::vector<int> index{};
};

/// Any field. Copies share it; calls of one object may come from many threads where those of the callbacks
/// may.
class any_field {
 public:
  any_field(any_callbacks callbacks);  // NOLINT: a field is what its callbacks say
  /// The sum of two, in parts: "kencarp5_imex" and its like take the first, stiff one implicitly and ask for its
  /// Jacobian alone; other methods take the sum.
  /// errors  std::invalid_argument: a part without f, or with a mass matrix
  any_field(any_callbacks implicit_part, any_callbacks explicit_part);
  /// A typed field with all its derivatives: any_field(std::make_shared<const erased_field>(f)), with
  /// revode/problems/erased_field.hpp.
  any_field(std::shared_ptr<const erased_field> typed);  // NOLINT
  any_field() = default;
  /// That of (y, q), as with_quadrature makes it.
  any_field(const any_field& f, const any_callbacks& g, const any_state& y0, const any_state& q0);

  /// dy = f(t, y, p), which is M y' with a mass matrix
  void operator()(double t, const any_state& y, const any_state& p, any_state& dy) const;
  bool has_mass() const;
  std::size_t mass_numbers() const { return mass_numbers_; }  ///< in any_callbacks::mass

  const std::shared_ptr<const erased_field>& erased() const { return erased_; }
  bool has_pulls() const { return pulls_; }                          ///< vᵀ∂f can be had
  bool has_jacobian() const { return jacobian_; }                    ///< ∂f/∂y can be had
  bool has_implicit_jacobian() const { return implicit_jacobian_; }  ///< that of the implicit part
  bool has_second() const { return second_; }      ///< derivatives of vᵀ∂f can be had
  bool has_band() const { return band_; }          ///< ∂f/∂y in a band
  bool has_entries() const { return entries_; }    ///< ∂f/∂y on a pattern
  bool has_products() const { return products_; }  ///< (∂f/∂y) v by a call or two
  bool tells_pattern() const { return tells_; }    ///< where ∂f/∂y is not 0
  struct given_parts {  ///< exact products, Jacobians in a shape of its own, integrals behind y
    bool jvp = true, vjp = true, band = true, entries = true;
    int integrals = 0;
  };
  const given_parts& given() const { return given_; }

 private:
  std::shared_ptr<const erased_field> erased_;
  bool pulls_ = true, jacobian_ = true, implicit_jacobian_ = true, second_ = true;
  bool band_ = true, entries_ = true, products_ = true, tells_ = true;
  std::size_t mass_numbers_ = 0;
  given_parts given_;
};

/// A located event, as in revode/solve/events.hpp. Its derivatives are for gradients; see condition_gradient.
struct any_event_callbacks {
  using in = std::span<const double>;
  using out = std::span<double>;
  std::string name{};
  std::function<double(double t, in y, in p)> condition{};
  /// The state behind the event; y_new comes as a copy of y. Empty: the state goes on.
  std::function<void(double t, in y, in p, out y_new)> jump{};
  crossing direction = crossing::both;
  bool terminal = false;
  bool passes = false;
  /// Adds the condition's gradient to gt, gy, gp. A solve that begins on the surface asks for it, or takes differences.
  std::function<void(double t, in y, in p, double& gt, out gy, out gp)> condition_gradient{};
  /// Adds wᵀ∂y_new/∂(t, y, p).
  std::function<void(double t, in y, in p, in w, double& gt, out gy, out gp)> jump_vjp{};
};
class any_event {
 public:
  any_event(any_event_callbacks callbacks);  // NOLINT
  /// Of revode/problems/erased_events.hpp.
  any_event(std::shared_ptr<const erased_event> typed, bool has_pulls = true);  // NOLINT

  const std::shared_ptr<const erased_event>& erased() const { return erased_; }
  bool has_pulls() const { return pulls_; }

 private:
  std::shared_ptr<const erased_event> erased_;
  bool pulls_ = true;
};

struct any_problem {
  any_field f{};
  any_state y0{};
  double t0 = 0, t1 = 1;
  any_state p{};
  std::vector<any_event> events{};
  /// Sees the end of every accepted step; true stops the solve.
  std::function<bool(double t, std::span<const double> y)> after_step{};
  std::vector<double> jumps{};  ///< of a named problem: times for options::discontinuities
};

/// One of the named problems, "lorenz", "lorenz96:40"; `revode list problems` tells them.
/// errors  std::invalid_argument: there is none of the name
any_problem named_problem(std::string_view spec);

/// The problem of y with q(t) = q0 + ∫ g(t, y, p) dt behind it, as the template of this name: its states are y and
/// then q, and whatever is solved and differentiated has both. g.f fills dq, as long as q0; g.vjp takes a cotangent of
/// dq, g.jvp gives its tangent, and gradients and implicit methods need one of the two. Events see y alone.
/// q is in the error norm like y, unless its options::norm.atol is infinite.
/// errors  std::invalid_argument: no integrand, one that has a mass matrix, or differences but no vjp and jvp
any_problem with_quadrature(const any_problem& q, const any_callbacks& g,
                            const any_state& q0 = {0.0});

/// Where the Jacobian of large systems may be nonzero: entries starts[j] … starts[j + 1] − 1 of `rows` are those of
/// column j, as sparse matrices of Eigen, SciPy and SuiteSparse hold them; n + 1 starts. In C++ as well
/// std::make_shared<sparsity>(matrix) with revode/linalg/sparse/sparsity.hpp, whose entries are by columns, then by
/// rows, with the whole diagonal. Of with_quadrature that of y will do.
/// errors  std::invalid_argument: starts that fall or do not end at the number of rows, a row that is none
std::shared_ptr<const sparsity> any_pattern(std::span<const int> starts, std::span<const int> rows);
/// That of a typed field near the problem's start, as sparsity_of of the templates, with that of its mass matrix.
/// errors  std::invalid_argument: a field of callbacks, which do not tell
std::shared_ptr<const sparsity> any_pattern(const any_problem& q);

/// How an implicit method solves its linear systems: "dense", "banded", "klu", "gmres" (products alone) or "gmres_ilu0";
/// `revode list algebras` says with which methods. "banded" and "klu" go through events and take a mass matrix, whose elements
/// band and pattern then hold as well. Of typed fields both are found when a solve begins; give the pattern where many
/// solves share it. The Jacobian is what the field brings in this shape, else it is made of products: those of
/// the jvp by groups of columns that share no row, of the vjp by groups of rows, or differences.
struct any_algebra {
  std::string name = "dense";
  int lower = -1, upper = -1;  ///< of "banded": diagonals below and above the main one
  std::shared_ptr<const sparsity> pattern{};  ///< of "klu", "gmres_ilu0"; "banded" takes its band
};
std::vector<std::string> any_algebra_names();

/// A method by its name, or by the type that it has in the templates; `revode list methods`. One whose settings are not
/// the usual ones, rock4{.spectral_radius = 400}, throws: it is compiled with those.
///   solve(q, any_method("bdf5", {.name = "klu", .pattern = any_pattern(starts, rows)}), o)
class any_method {
 public:
  any_method(std::string_view name) : name_(name) {}    // NOLINT
  any_method(const char* name) : name_(name) {}         // NOLINT
  any_method(const std::string& name) : name_(name) {}  // NOLINT
  template <class M>
  requires(
      requires {
        M::name;
        M::embedded_order;
      } &&
      !requires(const M& m) { m.algebra; }) any_method(const M& m)  // NOLINT
      : name_(M::name) {
    expect_usual(settings_of(m) == settings_of(M{}));
  }
  any_method(any_method method, any_algebra algebra)
      : name_(std::move(method.name_)),
        algebra_(std::move(algebra)) {}
  const std::string& name() const { return name_; }
  const any_algebra& algebra() const { return algebra_; }
  /// errors  std::invalid_argument: there is none of the name
  int order() const;

 private:
  void expect_usual(bool usual) const;

  std::string name_;
  any_algebra algebra_;
};
std::vector<std::string> any_method_names();

/// The adjoints besides recursive_checkpoint, by name: "backsolve", "interpolating", "gauss", "reversible",
/// "control_gradient_error" (along random directions). `every` as in adjoint/interpolating.hpp.
struct any_adjoint {
  std::string name{};
  index every = 0;
};
std::vector<std::string> any_adjoint_names();

/// A solve with its solution at every time, as dense_solution.
class any_dense_solution : public any_solution {
 public:
  /// y(t), dy/dt
  /// errors  std::invalid_argument for a time outside
  any_state operator()(double t, side which = side::before) const;
  any_state derivative(double t, side which = side::before) const;
  std::vector<any_state> at(const std::vector<double>& ts, side which = side::before) const;

 private:
  struct state;
  explicit any_dense_solution(std::shared_ptr<state> s);
  friend any_dense_solution solve(const any_problem&, const any_method&, const options&,
                                  dense_output);
  std::shared_ptr<state> state_;
};

/// A solve that can be pulled back, as often as wanted.
class any_differentiable_solution : public any_solution {
 public:
  /// The derivative of a loss with these cotangents, as differentiable_solution::pullback.
  any_gradient pullback(const any_cotangents& w) const;
  /// Of several losses, with the replays of one where the adjoint is recursive_checkpoint.
  std::vector<any_gradient> gradients(const std::vector<any_cotangents>& losses) const;

 private:
  struct state;
  explicit any_differentiable_solution(std::shared_ptr<state> s);
  friend any_differentiable_solution solve(const any_problem&, const any_method&, const options&,
                                           const recursive_checkpoint&);
  friend any_differentiable_solution solve(const any_problem&, const any_method&, const options&,
                                           const any_adjoint&);
  std::shared_ptr<state> state_;
};

/// A solve and its derivative along a direction of its inputs, as pushed_solution.
struct any_pushed_solution : any_solution {
  any_state y_dot{};
  std::vector<any_state> ys_dot{};
  std::vector<double> events_dot{};
  revode::status tangent_status = revode::status::success;
};

/// The value of a loss of a solution; its derivative goes into the cotangents.
using any_loss = std::function<double(const any_solution& s, any_cotangents& bar)>;

/// terminal(s, bar) + ∫ g(t, y, p) dt, which `running.f` writes to its dq[0]; terminal may be empty.
struct any_loss_with_running_cost {
  any_loss terminal{};
  any_callbacks running{};
  bool outside_norm = false;  ///< the integral takes no part in the choice of steps
};

/// Neither value nor gradient where the solve is not complete.
struct any_value_and_gradient {
  std::optional<double> value{};
  std::optional<any_gradient> gradient{};
  any_solution solution{};
};

/// A problem of an ensemble; what is empty is that of the problem itself.
struct any_point {
  any_state y0{}, p{};
};

/// As the templates of the same names: options, save points, statuses, statistics.
/// cost    besides the solve: an indirect call an evaluation of the field, a few small allocations a solve
/// errors  std::invalid_argument, before any work: names that are none, derivatives that cannot be had, more
///         than 8 events, a mass matrix by a method that takes none, an algebra that is not compiled for the
///         method, for events with it or a mass matrix, another adjoint besides it, a band or pattern that
///         leaves elements of a mass matrix out, and what the templates refuse
any_solution solve(const any_problem& q, const any_method& m, const options& o);
any_dense_solution solve(const any_problem& q, const any_method& m, const options& o, dense_output);
any_differentiable_solution solve(const any_problem& q, const any_method& m, const options& o,
                                  const recursive_checkpoint& adjoint);
any_differentiable_solution solve(const any_problem& q, const any_method& m, const options& o,
                                  const any_adjoint& adjoint);
any_pushed_solution solve(const any_problem& q, const any_method& m, const options& o,
                          const any_tangents& along);
any_value_and_gradient value_and_gradient(const any_problem& q, const any_method& m,
                                          const options& o, const any_loss& loss,
                                          const recursive_checkpoint& adjoint = {});
/// The same with a running cost: the terminal loss, the result and its gradient know y alone.
any_value_and_gradient value_and_gradient(const any_problem& q, const any_method& m,
                                          const options& o, const any_loss_with_running_cost& loss,
                                          const recursive_checkpoint& adjoint = {});

/// The same with gradient->error: half of the difference to the gradient at three times the tolerances, by the
/// adjoint/with_error.hpp's rules. Status gradient_not_resolved where it is more than `unresolved` of
/// the gradient, or where the second solve has other events.
/// cost    a second solve and gradient, of fewer steps; a budget is halved, one half for each
any_value_and_gradient value_and_checked_gradient(const any_problem& q, const any_method& m,
                                                  const options& o, const any_loss& loss,
                                                  const recursive_checkpoint& adjoint = {},
                                                  double unresolved = 0.1);
any_value_and_gradient value_and_checked_gradient(const any_problem& q, const any_method& m,
                                                  const options& o, const any_loss& loss,
                                                  const any_adjoint& adjoint,
                                                  double unresolved = 0.1);
/// The same with tolerances that the error chooses until it is at most gradient_rtol of the gradient's norm.
/// cost    two to six solves and gradients
any_value_and_gradient resolved_value_and_gradient(const any_problem& q, const any_method& m,
                                                   const options& o, const any_loss& loss,
                                                   double gradient_rtol,
                                                   const recursive_checkpoint& adjoint = {});

/// solve and value_and_gradient for each of many starts and parameters, on threads (0: as many as the machine has), in the bits
/// of as many calls. The callbacks and the loss are called by several threads at once.
/// errors  what a call throws: that of the first point that does, with its number where it is misuse; no other is begun then
std::vector<any_solution> solve_each(const any_problem& q, const any_method& m, const options& o,
                                     std::span<const any_point> points, int threads = 0);
std::vector<any_value_and_gradient> value_and_gradient_each(
    const any_problem& q, const any_method& m, const options& o, std::span<const any_point> points,
    const any_loss& loss, const recursive_checkpoint& adjoint = {}, int threads = 0);

}  // namespace revode
