// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <string>

#include <revode/problems/beam.hpp>
#include <revode/problems/brusselator_2d.hpp>
#include <revode/problems/cusp.hpp>
#include <revode/problems/emep.hpp>
#include <revode/problems/medakzo.hpp>
#include <revode/problems/nand.hpp>
#include <revode/problems/ring_modulator.hpp>
#include <revode/problems/stiff_accuracy.hpp>
#include <revode/solvers/rodas5p.hpp>

namespace revode {
namespace {

TEST_CASE("Rodas5P finds the references of the larger stiff problems") {
  const auto check = [](const auto& f, double rtol, double least) {
    CAPTURE(std::string(f.name));
    const auto s = solve_stiff(f, f.y0(), rodas5p{}, {.rtol = rtol, .atol = f.atol(rtol)});
    CHECK(s.status == status::success);
    CHECK(mixed_digits(f, s.y, rtol) >= least);
  };
  check(ring_modulator{}, 1e-7, 5);
  check(brusselator_2d{}, 1e-9, 8);
  check(cusp{}, 1e-7, 6);
  check(beam{}, 1e-7, 5);
  check(medakzo{}, 1e-5, 5);
  check(emep{}, 1e-6, 5);
  check(nand{}, 1e-9, 8);
}

}  // namespace
}  // namespace revode
