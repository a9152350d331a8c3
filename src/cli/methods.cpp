// SPDX-License-Identifier: Apache-2.0
#include <cli/methods.hpp>

#include <algorithm>
#include <utility>

#include <any/automatic.hpp>
#include <cli/text.hpp>

namespace revode::cli {
status differentiated::ended() const {
  const bool failed = !gradients.empty() && gradients.front().bar.status != revode::status::success;
  return failed ? gradients.front().bar.status : result.status;
}

bool differentiated::has_gradient() const {
  return !gradients.empty() && (is_complete(ended()) || ended() == status::gradient_not_resolved);
}

auto differentiate(const std::function<std::unique_ptr<compiled::differentiable>()>& solve,
                   std::span<const weighting> weightings) -> differentiated {
  const auto start = std::chrono::steady_clock::now();
  const auto s = solve();
  differentiated d;
  d.seconds = seconds_since(start);
  d.result = s->result();
  d.plan = s->plan();
  if (!is_complete(d.result.status)) return d;
  for (const weighting& weigh : weightings) {
    const auto reverse_start = std::chrono::steady_clock::now();
    auto [bar, outcome] = s->pullback(weigh(d.result));
    d.outcomes.push_back(outcome.value_or(reverse_outcome{}));
    d.gradients.push_back({std::move(bar), seconds_since(reverse_start)});
  }
  return d;
}

auto differentiate(const method_entry& m, const initial_value_problem& q, const options& o,
                   const recursive_checkpoint& adjoint, std::span<const weighting> weightings,
                   const erased_events& events) -> differentiated {
  return differentiate([&] { return m.uses(q.f, events).differentiate(q, o, adjoint, events); },
                       weightings);
}

auto find_method(std::string_view name) -> method_entry {
  if (const method_entry* found = compiled::find_method_entry(name)) return *found;
  std::vector<std::string_view> known{compiled::automatic::name};
  for (const method_entry& m : compiled::method_table()) known.push_back(m.name);
  unknown_name("method", name, "methods", known, "run 'revode list methods'");
}

auto find_algebra(std::string_view name) -> const compiled::algebra_text& {
  std::vector<std::string_view> known;
  for (const compiled::algebra_text& a : compiled::algebra_texts()) known.push_back(a.name);
  if (std::find(known.begin(), known.end(), name) == known.end())
    unknown_name("algebra", name, "algebras", known, "run 'revode list algebras'");
  return compiled::find_algebra(name);
}

void expect_compiled_for(const erased_problem& q, const method_entry& m) {
  if (q.has_mass() && !m.takes_mass())
    misuse("method " + std::string(m.name) + " for " + q.name +
           " (it has a mass matrix; this command solves M y' = f by " +
           names_of(compiled::methods_with_mass()) + ") take rodas5p?");
  if (m.asks_parts && !q.f.has_parts())
    misuse("method " + std::string(m.name) + " for " + q.name +
           " (its field is no sum of an implicit and an explicit part; that of burgers_1d is) take "
           "esdirk547?");
}

auto method_for(double rtol, bool stiff) -> std::string_view {
  if (stiff) return "radau_iia5";
  return rtol < 1e-11 ? "dop853" : rtol < 1e-9 ? "vern7" : "tsit5";
}

auto adjoint_methods(std::string_view adjoint) -> std::vector<adjoint_entry> {
  std::vector<adjoint_entry> all = compiled::adjoint_table();
  std::erase_if(all, [&](const adjoint_entry& a) { return a.adjoint != adjoint; });
  return all;
}

auto find_adjoint_method(std::string_view adjoint, std::string_view method, const erased_problem& q)
    -> adjoint_entry {
  if (q.has_mass())
    misuse(
        "adjoint " + std::string(adjoint) + " for " + q.name +
        " (it has a mass matrix: algebraic variables are followed by recursive_checkpoint alone) "
        "choose that?");
  const bool has_events = !q.events.empty();
  std::vector<adjoint_entry> known = adjoint_methods(adjoint);
  if (has_events)
    std::erase_if(known, [](const adjoint_entry& a) { return a.with_events == nullptr; });
  for (const adjoint_entry& a : known)
    if (a.method == method) return a;
  if (known.empty())
    misuse("adjoint " + std::string(adjoint) +
           " with events (its steps cannot be undone through a jump) choose recursive_checkpoint?");
  std::string methods;
  for (const adjoint_entry& a : known) methods.append(methods.empty() ? "" : ", ").append(a.method);
  misuse("adjoint " + std::string(adjoint) + " with method " + std::string(method) +
         " (in this command it goes with " + methods + (has_events ? " through events" : "") +
         ") choose one of these, or the adjoint recursive_checkpoint?");
}

}  // namespace revode::cli
