// expect-error: revode/adjoint/gradient.hpp.*(No such file or directory|file not found)
// SPDX-License-Identifier: Apache-2.0
// links: revode::solvers
#include <revode/adjoint/gradient.hpp>

int main() {}
