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
  const looser_solve how(o, m.order());
  const any_differentiable_solution looser = solve(q, m, how.o, each);
  std::optional<any_gradient> of_looser;
  double more = 0;
  if (is_comparable<any_state>(looser, s)) {
    any_cotangents looser_bar;
    more = loss(looser, looser_bar) - *r.value;
    of_looser = looser.pullback(looser_bar);
  }
  tell_error<any_state, any_state>(of_looser ? &*of_looser : nullptr, more,
                                   how.share(s.stats.accepted, looser.stats.accepted), a.unresolved,
                                   *r.gradient);
  r.gradient->error->looser = looser.stats;
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
