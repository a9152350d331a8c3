// SPDX-License-Identifier: Apache-2.0
#include "../adjoint/allocations.cpp"  // the same counters, in this program
