// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <memory>
#include <vector>

#include <revode/loop/tapes.hpp>
#include <revode/loop/units.hpp>
#include <revode/state/vec.hpp>

namespace revode {

TEST_CASE("snapshots and tapes use the same cells, one after the other") {
  using tape = vec<double, 5>;  // three cells of two numbers
  const auto cells = std::make_shared<unit_cells>(7);
  cells->hold(2 * sizeof(double));
  snapshot_pool<vec<double, 2>> snapshots(unbounded, std::make_unique<cell_pool>(cells));
  tape_store<tape> tapes(2, cells);
  const auto store = [&](index slot, double x) {
    snapshots.store(slot, [&](auto& s) { s = vec<double, 2>{x, -x}; });
  };
  const auto keep = [&](index slot, double x) {
    tape work{x, 2 * x, 3 * x, 4 * x, 5 * x};
    CHECK(&tapes.recorder(slot, work) == &work);
    tapes.keep(slot, work);
  };
  const auto last = [&](index slot) {
    tape work{};
    return tapes.at(slot, work)[4];
  };
  for (int i = 0; i < 3; ++i) {
    for (index slot = 0; slot < 4; ++slot) store(slot, 1.0 + static_cast<double>(slot));
    keep(0, 7);
    keep(0, 8);  // over the one before
    CHECK(cells->made() == 7);
    snapshots.drop(1);
    snapshots.drop(3);
    snapshots.drop(0);
    keep(1, 9);
    CHECK(cells->made() == 7);
    CHECK(snapshots.at(2)[1] == -3);
    CHECK(last(0) == 40);
    CHECK(last(1) == 45);
    CHECK(tapes.peak() == 2);
    tapes.drop(1);
    tapes.drop(0);
    snapshots.clear();
  }
  CHECK(cells->made() == 7);
}

}  // namespace revode
