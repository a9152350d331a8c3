// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <revode/solvers/all.hpp>
#include <revode/solvers/explicit/order_conditions.hpp>
#include <revode/solvers/implicit/implicit_conditions.hpp>
#include <revode/solvers/rosenbrock/rosenbrock_conditions.hpp>

#include <initializer_list>
#include <string>
#include <vector>

namespace {

using namespace revode;

template <int S>
std::vector<double*> coefficients_of(butcher_tableau<S>& tableau) {
  std::vector<double*> all;
  for (auto& row : tableau.a) {
    for (double& x : row) all.push_back(&x);
  }
  for (double& x : tableau.b) all.push_back(&x);
  for (double& x : tableau.b_embedded) all.push_back(&x);
  for (double& x : tableau.c) all.push_back(&x);
  return all;
}

template <int S, int E, int D>
std::vector<double*> coefficients_of(dense_tableau<S, E, D>& dense) {
  std::vector<double*> all;
  for (int i = 0; i < E; ++i) {
    for (double& x : dense.a[i]) all.push_back(&x);
    all.push_back(&dense.c[i]);
  }
  for (auto& row : dense.weights) {
    for (double& x : row) all.push_back(&x);
  }
  return all;
}

template <int S>
std::vector<double*> coefficients_of(esdirk_tableau<S>& t) {
  std::vector<double*> all;
  for (int i = 0; i < S; ++i) {
    for (double& x : t.a[i]) all.push_back(&x);
    all.push_back(&t.b_embedded[i]);
    all.push_back(&t.c[i]);
  }
  return all;
}

/// Without the estimate, whose scale is free, and ∂f/∂t's weights, of which some are 0.
template <int S>
std::vector<double*> coefficients_of(rosenbrock_tableau<S>& t) {
  std::vector<double*> all{&t.gamma};
  for (int i = 0; i < S; ++i) {
    for (int j = 0; j < i; ++j) {
      all.push_back(&t.a[i][j]);
      all.push_back(&t.c[i][j]);
    }
    all.push_back(&t.m[i]);
    all.push_back(&t.node[i]);
  }
  return all;
}

/// How many of the coefficients, each changed alone, leave `holds` true: nonzero ones by a factor
/// 1 + change, zeros to `change`.
template <class Data, class Check>
int missed_changes(Data data, double change, const Check& holds) {
  int missed = 0;
  for (double* x : coefficients_of(data)) {
    const double before = *x;
    *x = before == 0.0 ? change : before * (1.0 + change);
    if (holds(data)) ++missed;
    *x = before;
  }
  return missed;
}

template <class Method>
constexpr method_claim claim_of() {
  return {Method::order, Method::embedded_order, is_fsal(Method::tableau)};
}

/// What a Rosenbrock method claims; whatever J is, it has order 1 where it does not say more.
template <class Method>
constexpr rosenbrock_orders orders_of() {
  int w = 1;
  if constexpr (requires { Method::w_order; }) w = Method::w_order;
  return {Method::order, Method::embedded_order, w};
}

}  // namespace

TEST_CASE("rooted trees: as many as there are of each size") {
  const int expected[] = {1, 1, 2, 4, 9, 20, 48, 115, 286, 719};

  for (int n = 1; n <= 10; ++n) {
    rooted_trees tree(n);
    int count = 1;
    while (tree.next()) ++count;
    CAPTURE(n);
    CHECK(count == expected[n - 1]);
  }
}

TEST_CASE("density: n! for the path with n vertices, n for the star") {
  const stage_table<2> table{.a = {{0, 0}, {1, 0}}, .c = {0, 1}};
  double factorial = 1.0;

  for (int n = 1; n <= 8; ++n) {
    factorial *= n;
    rooted_trees tree(n);
    CHECK(weight_of(tree, table).density == factorial);
    while (tree.next()) {
    }
    CHECK(weight_of(tree, table).density == n);
  }
}

TEST_CASE("elementary weights: the star gives powers of c, the path powers of a") {
  constexpr auto table = stages_of(rk4::tableau);
  rooted_trees tree(4);

  const auto path = weight_of(tree, table);
  while (tree.next()) {
  }
  const auto star = weight_of(tree, table);

  CHECK(path.stage[3] == 1.0 / 4);  // a43 a32 c2
  CHECK(path.stage[2] == 0.0);
  for (int i = 0; i < 4; ++i) CHECK(star.stage[i] == table.c[i] * table.c[i] * table.c[i]);
}

TEST_CASE("has_order: the order is exact, one less or one more is refused") {
  for_each_method(explicit_methods{}, []<class M>(M) {
    CAPTURE(std::string(M::name));
    const method_claim claim = claim_of<M>();
    CHECK(has_order(M::tableau, claim));
    CHECK_FALSE(has_order(M::tableau, {claim.order - 1, claim.embedded, claim.fsal}));
    CHECK_FALSE(has_order(M::tableau, {claim.order + 1, claim.embedded, claim.fsal}));
    CHECK_FALSE(has_order(M::tableau, {claim.order, claim.embedded + 1, claim.fsal}));
    CHECK_FALSE(has_order(M::tableau, {claim.order, claim.embedded, !claim.fsal}));
    CHECK(dense_has_order(M::tableau, M::dense, M::dense_order));
    CHECK_FALSE(dense_has_order(M::tableau, M::dense, M::dense_order - 1));
    CHECK_FALSE(dense_has_order(M::tableau, M::dense, M::dense_order + 1));
  });
}

TEST_CASE("has_order: every single coefficient changed by 1e-9 is noticed") {
  for (const double change : {1e-9, 1e-8, 1e-7, 1e-6}) {
    for_each_method(explicit_methods{}, [&]<class M>(M) {
      CAPTURE(std::string(M::name));
      CAPTURE(change);
      const auto holds = [](const auto& tableau) { return has_order(tableau, claim_of<M>()); };
      CHECK(missed_changes(M::tableau, change, holds) == 0);
    });
  }
}

TEST_CASE("dense_has_order: every single coefficient changed by 1e-8 is noticed") {
  for_each_method(explicit_methods{}, []<class M>(M) {
    CAPTURE(std::string(M::name));
    const auto holds = [](const auto& dense) {
      return dense_has_order(M::tableau, dense, M::dense_order);
    };
    CHECK(missed_changes(M::dense, 1e-8, holds) == 0);
  });
}

TEST_CASE("the last row of an FSAL method needs its own check: order conditions cannot see it") {
  auto tableau = dopri5::tableau;
  tableau.a[6][4] *= 1.001;

  CHECK(order_of(stages_of(tableau), tableau.b, 6) == 5);
  CHECK_FALSE(has_order(tableau, {.order = 5, .embedded = 4, .fsal = true}));
  CHECK_FALSE(has_order(tableau, {.order = 5, .embedded = 4, .fsal = false}));
}

TEST_CASE("rosenbrock: the orders are exact, dense output has its own at least") {
  for_each_method(rosenbrock_methods{}, []<class M>(M) {
    CAPTURE(std::string(M::name));
    const rosenbrock_orders claim = orders_of<M>();
    CHECK(has_order(M::rosenbrock, claim));
    CHECK_FALSE(has_order(M::rosenbrock, {claim.order + 1, claim.embedded, claim.w}));
    CHECK_FALSE(has_order(M::rosenbrock, {claim.order, claim.embedded - 1, claim.w}));
    CHECK_FALSE(has_order(M::rosenbrock, {claim.order, claim.embedded, claim.w + 1}));
    CHECK(dense_has_order(M::rosenbrock, M::dense_rows, M::dense_order));
    const auto holds = [&](const auto& table) { return has_order(table, claim); };
    // The last row of rodas3 is no stage of its embedded method: one of its numbers is free.
    CHECK(missed_changes(M::rosenbrock, 1e-7, holds) == (std::string(M::name) == "rodas3" ? 1 : 0));
  });
}

TEST_CASE("esdirk: both orders are exact, and those of a pair for every colouring") {
  for_each_method(implicit_methods{}, []<class M>(M) {
    if constexpr (esdirk_method<M>) {
      CAPTURE(std::string(M::name));
      CHECK(has_order(M::tableau, M::order, M::embedded_order));
      CHECK_FALSE(has_order(M::tableau, M::order - 1, M::embedded_order));
      CHECK_FALSE(has_order(M::tableau, M::order, M::embedded_order + 1));
      const auto holds = [](const auto& table) {
        return has_order(table, M::order, M::embedded_order);
      };
      CHECK(missed_changes(M::tableau, 1e-7, holds) == 0);
      if constexpr (requires { M::explicit_rows; }) {
        CHECK(has_imex_order<M>(M::order, M::embedded_order));
        CHECK_FALSE(has_imex_order<M>(M::order + 1, M::embedded_order));
        CHECK_FALSE(has_imex_order<M>(M::order, M::order));
      }
    }
  });
}

TEST_CASE("radau: nodes, matrix, estimate and transformation agree") {
  for_each_method(implicit_methods{}, []<class M>(M) {
    if constexpr (radau_method<M>) CHECK(radau_numbers_agree<M::stages>());
  });
}
