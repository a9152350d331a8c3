// expect-error: Eigen/Dense.*(No such file or directory|file not found)
// SPDX-License-Identifier: Apache-2.0
// links: revode::core
#include <Eigen/Dense>

int main() {}
