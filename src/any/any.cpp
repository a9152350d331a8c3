// SPDX-License-Identifier: Apache-2.0
#include <revode/any.hpp>

#include <algorithm>
#include <stdexcept>

#include <any/callbacks.hpp>
#include <any/compiled.hpp>
#include <revode/problems/catalog.hpp>

namespace revode {
namespace {

using compiled::vector;

[[noreturn]] void misuse(const std::string& text) { throw std::invalid_argument(text); }

vector to_eigen(std::span<const double> v) {
  return Eigen::Map<const vector>(v.data(), static_cast<Eigen::Index>(v.size()));
}
any_state from_eigen(const vector& v) { return {v.begin(), v.end()}; }

any_solution told(const compiled::solution_type& s) {
  any_solution out{s.status, s.t, from_eigen(s.y), s.ts, {}, s.events, s.stats};
  out.ys.reserve(s.ys.size());
  for (const vector& y : s.ys) out.ys.push_back(from_eigen(y));
  return out;
}

any_gradient told(compiled::gradient_type g) {
  any_gradient out{.y0 = from_eigen(g.y0), .p = from_eigen(g.p), .t0 = g.t0, .t1 = g.t1};
  out.ts = std::move(g.ts);
  out.reverse = g.reverse;
  out.stops = std::move(g.stops);
  out.events = std::move(g.events);
  out.times = std::move(g.times);
  out.status = g.status;
  return out;
}

cotangents<vector> to_eigen(const any_cotangents& w) {
  cotangents<vector> out;
  if (w.y) out.y = to_eigen(*w.y);
  out.ys.reserve(w.ys.size());
  for (const any_state& y : w.ys) out.ys.push_back(to_eigen(y));
  out.events = w.events;
  return out;
}

/// A problem over Eigen vectors, of its own: it stays where it is while something refers to it.
struct held_problem {
  erased_field f;
  erased_events events;
  compiled::initial_value_problem q;

  explicit held_problem(const any_problem& from)
      : f(*from.f.erased()),
        events(events_of(from)),
        q{f, to_eigen(from.y0), from.t0, from.t1, to_eigen(from.p)} {}
  held_problem(const held_problem&) = delete;
  held_problem& operator=(const held_problem&) = delete;

 private:
  static erased_events events_of(const any_problem& from) {
    erased_events all;
    for (const any_event& e : from.events) all.each.push_back(*e.erased());
    if (from.after_step)
      all.after_step = [tell = from.after_step](double t, const vector& y) {
        return tell(t, compiled::seen(y));
      };
    return all;
  }
};

auto find_method(const any_method& m) -> const compiled::method_entry& {
  std::vector<std::string_view> known;
  for (const compiled::method_entry& e : compiled::method_table()) {
    if (e.name == m.name()) return e;
    known.push_back(e.name);
  }
  const std::string nearest = nearest_name(m.name(), known);
  misuse("unknown method '" + m.name() + "' (it is not among any_method_names()) did you mean '" +
         (nearest.empty() ? "tsit5" : nearest) + "'?");
}

/// What a forward solve asks for, and what besides a gradient does.
void check(const any_problem& q, const compiled::method_entry& m) {
  const std::string method(m.name);
  if (!q.f.erased())
    misuse("a problem without a field (any_problem::f is empty) give it one, or named_problem?");
  if (m.asks_jacobian && !q.f.has_jacobian())
    misuse("method " + method +
           " on callbacks without a Jacobian (its stages are implicit) give jacobian, jvp or vjp, "
           "or by_finite_differences?");
  if (m.asks_second && !q.f.has_pulls())
    misuse("method " + method +
           " on callbacks without vjp and jvp (it needs the derivative in t besides the Jacobian) "
           "give one of them, or choose kvaerno5?");
  if (q.events.size() > static_cast<std::size_t>(erased_events::most))
    misuse(std::to_string(q.events.size()) + " events (a problem has at most " +
           std::to_string(erased_events::most) + ") merge some, or solve it by the templates?");
  if (!q.events.empty() && !m.finds_events()) {
    std::string known;
    for (const compiled::method_entry& e : compiled::methods_with_events())
      known.append(known.empty() ? "" : ", ").append(e.name);
    misuse("method " + method + " with events (they are compiled for " + known +
           ") choose one of these, or solve it by the templates?");
  }
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

}  // namespace

any_field::any_field(any_callbacks callbacks) {
  if (!callbacks.f)
    misuse("a field without f (any_callbacks::f is empty) give it the right-hand side?");
  pulls_ = callbacks.vjp || callbacks.jvp || callbacks.by_finite_differences;
  jacobian_ = pulls_ || callbacks.jacobian;
  second_ = callbacks.by_finite_differences;
  erased_ = std::make_shared<const erased_field>(
      compiled::callback_field(std::make_shared<const any_callbacks>(std::move(callbacks))));
}

any_field::any_field(std::shared_ptr<const erased_field> typed) : erased_(std::move(typed)) {}

void any_field::operator()(double t, const any_state& y, const any_state& p, any_state& dy) const {
  vector out(static_cast<Eigen::Index>(y.size()));
  (*erased_)(t, to_eigen(y), to_eigen(p), out);
  dy = from_eigen(out);
}

any_event::any_event(any_event_callbacks callbacks)
    : pulls_(callbacks.condition_gradient && (!callbacks.jump || callbacks.jump_vjp)) {
  if (!callbacks.condition)
    misuse("event '" + callbacks.name +
           "' without a condition (it occurs where that passes through 0) give one?");
  const auto shared = std::make_shared<const any_event_callbacks>(std::move(callbacks));
  erased_event event{compiled::callback_event(shared)};
  event.name = shared->name;
  event.direction = shared->direction;
  event.terminal = shared->terminal;
  event.passes = shared->passes || !shared->jump;
  erased_ = std::make_shared<const erased_event>(std::move(event));
}
any_event::any_event(std::shared_ptr<const erased_event> typed) : erased_(std::move(typed)) {}

any_problem named_problem(std::string_view spec) {
  erased_problem named = make_problem(spec);
  any_problem q;
  q.f = std::make_shared<const erased_field>(std::move(named.f));
  q.y0 = from_eigen(named.y0);
  q.t0 = named.t0;
  q.t1 = named.t1;
  q.p = from_eigen(named.p);
  q.jumps = std::move(named.jumps);
  for (erased_event& e : named.events.each)
    q.events.emplace_back(std::make_shared<const erased_event>(std::move(e)));
  return q;
}

std::vector<std::string> any_method_names() {
  std::vector<std::string> names;
  for (const compiled::method_entry& m : compiled::method_table()) names.emplace_back(m.name);
  return names;
}
std::vector<std::string> any_adjoint_names() {
  std::vector<std::string> names;
  for (const compiled::adjoint_text& a : compiled::adjoint_texts()) names.emplace_back(a.name);
  return names;
}

struct any_dense_solution::state {
  held_problem held;
  std::unique_ptr<compiled::dense> dense;
};
struct any_differentiable_solution::state {
  held_problem held;
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

any_solution solve(const any_problem& q, const any_method& m, const options& o) {
  const compiled::method_entry& entry = find_method(m);
  check(q, entry);
  const held_problem held(q);
  return told(entry.uses(held.events).solve(held.q, o, held.events));
}

any_dense_solution solve(const any_problem& q, const any_method& m, const options& o,
                         dense_output) {
  const compiled::method_entry& entry = find_method(m);
  check(q, entry);
  if (entry.plain.keep == nullptr)
    misuse("dense output of method " + m.name() + " (it has none) choose one such as tsit5?");
  const std::shared_ptr<any_dense_solution::state> s(
      new any_dense_solution::state{held_problem(q), nullptr});
  s->dense = entry.uses(s->held.events).keep(s->held.q, o, s->held.events);
  return any_dense_solution(s);
}

any_differentiable_solution solve(const any_problem& q, const any_method& m, const options& o,
                                  const recursive_checkpoint& adjoint) {
  const compiled::method_entry& entry = find_method(m);
  check(q, entry);
  check_pulls(q, entry);
  const std::shared_ptr<any_differentiable_solution::state> s(
      new any_differentiable_solution::state{held_problem(q), nullptr});
  s->solved = entry.uses(s->held.events).differentiate(s->held.q, o, adjoint, s->held.events);
  return any_differentiable_solution(s);
}

any_differentiable_solution solve(const any_problem& q, const any_method& m, const options& o,
                                  const any_adjoint& adjoint) {
  if (adjoint.name == recursive_checkpoint::name) return solve(q, m, o, recursive_checkpoint{});
  const compiled::method_entry& entry = find_method(m);
  check(q, entry);
  check_pulls(q, entry);
  const std::shared_ptr<any_differentiable_solution::state> s(
      new any_differentiable_solution::state{held_problem(q), nullptr});
  std::string known;
  for (const compiled::adjoint_entry& a : compiled::adjoint_table()) {
    if (a.adjoint != adjoint.name) continue;
    if (a.method == entry.name && a.use(s->held.events) != nullptr) {
      s->solved = a.use(s->held.events)(s->held.q, o, adjoint.every, s->held.events);
      return any_differentiable_solution(s);
    }
    if (a.use(s->held.events) != nullptr) known.append(known.empty() ? "" : ", ").append(a.method);
  }
  if (known.empty())
    misuse("unknown adjoint '" + adjoint.name +
           "', or one without events (see any_adjoint_names()) take recursive_checkpoint?");
  misuse("adjoint " + adjoint.name + " with method " + m.name() + " (it is compiled for " + known +
         ") choose one of these, or recursive_checkpoint?");
}

}  // namespace revode
