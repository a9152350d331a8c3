// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstring>
#include <stdexcept>

#include <revode/problems/chemakzo.hpp>
#include <revode/problems/decay.hpp>
#include <revode/problems/erased_massive_field.hpp>
#include <revode/problems/erased_problem.hpp>
#include <revode/problems/pendulum_index3.hpp>
#include <revode/problems/transamp.hpp>

using namespace revode;
using vector = Eigen::VectorXd;

namespace {

bool same_bits(const vector& a, const vector& b) {
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), sizeof(double) * static_cast<std::size_t>(a.size())) == 0;
}

/// 2 y0' = y1, and twice added to.
struct added {
  template <class Matrix>
  void mass(Matrix& m) const {
    m(0, 0) = 5;
    m(0, 0) = 1;
    m(0, 0) += 1;
  }
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    dy[0] = y[1];
    dy[1] = p[0] - y[1];
  }
};

}  // namespace

TEST_CASE("an erased field of M y' = f has the M of the typed one, entry by entry") {
  static_assert(has_mass_v<erased_massive_field>);
  static_assert(!has_mass_v<erased_field>);
  for (const erased_field& f :
       {erased_field(transamp{}), erased_field(erased_massive_field(erased_field(transamp{})))}) {
    CHECK(f.has_mass());
    mass_matrix typed(transamp{}), erased(erased_massive_field{f});
    typed.resize(8);
    erased.resize(8);
    for (int i = 0; i < 8; ++i) {
      REQUIRE(typed.row(i).size() == erased.row(i).size());
      for (std::size_t k = 0; k < typed.row(i).size(); ++k) {
        CHECK(typed.row(i)[k].at == erased.row(i)[k].at);
        CHECK(typed.row(i)[k].value == erased.row(i)[k].value);
      }
    }
  }
  mass_matrix m(erased_massive_field(erased_field(added{})));
  m.resize(2);
  REQUIRE(m.row(0).size() == 1);
  CHECK(m.row(0)[0].value == 2);
  CHECK(m.row(1).empty());
  CHECK(!erased_field(decay{}).has_mass());
}

TEST_CASE("an erased field knows the indices of the typed one, copies and adapters too") {
  const erased_field f{pendulum_index3{}};
  CHECK(f.has_higher_index());
  CHECK(!erased_field(transamp{}).has_higher_index());
  const erased_field copy = f;
  const erased_massive_field again{erased_field(erased_massive_field(copy))};
  const auto list = pendulum_index3::index();
  CHECK(again.index() == std::vector<int>(list.begin(), list.end()));
  const erased_field told(erased_field(added{}), mass_entries{}, {1, 2});
  CHECK(told.has_higher_index());
  CHECK(erased_massive_field(told).index() == std::vector<int>{1, 2});
}

TEST_CASE("its values and derivatives are those of the field, and w (J v) = (J^T w) v") {
  const erased_problem q = named::erase(chemakzo{});
  const erased_massive_field f(q.f);
  const vector w = vector::LinSpaced(6, -1, 1), v = vector::LinSpaced(6, 0.3, 2),
               u = vector::LinSpaced(9, 1, -1);
  vector dy(6), typed(6), out(6), gy = vector::Zero(6), gp = vector::Zero(9);
  f(0.0, q.y0, q.p, dy);
  chemakzo{}(0.0, q.y0, q.p, typed);
  CHECK(same_bits(dy, typed));
  double gt = 0;
  f.jvp(0, q.y0, q.p, 0, v, u, out);
  f.vjp(0.0, q.y0, q.p, w, gt, gy, gp);
  CHECK(dot(w, out) == doctest::Approx(dot(gy, v) + dot(gp, u)).epsilon(1e-12));
  Eigen::MatrixXd jac;
  f.jacobian(0, q.y0, q.p, jac);
  f.jvp(0, q.y0, q.p, 0, v, vector::Zero(9), out);
  CHECK((jac * v - out).norm() <= 1e-12 * out.norm());
}

TEST_CASE("who takes M y' = f for y' = f is told, whatever is asked for, of copies too") {
  const erased_problem q = named::erase(transamp{});
  CHECK(q.has_mass());
  const erased_field copy = q.f;
  vector dy(8), gp = q.p;
  double gt = 0;
  Eigen::MatrixXd jac;
  const auto says = [](auto&& call) {
    CHECK_THROWS_WITH_AS(call(),
                         "a field with a mass matrix where y' = f is asked for (it says M y' = f) "
                         "solve it as an erased_massive_field?",
                         std::invalid_argument);
  };
  says([&] { copy(0.0, q.y0, q.p, dy); });
  says([&] { copy.vjp(0.0, q.y0, q.p, dy, gt, dy, gp); });
  says([&] { copy.jvp(0, q.y0, q.p, 0, dy, gp, dy); });
  says([&] { copy.jacobian(0, q.y0, q.p, jac); });
  CHECK_THROWS_WITH_AS(
      erased_massive_field{erased_field(decay{})},
      "a field without a mass matrix for erased_massive_field (it says y' = f) solve it as it is?",
      std::invalid_argument);
}
