// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include "recorded_body.hpp"

namespace revode {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

[[maybe_unused]] MatrixXd random(int rows, int cols) { return MatrixXd::Random(rows, cols); }
[[maybe_unused]] VectorXd random(int size) { return VectorXd::Random(size); }

// Polynomials of degree ≤ 4 along any line: differences with h = 1/2 are exact but for rounding.
[[maybe_unused]] constexpr double exact = 0.5, rounding = 2e-13;

}  // namespace

TEST_CASE("arrays: + - * / with arrays and numbers, and every function") {
  std::srand(1);  // no element lies at a kink, whatever ran before
  const MatrixXd a = random(3, 4), p = (a.array().abs() + 0.5).matrix();
  const MatrixXd like(3, 4);
  const auto law = [&](const auto& body, const MatrixXd& x) {
    check_body(body, like, 1e-3, 2e-9, x);
  };
  law([](const auto& x, auto& y) { y = x.array().tanh(); }, a);
  law([](const auto& x, auto& y) { y = x.array().exp().matrix(); }, a);
  law([](const auto& x, auto& y) { y = x.array().log(); }, p);
  law([](const auto& x, auto& y) { y = x.array().log1p(); }, p);
  law([](const auto& x, auto& y) { y = x.array().sqrt(); }, p);
  law([](const auto& x, auto& y) { y = x.array().square() + x.array().cube(); }, a);
  law([](const auto& x, auto& y) { y = x.array().inverse(); }, p);
  law([](const auto& x, auto& y) { y = x.array().sin() * x.array().cos(); }, a);
  law([](const auto& x, auto& y) { y = x.array().abs(); }, a);
  law([](const auto& x, auto& y) { y = x.array().logistic(); }, a);
  law([](const auto& x, auto& y) { y = x.array().pow(2.5); }, p);
  law([](const auto& x, auto& y) { y = x.array().max(0.0); }, a);
  law([](const auto& x, auto& y) { y = x.cwiseMax(0.1).cwiseMin(0.4); }, a);
  law([](const auto& x, auto& y) { y = x.array().max(x.array().square() - 0.2); }, a);
  law([](const auto& x, auto& y) { y = 1 / (1 + (-x.array()).exp()); }, a);
  law([](const auto& x, auto& y) { y = (2 - x.array()) / (x.array() * 3 - 7) - 1; }, a);
  law([&](const auto& x, auto& y) { y = a.array() / (x.array() + p.array()); }, p);
  law([](const auto& x, auto& y) { y = x.cwiseAbs2() + x.cwiseInverse() + x.cwiseSqrt(); }, p);
  law(
      [](const auto& x, auto& y) {
        using std::tanh;
        y = tanh(exp(x.array()) - 1);
      },
      a);
  law(
      [](const auto& x, auto& y) {
        y = x.unaryExpr([](const auto& s) {
          using std::sin;
          return s * s > 0.2 ? sin(s) * s : s / 2;
        });
      },
      a);
  const auto with_number = [](const auto& s, const auto& x, auto& y) {
    y = (s + x.array()) * (x.array() - s) / (s - 3 - x.array()) + s / (x.array() + 4) -
        s * x.array();
  };
  check_body(with_number, like, 1e-3, 2e-9, 0.3, a);
}

}  // namespace revode
