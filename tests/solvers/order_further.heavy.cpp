// SPDX-License-Identifier: Apache-2.0
#include "order_checks.hpp"

namespace revode {
namespace {

TEST_CASE(
    "further methods: the error falls with the order, and that of dense output with its own") {
  check_orders(further_methods{});
}

TEST_CASE("further methods: fixed steps commute with linear changes of variables") {
  check_equivariance(further_methods{});
}

}  // namespace
}  // namespace revode
