// SPDX-License-Identifier: Apache-2.0
#include <any/automatic.hpp>
#include <any/held_problem.hpp>

#include <cmath>

#include <revode/problems/catalog.hpp>
#include <revode/problems/erased_massive_field.hpp>
#include <revode/solve/adapters.hpp>
#include <revode/solve/options.hpp>

namespace revode {

using compiled::from_eigen, compiled::misuse, compiled::to_eigen, compiled::vector;

namespace {

/// The numbers of M that are none of its zeros.
mass_entries entries_of(const std::vector<double>& mass) {
  std::size_t n = 0;
  while (n * n < mass.size()) ++n;
  if (n * n != mass.size())
    misuse("a mass matrix of " + std::to_string(mass.size()) +
           " numbers (it has n × n, row by row) give a square of them?");
  mass_entries m;
  for (std::size_t i = 0; i < mass.size(); ++i)
    if (mass[i] != 0) m(static_cast<int>(i / n), static_cast<int>(i % n)) = mass[i];
  return m;
}

void expect_size(const char* name, double size) {
  if (!(size > 0) || std::isinf(size))
    misuse(std::string(name) + " = " + shortest(size) +
           " (differences take steps for numbers of this size) give a positive one, or leave it at "
           "1?");
}

}  // namespace

any_field::any_field(any_callbacks callbacks) {
  if (!callbacks.f)
    misuse("a field without f (any_callbacks::f is empty) give it the right-hand side?");
  expect_size("typical_size", callbacks.typical_size);
  expect_size("typical_time", callbacks.typical_time);
  pulls_ = callbacks.vjp || callbacks.jvp || callbacks.by_finite_differences;
  jacobian_ = implicit_jacobian_ = pulls_ || callbacks.jacobian;
  band_ = pulls_ || callbacks.banded_jacobian;
  entries_ = pulls_ || callbacks.sparse_jacobian;
  products_ = callbacks.jvp || callbacks.by_finite_differences;
  tells_ = false;
  second_ = callbacks.by_finite_differences;
  given_ = {.jvp = callbacks.jvp != nullptr,
            .vjp = callbacks.vjp != nullptr,
            .band = callbacks.banded_jacobian != nullptr,
            .entries = callbacks.sparse_jacobian != nullptr};
  mass_numbers_ = callbacks.mass.size();
  const mass_entries m = entries_of(callbacks.mass);
  const std::vector<int> index = callbacks.index;
  if (mass_numbers_ == 0 && !index.empty())
    misuse("an index of " + std::to_string(index.size()) +
           " numbers without a mass matrix (elements of y' = f are all of index 1) give "
           "any_callbacks::mass, too?");
  erased_field f(
      compiled::callback_field(std::make_shared<const any_callbacks>(std::move(callbacks))));
  erased_ = std::make_shared<const erased_field>(mass_numbers_ > 0 ? erased_field(f, m, index)
                                                                   : std::move(f));
}

any_field::any_field(any_callbacks implicit_part, any_callbacks explicit_part) {
  const any_field first(implicit_part), second(explicit_part);
  if (first.has_mass() || second.has_mass())
    misuse(
        "a part with a mass matrix (parts are those of y' = f) leave it out, or give one field?");
  const auto part = [](any_callbacks& c) {
    return compiled::callback_field(std::make_shared<const any_callbacks>(std::move(c)));
  };
  erased_ =
      std::make_shared<const erased_field>(from_parts(part(implicit_part), part(explicit_part)));
  pulls_ = first.pulls_ && second.pulls_;
  jacobian_ = first.jacobian_ && second.jacobian_;
  implicit_jacobian_ = first.jacobian_;
  second_ = first.second_ && second.second_;
  band_ = entries_ = pulls_;
  products_ = first.products_ && second.products_;
  tells_ = false;
  given_ = compiled::of_both(first.given_, second.given_);
}

any_field::any_field(std::shared_ptr<const erased_field> typed) : erased_(std::move(typed)) {
  if (!erased_) misuse("a field that is null (there is nothing to call) pass one that was made?");
}

void any_field::operator()(double t, const any_state& y, const any_state& p, any_state& dy) const {
  if (!erased_) misuse("a call of no field (any_field is empty) give it callbacks?");
  vector out(static_cast<Eigen::Index>(y.size()));
  if (has_mass())
    erased_massive_field{*erased_}(t, to_eigen(y), to_eigen(p), out);
  else
    (*erased_)(t, to_eigen(y), to_eigen(p), out);
  dy = from_eigen(out);
}

bool any_field::has_mass() const { return erased_ && erased_->has_mass(); }

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
any_event::any_event(std::shared_ptr<const erased_event> typed, bool has_pulls)
    : erased_(std::move(typed)),
      pulls_(has_pulls) {
  if (!erased_) misuse("an event that is null (it has no condition) pass one that was made?");
}

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
  std::vector<std::string> names{std::string(compiled::automatic::name)};
  for (const compiled::method_entry& m : compiled::method_table()) names.emplace_back(m.name);
  return names;
}
std::vector<std::string> any_algebra_names() {
  std::vector<std::string> names;
  for (const compiled::algebra_text& a : compiled::algebra_texts())
    if (a.compiled) names.emplace_back(a.name);
  return names;
}
std::vector<std::string> any_adjoint_names() {
  std::vector<std::string> names;
  for (const compiled::adjoint_text& a : compiled::adjoint_texts()) names.emplace_back(a.name);
  return names;
}

}  // namespace revode
