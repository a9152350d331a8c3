// SPDX-License-Identifier: Apache-2.0
// Boost.Odeint's rosenbrock4 with its controller, the user's Jacobian and time derivative.
#include "plain.hpp"

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
#include <boost/version.hpp>
#define construct(place, value) operator=(alloc_), ::new (static_cast<void*>(&*(place))) T(value)
#define destroy(place) operator=(alloc_)
#include <boost/numeric/ublas/storage.hpp>
#undef construct
#undef destroy
#include <boost/numeric/odeint/integrate/integrate_adaptive.hpp>
#include <boost/numeric/odeint/stepper/rosenbrock4.hpp>
#include <boost/numeric/odeint/stepper/rosenbrock4_controller.hpp>
#pragma GCC diagnostic pop

namespace revode::wpd {
namespace {

namespace ublas = boost::numeric::ublas;
namespace odeint = boost::numeric::odeint;
using vector = ublas::vector<double>;
using matrix = ublas::matrix<double, ublas::row_major>;

struct too_many {};

template <class Problem>
struct counted {
  plain_problem<Problem>& q;
  index fields = 0, jacobians = 0;
};

template <class Problem>
struct field {
  counted<Problem>* run;
  void operator()(const vector& y, vector& dy, double t) const {
    ++run->fields;
    run->q.field(t, &y[0], &dy[0]);
  }
};
template <class Problem>
struct jacobian {
  counted<Problem>* run;
  void operator()(const vector& y, matrix& j, double t, vector& f_t) const {
    if (++run->jacobians > most_steps(run->q.n())) throw too_many{};
    run->q.jacobian_rows(t, &y[0], &j.data()[0]);
    run->q.time_derivative(t, &y[0], &f_t[0]);
  }
};

template <class Problem>
ending solve(plain_problem<Problem>& q, double rtol) {
  counted<Problem> run{q};
  ending e{};
  vector y(q.y0.size());
  std::copy(q.y0.data(), q.y0.data() + q.y0.size(), y.begin());
  const auto piece = [&](double from, double to) {
    const double h = q.first_step(from, &y[0], rtol, 3);
    using stepper = odeint::rosenbrock4<double>;
    odeint::rosenbrock4_controller<stepper> controlled(Problem::atol(rtol), rtol);
    e.accepted += static_cast<index>(odeint::integrate_adaptive(
        controlled, std::make_pair(field<Problem>{&run}, jacobian<Problem>{&run}), y, from, to, h));
    return true;
  };
  try {
    over_pieces(piece_ends<Problem>(), Problem::t0, piece);
  } catch (const too_many&) {
    e.status = "max_steps";
  } catch (const std::exception& error) {
    e.status = error.what();
  }
  e.y.assign(y.begin(), y.end());
  e.fields = run.fields;
  e.jacobians = e.factorizations = run.jacobians;
  e.rejected = run.jacobians - e.accepted;
  return e;
}

}  // namespace

std::string add_odeint(contest& c) {
  for_each_problem(stiff_problems{}, [&](const auto& f) {
    using Problem = std::remove_cvref_t<decltype(f)>;
    const auto q = std::make_shared<plain_problem<Problem>>(f);
    if (q->n() > 200) return;  // uBLAS needs minutes
    c.add(Problem::name, "odeint rosenbrock4", true, [q](double rtol) { return solve(*q, rtol); });
  });
  return "Boost " BOOST_LIB_VERSION;
}

}  // namespace revode::wpd
