// SPDX-License-Identifier: Apache-2.0
#include <revode/any.hpp>

#include <utility>

#include <revode/adjoint/error/resolved_gradient.hpp>
#include <revode/adjoint/with_error.hpp>

namespace revode {
namespace {

/// The rules of with_error over solves by name: here two methods or adjoints are one type.
template <class Adjoint>
any_value_and_gradient checked(const any_problem& q, const any_method& m, const options& o,
                               const any_loss& loss, const with_error<Adjoint>& a) {
  a.check(o);
  const Adjoint each = a.of_each();
  const any_differentiable_solution s = solve(q, m, o, each);
  any_value_and_gradient r{.solution = s};
  if (!is_complete(s.status)) return r;
  any_cotangents bar;
  r.value = loss(s, bar);
  r.gradient = s.pullback(bar);
  if (r.gradient->status != status::success) return r;
  const auto find = [&](const other_solve& how) {
    const any_differentiable_solution other = solve(q, m, how.o, each);
    other_gradient<any_state, any_state> found{.stats = other.stats};
    if (!is_comparable<any_state>(other, s)) return found;
    any_cotangents other_bar;
    found.more = loss(other, other_bar) - *r.value;
    found.bar = other.pullback(other_bar);
    return found;
  };
  tell_error_by_others(o, m.order(), s.stats.accepted, a.unresolved, *r.gradient, find);
  return r;
}

}  // namespace

any_value_and_gradient value_and_checked_gradient(const any_problem& q, const any_method& m,
                                                  const options& o, const any_loss& loss,
                                                  const recursive_checkpoint& adjoint,
                                                  double unresolved) {
  return checked(q, m, o, loss, with_error{adjoint, unresolved});
}
any_value_and_gradient value_and_checked_gradient(const any_problem& q, const any_method& m,
                                                  const options& o, const any_loss& loss,
                                                  const any_adjoint& adjoint, double unresolved) {
  return checked(q, m, o, loss, with_error{adjoint, unresolved});
}

any_value_and_gradient resolved_value_and_gradient(const any_problem& q, const any_method& m,
                                                   const options& o, const any_loss& loss,
                                                   double gradient_rtol,
                                                   const recursive_checkpoint& adjoint) {
  return resolve_gradient(gradient_rtol, m.order(), o, [&](const options& tighter) {
    return value_and_gradient(q, m, tighter, loss, adjoint);
  });
}

}  // namespace revode
