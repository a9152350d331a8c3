// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <revode/ad/optimiser_answer.hpp>

namespace revode {

TEST_CASE("an answer of the optimiser has a name of its own, and so has that nobody has asked") {
  optimiser_answer told;
  CHECK(told.name("yes", "no", "not asked") == "not asked");
  told.give(false);
  CHECK(told.name("yes", "no", "not asked") == "no");
  told.give(true);
  CHECK(told.name("yes", "no", "not asked") == "yes");
}

}  // namespace revode
