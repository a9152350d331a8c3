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

TEST_CASE("every adjoint gives the gradient, to the tolerance where it is not exact") {
  for (const auto& a : run("list adjoints --json").json()["adjoints"]) {
    const std::string name = a["name"];
    CAPTURE(name);
    const std::string words = "grad lotka_volterra --t1 5 --check --json --save-count 4 --rtol " +
                              std::string(name == "reversible" ? "1e-5" : "1e-8") + " --adjoint ";
    const outcome o = run(words + name);
    const auto j = o.json();
    const bool exact = a["exact"] == "exact";
    const double off = exact && name != "control_gradient_error" ? 1e-10 : 1e-5;  // on other steps
    CHECK(o.exit_status == 0);
    CHECK(j["status"] == "success");
    CHECK(j["check"]["dot_product"]["difference"].get<double>() < off);
    CHECK(j["check"]["gradient"]["difference"].get<double>() < off);
    if (name == "recursive_checkpoint") continue;
    CHECK(j["reverse"]["adjoint"] == name);
    CHECK(j["reverse"]["exact"] == exact);
    CHECK(j["reverse"]["status"] == "success");
    CHECK(j["reverse"]["vjp_evaluations"] > 0);
  }
}

TEST_CASE("backsolve says that it could not come back: no numbers, exit status 1") {
  const std::string decay = "grad decay --params 30 --t1 1 --adjoint backsolve";
  const outcome o = run(decay + " --json");
  const auto j = o.json();
  CHECK(o.exit_status == 1);
  CHECK(j["status"] == "reconstruction_failure");
  CHECK(j["loss"].is_null());
  CHECK(j["gradient"].is_null());
  CHECK(j["reverse"]["status"] == "reconstruction_failure");
  CHECK(j["reverse"]["reconstruction_error"] > 1000);
  CHECK(run(decay).out.find("no gradient: the reverse pass ended with reconstruction_failure") !=
        std::string::npos);

  const outcome lorenz = run("grad lorenz --t1 5 --adjoint backsolve --json");
  CHECK(lorenz.exit_status == 1);
  CHECK(lorenz.json()["gradient"].is_null());
  CHECK(run("grad lorenz --t1 5 --adjoint gauss").exit_status == 0);
}

TEST_CASE("interpolating keeps a state every so many steps, and gives nearly the same") {
  const std::string words = "grad lorenz --json --adjoint interpolating";
  const auto all = run(words).json(), some = run(words + " --interval 20").json();

  CHECK(all["reverse"]["peak_states"] == 0);
  CHECK(some["reverse"]["peak_states"] > 3);
  CHECK(some["reverse"]["peak_bytes"] < all["reverse"]["peak_bytes"]);
  CHECK(some["gradient"] == all["gradient"]);
}

TEST_CASE("a continuous adjoint goes through the jumps of a problem's field") {
  const std::string words = "grad medakzo:4 --t1 6 --rtol 1e-8 --method tsit5 --json --adjoint ";
  const auto exact = run(words + "recursive_checkpoint").json(),
             gauss = run(words + "gauss").json();
  for (std::size_t i = 0; i < 2; ++i)
    CHECK(gauss["gradient"]["p"][i].get<double>() ==
          doctest::Approx(exact["gradient"]["p"][i].get<double>()).epsilon(1e-4));
}

TEST_CASE("reversible keeps no states and chooses the method that it needs") {
  const auto j = run("grad lotka_volterra --t1 5 --adjoint reversible --json").json();

  CHECK(j["method"] == "reversible_heun");
  CHECK(j["reverse"]["peak_states"] == 0);
  CHECK(j["reverse"]["pulled_steps"] == j["stats"]["accepted"]);
}

TEST_CASE("control_gradient_error gives a gradient that the steps of y alone are far from") {
  const std::string words = "grad vdpol_stiff --rtol 1e-4 --atol 1e-4 --unresolved inf --json";
  const auto off = [&](const std::string& more) {
    const double p = run(words + more).json()["gradient"]["p"][0];
    return std::abs(p / 855.5667 - 1);
  };
  CHECK(off("") > 1);
  CHECK(off(" --adjoint control_gradient_error") < 1e-3);
  CHECK(off(" --adjoint control_gradient_error --method rodas5p") < 1e-3);
  const std::string ball = "grad bouncing_ball --json";
  const auto bounces = run(ball + " --adjoint control_gradient_error").json(),
             plain = run(ball).json();
  for (std::size_t i = 0; i < 2; ++i)
    CHECK(bounces["gradient"]["p"][i].get<double>() ==
          doctest::Approx(plain["gradient"]["p"][i].get<double>()).epsilon(1e-10));
}

TEST_CASE("misuse of adjoints says what to do") {
  const std::vector<std::pair<std::string, std::string>> all{
      {"grad lorenz --adjoint baksolve",
       "unknown adjoint 'baksolve' (not in the list of adjoints) did you mean 'backsolve'?"},
      {"grad lorenz --adjoint backsolve --method vern7",
       "adjoint backsolve with method vern7 (in this command it goes with tsit5, dop853) choose "
       "one of these, or the adjoint recursive_checkpoint?"},
      {"grad rober --adjoint gauss",
       "adjoint gauss with method radau_iia5 (in this command it goes with tsit5) choose one of "
       "these, or the adjoint recursive_checkpoint?"},
      {"grad lorenz --adjoint control_gradient_error --method vern7",
       "adjoint control_gradient_error with method vern7 (in this command it goes with tsit5, "
       "rodas5p, radau_iia5) choose one of these, or the adjoint recursive_checkpoint?"},
      {"grad lorenz --adjoint control_gradient_error --fixed-step 0.1",
       "control_gradient_error with fixed_step = 0.100000 (steps that are given have no error norm "
       "for a tangent to join) leave it out, or push the tangents alone?"},
      {"grad lorenz --adjoint gauss --slots 3",
       "--slots with the adjoint gauss (only recursive_checkpoint has a schedule) leave it out, or "
       "choose recursive_checkpoint?"},
      {"grad lorenz --adjoint backsolve --interval 3",
       "--interval with the adjoint backsolve (it keeps no states) leave it out, or choose "
       "interpolating?"},
      {"grad lorenz --adjoint gauss --interval -3",
       "gauss with every = -3 (steps between snapshots; 0 keeps all steps) give every >= 0?"},
      {"grad medakzo:9 --adjoint reversible --method reversible_heun",
       "adjoint reversible with medakzo:9 (its field jumps at known times, where its steps cannot "
       "be undone) choose recursive_checkpoint?"},
      {"grad bouncing_ball --adjoint backsolve --method dop853",
       "adjoint backsolve with method dop853 (in this command it goes with tsit5 through events) "
       "choose one of these, or the adjoint recursive_checkpoint?"},
      {"grad bouncing_ball --adjoint reversible",
       "adjoint reversible with events (its steps cannot be undone through a jump) choose "
       "recursive_checkpoint?"},
      {"grad brusselator --adjoint steady_state",
       "adjoint steady_state in this command (it differentiates a state at rest, and no named "
       "problem is solved for one) call solve(q, m, o, steady_state{}) of the library?"}};
  for (const auto& [words, text] : all) {
    const auto& the_words = words;
    CAPTURE(the_words);
    const outcome o = run(words);
    CHECK(o.exit_status == 2);
    CHECK(o.err == text + "\n");
    CHECK(o.out.empty());
  }
}

}  // namespace
}  // namespace revode::cli
