// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#if __has_include(<boost/numeric/odeint/stepper/rosenbrock4.hpp>)

#include <cmath>
#include <complex>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <revode/solvers/rodas4.hpp>
#include <revode/testing/order.hpp>

// uBLAS calls members of std::allocator that C++20 has no more, and checks types at run time unless
// told not to.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#define BOOST_UBLAS_NDEBUG
#include <boost/numeric/ublas/detail/iterator.hpp>
#include <boost/numeric/ublas/traits.hpp>
#include <boost/serialization/array.hpp>
#include <boost/serialization/collection_size_type.hpp>
#include <boost/serialization/nvp.hpp>
#include <boost/shared_array.hpp>
#define construct(place, value) operator=(alloc_), ::new (static_cast<void*>(&*(place))) T(value)
#define destroy(place) operator=(alloc_)
#include <boost/numeric/ublas/storage.hpp>
#undef construct
#undef destroy
#include <boost/numeric/odeint/stepper/rosenbrock4.hpp>
#pragma GCC diagnostic pop

namespace revode {
namespace {

namespace ublas = boost::numeric::ublas;
using odeint_stepper = boost::numeric::odeint::rosenbrock4<double>;

struct odeint_field {
  const order_problem& f;
  void operator()(const ublas::vector<double>& y, ublas::vector<double>& dy, double t) const {
    vec<double, 2> out{};
    f(t, vec{y[0], y[1]}, vec<double, 0>{}, out);
    dy[0] = out[0], dy[1] = out[1];
  }
};
struct odeint_jacobian {
  const order_problem& f;
  void operator()(const ublas::vector<double>& y, ublas::matrix<double>& j, double t,
                  ublas::vector<double>& f_t) const {
    system<order_problem, vec<double, 2>, vec<double, 0>> sys(f, {});
    mat<double, 2> m{};
    vec<double, 2> out{};
    sys.jacobian(t, vec{y[0], y[1]}, m);
    sys.time_derivative(t, vec{y[0], y[1]}, out);
    for (unsigned i = 0; i < 2; ++i)
      for (unsigned k = 0; k < 2; ++k) j(i, k) = m(static_cast<int>(i), static_cast<int>(k));
    f_t[0] = out[0], f_t[1] = out[1];
  }
};

/// The other library's fixed steps, by the measure that our methods are measured by.
double slope_of_odeint(const order_problem& f) {
  const double t0 = -0.7, t1 = 0.5;
  return observed_slope([&](index n) {
    const odeint_field field{f};
    const odeint_jacobian jacobian{f};
    odeint_stepper stepper;
    const auto start = f.solution(t0), end = f.solution(t1);
    ublas::vector<double> y(2), error(2);
    y[0] = start[0], y[1] = start[1];
    const double h = (t1 - t0) / static_cast<double>(n);
    const auto both = std::make_pair(field, jacobian);
    for (index i = 0; i < n; ++i)
      stepper.do_step(both, y, t0 + static_cast<double>(i) * h, h, error);
    return std::fmax(std::abs(y[0] - end[0]), std::abs(y[1] - end[1]));
  });
}

TEST_CASE("the order law sees what Boost.Odeint's rosenbrock4 does to a driven problem") {
  CHECK(slope_of_odeint(pendulum) > 3.75);
  CHECK(slope_of_odeint(driven_pair) == doctest::Approx(1).epsilon(0.1));
  CHECK(order_law(rodas4{}, driven_pair, -0.7, 0.5).worst > 3.75);
}

}  // namespace
}  // namespace revode

#endif
