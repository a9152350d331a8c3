// expect-error: thrust/device_vector.h.*(No such file or directory|file not found)
// SPDX-License-Identifier: Apache-2.0
// links: revode::core
#include <thrust/device_vector.h>

int main() {}
