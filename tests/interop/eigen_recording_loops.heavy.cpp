// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <tuple>
#include <vector>

#include <revode/interop/eigen_recording.hpp>

#include <revode/loop/remat.hpp>
#include <revode/loop/scan.hpp>

namespace revode {
namespace {

using Eigen::MatrixXd;
using Eigen::MatrixXf;
using Eigen::VectorXd;

const std::vector<vec<double, 0>> seven(7);

/// h ← tanh(h W + b), the parameters W with b below it.
struct recurrent {
  template <class H, class X, class P, class N, class O>
  void operator()(const H& h, const X&, const P& p, N& next, O&) const {
    next.noalias() = h * p.topRows(h.cols());
    next = (next.rowwise() + p.row(h.cols())).array().tanh();
  }
};
struct recurrent_by_hand : recurrent {
  template <class X, class O>
  void pull(const MatrixXf& h, const X& x, const MatrixXf& p, const MatrixXf& next_bar, O& out,
            MatrixXf& h_bar, X&, MatrixXf& p_bar) const {
    MatrixXf a(h.rows(), h.cols());
    (*this)(h, x, p, a, out);
    a = next_bar.array() * (1 - a.array().square());
    h_bar.noalias() += a * p.topRows(h.cols()).transpose();
    p_bar.topRows(h.cols()).noalias() += h.transpose() * a;
    p_bar.row(h.cols()) += a.colwise().sum();
  }
};

}  // namespace

TEST_CASE("a plain body through the recording gives the bits of a pull written by hand, in float") {
  const MatrixXf h = MatrixXf::Random(4, 24), p = MatrixXf::Random(25, 24) / 5;
  const std::vector<vec<float, 0>> xs(20);
  auto plain = scan(recurrent{}, h, xs, p, vec<float, 0>{}, {.slots = 4});
  auto by_hand = scan(recurrent_by_hand{}, h, xs, p, vec<float, 0>{}, {.slots = 4});
  const auto a = plain.pullback(h), b = by_hand.pullback(h);
  CHECK(plain.carry() == by_hand.carry());
  CHECK(a.carry == b.carry);
  CHECK(a.params == b.params);
}

TEST_CASE("a frozen weight and a rematerialised part in a recorded scan") {
  const MatrixXd w = MatrixXd::Random(4, 4) / 2, a = MatrixXd::Random(4, 4) / 3;
  const VectorXd h0 = VectorXd::Random(4);
  const auto inner = remat([](const auto& w, const auto& a, const auto& h, auto& r) {
    r = ((*w) * h + a * h).array().tanh();
  });
  const auto body = [&](const auto& h, const auto&, const auto& p, auto& next, auto&) {
    inner(std::get<0>(p), std::get<1>(p), h, next);
    next = next + 0.1 * h;
  };
  const auto all_at_once = [](const auto& h, const auto&, const auto& p, auto& next, auto&) {
    next = ((*std::get<0>(p)) * h + std::get<1>(p) * h).array().tanh().matrix() + 0.1 * h;
  };
  const std::tuple<frozen<MatrixXd>, MatrixXd> p{frozen(w), a};
  auto in_parts = scan(body, h0, seven, p, vec<double, 0>{}, {.slots = 3});
  auto whole = scan(all_at_once, h0, seven, p, vec<double, 0>{}, {.slots = 3});
  const auto g = in_parts.pullback(h0), expected = whole.pullback(h0);
  CHECK((in_parts.carry() - whole.carry()).norm() < 1e-15);
  CHECK((g.carry - expected.carry).norm() < 1e-14);
  CHECK((std::get<1>(g.params) - std::get<1>(expected.params)).norm() < 1e-14);
  static_assert(std::is_same_v<std::decay_t<decltype(std::get<0>(g.params))>, no_cotangent>);
}

}  // namespace revode
