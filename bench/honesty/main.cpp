// SPDX-License-Identifier: Apache-2.0
// Writes docs/honesty.md to the standard output, or with the word gradients docs/gradient_honesty.md;
// progress goes to the standard error.
#include <iostream>
#include <string_view>

#include "gradients.hpp"
#include "page.hpp"

int main(int count, char** words) {
  using namespace revode::honesty;
  if (count == 2 && std::string_view(words[1]) == "gradients") {
    std::vector<std::string> left_out;
    const auto explicit_rows = measure_gradients(false, std::cerr, left_out);
    const auto implicit_rows = measure_gradients(true, std::cerr, left_out);
    write_gradient_page(std::cout, explicit_rows, implicit_rows, measure_gradient_rtol(std::cerr),
                        left_out);
    return 0;
  }
  if (count > 1) {
    std::cerr << "usage: revode-bench-honesty [gradients]\n";
    return 2;
  }
  const auto explicit_rows = measure(false, 3, 10, std::cerr);
  const auto implicit_rows = measure(true, 3, 10, std::cerr);
  write_page(std::cout, explicit_rows, implicit_rows);
}
