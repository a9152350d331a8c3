// SPDX-License-Identifier: Apache-2.0
#include "order_checks.hpp"

namespace revode {
namespace {

TEST_CASE("the error of every method falls with its order, and that of dense output with its own") {
  check_orders(basic_methods{});
}

TEST_CASE("fixed steps of every method commute with linear changes of variables") {
  check_equivariance(basic_methods{});
}

}  // namespace
}  // namespace revode
