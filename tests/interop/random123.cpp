// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <stdexcept>
#include <vector>

#include <Eigen/Core>

#include <revode/adjoint/forward.hpp>
#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/interop/random123.hpp>
#include <revode/loop/scan.hpp>
#include <revode/solvers/tsit5.hpp>
#include <revode/state/vec.hpp>
#include <revode/testing/laws.hpp>

namespace revode {
namespace {

index pair_of(std::uint32_t low, std::uint32_t high) {
  return static_cast<index>((std::uint64_t{high} << 32) | low);
}

void check_block(const random_block& block, const std::array<std::uint32_t, 4>& expected) {
  for (int j = 0; j < 4; ++j) CHECK(block.words[j] == expected[static_cast<std::size_t>(j)]);
}

/// Sample mean and variance of draw(i), i < n.
template <class Draw>
std::array<double, 2> moments(index n, Draw draw) {
  double sum = 0, squares = 0;
  for (index i = 0; i < n; ++i) {
    const double x = static_cast<double>(draw(i));
    sum += x;
    squares += x * x;
  }
  const double count = static_cast<double>(n), mean = sum / count;
  return {mean, squares / count - mean * mean};
}

template <class T>
void check_uniform() {
  const index n = 100'000;
  const random_key key{.seed = 11};
  std::array<double, 16> bins{};
  for (index i = 0; i < n; ++i) {
    const T u = uniform<T>(key, 3, i);
    REQUIRE(u >= T(0));
    REQUIRE(u < T(1));
    bins[static_cast<std::size_t>(u * T(16))] += 1;
  }
  const double expected = static_cast<double>(n) / 16;
  double chi_square = 0;
  for (const double count : bins) chi_square += (count - expected) * (count - expected) / expected;
  CHECK(chi_square < 37.7);  // 15 degrees of freedom, exceeded once in 1000 seeds
  const auto [mean, variance] = moments(n, [&](index i) { return uniform<T>(key, 3, i); });
  const double sigma = std::sqrt(1.0 / 12 / static_cast<double>(n));
  CHECK(std::abs(mean - 0.5) < 4 * sigma);
  CHECK(std::abs(variance - 1.0 / 12) < 4 * std::sqrt(1.0 / 180 / static_cast<double>(n)));
}

template <class T>
void check_normal() {
  const index n = 100'000;
  const random_key key{.seed = 5};
  const double count = static_cast<double>(n);
  const auto [mean, variance] = moments(n, [&](index i) { return normal<T>(key, 0, i); });
  CHECK(std::abs(mean) < 4 / std::sqrt(count));
  CHECK(std::abs(variance - 1) < 4 * std::sqrt(2 / count));
  index inside = 0;
  double products = 0;  // of the two numbers of a pair, which share their radius
  for (index i = 0; i < n; ++i) {
    inside += std::abs(normal<T>(key, 0, i)) < T(1) ? 1 : 0;
    if (i % 2 == 0)
      products += static_cast<double>(normal<T>(key, 0, i) * normal<T>(key, 0, i + 1));
  }
  const double p = std::erf(std::sqrt(0.5));
  CHECK(std::abs(static_cast<double>(inside) / count - p) < 4 * std::sqrt(p * (1 - p) / count));
  CHECK(std::abs(products / (count / 2)) < 4 / std::sqrt(count / 2));
}

TEST_CASE("random bits are Philox4x32-10: the three known answers of its authors") {
  check_block(random_bits({0, 0}, 0, 0), {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  check_block(random_bits({0xffffffff, 0xffffffff}, -1, -1),
              {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  check_block(random_bits({0xa4093822, 0x299f31d0}, pair_of(0x13198a2e, 0x03707344),
                          pair_of(0x243f6a88, 0x85a308d3)),
              {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("uniform numbers are uniform, as floats and as doubles") {
  check_uniform<float>();
  check_uniform<double>();
}

TEST_CASE("normal numbers have the moments of a normal distribution, as floats and as doubles") {
  check_normal<float>();
  check_normal<double>();
}

TEST_CASE("any order of evaluation gives the same bits") {
  const random_key key{.seed = 7, .lane = 2};
  std::vector<double> forwards, backwards;
  for (index step = 0; step < 20; ++step)
    for (index i = 0; i < 20; ++i) forwards.push_back(normal<double>(key, step, i));
  for (index step = 20; step-- > 0;)
    for (index i = 20; i-- > 0;) backwards.push_back(normal<double>(key, step, i));
  for (std::size_t k = 0; k < forwards.size(); ++k)
    CHECK(forwards[k] == backwards[forwards.size() - 1 - k]);
}

TEST_CASE("seeds, lanes and steps are streams of their own") {
  const auto first = [](const random_key& key, index step) {
    return uniform<double>(key, step, 0);
  };
  const double u = first({1, 0}, 0);
  CHECK(u != first({2, 0}, 0));
  CHECK(u != first({1, 1}, 0));
  CHECK(u != first({1, 0}, 1));
  CHECK(u != first({1, 0}, index{1} << 32));
}

TEST_CASE("dropout keeps 1 - rate of the elements, scaled so that the mean stays") {
  const double rate = 0.3;
  Eigen::MatrixXd mask(250, 401);
  dropout({.seed = 3}, 17, rate, mask);
  index kept = 0;
  for (index i = 0; i < mask.size(); ++i) {
    CHECK_UNARY(mask.data()[i] == 0 || mask.data()[i] == 1 / (1 - rate));
    kept += mask.data()[i] != 0 ? 1 : 0;
  }
  const double n = static_cast<double>(mask.size());
  CHECK(std::abs(static_cast<double>(kept) / n - 0.7) < 4 * std::sqrt(0.3 * 0.7 / n));

  Eigen::MatrixXd again(250, 401), next(250, 401);
  Eigen::MatrixXf single(250, 401);
  dropout({.seed = 3}, 18, rate, next);
  dropout({.seed = 3}, 17, rate, again);
  dropout({.seed = 3}, 17, rate, single);
  CHECK(again == mask);
  CHECK(next != mask);
  for (index i = 0; i < mask.size(); ++i)
    CHECK((single.data()[i] == 0.0f) == (mask.data()[i] == 0.0));
}

TEST_CASE("a rate of 0 keeps everything, a rate outside [0, 1) is misuse") {
  vec<double, 7> mask{};
  dropout({}, 0, 0.0, mask);
  for (const double m : mask) CHECK(m == 1.0);
  CHECK_THROWS_WITH_AS(dropout({}, 0, 1.0, mask),
                       "dropout rate = 1.000000 (a part of the elements in [0, 1) is dropped) "
                       "give 0 <= rate < 1?",
                       std::invalid_argument);
  CHECK_THROWS_AS(dropout({}, 0, -0.1, mask), std::invalid_argument);
}

/// c ← p c mask(step) + x, where the input is (x, step).
struct noisy {
  template <class C, class X, class P, class O>
  void operator()(const C& c, const X& x, const P& p, C& next, O&) const {
    vec<double, 4> mask{};
    dropout({.seed = 9}, static_cast<index>(value_of(x[1])), 0.5, mask);
    for (int i = 0; i < 4; ++i) next[i] = p[0] * c[i] * mask[i] + x[0];
  }
};

TEST_CASE("a scan with dropout has the same bits for every number of replays") {
  std::vector<vec<double, 2>> xs;
  for (int i = 0; i < 100; ++i) xs.push_back({0.1 * i, 1.0 * i});
  const vec<double, 4> start{1.0, 2.0, 3.0, 4.0};
  const auto gradient = [&](const loop_options& o) {
    return scan(noisy{}, start, xs, vec{0.9}, vec<double, 0>{}, o).pullback(start);
  };
  const auto all = gradient({.schedule = schedule_kind::store_all});
  for (const index slots : {1, 2, 3, 10}) {
    const auto g = gradient({.slots = slots});
    CHECK(g.params == all.params);
    CHECK(g.xs == all.xs);
    CHECK(g.carry == all.carry);
  }
}

TEST_CASE("the step of a time: other times have others, and -0 is 0") {
  CHECK(step_of_time(0.0) == step_of_time(-0.0));
  CHECK(step_of_time(0.5) != step_of_time(0.5 + 1e-16 + 1e-16));
  CHECK(step_of_time(0.5f) == step_of_time(0.5));
  CHECK(step_of_time(dual<double, 1>(0.3)) == step_of_time(0.3));
}

TEST_CASE("noise and a mask in each stage of a solve: exact gradients, the same in every budget") {
  const auto noisy = [](const auto& t, const auto& y, const auto& p, auto& dy) {
    vec<double, 4> mask{};
    dropout({.seed = 1, .lane = 0}, step_of_time(t), 0.25, mask);
    for (int i = 0; i < 4; ++i)
      dy[i] = p[0] * y[(i + 1) % 4] * mask[i] - p[1] * y[i] * y[i] +
              normal<double>({.seed = 1, .lane = 1}, step_of_time(t), i) * t;
  };
  const problem q{noisy, vec{1.0, 2.0, 3.0, 4.0}, 0.0, 1.0, vec{0.9, 0.2}};
  for (const options& o : {options{.fixed_step = 0.05}, options{.rtol = 1e-2, .atol = 1e-2}}) {
    CHECK(dot_product_law(q, tsit5{}, o, recursive_checkpoint{.slots = 3}, 1).holds);
    for (const index slots : {1, 2, 5})
      CHECK(equal_gradients_law(q, tsit5{}, o, recursive_checkpoint{.slots = slots},
                                recursive_checkpoint{.slots = 1000})
                .holds);
  }
}

struct next_window {
  std::vector<double> times{0.25, 0.5, 0.75};
  void jump(const auto&, const auto& y, const auto&, auto& y_new) const { y_new[2] = y[2] + 1; }
};

TEST_CASE("a mask for each window of a solve: its number is an element that timed events count") {
  std::vector<std::array<double, 3>> seen;  // time, window, mask
  const auto masked = [&](const auto& t, const auto& y, const auto& p, auto& dy) {
    vec<double, 2> mask{};
    const double window = value_of(y[2]);
    dropout({.seed = 7, .lane = 0}, static_cast<index>(window), 0.5, mask);
    seen.push_back({value_of(t), window, mask[0]});
    dy[0] = -p[0] * y[0] * mask[0];
    dy[1] = p[0] * y[0] * mask[1];
    dy[2] = 0 * y[2];
  };
  const problem q{masked, vec{1.0, 0.0, 0.0}, 0.0, 1.0, vec{0.7}};
  const auto gradient = [&](index slots) {
    auto s =
        solve(q, tsit5{}, options{}, events(next_window{}), recursive_checkpoint{.slots = slots});
    CHECK(s.y[2] == 3);
    return s.pullback(vec{1.0, 1.0, 0.0});
  };
  const auto all = gradient(1000);
  for (const index slots : {1, 3}) {
    const auto g = gradient(slots);
    CHECK(g.p == all.p);
    CHECK(g.y0 == all.y0);
  }
  // y₀ falls at the rate p where the mask is 2, and stands where it is 0.
  double kept = 0;
  for (int window = 0; window < 4; ++window) {
    vec<double, 2> mask{};
    dropout({.seed = 7, .lane = 0}, window, 0.5, mask);
    kept += 0.25 * mask[0];
  }
  const auto s = solve(q, tsit5{}, options{}, events(next_window{}));
  CHECK(s.y[0] == doctest::Approx(std::exp(-0.7 * kept)).epsilon(1e-6));
  for (const auto& [t, window, mask] : seen) {
    CHECK(4 * t >= window);  // both sides of a window's end are asked at, each with its own mask
    CHECK(4 * t <= window + 1);
  }
}

}  // namespace
}  // namespace revode
