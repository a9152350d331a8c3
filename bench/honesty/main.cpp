// SPDX-License-Identifier: Apache-2.0
// Writes docs/honesty.md to the standard output; progress goes to the standard error.
#include <iostream>

#include "page.hpp"

int main() {
  using namespace revode::honesty;
  const auto explicit_rows = measure(false, 3, 10, std::cerr);
  const auto implicit_rows = measure(true, 3, 10, std::cerr);
  write_page(std::cout, explicit_rows, implicit_rows);
}
