// SPDX-License-Identifier: Apache-2.0
// Compiled for AVX, where Eigen aligns its arrays to 32 bytes, and linked with a library that does not.
#include <revode/problems/catalog.hpp>

int main() { return revode::make_problem("lorenz").y0.size() == 3 ? 0 : 1; }
