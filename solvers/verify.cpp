// SPDX-License-Identifier: Apache-2.0
// Order conditions of the methods of order 7 and more: too many trees to check in every translation
// unit that includes the method, so they are checked here, once, when the tests are built.
#include <revode/solvers/dop853.hpp>
#include <revode/solvers/order_conditions.hpp>
#include <revode/solvers/vern7.hpp>
#include <revode/solvers/vern8.hpp>
#include <revode/solvers/vern9.hpp>

namespace revode {

static_assert(has_order(vern7::tableau, {.order = 7, .embedded = 6, .fsal = false}));
static_assert(dense_has_order(vern7::tableau, vern7::dense, 7));
static_assert(has_end_slopes(vern7::tableau, vern7::dense));

static_assert(has_order(dop853::tableau, {.order = 8, .embedded = 5, .fsal = false}));
static_assert(order_of(stages_of(dop853::tableau), dop853::b_embedded_low, 4) == 3);
static_assert(dense_has_order(dop853::tableau, dop853::dense, 7));
static_assert(has_end_slopes(dop853::tableau, dop853::dense));

static_assert(has_order(vern8::tableau, {.order = 8, .embedded = 7, .fsal = false}));
static_assert(dense_has_order(vern8::tableau, vern8::dense, 7));
static_assert(has_end_slopes(vern8::tableau, vern8::dense));

static_assert(has_order(vern9::tableau, {.order = 9, .embedded = 8, .fsal = false}));
static_assert(has_end_slopes(vern9::tableau,
                             vern9::dense));  // its order 9: more steps than clang takes

}  // namespace revode
