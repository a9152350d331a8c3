// expect-error: revode compiled with -ffinite-math-only, part of -ffast-math and -Ofast .NaN and infinity would pass for solutions. add -fno-finite-math-only behind it
// links: revode::core
// flags: -ffast-math
// SPDX-License-Identifier: Apache-2.0
#include <revode/config.hpp>
