// SPDX-License-Identifier: Apache-2.0
#include "malloc_counts.hpp"

#include <doctest/doctest.h>

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <revode/interop/eigen_recording.hpp>

#include <revode/ad/derivatives_of.hpp>
#include <revode/adjoint/backsolve.hpp>
#include <revode/adjoint/gauss.hpp>
#include <revode/adjoint/interpolating.hpp>
#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/problems/brusselator.hpp>
#include <revode/solve/adapters.hpp>
#include <revode/solve/quadrature.hpp>
#include <revode/solve/split.hpp>
#include <revode/solvers/rk4.hpp>
#include <revode/solvers/tsit5.hpp>

#include "perceptron.hpp"
#include "refusal.hpp"

// Fields in Eigen's matrices without a vjp: recorded on arrays, beside the same with a vjp by hand.

namespace revode {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

template <class T>
using matrix_of = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
template <class T>
using vector_of = Eigen::Matrix<T, Eigen::Dynamic, 1>;

const plain_perceptron as_written{3, 8};
const perceptron_by_hand by_hand{{3, 8}};

template <class T>
struct call {
  matrix_of<T> y = MatrixXd::Random(3, 4).cast<T>(), w = MatrixXd::Random(3, 4).cast<T>();
  vector_of<T> p = VectorXd::Random(as_written.parameters()).cast<T>();
  T gt = T(0.5);
  matrix_of<T> gy = y;
  vector_of<T> gp = p;

  template <class F>
  void pull(const F& f, derivatives<F, matrix_of<T>, vector_of<T>>& of) {
    of.vjp(f, T(0.7), y, p, w, &gt, gy, gp);
  }
  /// How far the cotangents are apart.
  T from(const call& other) const {
    return std::abs(gt - other.gt) + (gy - other.gy).norm() + (gp - other.gp).norm();
  }
};

template <class T>
void check_beside_hand(T tolerance) {
  call<T> recorded;
  call<T> expected = recorded;
  derivatives<plain_perceptron, matrix_of<T>, vector_of<T>> of;
  derivatives<perceptron_by_hand, matrix_of<T>, vector_of<T>> by;
  recorded.pull(as_written, of);
  expected.pull(by_hand, by);
  CHECK(recorded.from(expected) <= tolerance * expected.gp.norm());

  const call<T> before = recorded;
  vec<T, 0> frozen{};
  of.vjp(as_written, T(0.7), recorded.y, recorded.p, recorded.w, static_cast<T*>(nullptr),
         recorded.gy, frozen);
  by.vjp(by_hand, T(0.7), expected.y, expected.p, expected.w, static_cast<T*>(nullptr), expected.gy,
         frozen);
  CHECK((recorded.gy - expected.gy).norm() <= tolerance * expected.gy.norm());
  CHECK(recorded.gp == before.gp);
  CHECK(recorded.gt == before.gt);
#if defined(COUNTS_MALLOC)
  const long made = allocations;
  for (int i = 0; i < 3; ++i) recorded.pull(as_written, of);
  CHECK(allocations == made);
#endif
}

template <class F>
std::string told(const F& f) {
  return derivatives_of(f, 0.0, call<double>{}.y, call<double>{}.p);
}

struct parted {
  void implicit_part(auto, const auto& y, const auto& p, auto& dy) const { dy = p[0] * y; }
};

}  // namespace

TEST_CASE("a field of matrices without a vjp: its pull is that by hand, and nothing is allocated") {
  check_beside_hand<double>(1e-15);
  check_beside_hand<float>(1e-6f);
}

TEST_CASE("a recording of floats is one of floats") {
  const auto field = [](const auto& t, const auto& y, const auto& p, auto& dy) {
    using state = std::remove_cvref_t<decltype(y)>;
    if constexpr (recorded_array<state>) {
      static_assert(std::is_same_v<typename state::plain_type, matrix_of<float>>);
      static_assert(std::is_same_v<std::remove_cvref_t<decltype(t)>, variable<float>>);
      static_assert(
          std::is_same_v<std::remove_cvref_t<decltype(y.sum() * t * p[0])>, variable<float>>);
    }
    dy = y * (0.5 * t) + p[0] * y;
  };
  call<float> c;
  derivatives<std::remove_const_t<decltype(field)>, matrix_of<float>, vector_of<float>> of;
  c.pull(field, of);
  CHECK(std::abs(c.gp[0] - (c.p[0] + c.y.cwiseProduct(c.w).sum())) <= 1e-6f);
}

TEST_CASE("where derivatives of fields come from is told, and by_elements keeps what was") {
  const std::string arrays =
      "vjp: recording of arrays, jvp: duals, Jacobian: duals, second: recording of arrays over "
      "duals";
  CHECK(told(as_written) == arrays);
  const auto returning = from_returning(
      [](const auto& t, const auto& y, const auto& p) { return (y * t + y * p[0]).eval(); });
  CHECK(told(returning) == arrays);
  const auto short_one =
      field_without_parameters([](const auto&, const auto& y, auto& dy) { dy = -y; });
  CHECK(told(short_one) == arrays);
  const auto numbers = by_elements([](const auto&, const auto& y, const auto& p, auto& dy) {
    for (int i = 0; i < static_cast<int>(y.size()); ++i) dy.data()[i] = p[i] * y.data()[i];
  });
  CHECK(told(numbers) ==
        "vjp: recording, jvp: duals, Jacobian: duals, second: recording over duals");
  CHECK(told(by_hand).starts_with("vjp: own, "));
  CHECK(derivatives<implicit_part_of<parted>, MatrixXd, VectorXd>::by_arrays);
  CHECK(!takes_arrays_v<brusselator>);  // named problems are compiled by files that know no arrays
}

TEST_CASE(
    "solves of plain fields: gradients are those by hand, with the same bits in every budget") {
  const call<double> c;
  const options o{.rtol = 1e-6, .atol = 1e-6, .save = {.ts = {0.3, 0.8}}};
  const auto gradient = [&](const auto& f, const auto& adjoint, const options& with) {
    auto s = solve(problem{f, c.y, 0.0, 1.0, c.p}, tsit5{}, with, adjoint);
    return s.pullback({.y = c.w});
  };
  const auto expected = gradient(by_hand, recursive_checkpoint{}, o);
  const auto all = gradient(as_written, recursive_checkpoint{}, o);
  CHECK((all.p - expected.p).norm() <= 1e-14 * expected.p.norm());
  CHECK((all.y0 - expected.y0).norm() <= 1e-14 * expected.y0.norm());
  CHECK(std::abs(all.t1 - expected.t1) <= 1e-14 * (1 + std::abs(expected.t1)));
  for (const index slots : {1, 2, 5}) {
    const auto few = gradient(as_written, recursive_checkpoint{.slots = slots}, o);
    CHECK(few.p == all.p);
    CHECK(few.y0 == all.y0);
    CHECK(few.t1 == all.t1);
    CHECK(few.reverse.recording_bytes > 8 * c.p.size());
  }
  const options tight{.rtol = 1e-9, .atol = 1e-9};
  const auto exact = gradient(by_hand, recursive_checkpoint{}, tight);
  const auto near = [&](const auto& g) {
    CHECK(g.status == status::success);
    CHECK((g.p - exact.p).norm() <= 1e-6 * exact.p.norm());
    CHECK((g.y0 - exact.y0).norm() <= 1e-6 * exact.y0.norm());
  };
  near(gradient(as_written, backsolve{}, tight));
  near(gradient(as_written, gauss{}, tight));
  near(gradient(as_written, interpolating{}, tight));

  const auto with_cost = [&](const auto& f) {
    auto z = with_quadrature(
        problem{f, c.y, 0.0, 1.0, c.p},
        [](const auto&, const auto& y, const auto&, auto& dq) { dq[0] = y.squaredNorm(); },
        vec{0.0});
    auto s = solve(z, tsit5{}, o, recursive_checkpoint{});
    std::vector<double> w(13, 0.0);
    w.back() = 1;
    return s.pullback(w);
  };
  const auto cost = with_cost(as_written), expected_cost = with_cost(by_hand);
  CHECK((cost.p - expected_cost.p).norm() <= 1e-14 * expected_cost.p.norm());
}

TEST_CASE("a row scaled in place keeps its derivative") {
  const auto field = [](const auto&, const auto& y, const auto& p, auto& dy) {
    dy = y;
    dy.row(0) *= 2;
    dy.row(1) *= p[0];
  };
  call<double> c;
  c.gy.setZero();
  derivatives<std::remove_const_t<decltype(field)>, MatrixXd, VectorXd> of;
  c.pull(field, of);
  CHECK(c.gy.row(0) == 2 * c.w.row(0));
  CHECK(c.gy.row(1) == c.p[0] * c.w.row(1));
  CHECK(c.gy.row(2) == c.w.row(2));
}

TEST_CASE("elements that are read, written and read again: each time their derivative of then") {
  const auto field = [](const auto&, const auto& y, const auto&, auto& dy) {
    auto h = y.eval();
    const auto first = std::as_const(h)(0, 0);
    h(0, 0) = first * std::as_const(h)(1, 0);
    const auto product = std::as_const(h)(0, 0);
    h(1, 0) = product * product;
    dy = h;
  };
  call<double> c;
  c.gy.setZero();
  derivatives<std::remove_const_t<decltype(field)>, MatrixXd, VectorXd> of;
  c.pull(field, of);
  MatrixXd expected = c.w;
  const double a = c.y(0, 0), b = c.y(1, 0), of_product = c.w(0, 0) + c.w(1, 0) * 2 * a * b;
  expected(0, 0) = of_product * b;
  expected(1, 0) = of_product * a;
  CHECK((c.gy - expected).norm() <= 1e-15 * expected.norm());
}

TEST_CASE("what a recording would lose or cannot do is refused in words") {
  const auto refused = [](const auto& field) {
    call<double> c;
    derivatives<std::remove_cvref_t<decltype(field)>, MatrixXd, VectorXd> of;
    return refusal([&] { c.pull(field, of); });
  };
  const std::string lost =
      "a transposed, reshaped or diagonal recorded matrix that is written to (the matrix behind it "
      "would stay as it was) write to that matrix, or to .eval()?";
  CHECK(refused([](auto&, auto& y, auto&, auto& dy) {
          dy = y;
          dy.diagonal().array() += 1;
        }) == lost);
  CHECK(refused([](auto&, auto& y, auto&, auto& dy) {
          dy = y;
          dy.reshaped(4, 3).col(0) = y.reshaped(4, 3).col(1);
        }) == lost);
  CHECK(refused([](auto&, auto& y, auto&, auto& dy) {
          dy = y;
          auto across = dy.transpose();
          across(0, 0) = y(0, 1);
        }) == lost);
  CHECK(refused([](auto&, auto& y, auto&, auto& dy) { dy = y.col(0); }) ==
        "a field that gives dy as 3x1 for a state of 3x4 (each element of the state has one "
        "derivative) mend the shape?");
  CHECK(refused([](auto&, auto& y, auto&, auto& dy) { dy += y; }) ==
        "a recorded matrix that is read and was never written (a result is written before it is "
        "read) assign to it first?");
  const auto late = [](auto&, auto& y, auto&, auto& dy) {
    auto h = y.eval();
    auto twice = 2 * h;
    h = 3 * y;
    dy = twice;  // 6 y of plain matrices
  };
  CHECK(refused(late).starts_with("a field whose recording differs from it by "));
  CHECK(refused([](auto&, auto& y, auto& p, auto& dy) {
          const auto w = p.head(9).reshaped(3, 3);
          dy = 1e9 * (w * (w * y)) - 1e9 * ((w * w) * y);  // nothing but rounding
        }) == "nothing");
  CHECK(refused([](auto&, auto& y, auto&, auto& dy) {
          dy = y;
          auto copy = dy.transpose().eval();
          copy.row(0) *= 2;
        }) == "nothing");
}

}  // namespace revode
