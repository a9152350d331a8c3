// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <cli/run.hpp>

// revode grad --check where the two modes are not the same number: told where it is more than rounding, silent
// where the numbers are what is left of terms that cancel.

namespace revode::cli {
namespace {

namespace fs = std::filesystem;

/// A problem in a shared library whose vjp is the field's where p₁ = 1, and p₁ times too large in an entry.
constexpr const char* with_own_vjp = R"(
#include <revode/problems/plugin.hpp>
struct chain {
  static constexpr const char* name = "chain";
  static constexpr double t0 = 0, t1 = 1;
  auto y0() const { return revode::vec<double, 2>{1, 2}; }
  auto parameters() const { return revode::vec<double, 2>{0.5, 1}; }
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    dy[0] = -(p[0] * y[0]);
    dy[1] = p[0] * y[0];
  }
  template <class T, class Y, class P, class W, class GT, class GY, class GP>
  void vjp(const T&, const Y& y, const P& p, const W& w, GT&, GY& gy, GP& gp) const {
    gy[0] += p[0] * (p[1] * w[1] - w[0]);
    gp[0] += y[0] * (w[1] - w[0]);
  }
};
REVODE_PROBLEM(chain)
)";

/// Compiled with the headers that the command compiles models with.
class compiled_problem {
 public:
  compiled_problem()
      : folder_(fs::temp_directory_path() / ("revode_cli_vjp_" + std::to_string(getpid()))) {
    fs::create_directories(folder_);
    const fs::path source = folder_ / "chain.cpp";
    std::ofstream(source) << with_own_vjp;
    std::istringstream known(content(fs::path(REVODE_COMMAND).parent_path() / "revode.include"));
    std::string line = "${CXX:-c++} -std=c++20 -DNDEBUG -fPIC -shared -w";
#if defined(__SANITIZE_ADDRESS__)
    line += " -fsanitize=address";
#endif
    for (std::string include; std::getline(known, include, ':');) {
      if (include.ends_with('\n')) include.pop_back();
      line += " -I'" + include + "'";
    }
    line += " -o '" + library() + "' '" + source.string() + "'";
    REQUIRE(std::system(line.c_str()) == 0);
  }
  compiled_problem(const compiled_problem&) = delete;
  compiled_problem& operator=(const compiled_problem&) = delete;
  ~compiled_problem() { fs::remove_all(folder_); }

  std::string library() const { return (folder_ / "libchain.so").string(); }

 private:
  fs::path folder_;
};

}  // namespace

TEST_CASE("--check tells of a vjp that is not the field's: exit status 1 and a line") {
  const compiled_problem chain;
  for (const char* method : {"tsit5", "rodas5p", "bdf5"}) {
    CAPTURE(method);
    const std::string words =
        "grad '" + chain.library() + "' --unresolved inf --check --method " + method;
    const outcome right = run(words + " --json");
    CHECK(right.exit_status == 0);
    CHECK(right.err.empty());
    CHECK(right.json()["check"]["agrees"] == true);

    const outcome wrong = run(words + " --params 0.5,1.01 --json");
    CHECK(wrong.exit_status == 1);
    CHECK(wrong.json()["check"]["agrees"] == false);
    CHECK(wrong.json()["check"]["limit"] == 1e-5);
    CHECK(wrong.json()["status"] == "success");
  }
  const outcome twice = run("grad '" + chain.library() + "' --check --params 0.5,2");
  CHECK(twice.exit_status == 1);
  CHECK(twice.err ==
        "reverse and forward mode differ by 0.14 of the terms of the dot product (more than 1e-05: "
        "the field's vjp and jvp do not belong together, or the steps magnify rounding) leave its "
        "own derivatives out, or take tighter tolerances or another method?\n");
  CHECK(twice.out.find("difference  of the terms\n") != std::string::npos);
}

TEST_CASE("--check tells of rounding that steps beyond their stability magnify") {
  const std::string words = "grad pollu --rtol 1e-4 --unresolved inf --check --method ";
  const outcome magnified = run(words + "tsit5_rodas5p");
  CHECK(magnified.exit_status == 1);
  CHECK(magnified.err.find("or the steps magnify rounding") != std::string::npos);
  CHECK(run(words + "rodas5p").exit_status == 0);
}

TEST_CASE("--check is silent where both modes are the rest of terms that cancel") {
  // The sum of rober_dae is 1 whatever its inputs: its gradient is 0, and rounding in forward mode.
  const outcome sum = run(
      "grad rober_dae --method rodas5p --rtol 1e-8 --atol 1e-8 --unresolved inf --check --json");
  const auto gradient = sum.json()["check"]["gradient"];
  CHECK(sum.exit_status == 0);
  CHECK(sum.err.empty());
  CHECK(gradient["difference"].get<double>() > 0.1);
  CHECK(gradient["terms"].get<double>() > 1e9 * std::abs(gradient["forward"].get<double>()));
}

TEST_CASE("--check holds an adjoint of the differential equation to half the digits") {
  const std::string words = "grad lorenz --t1 20 --unresolved inf --check --adjoint gauss --rtol ";
  const outcome loose = run(words + "1e-3");
  CHECK(loose.exit_status == 1);
  CHECK(loose.err.find(" of the terms of the dot product (more than 0.032: the adjoint gauss "
                       "follows the differential equation, forward mode the steps taken) tighten "
                       "the tolerances, or choose recursive_checkpoint?\n") != std::string::npos);
  CHECK(run(words + "1e-8").exit_status == 0);

  // The steps of y alone have another derivative, far from the differential equation's.
  const outcome other =
      run("grad vdpol_stiff --adjoint control_gradient_error --rtol 1e-4 --unresolved inf --check "
          "--json");
  CHECK(other.exit_status == 0);
  CHECK(other.json()["check"]["limit"].is_null());
  CHECK(other.json()["check"]["gradient"]["difference"].get<double>() > 0.1);
}

TEST_CASE("--check stands beside what else went wrong: a line each") {
  const outcome o = run("grad pollu --rtol 1e-4 --check --unresolved 0 --method tsit5_rodas5p");
  CHECK(o.exit_status == 1);
  CHECK(o.err.find("the reverse pass ended with gradient_not_resolved") == 0);
  CHECK(o.err.find("\nreverse and forward mode differ by ") != std::string::npos);
}

}  // namespace revode::cli
