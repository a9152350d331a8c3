// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <Eigen/Core>
#include <array>
#include <string>
#include <tuple>
#include <vector>

#include <revode/state/cotangents.hpp>

namespace revode {
namespace {

/// Over its leaves: values, cotangents and variables are three types.
template <template <class> class Leaf = plain>
struct layer {
  Leaf<Eigen::MatrixXd> w;
  Leaf<vec<double, 2>> b;
  Leaf<frozen<Eigen::MatrixXf>> big;
  Leaf<index> calls;
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.w, self.b, self.big, self.calls);
  }
};

template <template <class> class Leaf = plain>
struct adapted {
  [[no_unique_address]] Leaf<frozen<Eigen::MatrixXf>> big;
  Leaf<vec<double, 2>> adapter;
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.big, self.adapter);
  }
};

/// Over its scalar, its parts named one after the other.
template <class T>
struct pendulum {
  T angle, speed;
  index swings = 0;
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.angle);
    visit(self.speed);
    visit(self.swings);
  }
};

/// No template; one part, which has parts.
struct boxed {
  std::vector<pendulum<double>> inside;
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.inside);
  }
};

using mixed = std::tuple<double, std::pair<float, int>, std::array<vec<double, 3>, 2>,
                         std::vector<Eigen::VectorXd>, std::vector<double>>;

mixed example() {
  return {1.5,
          {2.5f, 7},
          {{{1, 2, 3}, {4, 5, 6}}},
          {Eigen::VectorXd::Constant(2, 8), Eigen::VectorXd::Constant(1, 9)},
          {10, 11}};
}

template <class A, class B>
constexpr bool same = std::is_same_v<A, B>;

std::string refusal(const auto& tree, const auto& bar) {
  try {
    expect_shape(tree, bar, "a carry");
  } catch (const std::invalid_argument& misuse) {
    return misuse.what();
  }
  return "accepted";
}

}  // namespace

static_assert(same<cotangent_t<double>, double> && same<cotangent_t<int>, no_cotangent>);
static_assert(same<cotangent_t<vec<float, 3>>, vec<float, 3>>);
static_assert(same<cotangent_t<vec<int, 3>>, no_cotangent>);
static_assert(same<cotangent_t<std::vector<double>>, std::vector<double>>);
static_assert(same<cotangent_t<std::vector<index>>, no_cotangent>);
static_assert(same<cotangent_t<std::vector<frozen<Eigen::MatrixXd>>>, no_cotangent>);
static_assert(same<cotangent_t<std::tuple<double, index>>, std::tuple<double, no_cotangent>>);
static_assert(same<cotangent_t<std::vector<layer<>>>, std::vector<layer<cotangent_t>>>);
static_assert(same<cotangent_t<pendulum<double>>, pendulum<double>>);

// What is not differentiated takes no room in a gradient.
static_assert(std::is_empty_v<cotangent_t<frozen<Eigen::MatrixXd>>>);
static_assert(sizeof(adapted<cotangent_t>) == sizeof(vec<double, 2>));
static_assert(sizeof(std::tuple<vec<double, 3>, no_cotangent>) == 24);

TEST_CASE("leaves are visited in order, whatever the branches") {
  mixed tree = example();
  std::vector<double> seen;
  for_each_leaf(
      [&]<class Z>(const Z& leaf) {
        if constexpr (dense<Z>)
          seen.insert(seen.end(), leaf.data(), leaf.data() + leaf.size());
        else
          seen.push_back(static_cast<double>(leaf));
      },
      tree);
  CHECK(seen == std::vector<double>{1.5, 2.5, 7, 1, 2, 3, 4, 5, 6, 8, 8, 9, 10, 11});
  CHECK(leaf_bytes(tree) == 8 + 4 + 4 + 48 + 24 + 16);
}

TEST_CASE("structs are trees, with parts named in one call or one after the other") {
  const Eigen::MatrixXf huge = Eigen::MatrixXf::Ones(1000, 100);
  const layer<> one{Eigen::MatrixXd::Ones(2, 3), {1, 2}, frozen(huge), 4};
  CHECK(leaf_bytes(one) == 48 + 16 + 8);  // nothing for what is frozen
  CHECK(&*one.big == &huge);

  boxed box{{{1, 2, 3}, {4, 5, 6}}}, to{{{}, {}}};
  for_each_leaf([](auto from, auto& into) { into = 10 * from; }, box, to);
  CHECK(to.inside[1].angle == 40);
  CHECK(to.inside[0].speed == 20);
  CHECK(to.inside[1].swings == 60);
}

TEST_CASE("parallel trees of different types meet leaf by leaf") {
  const Eigen::MatrixXf huge = Eigen::MatrixXf::Ones(10, 10);
  const std::vector<layer<>> stack(
      3, layer<>{Eigen::MatrixXd::Constant(2, 3, 5), {1, 2}, frozen(huge), 4});
  auto bar = zero_cotangent(stack);
  REQUIRE(bar.size() == 3);
  CHECK(bar[2].w == Eigen::MatrixXd::Zero(2, 3));
  CHECK(bar[2].b == vec<double, 2>{0, 0});

  int differentiated = 0, others = 0;
  for_each_leaf(
      [&]<class Z, class B>(const Z& z, B& z_bar) {
        if constexpr (same<B, no_cotangent>) {
          ++others;
        } else {
          ++differentiated;
          add(z, z_bar);
        }
      },
      stack, bar);
  CHECK(differentiated == 6);
  CHECK(others == 6);
  CHECK(bar[1].w == stack[1].w);

  auto sum = bar;
  add_cotangent(bar, sum);
  CHECK(sum[0].b == vec<double, 2>{2, 4});
  set_zero(sum);
  CHECK(sum[0].w == Eigen::MatrixXd::Zero(2, 3));
  CHECK(leaf_bytes(bar) == 3 * (48 + 16 + 2));
}

TEST_CASE("an integer in a struct over its scalar keeps its place and is left alone") {
  auto bar = zero_cotangent(pendulum<double>{1, 2, 3});
  CHECK(bar.angle == 0);
  CHECK(bar.swings == 0);
  bar = {1, 2, 3};
  add_cotangent(pendulum<double>{1, 1, 1}, bar);
  CHECK(bar.speed == 3);
  CHECK(bar.swings == 3);
}

TEST_CASE("no_cotangent stands for any subtree") {
  int leaves = 0;
  const no_cotangent none;
  for_each_leaf([&]<class Z>(const Z&, const no_cotangent&) { ++leaves; },
                std::as_const(static_cast<const mixed&>(example())), none);
  CHECK(leaves == 8);
}

TEST_CASE("a cotangent takes its shape once, and is then used again") {
  const mixed tree = example();
  auto bar = zero_cotangent(tree);
  const double* place = std::get<3>(bar)[0].data();
  std::get<4>(bar)[1] = 5;
  shape_as(tree, bar);
  CHECK(std::get<3>(bar)[0].data() == place);
  CHECK(std::get<4>(bar)[1] == 0);
}

TEST_CASE("a cotangent of another shape is refused, with the leaf that is wrong") {
  const mixed tree = example();
  auto bar = zero_cotangent(tree);
  CHECK(refusal(tree, bar) == "accepted");
  std::get<3>(bar)[1].resize(4);
  CHECK(refusal(tree, bar) ==
        "a cotangent of 4 elements for leaf 7 of a carry, which has 1 (they have the same shape) "
        "resize it?");
  std::get<3>(bar).pop_back();
  CHECK(refusal(tree, bar) ==
        "1 parts where there are 2 (parallel trees have the same shape) resize it?");
  CHECK(refusal(std::vector<double>(3), std::vector<double>(2)) ==
        "a cotangent of 2 elements for a carry of 3 (they have the same shape) resize it?");
  CHECK(refusal(Eigen::MatrixXd(2, 3), Eigen::MatrixXd(3, 2)) ==
        "a cotangent of 3 x 2 elements for a carry of 2 x 3 (they have the same shape) resize it?");
}

}  // namespace revode
