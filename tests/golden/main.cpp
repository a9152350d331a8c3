// SPDX-License-Identifier: Apache-2.0
// Prints hashes of solves and their gradients, which no change of the code is meant to change
// (hashes.txt).
#include "hashes.hpp"

int main() {
  using namespace revode::golden;
  print_methods();
  print_stiff_methods();
  print_situations();
  print_other_derivatives();
}
