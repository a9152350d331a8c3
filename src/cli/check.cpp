// SPDX-License-Identifier: Apache-2.0
#include <cli/check.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <cli/text.hpp>

namespace revode::cli {
namespace {

/// Fixed numbers in (-1, 1) that no problem is likely to have a symmetry with.
class quasi_random {
 public:
  double next() {
    at_ += 0.6180339887498949;
    at_ -= std::floor(at_);
    return 2 * at_ - 1;
  }
  vector next(Eigen::Index size) {
    vector v(size);
    for (double& x : v) x = next();
    return v;
  }

 private:
  double at_ = 0;
};

auto direction(const gradient_request& r) -> tangents<vector, vector> {
  quasi_random numbers;
  tangents<vector, vector> v{.y0 = numbers.next(r.problem.y0.size()),
                             .p = numbers.next(r.problem.p.size())};
  v.t0 = numbers.next();
  v.t1 = numbers.next();
  const auto n = static_cast<double>(r.save_intervals);
  for (std::size_t k = 1; r.save_intervals > 0 && k <= r.settings.save.ts.size(); ++k) {
    const double along = static_cast<double>(k) / n;
    v.ts.push_back((1 - along) * v.t0 + along * v.t1);
  }
  return v;
}

/// A sum, and that of its terms' magnitudes.
struct magnified_sum {
  double value = 0, terms = 0;

  void add(double x, double y) {
    value += x * y;
    terms += std::abs(x * y);
  }
  void add(const vector& x, const vector& y) {
    value += dot(x, y);
    terms += x.cwiseAbs().dot(y.cwiseAbs());
  }
};

magnified_sum pulled(const gradient_type& bar, const tangents<vector, vector>& v) {
  magnified_sum sum;
  sum.add(bar.y0, v.y0);
  sum.add(bar.p, v.p);
  sum.add(bar.t0, v.t0);
  sum.add(bar.t1, v.t1);
  return sum;
}

magnified_sum pushed(const cotangents<vector>& w, const pushed_solution<vector>& s) {
  magnified_sum sum;
  if (w.y) sum.add(*w.y, s.y_dot);
  for (std::size_t k = 0; k < w.ys.size(); ++k) sum.add(w.ys[k], s.ys_dot[k]);
  for (std::size_t k = 0; k < w.events.size(); ++k) sum.add(w.events[k], s.events_dot[k]);
  return sum;
}

agreement compared(const magnified_sum& forward, const magnified_sum& reverse) {
  return {forward.value, reverse.value, std::max(forward.terms, reverse.terms)};
}

/// Rounding, which stiff steps magnify by (h|J|)², stays below 1e-6 of the terms where steps fit the
/// problem, and so does what the linear solves of implicit steps leave. Adjoints of the differential
/// equation are as far from the derivative of the steps as the tolerances let them: half of their digits.
/// control_gradient_error takes other steps than forward mode, whose derivative may be what is off.
double most_apart(const gradient_request& r) {
  constexpr double exact = 1e-5;
  if (r.adjoint_name == "control_gradient_error") return std::numeric_limits<double>::infinity();
  if (r.exact()) return exact;
  return std::max(exact, std::sqrt(std::max(r.settings.rtol, r.settings.atol)));
}

}  // namespace

double agreement::difference() const {
  const double scale = std::max(std::abs(forward), std::abs(reverse));
  return scale == 0 ? 0 : std::abs(forward - reverse) / scale;
}

double agreement::of_terms() const { return terms == 0 ? 0 : std::abs(forward - reverse) / terms; }

bool gradient_check::agrees() const {
  return dot_product.of_terms() <= limit && gradient.of_terms() <= limit;
}

cotangents<vector> test_weights(const solution_type& s) {
  quasi_random numbers;
  cotangents<vector> w{.y = numbers.next(s.y.size())};
  for (const vector& y : s.ys) w.ys.push_back(numbers.next(y.size()));
  for (std::size_t k = 0; k < s.events.size(); ++k) w.events.push_back(numbers.next());
  return w;
}

auto check_gradient(const gradient_request& r, const initial_value_problem& q,
                    const differentiated& d) -> gradient_check {
  const auto v = direction(r);
  const auto s = r.push(q, v);
  const gradient_type& of_test = d.gradients[1].bar;
  return {.dot_product = compared(pushed(test_weights(s), s), pulled(of_test, v)),
          .gradient = compared(pushed(r.of.weigh(s), s), pulled(d.gradients[0].bar, v)),
          .limit = most_apart(r),
          .ended = of_test.status != status::success ? of_test.status : s.tangent_status};
}

std::string disagreement(const gradient_request& r, const gradient_check& c) {
  const bool of_test = !(c.dot_product.of_terms() <= c.limit);
  const double apart = (of_test ? c.dot_product : c.gradient).of_terms();
  const std::string why =
      r.exact() ? "the field's vjp and jvp do not belong together, or the steps magnify rounding) "
                  "leave its own derivatives out, or take tighter tolerances or another method?"
                : "the adjoint " + r.adjoint_name +
                      " follows the differential equation, forward mode the steps taken) tighten "
                      "the tolerances, or choose recursive_checkpoint?";
  return "reverse and forward mode differ by " + rounded(apart, 2) + " of the terms of the " +
         (of_test ? "dot product" : "gradient along v") + " (more than " + rounded(c.limit, 2) +
         ": " + why;
}

void move_save_points(const gradient_request& r, gradient_type& bar) {
  const auto n = static_cast<double>(r.save_intervals);
  for (std::size_t k = 0; r.save_intervals > 0 && k < bar.ts.size(); ++k) {
    const double along = static_cast<double>(k + 1) / n;
    bar.t0 += (1 - along) * bar.ts[k];
    bar.t1 += along * bar.ts[k];
  }
}

}  // namespace revode::cli
