// SPDX-License-Identifier: Apache-2.0
#include <cli/check.hpp>

#include <algorithm>
#include <cmath>

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

double pulled(const gradient_type& bar, const tangents<vector, vector>& v) {
  return dot(bar.y0, v.y0) + dot(bar.p, v.p) + bar.t0 * v.t0 + bar.t1 * v.t1;
}

double pushed(const cotangents<vector>& w, const pushed_solution<vector>& s) {
  double sum = w.y ? dot(*w.y, s.y_dot) : 0;
  for (std::size_t k = 0; k < w.ys.size(); ++k) sum += dot(w.ys[k], s.ys_dot[k]);
  for (std::size_t k = 0; k < w.events.size(); ++k) sum += w.events[k] * s.events_dot[k];
  return sum;
}

}  // namespace

double agreement::difference() const {
  const double scale = std::max(std::abs(forward), std::abs(reverse));
  return scale == 0 ? 0 : std::abs(forward - reverse) / scale;
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
  return {
      {pushed(test_weights(s), s), pulled(d.gradients[1].bar, v)},
      {pushed(r.of.weigh(s), s), pulled(d.gradients[0].bar, v)},
      d.gradients[1].bar.status != status::success ? d.gradients[1].bar.status : s.tangent_status};
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
