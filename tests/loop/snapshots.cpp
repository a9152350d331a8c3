// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <Eigen/Core>
#include <vector>

#include <revode/loop/snapshots.hpp>
#include <revode/loop/tapes.hpp>
#include <revode/state/vec.hpp>

namespace revode {
namespace {

using dynamic = std::vector<double>;

struct pair_of_arrays {
  double time = 0;
  dynamic a;
  Eigen::VectorXf b;
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.a);
    visit(self.b);
  }
};

struct nested_arrays {
  pair_of_arrays inner;
  dynamic c;
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.inner);
    visit(self.c);
  }
};

}  // namespace

TEST_CASE("the footprint is the object and the arrays it owns") {
  CHECK(footprint(vec<double, 5>{}) == 40);
  CHECK(footprint(dynamic(7)) == sizeof(dynamic) + 56);
  CHECK(footprint(Eigen::VectorXf(6)) == sizeof(Eigen::VectorXf) + 24);
  CHECK(footprint(Eigen::MatrixXd(2, 3)) == sizeof(Eigen::MatrixXd) + 48);
  const pair_of_arrays pair{0, dynamic(7), Eigen::VectorXf(6)};
  CHECK(footprint(pair) == sizeof(pair_of_arrays) + 56 + 24);
  CHECK(footprint(nested_arrays{pair, dynamic(2)}) == sizeof(nested_arrays) + 56 + 24 + 16);
}

TEST_CASE("arrays are visited in the order of parts, those of parts of parts too") {
  nested_arrays n{{0, dynamic(7), Eigen::VectorXf(6)}, dynamic(2)};
  std::vector<index> sizes;
  for_each_array(n, [&](const auto& array) { sizes.push_back(bytes_of(array)); });
  CHECK(sizes == std::vector<index>{56, 24, 16});
}

TEST_CASE("a snapshot slot is made once and then used again") {
  snapshot_pool<dynamic> pool;
  const auto fill = [](double value) {
    return [value](std::optional<dynamic>& slot) {
      if (!slot) slot.emplace(3);
      for (double& x : *slot) x = value;
    };
  };
  pool.store(0, fill(1));
  const double* first = pool.at(0).data();
  pool.store(1, fill(2));
  CHECK(pool.live() == 2);
  pool.drop(0);
  pool.drop(1);
  CHECK(pool.live() == 0);
  pool.store(0, fill(5));

  CHECK(pool.at(0).data() == first);
  CHECK(pool.at(0)[2] == 5);
  CHECK(pool.live() == 1);
  CHECK(pool.peak() == 2);
  CHECK(pool.written() == 3);
}

TEST_CASE("a snapshot moves") {
  snapshot_pool<dynamic> pool;
  pool.store(3, [](auto& slot) { slot = dynamic{1, 2}; });
  pool.move(3, 9);
  CHECK(pool.at(9) == dynamic{1, 2});
  CHECK(pool.live() == 1);
  CHECK(pool.peak() == 1);
  CHECK(pool.written() == 1);
  CHECK(pool.made() == 2);
}

TEST_CASE("trivial tapes are recorded in place") {
  using tape = vec<double, 3>;
  tape_store<tape> store;
  tape work{};
  for (index i = 0; i < 5000; ++i) {
    tape& t = store.recorder(i, work);
    CHECK(&t != &work);
    t = {static_cast<double>(i), 0, 0};
    store.keep(i, work);
  }
  for (const index i : {0, 4095, 4096, 4999}) CHECK(store.at(i, work)[0] == static_cast<double>(i));
  CHECK(store.peak() == 5000);
  CHECK(store.bytes(work) == 5000 * 24);
}

TEST_CASE("tapes lie in a block of 4,096, then in blocks of 16,384") {
  using tape = vec<double, 3>;
  tape_store<tape> store;
  tape work{};
  std::vector<index> first;  // of every block: it does not lie right behind the tape before
  const tape* before = nullptr;
  for (index i = 0; i < 40'000; ++i) {
    const tape* here = &store.recorder(i, work);
    if (before == nullptr || here != before + 1) first.push_back(i);
    before = here;
  }
  CHECK(first == std::vector<index>{0, 4096, 4096 + 16384, 4096 + 2 * 16384});
}

TEST_CASE("other tapes are flattened and read back with the same bits") {
  nested_arrays work{{0, dynamic(3), Eigen::VectorXf(2)}, dynamic(1)};
  tape_store<nested_arrays> store;
  CHECK(&store.recorder(0, work) == &work);
  for (index i = 0; i < 5000; ++i) {
    const double x = 1.0 / (1.0 + static_cast<double>(i));
    work.inner.a = {x, -x, 0};
    work.inner.b = Eigen::VectorXf::Constant(2, static_cast<float>(x));
    work.c = {3 * x};
    store.keep(i, work);
  }
  for (const index i : {4999, 0, 4096, 4095}) {
    const double x = 1.0 / (1.0 + static_cast<double>(i));
    const nested_arrays& back = store.at(i, work);
    CHECK(back.inner.a == dynamic{x, -x, 0});
    CHECK(back.inner.b[1] == static_cast<float>(x));
    CHECK(back.c[0] == 3 * x);
  }
  CHECK(store.peak() == 5000);
  CHECK(store.bytes(work) == 5000 * (3 * 8 + 2 * 4 + 8));  // their arrays alone
}

}  // namespace revode
