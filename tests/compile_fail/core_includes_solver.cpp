// expect-error: revode/solvers/tsit5.hpp.*(No such file or directory|file not found)
// SPDX-License-Identifier: Apache-2.0
// links: revode::core
#include <revode/solvers/tsit5.hpp>

int main() {}
