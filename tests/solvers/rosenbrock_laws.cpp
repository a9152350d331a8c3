// SPDX-License-Identifier: Apache-2.0
#include "rosenbrock_laws.hpp"

namespace revode {
namespace {

TEST_CASE(
    "Rosenbrock methods of each kind: replay, dot products, duals on the frozen grid, "
    "differences") {
  const problem q{stiff_pair{}, vec{0.5, 1.0}, 0.0, 1.5, vec{40.0, 1.3}};
  for_some_rosenbrock([&](const auto& m) { check_laws(m, q); });
}

TEST_CASE("Rosenbrock methods over states whose size is known at run time") {
  const problem q{stiff_pair{}, Eigen::VectorXd(Eigen::Vector2d(0.5, 1.0)), 0.0, 1.5,
                  Eigen::VectorXd(Eigen::Vector2d(40.0, 1.3))};
  check_laws(rodas4{}, q);
}

/// Every element drives the next one, faster than 1/(h γ) at times: rows of the matrix change places.
template <int N>
struct wheel {
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    using std::cos;
    for (int i = 0; i < N; ++i)
      dy[i] = (i + 1) * p[0] * cos(t) * y[(i + N - 1) % N] - y[(i + 2) % N] * y[i];
  }
};

template <int N>
void check_wheel() {
  vec<double, N> y0{};
  for (int i = 0; i < N; ++i) y0[i] = 1.0 / (i + 1);
  const problem q{wheel<N>{}, y0, 0.0, 0.3, vec{200.0}};
  const options o{.fixed_step = 0.03};
  const recursive_checkpoint few{.slots = 3}, all{.schedule = schedule_kind::store_all},
      tapes{.slots = 60, .schedule = schedule_kind::mixed};
  CHECK(replay_law(q, rosenbrock23{}, o).holds);
  CHECK(equal_gradients_law(q, rosenbrock23{}, o, few, all).holds);
  CHECK(equal_gradients_law(q, rosenbrock23{}, o, few, tapes).holds);
  const law_result product = dot_product_law(q, rosenbrock23{}, o, all, 1, 1e-10);
  CHECK_MESSAGE(product.holds, product.worst);
}
TEST_CASE("Rosenbrock methods where rows of the matrix change places") {
  check_wheel<2>();
  check_wheel<3>();
  check_wheel<5>();
}

}  // namespace
}  // namespace revode
