// SPDX-License-Identifier: Apache-2.0
// revode-bench-adjoint: error, time and memory of gradients of stiff solves.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include <revode/solvers/esdirk325.hpp>
#include <revode/solvers/esdirk547.hpp>
#include <revode/solvers/radau_iia5.hpp>
#include <revode/solvers/rodas5p.hpp>

#include "../processor_seconds.hpp"
#include "../words.hpp"
#include "report.hpp"

namespace revode::bench {
namespace {

constexpr const char* help =
    "usage: revode-bench-adjoint [options]\n"
    "\n"
    "Gradients of half the square of the end state's norm by all parameters of stiff problems:\n"
    "error against time and bytes, for settings of what is stored.\n"
    "\n"
    "  --problems A,B     of brusselator_2d:N (N x N cells), hires, rober\n"
    "                     (default: brusselator_2d:17,hires,rober)\n"
    "  --methods X,Y      of esdirk325, esdirk547, radau_iia5, rodas5p and, on the Brusselator,\n"
    "                     bosh3, tsit5, rock4 (default: all)\n"
    "  --tolerances R,S   relative tolerances (default: 1e-3,3e-4,1e-4,...,1e-7)\n"
    "  --error E          the error at which times and bytes are compared (default 1e-4)\n"
    "  --peers            also SUNDIALS CVODES, where this program was built with it\n"
    "  --repeats N        rounds of timing (default 5); the least counts\n"
    "  --longest SECONDS  after a gradient that took longer, tighter tolerances are left out\n"
    "                     (default 2)\n"
    "  --out FOLDER       where adjoint.json goes\n";

struct request {
  std::vector<selection> problems{{"brusselator_2d", 17}, {"hires"}, {"rober"}};
  std::vector<std::string> methods{};
  std::vector<double> tolerances{1e-3, 3e-4, 1e-4, 3e-5, 1e-5, 3e-6, 1e-6, 3e-7, 1e-7};
  double error = 1e-4, longest = 2;
  int repeats = 5;
  bool peers = false, help = false;
  std::string out{};
};

double number(const std::string& option, const std::string& text) {
  return positive_number(option, text, "1e-4");
}

selection problem_of(const std::string& word) {
  const std::string name = word.substr(0, word.find(':'));
  if (name == "hires" || name == "rober") return {name};
  if (name == "brusselator_2d") {
    const int width = word == name ? 17 : std::atoi(word.c_str() + name.size() + 1);
    if (width >= 2 && width <= 512) return {name, width};
  }
  throw std::invalid_argument("problem '" + word +
                              "' (not one of this benchmark) choose among brusselator_2d:N, "
                              "hires, rober?");
}

request parse(const std::vector<std::string>& words) {
  request r;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const auto value = [&]() -> const std::string& {
      if (i + 1 == words.size())
        throw std::invalid_argument(word + " without a value (it takes one) see --help?");
      return words[++i];
    };
    if (word == "--problems") {
      r.problems.clear();
      for (const auto& name : split(value())) r.problems.push_back(problem_of(name));
    } else if (word == "--methods") {
      r.methods = split(value());
    } else if (word == "--tolerances") {
      r.tolerances.clear();
      for (const auto& text : split(value())) r.tolerances.push_back(number(word, text));
      std::sort(r.tolerances.rbegin(), r.tolerances.rend());
    } else if (word == "--error") {
      r.error = number(word, value());
    } else if (word == "--longest") {
      r.longest = number(word, value());
    } else if (word == "--repeats") {
      r.repeats = static_cast<int>(std::ceil(number(word, value())));
    } else if (word == "--peers") {
      r.peers = true;
    } else if (word == "--out") {
      r.out = value();
    } else if (word == "--help" || word == "-h") {
      r.help = true;
    } else {
      throw std::invalid_argument("option " + word + " (unknown) see --help?");
    }
  }
  return r;
}

double distance(const std::vector<double>& x, const std::vector<double>& reference) {
  double rest = 0, size = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    rest += (x[i] - reference[i]) * (x[i] - reference[i]);
    size += reference[i] * reference[i];
  }
  return std::sqrt(rest / size);
}

curve measure(const contender& who, const request& r, const std::vector<double>& expected) {
  curve c{who.solver, who.setting, {}};
  for (const double rtol : r.tolerances) {
    std::vector<double> seconds;
    answer a;
    do {
      const double before = processor_seconds();
      a = who.gradient(rtol);
      seconds.push_back(processor_seconds() - before);
    } while (static_cast<int>(seconds.size()) < r.repeats && seconds.back() < r.longest);
    std::sort(seconds.begin(), seconds.end());
    point p{rtol, a.good ? distance(a.by_parameters, expected) : 0, seconds.front(),
            seconds[seconds.size() / 2], std::move(a)};
    p.of.by_state.clear();
    p.of.by_parameters.clear();
    c.points.push_back(std::move(p));
    const point& last = c.points.back();
    std::fprintf(stderr, "%s, %s, rtol %g: %.3g s, %zu KiB, error %.1e\n", who.solver.c_str(),
                 who.setting.c_str(), rtol, last.seconds, last.of.bytes / 1024, last.error);
    if (last.seconds > r.longest || (last.of.good && last.error < 0.03 * r.error)) break;
  }
  return c;
}

template <class M>
void add(const request& r, const selection& which, std::vector<contender>& all) {
  if (r.methods.empty() ||
      std::find(r.methods.begin(), r.methods.end(), M::name) != r.methods.end())
    add_method<M>(which, all);
}

int run(const std::vector<std::string>& words) {
  const request r = parse(words);
  if (r.help) return std::fputs(help, stdout), 0;
  std::vector<section> sections;
  std::vector<std::string> peers;
  for (const selection& which : r.problems) {
    std::vector<contender> all;
    add<esdirk325>(r, which, all);
    add<esdirk547>(r, which, all);
    add<radau_iia5>(r, which, all);
    add<rodas5p>(r, which, all);
    add_explicit(which, r.methods, all);
    const plain q = plain_problem(which);
    if (r.peers) peers = {add_cvodes(q, all)};
    const std::string size = which.width > 0 ? ":" + std::to_string(which.width) : "";
    section s{q.name + size, q.n, q.np, {}};
    const answer expected = reference(which);
    for (const contender& who : all) s.curves.push_back(measure(who, r, expected.by_parameters));
    print_table(s, r.error);
    sections.push_back(std::move(s));
  }
  if (!r.out.empty()) write(sections, peers, r.error, r.out);
  return 0;
}

}  // namespace
}  // namespace revode::bench

int main(int argc, char** argv) {
  return revode::status_of("revode-bench-adjoint", argc, argv, revode::bench::run);
}
