// SPDX-License-Identifier: Apache-2.0
#include "malloc_counts.hpp"

#include <Eigen/Cholesky>
#include <Eigen/SparseCore>

#include <doctest/doctest.h>

#include <cmath>
#include <type_traits>
#include <vector>

#include <revode/interop/eigen_recording.hpp>

#include <revode/adjoint/forward.hpp>
#include <revode/adjoint/hessian_vector_product.hpp>
#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/solvers/rk4.hpp>
#include <revode/solvers/rosenbrock23.hpp>
#include <revode/solvers/tr_bdf2.hpp>
#include <revode/testing/laws.hpp>

#include "perceptron.hpp"

// Fields in all that recorded matrices have: ⟨w, J v⟩ by duals is ⟨Jᵀ w, v⟩ by arrays, and nothing is allocated.

namespace revode {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using std::cos;

template <class Z>
Z wave(Z z, double phase) {
  for (int i = 0; i < length(z); ++i) z.data()[i] = std::sin(phase + 1.3 * i);
  return z;
}

template <class F, class Y, class P>
void check_law(const char* name, const F& f, const Y& y, const P& p, bool allocates = false) {
  CAPTURE(name);
  derivatives<F, Y, P> of;
  static_assert(derivatives<F, Y, P>::by_arrays);
  const Y w = wave(y, 0.3), v = wave(y, 1.1);
  const P q = wave(p, 2.0);
  Y gy = zero_like(y), again = gy, out = gy;
  P gp = zero_like(p), p_again = gp;
  double gt = 0, t_again = 0;
  of.vjp(f, 0.7, y, p, w, &gt, gy, gp);
  of.jvp(f, 0.7, y, p, 0.4, v, q, out);
  const double forwards = dot(w, out), backwards = 0.4 * gt + dot(gy, v) + dot(gp, q);
  CHECK(std::abs(forwards - backwards) <= 1e-12 * (1 + std::abs(forwards)));
#if defined(COUNTS_MALLOC)
  const long before = allocations;
  of.vjp(f, 0.7, y, p, w, &t_again, again, p_again);
  CHECK((allocations == before) == !allocates);
  CHECK(same_elements(gy, again));
  CHECK(same_elements(gp, p_again));
#endif
}

const MatrixXd y = MatrixXd::Random(6, 3), drive = MatrixXd::Random(6, 6);
const VectorXd p = VectorXd::Random(36) / 3;

}  // namespace

TEST_CASE("fields of slices: a convolution, columns one by one, a list, elements") {
  check_law(
      "convolution",
      [](const auto& t, const auto& y, const auto& p, auto& dy) {
        const auto n = y.rows();
        dy.setZero();
        for (int k = 0; k < 3; ++k) dy.middleRows(1, n - 2) += p[k] * y.middleRows(k, n - 2);
        dy.row(0) = y.row(n - 1) * t;
        dy.row(n - 1) = -y.row(0);
      },
      y, p);
  check_law(
      "columns",
      [](const auto& t, const auto& y, const auto& p, auto& dy) {
        for (int j = 0; j < y.cols(); ++j)
          dy.col(j) = p.head(6).cwiseProduct(y.col(j)) * cos(t) + p.tail(6) / y.col(j).norm();
        dy(0, 0) = y.sum() / p.mean();
        dy(1, 1) += y(2, 2) * y(2, 2);
      },
      y, p);
  check_law(
      "list",
      [](const auto& t, const auto& y, const auto& p, auto& dy) {
        dy << y.tail(3) * t, p.head(2), y[0] * y[1];
      },
      VectorXd(y.col(0)), p);
}

TEST_CASE("fields of choices: attention, slopes by sign") {
  check_law(
      "attention",
      [](const auto&, const auto& y, const auto& p, auto& dy) {
        const auto queries = p.head(12).reshaped(2, 6), keys = p.segment(12, 12).reshaped(2, 6);
        const auto scores = ((queries * y).transpose() * (keys * y)).eval();
        const auto e = (scores.rowwise() - scores.colwise().maxCoeff()).array().exp().eval();
        dy = y * (e.rowwise() / e.colwise().sum()).matrix() - y;
      },
      y, p);
  check_law(
      "slopes",
      [](const auto&, const auto& y, const auto& p, auto& dy) {
        dy = (y.array() > 0).select(y, p[0] * y);
        dy = dy.cwiseMax(0.0) + p[1] * dy.cwiseMin(0.1);
      },
      y, p);
}

TEST_CASE("matrices that are captured, written over and solved for; batches of none") {
  check_law(
      "captured",
      [](const auto&, const auto& y, const auto& p, auto& dy) {
        dy = drive * (p[0] * y).array().sin().matrix() - 0.1 * y;
      },
      y, p);
  const auto written_over = [](const auto&, const auto& y, const auto& p, auto& dy) {
    auto h = y.eval();
    h = p.reshaped(6, 6) * h;
    h = h.array().tanh().matrix();
    dy.noalias() = p.reshaped(6, 6).transpose() * h;
    dy = dy.eval() * 2;
    dy.array() += 0.5 * h.array();
    dy.colwise() += p.head(6);
    dy.array() += dy.sum();
  };
  check_law("written over", written_over, y, p);
  check_law("none", written_over, MatrixXd(6, 0), p);
  check_law(
      "solved",
      [](const auto&, const auto& y, const auto& p, auto& dy) {
        const auto a = p.reshaped(6, 6).eval();
        dy = (a.transpose() * a + MatrixXd::Identity(6, 6)).ldlt().solve(y);
      },
      y, p, true);
}

TEST_CASE("temporaries made by type, an array that stays with its matrix") {
  check_law(
      "made",
      [](const auto& t, const auto& y, const auto& p, auto& dy) {
        using Y = std::remove_cvref_t<decltype(dy)>;
        Y z(y.rows(), y.cols());
        for (int j = 0; j < y.cols(); ++j) z.col(j) = y.col(y.cols() - 1 - j) * t;
        const Y more = Y::Zero(y.rows(), y.cols());
        dy = z + more + p[0] * Y::Ones(y.rows(), y.cols());
        if (!y.allFinite()) dy.setZero();
      },
      y, p);
  check_law(
      "array kept",
      [](const auto& t, const auto& y, const auto& p, auto& dy) {
        auto d = dy.array();
        d = y.array() * p[0];
        dy.row(0) = y.row(1) * t;
        d += 1;
        d.row(2) = 3 * d.row(1);
        dy.col(1) = d.col(0).matrix();
      },
      y, p);
}

TEST_CASE("sparse matrices beside recorded ones, on either side; a local one, a Map") {
  using sparse = Eigen::SparseMatrix<double>;
  const sparse l = (drive.array() > 0).select(drive, 0.0).sparseView();
  const Eigen::Map<const sparse> map(6, 6, l.nonZeros(), l.outerIndexPtr(), l.innerIndexPtr(),
                                     l.valuePtr());
  check_law(
      "sparse",
      [&](const auto& t, const auto& y, const auto& p, auto& dy) {
        dy = l * y * t - p[0] * (l.transpose() * (map * y));
        dy += (y.transpose() * map).transpose();
        dy.col(0) += l * p.head(6);
        sparse twice = 2 * l;
        dy += twice * y.array().tanh().matrix();
        twice.setZero();
      },
      y, p, true);
}

TEST_CASE("states and parameters of other kinds") {
  const auto logistic = [](const auto& t, const auto& y, const auto& p, auto& dy) {
    dy = p[0] * y.array() * (1 - y.array()) * t;
  };
  check_law("arrays", logistic, Eigen::ArrayXXd(y.array()), p);
  check_law(
      "std::vector",
      [](const auto& t, const auto& y, const auto& p, auto& dy) { dy = p[0] * y * t + p[1] * y; },
      y, std::vector<double>{1.0, 2.0});
  check_law(
      "no parameters",
      [](const auto& t, const auto& y, const auto&, auto& dy) { dy = y.cwiseProduct(y) * t; }, y,
      vec<double, 0>{});
  const auto linear = [](const auto& t, const auto& y, const auto& p, auto& dy) {
    dy = p * y * t;
    dy.rowwise() += y.row(0);
  };
  check_law("fixed", linear, Eigen::Matrix<double, 6, 2>(y.leftCols(2)),
            Eigen::Matrix<double, 6, 6>(drive));
  check_law("rows", linear, Eigen::Matrix<double, -1, -1, Eigen::RowMajor>(y), drive);
}

TEST_CASE("second derivatives by arrays over duals are those number by number") {
  const plain_perceptron f{3, 5};
  const auto numbers = by_elements(f);
  const MatrixXd at = y.topRows(3), u = wave(at, 0.1), k = wave(at, 0.6);
  const VectorXd q = wave(VectorXd(f.parameters()), 1.0);
  const auto second = [&](const auto& field) {
    derivatives<std::remove_cvref_t<decltype(field)>, MatrixXd, VectorXd> of;
    auto g = std::tuple(0.0, zero_like(at), zero_like(q));
    of.second(field, 0.7, at, q, u, 0.3, k, &std::get<0>(g), std::get<1>(g), std::get<2>(g));
    return g;
  };
  const auto [t_one, y_one, p_one] = second(f);
  const auto [t_other, y_other, p_other] = second(numbers);
  CHECK(std::abs(t_one - t_other) <= 1e-13);
  CHECK((y_one - y_other).norm() <= 1e-13);
  CHECK((p_one - p_other).norm() <= 1e-13);
}

TEST_CASE("implicit methods, parts and Hessian products of plain fields keep their laws") {
  const plain_perceptron f{3, 5};
  const MatrixXd at = y.topRows(3);
  const problem q{f, at, 0.0, 0.5, wave(VectorXd(f.parameters()), 1.0)};
  const options o{.rtol = 1e-5, .atol = 1e-5};
  const auto holds = [&](const auto& of, const auto& m) {
    CHECK(dot_product_law(of, m, o, recursive_checkpoint{.slots = 3}, 3).holds);
    CHECK(equal_gradients_law(of, m, o, recursive_checkpoint{.slots = 2},
                              recursive_checkpoint{.slots = 100})
              .holds);
  };
  holds(q, tr_bdf2{});
  holds(q, rosenbrock23{});
  const auto loss = [](const auto& end) {
    auto sum = end.data()[0] * end.data()[0];
    for (int i = 1; i < length(end); ++i) sum += end.data()[i] * end.data()[i];
    return sum;
  };
  const tangents<MatrixXd, VectorXd> u{.y0 = wave(q.y0, 0.4), .p = wave(q.p, 0.5)},
      v{.y0 = wave(q.y0, 0.8), .p = wave(q.p, 1.5)};
  const auto product = [&](const auto& along) {
    return *hessian_vector_product(q, rk4{}, {.fixed_step = 0.1}, loss, along, 3).product;
  };
  const auto hu = product(u), hv = product(v);
  const double one = dot(hu.y0, v.y0) + dot(hu.p, v.p), other = dot(hv.y0, u.y0) + dot(hv.p, u.p);
  CHECK(std::abs(one - other) <= 1e-12 * std::abs(one));
}

}  // namespace revode
