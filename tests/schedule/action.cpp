// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <type_traits>

#include <revode/schedule/action.hpp>

namespace revode {

static_assert(std::is_trivially_copyable_v<action>);
static_assert(action{} == action{.what = op::done, .from = 0, .to = 0, .slot = work});

TEST_CASE("an action describes itself") {
  CHECK(describe({.what = op::advance, .from = 3, .to = 5}) == "advance 3..5");
  CHECK(describe({.what = op::advance, .from = 0, .to = unbounded}) == "advance 0..end");
  CHECK(describe({.what = op::record, .from = 3, .to = 5, .slot = 2}) == "record 3..5 in slot 2");
  CHECK(describe({.what = op::record, .from = 3, .to = 4}) == "record 3..4 in work");
  CHECK(describe({.what = op::snapshot, .from = 7, .slot = 1}) == "snapshot 7 to slot 1");
  CHECK(describe({.what = op::restore, .from = 7, .slot = 1}) == "restore 7 from slot 1");
  CHECK(describe({.what = op::pull, .from = 9}) == "pull 9 from work");
  CHECK(describe({.what = op::drop, .slot = 1}) == "drop slot 1");
  CHECK(describe({.what = op::move, .from = 4, .to = 0, .slot = 2}) ==
        "move 4 from slot 2 to slot 0");
  CHECK(describe({.what = op::resume, .from = 4, .slot = 2}) == "resume 4 from slot 2");
  CHECK(describe({.what = op::discard, .slot = 2}) == "discard slot 2");
  CHECK(describe({}) == "done");
}

}  // namespace revode
