// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <stdexcept>
#include <string>

#include <revode/adjoint/backsolve.hpp>
#include <revode/adjoint/gauss.hpp>
#include <revode/adjoint/interpolating.hpp>
#include <revode/interop/eigen/sparse.hpp>
#include <revode/linalg/banded.hpp>
#include <revode/linalg/gmres.hpp>
#include <revode/solve/quadrature.hpp>
#include <revode/solvers/radau_iia5.hpp>
#include <revode/solvers/stormer_verlet.hpp>
#include <revode/solvers/switching.hpp>

#include "axes.hpp"
#include "models.hpp"

// The refusals that are exceptions, word by word; those of the compiler are in tests/compile_fail.
namespace revode::combinations {
namespace {

const problem q{oscillators{}, vec{0.6, 0.2, -0.3, 0.4}, 0.0, 1.0, vec{1.5, 0.4}};
const options steps{.fixed_step = 0.1};

template <class Act>
std::string text_of_refusal(const Act& act) {
  try {
    act();
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "none";
}
constexpr auto not_separable =
    "method stormer_verlet with a field that is not separable (q' has to follow from t and p "
    "alone, "
    "p' from t and q) choose a method such as tsit5?";

}  // namespace

TEST_CASE("a splitting refuses an integral beside its two halves") {
  const auto one = with_quadrature(q, integrand{}, vec{0.0});
  CHECK(text_of_refusal([&] { solve(one, stormer_verlet{}, steps); }) ==
        "method stormer_verlet with a state of 5 numbers (its state is q and p, two equal halves) "
        "choose a method such as tsit5?");
  // Two of them make an even state, whose halves are not q and p.
  const auto two = with_quadrature(
      q, [](auto, const auto& y, const auto&, auto& dq) { dq[0] = y[0], dq[1] = y[3]; },
      vec{0.0, 0.0});
  CHECK(text_of_refusal([&] { solve(two, stormer_verlet{}, steps); }) == not_separable);
}

TEST_CASE("a splitting refuses the equations of adjoints that are not separable") {
  const auto pulled_by = [](const auto& adjoint) {
    return [adjoint] { solve(q, stormer_verlet{}, steps, adjoint).pullback(q.y0); };
  };
  CHECK(text_of_refusal(pulled_by(backsolve{})) == not_separable);
  CHECK(text_of_refusal(pulled_by(interpolating{})) == not_separable);
  CHECK(text_of_refusal(pulled_by(gauss{})) == "none");
}

TEST_CASE("interpolating refuses what holds the Jacobian of y alone") {
  using state = std::vector<double>;
  const problem chain{oscillators{}, state{0.6, 0.2, -0.3, 0.4}, 0.0, 1.0, vec{1.5, 0.4}};
  constexpr auto text =
      "interpolating with a band or a sparsity pattern (its adjoint equation carries the gradient "
      "of "
      "p along, outside of that) take gauss, whose linear systems have those of y?";
  const auto by = [&](const auto& algebra) {
    using L = std::remove_cvref_t<decltype(algebra)>;
    return [&] { solve(chain, with_algebra<radau_iia5, L>{{}, algebra}, {}, interpolating{}); };
  };
  CHECK(text_of_refusal(by(banded{3, 3})) == text);
  CHECK(text_of_refusal(by(eigen_sparse{std::make_shared<sparsity>(sparsity_of(chain))})) == text);
  CHECK(text_of_refusal(by(gmres<>{})) == "none");
  const switching<tsit5, with_algebra<rodas5p, banded>> pair{.stiff = {{}, banded{3, 3}}};
  CHECK(text_of_refusal([&] { solve(chain, pair, {}, interpolating{}); }) == text);
}

}  // namespace revode::combinations
