// SPDX-License-Identifier: Apache-2.0
#include <cli/adjoint_methods.hpp>

#include <cli/text.hpp>
#include <revode/adjoint/backsolve.hpp>
#include <revode/adjoint/gauss.hpp>
#include <revode/adjoint/interpolating.hpp>
#include <revode/adjoint/reversible.hpp>
#include <revode/problems/erased_events.hpp>
#include <revode/solvers/all.hpp>
#include <revode/solvers/explicit/runge_kutta.hpp>

namespace revode::cli {
namespace {

/// Events, where there are any, are the last of the arguments.
template <class A, class M, class... Events>
checked_differentiated differentiate_by(const initial_value_problem& q, const options& o,
                                        index every, std::span<const weighting> weightings,
                                        const Events&... of) {
  A adjoint;
  if constexpr (requires { adjoint.every; }) adjoint.every = every;
  const auto start = std::chrono::steady_clock::now();
  auto s = solve(q, M{}, o, events(of)..., adjoint);
  checked_differentiated d;
  d.seconds = seconds_since(start);
  d.result = s;
  if (!is_complete(s.status)) return d;
  for (const weighting& weigh : weightings) {
    const auto reverse_start = std::chrono::steady_clock::now();
    auto bar = s.pullback(weigh(s));
    d.outcomes.push_back({bar.reconstruction_error, bar.backward});
    d.gradients.push_back({std::move(bar), seconds_since(reverse_start)});
  }
  return d;
}

/// The first of the methods goes through events as well, where the adjoint does: each takes seconds
/// to compile.
template <class A, bool Events, class M, class... More>
void add(std::vector<adjoint_method>& all, method_list<M, More...>) {
  all.push_back({A::name, M::name, &differentiate_by<A, M>});
  if constexpr (Events) all.back().with_events = &differentiate_by<A, M, erased_events>;
  (all.push_back({A::name, More::name, &differentiate_by<A, More>}), ...);
}

auto compiled() -> std::vector<adjoint_method> {
  std::vector<adjoint_method> all;
  add<backsolve, true>(all, method_list<tsit5, dop853>{});
  add<interpolating, true>(all, method_list<tsit5>{});
  add<gauss, true>(all, method_list<tsit5>{});
  add<reversible, false>(all, method_list<reversible_heun>{});
  return all;
}

}  // namespace

auto adjoint_texts() -> std::vector<adjoint_text> {
  return {{recursive_checkpoint::name, true,
           "derivative of the computed solution, in the memory of a schedule"},
          {reversible::name, reversible::exact,
           "the same with no states kept: steps are undone (reversible_heun)"},
          {backsolve::name, backsolve::exact,
           "continuous, nothing kept: the solution is integrated backwards, where it can be"},
          {interpolating::name, interpolating::exact,
           "continuous, along the dense output of all steps, or of two segments (--interval)"},
          {gauss::name, gauss::exact,
           "the same with quadratures for the parameters: best where there are many"}};
}

auto adjoint_methods(std::string_view adjoint) -> std::vector<adjoint_method> {
  std::vector<adjoint_method> all = compiled();
  std::erase_if(all, [&](const adjoint_method& a) { return a.adjoint != adjoint; });
  return all;
}

auto find_adjoint_method(std::string_view adjoint, std::string_view method, bool has_events)
    -> adjoint_method {
  std::string known;
  for (const adjoint_method& a : adjoint_methods(adjoint)) {
    if (has_events && a.with_events == nullptr) continue;
    if (a.method == method) return a;
    known.append(known.empty() ? "" : ", ").append(a.method);
  }
  if (known.empty())
    misuse("adjoint " + std::string(adjoint) +
           " with events (its steps cannot be undone through a jump) choose recursive_checkpoint?");
  misuse("adjoint " + std::string(adjoint) + " with method " + std::string(method) +
         " (in this command it goes with " + known + (has_events ? " through events" : "") +
         ") choose one of these, or the adjoint recursive_checkpoint?");
}

}  // namespace revode::cli
