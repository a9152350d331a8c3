// SPDX-License-Identifier: Apache-2.0
#include "allocations.cpp"  // the same counters, in this program
