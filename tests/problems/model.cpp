// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include <unistd.h>

#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/problems/catalog.hpp>
#include <revode/problems/erased_massive_field.hpp>
#include <revode/problems/lotka_volterra.hpp>
#include <revode/solvers/rodas5p.hpp>
#include <revode/solvers/tsit5.hpp>

// Models in text files: what they compute, and where they are refused.

namespace revode {
namespace {

namespace fs = std::filesystem;

/// A folder for a test, gone behind it; models are compiled into it.
class folder {
 public:
  folder() : path_(fs::temp_directory_path() / ("revode_models_" + std::to_string(getpid()))) {
    fs::create_directories(path_);
    setenv("REVODE_CACHE", path_.c_str(), 1);
    setenv("REVODE_INCLUDE", REVODE_HEADERS, 1);
  }
  folder(const folder&) = delete;
  folder& operator=(const folder&) = delete;
  ~folder() { fs::remove_all(path_); }

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
    return (path_ / name).string();
  }

 private:
  fs::path path_;
};

std::string refusal(const std::string& text) {
  const folder here;
  const std::string path = here.write("m.ode", text);
  try {
    make_problem(path);
  } catch (const std::invalid_argument& e) {
    return std::string(e.what()).substr(path.size() - 5);
  }
  return "accepted";
}

problem<erased_field&, Eigen::VectorXd, Eigen::VectorXd> of(erased_problem& q) {
  return {q.f, q.y0, q.t0, q.t1, q.p};
}

}  // namespace

TEST_CASE("a model has the bits of the same field in C++, and of its gradient") {
  const folder here;
  erased_problem model = make_problem(here.write("prey.ode", R"(title Prey and predators
source Lotka 1925
time 0 .. 10
parameter a = 1.5, b = 1,
          c = 3, d = 1        # a comment
state x = 1, y = 1
let meetings = x * y
x' = a * x - b * meetings
y' = d * meetings - c * y
plot y over x
)"));
  erased_problem named = make_problem("lotka_volterra");
  CHECK(model.name == "prey");
  CHECK(model.title == "Prey and predators");
  CHECK(model.source == "Lotka 1925");
  CHECK(model.labels == named.labels);
  CHECK(model.drawn == std::vector{1});
  CHECK(model.drawn_over == 0);
  const auto gradient = [](erased_problem& q, const auto& method) {
    return solve(of(q), method, {.rtol = 1e-8}, recursive_checkpoint{.slots = 5})
        .pullback(Eigen::VectorXd{Eigen::Vector2d{1, 2}});
  };
  CHECK(solve(of(model), tsit5{}, {}).y == solve(of(named), tsit5{}, {}).y);
  CHECK(gradient(model, tsit5{}).p == gradient(named, tsit5{}).p);
  CHECK(gradient(model, rodas5p{}).p == gradient(named, rodas5p{}).p);  // second derivatives
}

TEST_CASE("an algebraic equation of a model stands for a state that has no slope") {
  const folder here;
  const erased_problem q = make_problem(here.write(
      "sum.ode", "time 0 .. 1\nstate a = 1, b = 2, c = 3\n0 = a + b - c\na' = -a\nc' = b\n"));
  REQUIRE(q.has_mass());
  const erased_massive_field f(q.f);
  Eigen::VectorXd dy(3);
  f(0.0, q.y0, q.p, dy);
  CHECK(dy == Eigen::VectorXd{Eigen::Vector3d{-1, 0, 2}});
  mass_matrix m(f);
  m.resize(3);
  CHECK(m.row(0).size() == 1);
  CHECK(m.row(1).empty());
  CHECK(m.row(2).size() == 1);
}

TEST_CASE("a model says of which index its states are") {
  const folder here;
  const erased_problem q = make_problem(
      here.write("rod.ode", "time 0 .. 1\nstate x = 0, z = 1\nindex z = 2\nx' = z\n0 = x - t\n"));
  REQUIRE(q.has_mass());
  CHECK(erased_massive_field(q.f).index() == std::vector{1, 2});
}

TEST_CASE("every operator and function of a model means what it says") {
  const folder here;
  const erased_problem q = make_problem(here.write("all.ode", R"(time -1 .. 2 * 3
constant half = 1 / 2, none = -0
parameter p = 0.3, q = -1e-2
state a = half, b = -2, c = 0.25 + 2^-2
let s = sin(a) + cos(b) * tan(c) - asin(c) / acos(c) + atan(b) - none
let h = sinh(a) - cosh(b) + tanh(c) + exp(p) - expm1(q) + log(a) + log1p(c)
let k = asinh(b) - acosh(3) + atanh(c) + exp2(a) - log2(a) + log10(c) - cbrt(b) + erf(a) - erfc(b)
a' = s + h + k + sqrt(c) + abs(b) + min(a, b) - max(b, 3) + atan2(b, a) + hypot(a, b)
b' = -a^2 + a^-3 - 2^a^b + c^1.5 - -b
c' = if(a < b or not (b >= c) and t > 0, a - b - c, t * a / b / c) + pi
)"));
  CHECK(q.t0 == -1);
  CHECK(q.t1 == 6);
  CHECK(q.y0 == Eigen::Vector3d{0.5, -2, 0.5});
  for (const double t : {-1.0, 2.0}) {
    const double a = 0.5, b = -2, c = 0.5, p = 0.3, r = -1e-2;
    Eigen::VectorXd dy(3);
    q.f(t, q.y0, q.p, dy);
    const double s =
        std::sin(a) + std::cos(b) * std::tan(c) - std::asin(c) / std::acos(c) + std::atan(b);
    const double h = std::sinh(a) - std::cosh(b) + std::tanh(c) + std::exp(p) - std::expm1(r) +
                     std::log(a) + std::log1p(c);
    const double k = std::asinh(b) - std::acosh(3) + std::atanh(c) + std::exp2(a) - std::log2(a) +
                     std::log10(c) - std::cbrt(b) + std::erf(a) - std::erfc(b);
    CHECK(dy[0] ==
          s + h + k + std::sqrt(c) + std::abs(b) + b - 3.0 + std::atan2(b, a) + std::hypot(a, b));
    CHECK(dy[1] == -(a * a) + 1 / (a * a * a) - std::pow(2, std::pow(a, b)) + std::pow(c, 1.5) + b);
    CHECK(dy[2] == (t > 0 ? a - b - c : t * a / b / c) + M_PI);
  }
}

TEST_CASE("a long model is compiled by clang++ as well") {
  if (std::system("clang++ --version > /dev/null 2>&1") != 0) return;
  const char* compiler = std::getenv("CXX");
  const std::string before = compiler == nullptr ? "" : compiler;
  const folder here;
  std::string text = "time 0 .. 1\n";
  for (int i = 0; i < 200; ++i) {
    const std::string x = "x" + std::to_string(i), last = "x" + std::to_string(i > 0 ? i - 1 : 0);
    text += "state " + x + " = 1\n" + x + "' = " + last + " - 2 * " + x + " * " + last + "\n";
  }
  setenv("CXX", "clang++", 1);
  const erased_problem q = make_problem(here.write("long.ode", text));
  if (compiler == nullptr)
    unsetenv("CXX");
  else
    setenv("CXX", before.c_str(), 1);
  Eigen::VectorXd dy(200);
  q.f(0.0, q.y0, q.p, dy);
  CHECK(dy == Eigen::VectorXd::Constant(200, -1.0));
}

TEST_CASE("events of a model: a ball that bounces, stops, and is told of") {
  const folder here;
  const erased_problem q = make_problem(here.write("ball.ode", R"(time 0 .. 2.4
stiff, atol = 1e-4 * rtol
discontinuity 0.5, 1
parameter g = 9.81, restitution = 0.8
state height = 1, speed = 0
height' = speed
speed' = -g
event bounce when height falls below 0 then speed = -restitution * speed
event top when speed falls below 0 then continue, height = height + 1e-3
event far when height rises above 2 * 5 then stop
)"));
  const erased_problem ball = make_problem("bouncing_ball");
  REQUIRE(q.events.each.size() == 3);
  CHECK(q.events.each[0].direction == crossing::falling);
  CHECK(q.events.each[1].passes);
  CHECK(q.events.each[2].terminal);
  CHECK(q.events.each[2].condition(0.0, q.y0, q.p) == -9);
  CHECK(q.atol(1e-3) == 1e-4 * 1e-3);
  CHECK(q.jumps == std::vector{0.5, 1.0});
  const options o{.rtol = 1e-8};
  const problem<const erased_field&, Eigen::VectorXd, Eigen::VectorXd> of_model{q.f, q.y0, 0, 2.4,
                                                                                q.p},
      of_ball{ball.f, ball.y0, 0, 2.4, ball.p};
  const auto one = solve(of_model, tsit5{}, o, events(erased_events{{q.events.each[0]}}));
  CHECK(one.y == solve(of_ball, tsit5{}, o, events(ball.events)).y);
  CHECK(one.events.size() == 4);
}

TEST_CASE("a dose of a model at a time is no jump that stays on its surface") {
  const folder here;
  erased_problem q = make_problem(here.write("dose.ode", R"(time 0 .. 3
parameter first = 1
state x = 1
let late = t - first
let level = x + late
x' = -x
event dose when late rises above 0 then x = x + 1
event full when level rises above 9 then x = 0
)"));
  REQUIRE(q.events.each.size() == 2);
  CHECK(q.events.each[0].passes);
  CHECK_FALSE(q.events.each[1].passes);
  const auto s = solve(of(q), tsit5{}, options{.rtol = 1e-10, .atol = 1e-10}, events(q.events));
  CHECK(s.status == status::success);
  CHECK(s.events.size() == 1);
  CHECK(s.y[0] == doctest::Approx(std::exp(-3.0) + std::exp(-2.0)).epsilon(1e-8));
}

TEST_CASE("a model is refused by line and column, with what to do") {
  const std::string begin = "time 0 .. 1\nstate x = 1\n";
  CHECK(refusal(begin + "parameter gamma = 1\nx' = gama * x") ==
        "m.ode:4:6: unknown name 'gama' (it is not declared above) did you mean 'gamma'?");
  CHECK(refusal(begin + "x' = 2 x") ==
        "m.ode:3:8: unexpected 'x' (products are written with *, and a line is one statement) put "
        "* before it?");
  CHECK(refusal(begin + "x' = x +\n\n)") ==
        "m.ode:5:1: unexpected ')' (a number, a name or a parenthesis is needed) write that?");
  CHECK(refusal(begin + "x' = (x") ==
        "m.ode:3:8: unexpected end of the line (a closing parenthesis is needed) write that?");
  CHECK(refusal(begin + "x' = x < 1") ==
        "m.ode:3:6: a condition in place of a number (it is true or false) write if(condition, a, "
        "b)?");
  CHECK(refusal(begin + "x' = if(x, 1, 2)") ==
        "m.ode:3:9: a number in place of a condition (it is neither true nor false) compare it, as "
        "in x > 0?");
  CHECK(refusal(begin + "x' = if(1 < x < 2, 1, 2)") ==
        "m.ode:3:15: a comparison of comparisons (a < b < c has no meaning here) write a < b and b "
        "< c?");
  CHECK(refusal(begin + "x' = sin(x, 1)") ==
        "m.ode:3:6: sin with 2 operands (it takes 1) give that many?");
  CHECK(refusal(begin) == "m.ode:3:1: no equation for state 'x' (each has one) add x' = 0?");
  CHECK(refusal(begin + "x' = 1\n0 = x - 1") ==
        "m.ode:4:1: an algebraic equation too many (each stands for a state without NAME' =, and "
        "the others have all) leave it out?");
  CHECK(refusal(begin + "x' = 1\nindex x = 2") ==
        "m.ode:4:7: an index without an algebraic equation (states of x' = … are all of index 1) "
        "leave it out, or write 0 = …?");
  CHECK(refusal(begin + "0 = x\nindex x = 4") ==
        "m.ode:4:7: an index of 'x' that is not 1, 2 or 3 (how often its equations are "
        "differentiated until they give it) give one of them?");
  CHECK(refusal("time 0 .. 1\nstate x = 1, y = 1\n0 = x - y") ==
        "m.ode:3:10: no equation for state 'y' (each has one) add y' = 0?");
  CHECK(refusal(begin + "0 x") ==
        "m.ode:3:3: unexpected 'x' ('=': an algebraic equation is written 0 = … is needed) write "
        "that?");
  CHECK(refusal(begin + "x' = 1\nx' = 2") ==
        "m.ode:4:1: a second equation for 'x' (the first is in line 3) leave one out?");
  CHECK(refusal(begin + "y' = 1") ==
        "m.ode:3:1: an equation for 'y' (it is no state declared above) write state y = VALUE "
        "before it?");
  CHECK(refusal(begin + "stat y = 1") ==
        "m.ode:3:1: unknown beginning of a line 'stat' (a line begins with a word such as state, "
        "or with NAME' =) "
        "did you mean 'state'?");
  CHECK(refusal("state x = 1\nx' = 1") ==
        "m.ode:2:7: no time (a model says from when to when it is solved) add time 0 .. 10?");
  CHECK(refusal("") ==
        "m.ode:1:1: a model without states (there is nothing to solve) declare state x = 1?");
  CHECK(refusal(begin + "parameter x = 1") ==
        "m.ode:3:11: a second 'x' (it is declared in line 2) choose another name?");
  CHECK(refusal(begin + "parameter stop = 1") ==
        "m.ode:3:11: the name 'stop' (the word has a meaning in models) choose another?");
  for (const std::string word : {"erf", "log10", "asinh", "if"})
    CHECK(refusal(begin + "parameter " + word + " = 1") ==
          "m.ode:3:11: the name '" + word + "' (the word has a meaning in models) choose another?");
  CHECK(refusal(begin + "state z = x") ==
        "m.ode:3:11: an expression that is not constant (numbers, constants and functions of them "
        "are needed here) "
        "give a number?");
  CHECK(refusal(begin + "state z = 1/0") ==
        "m.ode:3:11: an expression without a finite value (it is inf) give another?");
  CHECK(refusal(begin + "state z = 1e999") ==
        "m.ode:3:11: number '1e999' (it is none that a double can hold) give another?");
  CHECK(refusal(begin + "x' = x & 1") ==
        "m.ode:3:8: character '&' (names are of letters a to z, digits and _) write it otherwise?");
  CHECK(refusal(begin + "event e when x drops below 0") ==
        "m.ode:3:16: unexpected 'drops' ('crosses': what is looked at rises above, falls below or "
        "crosses a value "
        "is needed) write that?");
  CHECK(refusal(begin + "x' = " + std::string(200, '(') + "x") ==
        "m.ode:3:106: an expression that is nested too deep (more than 100 levels) name a part of "
        "it by let?");
  std::string sum = "x' = x";
  for (int i = 0; i < 2500; ++i) sum += " + x";
  CHECK(refusal(begin + sum).find("an expression of more than 2000 terms in a row") !=
        std::string::npos);
}

TEST_CASE("files that are no problems are told") {
  CHECK_THROWS_WITH_AS(
      make_problem("/nowhere/a.ode"),
      "cannot read model '/nowhere/a.ode' (there is no such file) give the path of one?",
      std::invalid_argument);
  const folder here;
  const std::string broken = here.write("libbroken.so", "no library");
  CHECK_THROWS_AS(make_problem(broken), std::invalid_argument);
}

}  // namespace revode
