// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include <cli/run.hpp>

namespace revode::cli {
namespace {

TEST_CASE("the gradient has the same bits for every number of slots and every schedule") {
  const auto base = run("grad lorenz --json").json();

  CHECK(base["reverse"]["pulled_steps"] == base["stats"]["accepted"]);
  for (const char* choice :
       {"--slots 1", "--slots 7", "--slots 1000", "--budget 8KiB", "--budget 64KiB",
        "--schedule store_all", "--slots 5 --log controller", "--slots 9 --schedule online_seeded",
        "--slots 9 --schedule wang_moin", "--slots 90 --schedule mixed", "--schedule periodic",
        "--slots 20 --schedule two_tier --slow-slots 8 --spill .", "--schedule store_states",
        "--schedule nested --base 16", "--schedule nested --base 3"}) {
    CAPTURE(choice);
    const auto j = run(std::string("grad lorenz --json ") + choice).json();
    CHECK(j["gradient"] == base["gradient"]);
    CHECK(j["loss"] == base["loss"]);
    CHECK(j["y"] == base["y"]);
  }
}

TEST_CASE("the gradient over save points has the same bits for every number of slots") {
  const std::string loss = "grad arenstorf --json --loss squared --save-count 7 ";
  const auto base = run(loss + "--schedule store_all").json();

  CHECK(run(loss + "--slots 2").json()["gradient"] == base["gradient"]);
  CHECK(run(loss + "--schedule nested").json()["gradient"] == base["gradient"]);
}

TEST_CASE("grad of the rotation is that of the matrix exponential") {
  const auto j = run("grad rotation --rtol 1e-13 --atol 1e-13 --json").json();
  const double T = 10, c = std::cos(T), s = std::sin(T);
  // L = y1 + y2: λ(t) = (cos τ + sin τ, cos τ - sin τ), τ = T - t, and dL/dA_ij = ∫ λ_i y_j dt.
  const double cc = (T * c + s) / 2, sc = T * s / 2, ss = (s - T * c) / 2;
  const std::vector<double> p{cc + sc, sc + ss, cc - sc, sc - ss};

  CHECK(j["method"] == "dop853");
  CHECK(j["loss"].get<double>() == doctest::Approx(c + s).epsilon(1e-11));
  CHECK(j["gradient"]["y0"][0].get<double>() == doctest::Approx(c + s).epsilon(1e-11));
  CHECK(j["gradient"]["y0"][1].get<double>() == doctest::Approx(c - s).epsilon(1e-11));
  for (std::size_t i = 0; i < 4; ++i)
    CHECK(j["gradient"]["p"][i].get<double>() == doctest::Approx(p[i]).epsilon(1e-11));
  CHECK(j["gradient"]["t1"].get<double>() == doctest::Approx(c - s).epsilon(1e-9));
  CHECK(j["gradient"]["t0"].get<double>() == doctest::Approx(s - c).epsilon(1e-9));
}

TEST_CASE("the losses of a decay over its save points are sums of exponentials") {
  const std::string solve = "grad decay --rtol 1e-13 --atol 1e-13 --t1 2 --json ";
  const double e1 = std::exp(-1.0), e2 = std::exp(-2.0);
  const auto near = [](double x) { return doctest::Approx(x).epsilon(1e-10); };

  const auto at = run(solve + "--save-at 1,2").json();
  CHECK(at["loss"].get<double>() == near(e1 + e2));
  CHECK(at["gradient"]["p"][0].get<double>() == near(-e1 - 2 * e2));

  const auto squared = run(solve + "--loss squared --save-count 2").json();
  CHECK(squared["loss"].get<double>() == near(1 + e1 * e1 + e2 * e2));
  CHECK(squared["gradient"]["y0"][0].get<double>() == near(2 + 2 * e1 * e1 + 2 * e2 * e2));
  // The save points 0, 1, 2 are t0, (t0 + t1) / 2, t1 and move with them.
  CHECK(squared["gradient"]["t1"].get<double>() == near(-e1 * e1 - 2 * e2 * e2));

  const auto one = run("grad lorenz --loss component:2 --json").json();
  CHECK(one["loss"] == one["y"][2]);
}

TEST_CASE("--check finds forward and reverse mode in agreement") {
  for (const char* problem : {"lorenz --t1 2", "arenstorf --t1 5", "burgers_1d:20 --t1 0.05",
                              "lorenz --t1 2 --save-count 5 --method vern7",
                              "lorenz --t1 2 --save-at 0,0.7,2 --loss squared --fixed-step 0.01"}) {
    CAPTURE(problem);
    const auto check = run(std::string("grad --check --json ") + problem).json()["check"];
    CHECK(check["dot_product"]["difference"].get<double>() < 1e-12);
    CHECK(check["gradient"]["difference"].get<double>() < 1e-12);
  }
  const std::string text = run("grad lorenz --check").out;
  CHECK(text.find("dot product") != std::string::npos);
  CHECK(text.find("memory: snapshots 7.8 KiB + tapes 0 B + log 32.0 KiB + work") !=
        std::string::npos);
}

}  // namespace
}  // namespace revode::cli
