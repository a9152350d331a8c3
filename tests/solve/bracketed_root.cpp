// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include <revode/solve/events/bracketed_root.hpp>

namespace revode {
namespace {

struct searched {
  double root;
  int evaluations;
};
template <class G>
searched between(const G& g, double from, double to, double resolution) {
  int evaluations = 0;
  const auto counted = [&](double x) {
    ++evaluations;
    return g(x);
  };
  const double root = root_between(counted, from, to, g(to), resolution);
  return {root, evaluations};
}

}  // namespace

TEST_CASE("a bracketed root is the right end of what is no wider than two resolutions") {
  const double resolution = 0x1p-30;
  const auto check = [&](const auto& g, double a, double b, double root, int most) {
    const searched found = between(g, a, b, resolution);
    CHECK(found.root >= root);
    CHECK(found.root - root <= 2 * resolution);
    CHECK(g(found.root) <= 0);
    CHECK(found.evaluations <= most);
    CHECK(most <= 1 + 1 + std::ceil(std::log2((b - a) / (2 * resolution))));  // one, and bisection
  };
  check([](double x) { return 0.3 - x; }, 0, 1, 0.3, 9);
  check([](double x) { return 2 - x * x; }, 1, 2, std::sqrt(2.0), 10);
  check([](double x) { return std::cos(x); }, 0, 3, std::acos(0.0), 12);
  check([](double x) { return x < 0.7 ? 1e9 : -1e-9; }, 0, 1, 0.7, 31);
  check([](double x) { return std::pow(0.1 - x, 9); }, -1, 1, 0.1, 32);
}

TEST_CASE("a surface too near to see at the start: the bracket begins where its side can be seen") {
  const auto g = [](double x) { return (x - 1.2) * (1.7 - x); };  // below, above, below
  const searched found = between(g, 1, 2, 0x1p-40);
  CHECK(found.root >= 1.7);
  CHECK(found.root == doctest::Approx(1.7).epsilon(1e-11));
  // never above: halved until nothing is left, ten times to 2⁻¹⁰
  const searched none = between([](double) { return -1.0; }, 1, 2, 0x1p-11);
  CHECK(none.root == 1 + 0x1p-10);
  CHECK(none.evaluations == 1 + 10);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(std::isnan(between([&](double) { return nan; }, 1, 2, 0x1p-11).root));
  CHECK(std::isnan(between([&](double x) { return x < 1.5 ? -1 : nan; }, 1, 2, 0x1p-11).root));
}

}  // namespace revode
