// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <Eigen/Core>

#include <revode/linalg/sparse/sparse_matrix.hpp>
#include <revode/linalg/sparse/sparsity_of.hpp>
#include <revode/solve/stepping/first_step.hpp>

#include "method.hpp"

namespace revode::wpd {

/// A matrix of n columns at `data`, one after the other.
struct columns {
  double* data;
  int n;
  double& operator()(int i, int j) { return data[static_cast<std::ptrdiff_t>(j) * n + i]; }
};

struct rows {
  double* data;
  int n;
  double& operator()(int i, int j) { return data[static_cast<std::ptrdiff_t>(i) * n + j]; }
};

/// A stiff problem as other libraries take it, over arrays. Field and Jacobian are the code that
/// revode's own methods call.
template <class Problem>
class plain_problem {
 public:
  using state = decltype(state_of(std::declval<const Problem&>()));
  static constexpr int fixed = static_size_v<state>;
  using map = Eigen::Map<Eigen::Matrix<double, fixed, 1>>;

  explicit plain_problem(const Problem& f)
      : f_(f),
        p_(f_.parameters()),
        y0(state_of(f_)),
        y_(y0),
        sys_(f_, p_) {}
  plain_problem(const plain_problem&) = delete;

  int n() const { return length(y0); }
  void field(double t, const double* y, double* dy) {
    const map in(const_cast<double*>(y), n());  // a field takes both as one type
    map out(dy, n());
    f_(t, in, p_, out);
  }
  void jacobian(double t, const double* y, double* j) {
    take(y);
    columns out{j, n()};
    sys_.jacobian(t, y_, out);
  }
  /// Row by row.
  void jacobian_rows(double t, const double* y, double* j) {
    take(y);
    rows out{j, n()};
    sys_.jacobian(t, y_, out);
  }
  void time_derivative(double t, const double* y, double* f_t) {
    if constexpr (system_type::autonomous) {
      std::fill(f_t, f_t + n(), 0.0);
    } else {
      take(y);
      state out = y_;
      sys_.time_derivative(t, y_, out);
      std::copy(out.data(), out.data() + n(), f_t);
    }
  }
  /// The first step that revode would take from (t, y).
  double first_step(double t, const double* y, double rtol, int order) {
    take(y);
    return revode::first_step(sys_, t, Problem::t1, y_, {rtol, Problem::atol(rtol)}, order);
  }
  std::shared_ptr<const sparsity> pattern() const {
    return std::make_shared<sparsity>(sparsity_of(f_, Problem::t0, y0, p_));
  }
  void sparse_jacobian(double t, const double* y, const std::shared_ptr<const sparsity>& pattern,
                       sparse_matrix<double>& j) {
    take(y);
    evaluate_on_pattern(sys_, t, y_, pattern, false, j);
  }

 private:
  using parameters = std::remove_cvref_t<decltype(std::declval<Problem>().parameters())>;
  using system_type = system<Problem, state, parameters>;

  void take(const double* y) { std::copy(y, y + n(), y_.data()); }

  Problem f_;
  parameters p_;

 public:
  const state y0;

 private:
  state y_;
  system_type sys_;
};

/// What codes in C and Fortran need of it.
struct plain {
  std::string name;
  int n;
  double t0, t1;
  std::vector<double> ends;  ///< of the pieces between jumps
  bool autonomous;
  double (*atol)(double);
  std::vector<double> y0;
  void* self;
  void (*field)(void* self, double t, const double* y, double* dy);
  void (*jacobian)(void* self, double t, const double* y, double* j);
  void (*time_derivative)(void* self, double t, const double* y, double* f_t);
  double (*first_step)(void* self, double t, const double* y, double rtol, int order);
  std::shared_ptr<const sparsity> (*pattern)(void* self);
  void (*sparse_jacobian)(void* self, double t, const double* y,
                          const std::shared_ptr<const sparsity>& pattern, sparse_matrix<double>& j);
  /// jv = J v; null: it is left to differences
  void (*product)(void* self, double t, const double* y, const double* v, double* jv);
  std::shared_ptr<void> owner;
};

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

std::vector<plain> plain_problems(const contest& c);

/// run(from, to) over the span, from jump to jump. It returns false to stop.
template <class Run>
void over_pieces(const std::vector<double>& ends, double t0, Run run) {
  for (const double end : ends) {
    if (!run(t0, end)) return;
    t0 = std::nextafter(end, ends.back());
  }
}

}  // namespace revode::wpd
