// SPDX-License-Identifier: Apache-2.0
#include <revode/solvers/esdirk547.hpp>
#include <revode/solvers/kencarp4.hpp>
#include <revode/solvers/kencarp5.hpp>
#include <revode/solvers/kvaerno3.hpp>
#include <revode/solvers/kvaerno4.hpp>
#include <revode/solvers/kvaerno5.hpp>

#include "newton_honesty.hpp"

namespace revode {
namespace {

TEST_CASE("ESDIRK: an iteration does not end on the rate of another step") {
  // was 1,100 tolerances off, with half the steps
  check_honest(esdirk547{}, make_problem("vdpol_fast"), 1e-3, 1e-3, 2);
  for (const double tol : {1e-4, 1e-5, 1e-6, 1e-7}) {
    check_honest(esdirk547{}, make_problem("pollu"), tol, tol, 5);
    check_honest(kencarp4{}, make_problem("pollu"), tol, tol, 5);
    check_honest(kvaerno5{}, make_problem("pollu"), tol, tol, 5);
  }
}

TEST_CASE("ESDIRK: rtol may be 0, or far below atol") {
  check_tolerances_without_rtol(esdirk547{});
  check_tolerances_without_rtol(kencarp4{});
  check_tolerances_without_rtol(kvaerno5{});
}

TEST_CASE("Kvaerno: where the order is reduced, errors stay within two tolerances") {
  const auto check = [](const auto& m) {  // were up to 7,700, by filtered estimates
    for (const double lambda : {-1e3, -1e4, -1e5, -1e6, -1e7})
      for (const double t1 : {1.0, 10.0})
        for (int k = 3; k <= 10; ++k)
          check_honest(m, make_prothero_robinson(lambda, t1), std::pow(10, -k), std::pow(10, -k),
                       2);
  };
  check(kvaerno3{});
  check(kvaerno4{});
  check(kvaerno5{});
}

TEST_CASE("KenCarp5: its estimate is not smaller than its errors") {
  const auto check = [](const char* name, double most) {
    check_honest(kencarp5{}, make_problem(name), 1e-8, 1e-8, most);
  };
  check("detest:A5", 40);   // was 319
  check("detest:B5", 60);   // 426
  check("detest:C5", 40);   // 594
  check("detest:D1", 3e3);  // 24,041: 218 times an error of one tolerance
  check("detest:E1", 20);   // 129
}

}  // namespace
}  // namespace revode
