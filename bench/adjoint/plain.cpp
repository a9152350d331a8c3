// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <revode/solve/system.hpp>
#include <revode/solvers/radau_iia5.hpp>

#include "contest.hpp"
#include "problems.hpp"

namespace revode::bench {
namespace {

/// A column-major matrix at `data`.
struct columns {
  double* data;
  int n;
  double& operator()(int i, int j) { return data[static_cast<std::ptrdiff_t>(j) * n + i]; }
};

/// A problem with the places that calls from C need.
template <class Problem>
struct whole {
  using state = decltype(std::declval<Problem>().y0());
  using parameters = decltype(std::declval<Problem>().parameters());

  explicit whole(const Problem& of)
      : f(of),
        p(f.parameters()),
        y(f.y0()),
        w(y),
        out(y),
        by_p(p),
        sys(f, p) {}

  static void field(void* self, double t, const double* y, double* dy) {
    auto& q = *static_cast<whole*>(self);
    std::copy_n(y, q.y.size(), q.y.data());
    q.f(t, q.y, q.p, q.out);
    std::copy_n(q.out.data(), q.out.size(), dy);
  }
  static void pull(void* self, double t, const double* y, const double* w, double* by_state,
                   double* by_parameters) {
    auto& q = *static_cast<whole*>(self);
    std::copy_n(y, q.y.size(), q.y.data());
    std::copy_n(w, q.w.size(), q.w.data());
    fill(q.out, 0.0);
    fill(q.by_p, 0.0);
    if constexpr (requires { q.f.pull_state(t, q.y, q.p, q.w, q.out); }) {
      if (by_state != nullptr) q.f.pull_state(t, q.y, q.p, q.w, q.out);
      if (by_parameters != nullptr) q.f.pull_parameters(q.y, q.w, q.by_p);
    } else {
      q.sys.vjp(t, q.y, q.w, nullptr, q.out, q.by_p);
    }
    if (by_state != nullptr) std::copy_n(q.out.data(), q.out.size(), by_state);
    if (by_parameters != nullptr) std::copy_n(q.by_p.data(), q.by_p.size(), by_parameters);
  }
  static void dense(void* self, double t, const double* y, double* to) {
    auto& q = *static_cast<whole*>(self);
    std::copy_n(y, q.y.size(), q.y.data());
    columns j{to, length(q.y)};
    q.sys.jacobian(t, q.y, j);
  }
  static void sparse(void* self, double t, const double* y, sparse_matrix<double>& j) {
    auto& q = *static_cast<whole*>(self);
    std::copy_n(y, q.y.size(), q.y.data());
    evaluate_by_colours(q.sys, t, q.y, std::shared_ptr<const sparsity>(j.pattern), false, j);
  }

  Problem f;
  parameters p;
  state y, w, out;
  parameters by_p;
  system<Problem, state, parameters> sys;
};

template <class Problem>
plain plain_of(const Problem& f) {
  using all = whole<Problem>;
  const auto owner = std::make_shared<all>(f);
  plain q{};
  q.name = Problem::name;
  q.n = length(owner->y);
  q.np = length(owner->p);
  q.pieces = pieces_of<Problem>();
  q.atol = [](double rtol) { return Problem::atol(rtol); };
  q.y0.assign(owner->y.data(), owner->y.data() + q.n);
  q.self = owner.get();
  q.field = all::field;
  q.pull = all::pull;
  q.dense = all::dense;
  q.sparse = all::sparse;
  if (q.n > 20) q.pattern = std::make_shared<sparsity>(sparsity_of(f, f.t0, owner->y, owner->p));
  q.owner = owner;
  return q;
}

}  // namespace

plain plain_problem(const selection& which) {
  if (which.problem == "brusselator_2d") return plain_of(written_brusselator{{which.width}});
  if (which.problem == "hires") return plain_of(hires{});
  return plain_of(short_rober{});
}

/// At tolerances whose error is below a hundredth of what is looked for: by Radau, on fine grids by
/// Tsit5, which agree where both run.
answer reference(const selection& which) {
  std::vector<contender> all;
  if (which.width > 20)
    add_explicit(which, {"tsit5"}, all);
  else
    add_method<radau_iia5>(which, all);
  return all[1].gradient(1e-8);
}

}  // namespace revode::bench
