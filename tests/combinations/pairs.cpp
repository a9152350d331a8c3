// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "document.hpp"

namespace revode::combinations {

TEST_CASE("every pair of values occurs in a covering cell, or is refused; no covering cell is") {
  const pair_table table;
  for (int i = 0; i < axes; ++i)
    for (int j = i + 1; j < axes; ++j)
      for (int a = 0; a < static_cast<int>(values[i].size()); ++a)
        for (int b = 0; b < static_cast<int>(values[j].size()); ++b) {
          CAPTURE(values[i][a]);
          CAPTURE(values[j][b]);
          const auto& pair = table.at(i, a, j, b);
          CHECK(pair.possible == (pair.covered > 0));
          if (!pair.possible) CHECK(!table.why(i, a, j, b).empty());
        }
  for (const choice& c : covering) CHECK(refusal(c) == "");
  for (std::size_t i = 0; i < axes; ++i) CHECK(static_cast<int>(values[i].size()) == sizes[i]);
}

TEST_CASE("docs/combinations.md is what the lists say") {
  const std::string path = std::string(REVODE_SOURCE_DIR) + "/docs/combinations.md";
  if (std::getenv("REVODE_WRITE_DOCS") != nullptr) std::ofstream(path) << document();
  std::ifstream file(path);
  const std::string written{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  CHECK(written == document());
}

}  // namespace revode::combinations
