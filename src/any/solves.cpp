// SPDX-License-Identifier: Apache-2.0
#include <any/automatic.hpp>
#include <any/held_problem.hpp>
#include <any/integrals.hpp>
#include <any/structure_check.hpp>

#include <optional>
#include <vector>

#include <revode/problems/catalog.hpp>

namespace revode {

using compiled::from_eigen, compiled::held_problem, compiled::misuse, compiled::to_eigen,
    compiled::told, compiled::vector;

namespace {

auto find_method(const std::string& name) -> const compiled::method_entry& {
  if (const compiled::method_entry* found = compiled::find_method_entry(name)) return *found;
  std::vector<std::string_view> known{compiled::automatic::name};
  for (const compiled::method_entry& e : compiled::method_table()) known.push_back(e.name);
  const std::string nearest = nearest_name(name, known);
  misuse("unknown method '" + name + "' (it is not among any_method_names()) did you mean '" +
         (nearest.empty() ? "tsit5" : nearest) + "'?");
}
enum class purpose : bool { solution, derivatives };
auto find_method(const any_method& m, const any_problem& q, const options& o, purpose why)
    -> const compiled::method_entry& {
  if (m.name() != compiled::automatic::name) return find_method(m.name());
  const bool there = q.f.erased() && q.f.has_jacobian() && q.f.has_pulls();
  const bool second = why == purpose::solution || (there && q.f.has_second());
  const compiled::automatic by{
      .rtol = o.rtol,
      .has_derivatives = there,
      .has_second = second,
      .has_mass = q.f.has_mass(),
      .has_higher_index = q.f.has_mass() && q.f.erased()->has_higher_index(),
      .has_algebra = m.algebra().name != compiled::dense_name};
  return find_method(std::string(by.method()));
}

/// What the dense algebra asks for: others tell by themselves with what they are compiled.
void check_dense(const any_problem& q, const compiled::method_entry& m) {
  const std::string method(m.name);
  if (q.f.has_mass() && !m.takes_mass())
    misuse("method " + method + " for a problem with a mass matrix (M y' = f is solved by " +
           names_of(compiled::methods_with_mass()) + ") take rodas5p?");
  if (m.asks_parts && !q.f.erased()->has_parts())
    misuse(
        "method " + method +
        " for a field without parts (it takes the implicit one by Newton's iteration and the other "
        "explicitly) give it both, or take esdirk547?");
  if ((m.asks_jacobian && !q.f.has_jacobian()) || (m.asks_parts && !q.f.has_implicit_jacobian()))
    misuse("method " + method +
           " on callbacks without a Jacobian (its stages are implicit) give jacobian, jvp or vjp, "
           "or by_finite_differences?");
}

/// What an algebra besides the dense one asks for.
void check_algebra(const any_problem& q, const compiled::algebra_text& a) {
  const std::string algebra = "algebra " + std::string(a.name);
  if (q.f.has_mass() && !q.f.has_pulls())
    misuse(algebra +
           " with a mass matrix on callbacks without vjp and jvp (a consistent start takes all of "
           "the Jacobian) give one of them, or by_finite_differences?");
  if (a.products && !q.f.has_products())
    misuse(algebra +
           " on callbacks without a jvp (it solves by products with the Jacobian) give it, or "
           "by_finite_differences?");
  if ((a.band && !q.f.has_band()) || (a.pattern && !q.f.has_entries()))
    misuse(algebra + " on callbacks without a Jacobian in its shape (it would be n × n) give " +
           (a.band ? "banded_jacobian" : "sparse_jacobian") +
           ", jvp or vjp, or by_finite_differences?");
}

/// What a forward solve asks for, and what besides a gradient does.
void check(const any_problem& q, const compiled::method_entry& m, const any_algebra& algebra) {
  const std::string method(m.name);
  const compiled::algebra_text& a = compiled::find_algebra(algebra.name);
  compiled::check_field(q);
  if (a.name != compiled::dense_name)
    check_algebra(q, a);
  else
    check_dense(q, m);
  if (m.asks_second && !q.f.has_pulls())
    misuse("method " + method +
           " on callbacks without vjp and jvp (it needs the derivative in t besides the Jacobian) "
           "give one of them, or choose kvaerno5?");
  if (q.events.size() > static_cast<std::size_t>(erased_events::most))
    misuse(std::to_string(q.events.size()) + " events (a problem has at most " +
           std::to_string(erased_events::most) + ") merge some, or solve it by the templates?");
}
void check_pulls(const any_problem& q, const compiled::method_entry& m) {
  const std::string method(m.name);
  if (!q.f.has_pulls())
    misuse(
        "a gradient of callbacks without vjp and jvp (their derivatives are not known) give one "
        "of them, or by_finite_differences?");
  if (m.asks_second && !q.f.has_second())
    misuse("a gradient by method " + method +
           " of callbacks (it needs second derivatives of the field) take kvaerno5 or radau_iia5, "
           "a typed field, or by_finite_differences?");
  for (const any_event& e : q.events)
    if (!e.has_pulls())
      misuse("a gradient through event '" + e.erased()->name +
             "' (the derivatives of its condition or jump are not known) give "
             "condition_gradient, and jump_vjp where it has a jump?");
  if (q.after_step)
    misuse(
        "a gradient of a solve that after_step sees (it would be called again by replays) solve "
        "without it?");
}

/// A method that may solve this problem, and the problem as it is compiled for.
struct chosen {
  const compiled::method_entry& named;
  held_problem held;
  std::optional<compiled::method_entry> with_algebra{};

  chosen(const any_problem& q, const any_method& m, const options& o, purpose why)
      : named(looked_over(q, m, o, why)),
        held(q) {
    const compiled::algebra_text& a = compiled::find_algebra(m.algebra().name);
    if (a.name == compiled::dense_name) return;
    const any_method with_integrals = compiled::beside_integrals(m, q);
    const any_algebra& of = with_integrals.algebra();
    const compiled::jacobian_structure given{of.lower, of.upper, of.pattern};
    with_algebra = entry_with_algebra(named, a, given, {!q.events.empty(), q.f.has_mass()},
                                      q.f.tells_pattern());
    compiled::expect_elements_inside(a, given, q.f, held.q);
  }
  const compiled::method_uses& uses() const {
    return (with_algebra ? *with_algebra : named).uses(held.q.f, held.events);
  }

 private:
  static const compiled::method_entry& looked_over(const any_problem& q, const any_method& m,
                                                   const options& o, purpose why) {
    const compiled::method_entry& entry = find_method(m, q, o, why);
    check(q, entry, m.algebra());
    if (why == purpose::derivatives) check_pulls(q, entry);
    return entry;
  }
};

}  // namespace

struct any_dense_solution::state {
  chosen by;
  std::unique_ptr<compiled::dense> dense;
};
struct any_differentiable_solution::state {
  chosen by;
  std::unique_ptr<compiled::differentiable> solved;
};

any_dense_solution::any_dense_solution(std::shared_ptr<state> s)
    : any_solution(told(s->dense->result())),
      state_(std::move(s)) {}
any_state any_dense_solution::operator()(double t, side which) const {
  return from_eigen(state_->dense->value(t, which));
}
any_state any_dense_solution::derivative(double t, side which) const {
  return from_eigen(state_->dense->derivative(t, which));
}
std::vector<any_state> any_dense_solution::at(const std::vector<double>& ts, side which) const {
  std::vector<any_state> ys;
  ys.reserve(ts.size());
  for (const double t : ts) ys.push_back((*this)(t, which));
  return ys;
}

any_differentiable_solution::any_differentiable_solution(std::shared_ptr<state> s)
    : any_solution(told(s->solved->result())),
      state_(std::move(s)) {}
any_gradient any_differentiable_solution::pullback(const any_cotangents& w) const {
  return told(state_->solved->pullback(to_eigen(w)).bar);
}

std::vector<any_gradient> any_differentiable_solution::gradients(
    const std::vector<any_cotangents>& losses) const {
  std::vector<cotangents<vector>> of;
  for (const any_cotangents& w : losses) of.push_back(to_eigen(w));
  std::vector<any_gradient> all;
  for (compiled::gradient_type& g : state_->solved->gradients(of))
    all.push_back(told(std::move(g)));
  return all;
}

void any_method::expect_usual(bool usual) const {
  if (!usual)
    misuse("method " + name_ +
           " with settings of its own (by name it is compiled with the usual ones) leave them out, "
           "or solve it by the templates?");
}
int any_method::order() const {
  return find_method(name_ == compiled::automatic::name ? "tsit5_rodas5p" : name_).order;
}

any_solution solve(const any_problem& q, const any_method& m, const options& o) {
  const chosen by(q, m, o, purpose::solution);
  return told(by.uses().solve(by.held.q, o, by.held.events));
}

any_dense_solution solve(const any_problem& q, const any_method& m, const options& o,
                         dense_output) {
  const std::shared_ptr<any_dense_solution::state> s(
      new any_dense_solution::state{{q, m, o, purpose::solution}, nullptr});
  if (!s->by.uses().keep)
    misuse("dense output of method " + m.name() + " (it has none) choose one such as tsit5?");
  s->dense = s->by.uses().keep(s->by.held.q, o, s->by.held.events);
  return any_dense_solution(s);
}

any_differentiable_solution solve(const any_problem& q, const any_method& m, const options& o,
                                  const recursive_checkpoint& adjoint) {
  const std::shared_ptr<any_differentiable_solution::state> s(
      new any_differentiable_solution::state{{q, m, o, purpose::derivatives}, nullptr});
  s->solved = s->by.uses().differentiate(s->by.held.q, o, adjoint, s->by.held.events);
  return any_differentiable_solution(s);
}

any_differentiable_solution solve(const any_problem& q, const any_method& m, const options& o,
                                  const any_adjoint& adjoint) {
  if (adjoint.name == recursive_checkpoint::name) return solve(q, m, o, recursive_checkpoint{});
  const std::shared_ptr<any_differentiable_solution::state> s(
      new any_differentiable_solution::state{{q, m, o, purpose::derivatives}, nullptr});
  const held_problem& held = s->by.held;
  if (q.f.has_mass())
    misuse("adjoint " + adjoint.name +
           " for a problem with a mass matrix (its algebraic variables are followed by "
           "recursive_checkpoint alone) take that?");
  if (s->by.with_algebra)
    misuse("adjoint " + adjoint.name + " with algebra " + m.algebra().name +
           " (gradients by it are those of recursive_checkpoint) take that, or the algebra dense?");
  std::string known;
  for (const compiled::adjoint_entry& a : compiled::adjoint_table()) {
    if (a.adjoint != adjoint.name) continue;
    if (a.method == s->by.named.name && a.use(held.events) != nullptr) {
      s->solved = a.use(held.events)(held.q, o, adjoint.every, held.events);
      return any_differentiable_solution(s);
    }
    if (a.use(held.events) != nullptr) known.append(known.empty() ? "" : ", ").append(a.method);
  }
  if (known.empty())
    misuse("unknown adjoint '" + adjoint.name +
           "', or one without events (see any_adjoint_names()) take recursive_checkpoint?");
  misuse("adjoint " + adjoint.name + " with method " + m.name() + " (it is compiled for " + known +
         ") choose one of these, or recursive_checkpoint?");
}

any_pushed_solution solve(const any_problem& q, const any_method& m, const options& o,
                          const any_tangents& along) {
  const chosen by(q, m, o, purpose::derivatives);
  tangents<vector, vector> way{to_eigen(along.y0), to_eigen(along.p), along.t0, along.t1};
  way.ts = along.ts;
  way.stops = along.stops;
  way.times = along.times;
  const auto s = by.uses().push(by.held.q, o, way, by.held.events);
  any_pushed_solution out{{told(static_cast<const compiled::solution_type&>(s))}};
  out.y_dot = from_eigen(s.y_dot);
  for (const vector& y_dot : s.ys_dot) out.ys_dot.push_back(from_eigen(y_dot));
  out.events_dot = s.events_dot;
  out.tangent_status = s.tangent_status;
  return out;
}

any_value_and_gradient value_and_gradient(const any_problem& q, const any_method& m,
                                          const options& o, const any_loss& loss,
                                          const recursive_checkpoint& adjoint) {
  const any_differentiable_solution s = solve(q, m, o, adjoint);
  any_value_and_gradient r{.solution = s};
  if (!is_complete(s.status)) return r;
  any_cotangents bar;
  r.value = loss(s, bar);
  r.gradient = s.pullback(bar);
  return r;
}

}  // namespace revode
