// SPDX-License-Identifier: Apache-2.0
#pragma once

/// How often this program has called operator new.
long allocations_so_far();
