// SPDX-License-Identifier: Apache-2.0
#include "plain.hpp"

namespace revode::wpd {
namespace {

template <class Problem>
plain plain_of(const Problem& f) {
  using whole = plain_problem<Problem>;
  const auto owner = std::make_shared<whole>(f);
  plain q{};
  q.name = Problem::name;
  q.n = owner->n();
  q.t0 = Problem::t0;
  q.t1 = Problem::t1;
  q.ends = piece_ends<Problem>();
  q.autonomous = requires { requires Problem::autonomous; };
  q.atol = [](double rtol) { return Problem::atol(rtol); };
  q.y0.assign(owner->y0.data(), owner->y0.data() + q.n);
  q.self = owner.get();
  q.field = [](void* p, double t, const double* y, double* dy) {
    static_cast<whole*>(p)->field(t, y, dy);
  };
  q.jacobian = [](void* p, double t, const double* y, double* j) {
    static_cast<whole*>(p)->jacobian(t, y, j);
  };
  q.time_derivative = [](void* p, double t, const double* y, double* out) {
    static_cast<whole*>(p)->time_derivative(t, y, out);
  };
  q.first_step = [](void* p, double t, const double* y, double rtol, int order) {
    return static_cast<whole*>(p)->first_step(t, y, rtol, order);
  };
  q.pattern = [](void* p) { return static_cast<whole*>(p)->pattern(); };
  q.sparse_jacobian = [](void* p, double t, const double* y,
                         const std::shared_ptr<const sparsity>& pattern, sparse_matrix<double>& j) {
    static_cast<whole*>(p)->sparse_jacobian(t, y, pattern, j);
  };
  q.owner = owner;
  return q;
}

}  // namespace

std::vector<plain> plain_problems(const contest& c) {
  std::vector<plain> found;
  for_each_problem(stiff_problems{}, [&](const auto& f) {
    if (contest::among(c.problems, f.name)) found.push_back(plain_of(f));
  });
  return found;
}

std::vector<task> tasks() {
  std::vector<task> found;
  for_each_problem(stiff_problems{}, [&](const auto& f) {
    found.push_back(
        {f.name, static_cast<int>(f.y0().size()),
         [f](const std::vector<double>& y, double rtol) { return mixed_digits(f, y, rtol); },
         [f](const std::vector<double>& y) { return digits_of(f, y, 1e-300); }});
  });
  return found;
}

}  // namespace revode::wpd
