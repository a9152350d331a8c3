// SPDX-License-Identifier: Apache-2.0
// revode-bench-large: solves and gradients of large systems by stabilised, Krylov and direct methods.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <stdexcept>

#include "../words.hpp"
#include "report.hpp"

namespace revode::large {
namespace {

constexpr const char* help =
    "usage: revode-bench-large [options]\n"
    "\n"
    "Solves of large systems and gradients of half the square of the end state's norm (20 slots):\n"
    "digits against time, bytes and calls, by stabilised, Krylov and direct methods.\n"
    "\n"
    "  --families A,B     of heat_2d, brusselator_2d, advection_diffusion_3d, brusselator_graph\n"
    "                     (default: all)\n"
    "  --largest N        the most unknowns (default 1e6); some 500, 1e4, 1e5 and 1e6 are there\n"
    "  --gradients N      the most unknowns of which gradients are measured (default: all)\n"
    "  --tolerances R,S   relative and absolute tolerances (default: 1e-3,1e-4,...,1e-8)\n"
    "  --digits D         tighter tolerances than reach so many are left out (default 6.3)\n"
    "  --longest SECONDS  of the processor: after a solve that took longer tighter tolerances are\n"
    "                     left out, and a solver that would take longer at the next size, times\n"
    "                     growing with n to the 1.5th power, is left out there (default 10)\n"
    "  --repeats N        rounds of timing (default 3); the least counts\n"
    "  --peers            also SUNDIALS and PETSc, where this program was built with them\n"
    "  --out FOLDER       where large.json goes\n";

struct request {
  std::vector<std::string> families{};
  double largest = 1e6, gradients = 1e6;
  wpd::effort how{{1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8}, 3, 10, 2e-3, 6.3};
  bool peers = false, help = false;
  std::string out{}, command = "revode-bench-large";
};

double number(const std::string& option, const std::string& text) {
  return positive_number(option, text, "1e5");
}

std::vector<std::string> known_families(const std::string& text) {
  const std::vector<std::string> asked = split(text);
  for (const std::string& name : asked)
    if (!wpd::contest::among(families(), name))
      throw std::invalid_argument("family '" + name +
                                  "' (not one of this benchmark) choose among heat_2d, "
                                  "brusselator_2d, advection_diffusion_3d, brusselator_graph?");
  return asked;
}

request parse(const std::vector<std::string>& given) {
  request r;
  std::vector<std::string> words;
  for (const std::string& word : given) {  // --option=value as well
    r.command += " " + word;
    const auto at = word.find('=');
    words.push_back(word.substr(0, at));
    if (at != std::string::npos) words.push_back(word.substr(at + 1));
  }
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const auto value = [&]() -> const std::string& {
      if (i + 1 == words.size())
        throw std::invalid_argument(word + " without a value (it takes one) see --help?");
      return words[++i];
    };
    if (word == "--families") {
      r.families = known_families(value());
    } else if (word == "--largest") {
      r.largest = number(word, value());
    } else if (word == "--gradients") {
      r.gradients = number(word, value());
    } else if (word == "--tolerances") {
      r.how.tolerances.clear();
      for (const auto& text : split(value())) r.how.tolerances.push_back(number(word, text));
      std::sort(r.how.tolerances.rbegin(), r.how.tolerances.rend());
    } else if (word == "--digits") {
      r.how.enough = number(word, value());
    } else if (word == "--longest") {
      r.how.longest = number(word, value());
    } else if (word == "--repeats") {
      r.how.repeats = static_cast<int>(std::ceil(number(word, value())));
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

/// All methods of the enumeration, to its last.
template <int M = 0>
void add_methods(const task& q, contenders& all) {
  add_method<static_cast<method>(M)>(q, all);
  if constexpr (M < static_cast<int>(method::bdf_banded)) add_methods<M + 1>(q, all);
}

double digits(double error) { return -std::log10(error < 1e-17 ? 1e-17 : error); }

/// |x − r| / |r| of elements from first to last.
double distance(const numbers& x, const numbers& r, std::size_t first, std::size_t last) {
  double off = 0, whole = 0;
  for (std::size_t i = first; i < last; ++i) {
    off += (x[i] - r[i]) * (x[i] - r[i]);
    whole += r[i] * r[i];
  }
  return std::sqrt(off / whole);
}

/// Of solves the largest error beside 1 + |y|, of gradients that of the part, by the start or by the
/// parameters, which is further off as a quotient of norms.
wpd::task judge(const task& q, numbers expected, bool gradient) {
  const auto n = static_cast<std::size_t>(q.n);
  const auto of = [n, gradient, r = std::move(expected)](const numbers& x, double) {
    if (x.size() != r.size()) return 0.0;
    if (gradient) return digits(std::fmax(distance(x, r, 0, n), distance(x, r, n, r.size())));
    double worst = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double error = std::abs(x[i] - r[i]) / (1 + std::abs(r[i]));
      worst = error <= worst ? worst : error;  // a NaN is the worst
    }
    return digits(worst);
  };
  return {q.name, q.n, of, [of](const numbers& x) { return of(x, 0); }};
}

/// Least seconds of the loosest tolerance of what ran at a family's last size.
struct ladder {
  double longest;
  std::map<std::string, std::pair<int, double>> last{};
  std::vector<std::string> left_out{};

  std::vector<wpd::contender> climb(const task& q, const char* kind,
                                    std::vector<wpd::contender> all) {
    std::erase_if(all, [&](const wpd::contender& who) {
      const auto before = last.find(key(q.family, kind, who.solver));
      if (before == last.end()) return false;
      const auto [n, seconds] = before->second;
      const double expected = seconds * std::pow(static_cast<double>(q.n) / n, 1.5);
      if (expected <= longest) return false;
      left_out.push_back(q.name + ", " + kind + ", " + who.solver);
      return true;
    });
    for (wpd::contender& who : all) who.problem = q.name;
    return all;
  }
  void note(const task& q, const char* kind, const std::vector<wpd::curve>& curves) {
    for (const wpd::curve& c : curves)
      last[key(q.family, kind, c.solver)] = {q.n, c.points.front().least};
  }
  static std::string key(const std::string& family, const char* kind, const std::string& solver) {
    return family + "/" + kind + "/" + solver;
  }
};

/// By rock4 at tolerances whose error is below a hundredth of what is looked for.
struct reference {
  numbers y, gradient;
  double seconds = 0;
};
reference make_reference(const task& q, bool gradient) {
  contenders all;
  add_method<method::rock4>(q, all);
  reference r;
  constexpr double rtol = 1e-9;
  const std::clock_t before = std::clock();
  r.y = all.solves[0].solve(rtol).y;
  if (gradient) r.gradient = all.gradients[0].solve(rtol).y;
  r.seconds = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
  return r;
}

section measured(const task& q, const request& r, ladder& at, std::vector<std::string>& peers) {
  contenders all;
  add_methods(q, all);
  if (r.peers) peers = {add_cvode(q, all), add_petsc(q, all)};
  const bool gradients = q.n <= 1.01 * r.gradients;
  const reference known = make_reference(q, gradients);
  section s{q.name,
            q.family,
            q.n,
            static_cast<int>(q.p.size()),
            q.pattern->colours(),
            q.pattern->entries(),
            q.pattern_seconds,
            known.seconds,
            {},
            {}};
  s.solves = wpd::measure(judge(q, known.y, false), at.climb(q, "solve", all.solves), r.how);
  at.note(q, "solve", s.solves);
  if (!gradients) return s;
  s.gradients =
      wpd::measure(judge(q, known.gradient, true), at.climb(q, "gradient", all.gradients), r.how);
  at.note(q, "gradient", s.gradients);
  return s;
}

int run(const std::vector<std::string>& words) {
  const request r = parse(words);
  if (r.help) return std::fputs(help, stdout), 0;
  ladder at{r.how.longest};
  std::vector<section> sections;
  std::vector<std::string> peers;
  for (const size& which : sizes(r.families, r.largest)) {
    const task q = make_task(which);
    sections.push_back(measured(q, r, at, peers));
    print(sections.back());
    if (!r.out.empty()) write(sections, peers, at.left_out, r.command, r.out);  // so far
  }
  for (const std::string& name : at.left_out) std::printf("left out: %s\n", name.c_str());
  return 0;
}

}  // namespace
}  // namespace revode::large

int main(int argc, char** argv) {
  return revode::status_of("revode-bench-large", argc, argv, revode::large::run);
}
