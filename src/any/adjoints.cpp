// SPDX-License-Identifier: Apache-2.0
#include <any/method_list.hpp>
#include <revode/adjoint/backsolve.hpp>
#include <revode/adjoint/control_gradient_error.hpp>
#include <revode/adjoint/gauss.hpp>
#include <revode/adjoint/interpolating.hpp>
#include <revode/adjoint/reversible.hpp>

namespace revode::compiled {
namespace {

template <class A, class M, kind_of_problem Kind>
std::unique_ptr<differentiable> differentiate_otherwise(const initial_value_problem& q,
                                                        const options& o, index every,
                                                        [[maybe_unused]] const erased_events& of) {
  A adjoint;
  if constexpr (requires { adjoint.every; }) adjoint.every = every;
  if constexpr (Kind.events)
    return differentiate_by<Kind>(q, M{}, o, adjoint, of);
  else
    return differentiate_by<Kind>(q, M{}, o, adjoint);
}

/// The first of the methods goes through events as well, where the adjoint does: each takes seconds
/// to compile.
template <class A, bool Events, class M, class... More>
void add(std::vector<adjoint_entry>& all, method_list<M, More...>) {
  all.push_back({A::name, M::name, &differentiate_otherwise<A, M, kind_of_problem{}>});
  if constexpr (Events)
    all.back().with_events = &differentiate_otherwise<A, M, kind_of_problem{.events = true}>;
  (all.push_back({A::name, More::name, &differentiate_otherwise<A, More, kind_of_problem{}>}), ...);
}

/// On steps that resolve the gradient along random directions.
template <class M, kind_of_problem Kind>
std::unique_ptr<differentiable> differentiate_controlled(const initial_value_problem& q,
                                                         const options& o, index,
                                                         [[maybe_unused]] const erased_events& of) {
  const auto list = [&] {
    if constexpr (Kind.events)
      return events(of);
    else
      return no_events{};
  }();
  using steps = controlled_steps<M, erased_field, vector, vector, std::decay_t<decltype(list)>>;
  return std::make_unique<pulled<steps>>(
      steps(q, M{}, o, list, control_gradient_error{random_directions{}}));
}
template <class... Methods>
void add_controlled(std::vector<adjoint_entry>& all, method_list<Methods...>) {
  (all.push_back({control_gradient_error<random_directions<>>::name, Methods::name,
                  &differentiate_controlled<Methods, kind_of_problem{}>,
                  &differentiate_controlled<Methods, kind_of_problem{.events = true}>}),
   ...);
}

}  // namespace

auto adjoint_table() -> std::vector<adjoint_entry> {
  std::vector<adjoint_entry> all;
  add<backsolve, true>(all, method_list<tsit5, dop853>{});
  add<interpolating, true>(all, method_list<tsit5>{});
  add<gauss, true>(all, method_list<tsit5>{});
  add<reversible, false>(all, method_list<reversible_heun>{});
  add_controlled(all, method_list<tsit5, rodas5p, radau_iia5>{});
  return all;
}

auto adjoint_texts() -> std::vector<adjoint_text> {
  return {
      {recursive_checkpoint::name, true,
       "derivative of the computed solution, in the memory of a schedule"},
      {reversible::name, reversible::exact,
       "the same with no states kept: steps are undone (reversible_heun)"},
      {backsolve::name, backsolve::exact,
       "continuous, nothing kept: the solution is integrated backwards, where it can be"},
      {interpolating::name, interpolating::exact,
       "continuous, along the dense output of all steps, or of two segments (--interval)"},
      {gauss::name, gauss::exact,
       "the same with quadratures for the parameters: best where there are many"},
      {control_gradient_error<random_directions<>>::name, true,
       "as recursive_checkpoint, on steps that resolve the derivatives along random directions"}};
}

}  // namespace revode::compiled
