// SPDX-License-Identifier: Apache-2.0
// revode-bench-peers: one round of all C++ contenders, as JSON for run.py.
#include <cstdio>
#include <fstream>
#include <stdexcept>

#include <nlohmann/json.hpp>

#include <revode/solvers/dop853.hpp>
#include <revode/solvers/tsit5.hpp>
#include <revode/solvers/vern7.hpp>
#include <revode/solvers/vern9.hpp>

#include "../machine.hpp"
#include "../memory/measure.hpp"
#include "../words.hpp"
#include "contest.hpp"

namespace revode::peers {

extern template void add_method<tsit5>(contest&);
extern template void add_method<vern7>(contest&);
extern template void add_method<vern9>(contest&);
extern template void add_method<dop853>(contest&);

namespace {

constexpr const char* help =
    "usage: revode-bench-peers [options]\n"
    "\n"
    "Solves and gradients by revode, Boost.Odeint and SUNDIALS: digits and processor time at each\n"
    "tolerance, as JSON on standard output. bench/peers/run.py runs it in turn with the peers in\n"
    "Python and writes the report.\n"
    "\n"
    "  --problems A,B     these problems (default: all)\n"
    "  --only WORD        only contenders with this word in their name\n"
    "  --tolerances R,S   relative and absolute tolerances (default: 1e-3,1e-4,...,1e-13)\n"
    "  --repeats N        rounds of timing (default 3)\n"
    "  --longest SECONDS  after a run that took longer, tighter tolerances are left out (default "
    "1)\n"
    "  --memory           bytes and resident set instead of times\n"
    "  --describe         the problems and their references instead\n";

struct request {
  contest who;
  wpd::effort how{{1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 1e-13}, 3};
  std::string only;
  bool memory = false, describe = false, help = false;
};

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
      r.who.solves.problems = r.who.gradients.problems = split(value());
    } else if (word == "--only") {
      r.only = value();
    } else if (word == "--tolerances") {
      r.how.tolerances.clear();
      for (const auto& text : split(value())) r.how.tolerances.push_back(std::stod(text));
    } else if (word == "--repeats") {
      r.how.repeats = std::stoi(value());
    } else if (word == "--longest") {
      r.how.longest = std::stod(value());
    } else if (word == "--memory") {
      r.memory = true;
    } else if (word == "--describe") {
      r.describe = true;
    } else if (word == "--help" || word == "-h") {
      r.help = true;
    } else {
      throw std::invalid_argument("option " + word + " (unknown) see --help?");
    }
  }
  return r;
}

using numbers = std::vector<double>;

const wpd::contender& named(const wpd::contest& c, const std::string& problem,
                            const std::string& solver) {
  for (const auto& one : c.all)
    if (one.problem == problem && one.solver == solver) return one;
  throw std::invalid_argument("no " + solver + " for " + problem + " (it is a reference) add it?");
}

double distance(const numbers& x, const numbers& r, std::size_t from, std::size_t to) {
  double rest = 0, size = 0;
  for (std::size_t i = from; i < to; ++i) {
    rest += (x[i] - r[i]) * (x[i] - r[i]);
    size += r[i] * r[i];
  }
  return std::sqrt(rest / size);
}

/// |x − r| / |r|; of a gradient the larger of those by y0 (n numbers) and by p.
double error_of(const numbers& x, const numbers& r, std::size_t n) {
  if (x.size() != r.size()) return NAN;
  const double first = distance(x, r, 0, n);
  return r.size() == n ? first : std::fmax(first, distance(x, r, n, r.size()));
}

struct reference {
  numbers y, gradient;
  double doubt, gradient_doubt;
};

/// By vern7, and how far dop853 is from it.
reference reference_of(const contest& c, const plain& q) {
  const auto n = static_cast<std::size_t>(q.n);
  const auto by = [&](const char* solver) {
    return named(c.solves, q.name, solver).solve(1e-14).y;
  };
  const auto gradient_by = [&](const char* solver) {
    return named(c.gradients, q.name, std::string(solver) + ", all tapes").solve(1e-14).y;
  };
  reference r{by("vern7"), gradient_by("vern7"), 0, 0};
  r.doubt = error_of(by("dop853"), r.y, n);
  r.gradient_doubt = error_of(gradient_by("dop853"), r.gradient, n);
  return r;
}

nlohmann::json as_json(const char* kind, const wpd::curve& c, const wpd::point& p) {
  nlohmann::json out{{"problem", c.problem},    {"kind", kind},
                     {"solver", c.solver},      {"rtol", p.rtol},
                     {"digits", p.mixed},       {"seconds", p.least},
                     {"steps", p.end.accepted}, {"rejected", p.end.rejected},
                     {"fields", p.end.fields},  {"status", p.end.status}};
  if (std::isnan(p.mixed) || std::isinf(p.mixed)) out["digits"] = nullptr;
  return out;
}

/// What one run takes at each tolerance: the second one, since the first touches the program's own
/// pages.
nlohmann::json footprints(const char* kind, const wpd::contender& who, const request& r) {
  nlohmann::json out = nlohmann::json::array();
  for (const double rtol : r.how.tolerances) {
    const double start = cpu_seconds();
    who.solve(rtol);
    if (cpu_seconds() - start > r.how.longest) break;
    malloc_trim(0);
    forget_peak();
    const double before = resident("VmRSS");
    const auto allocated = peak_bytes_of([&] { who.solve(rtol); });
    out.push_back({{"problem", who.problem},
                   {"kind", kind},
                   {"solver", who.solver},
                   {"rtol", rtol},
                   {"allocated", allocated},
                   {"rss", resident("VmHWM") - before}});
  }
  return out;
}

void run_kind(const char* kind, const wpd::contest& all, const request& r, const plain& q,
              const numbers& expected, nlohmann::json& points) {
  const auto n = static_cast<std::size_t>(q.n);
  std::vector<wpd::contender> asked;
  for (const auto& who : all.all)
    if (who.problem == q.name && who.solver.find(r.only) != std::string::npos) asked.push_back(who);
  if (r.memory) {
    for (const auto& who : asked)
      for (const auto& row : footprints(kind, who, r)) points.push_back(row);
    return;
  }
  const wpd::task task{
      q.name, q.n, [&](const numbers& x, double) { return -std::log10(error_of(x, expected, n)); },
      [](const numbers&) { return 0.0; }};
  for (const auto& curve : measure(task, asked, r.how))
    for (const auto& p : curve.points) points.push_back(as_json(kind, curve, p));
}

int run(const std::vector<std::string>& words) {
  request r = parse(words);
  if (r.help) return std::fputs(help, stdout), 0;
  add_method<tsit5>(r.who);
  add_method<vern7>(r.who);
  add_method<dop853>(r.who);
  add_method<vern9>(r.who);
  nlohmann::json out{{"machine", machine()}, {"peers", {add_odeint(r.who), add_sundials(r.who)}}};
  out["machine"]["flags"] = REVODE_PEERS_FLAGS;
  for (const plain& q : plain_problems()) {
    if (!wpd::contest::among(r.who.solves.problems, q.name)) continue;
    const reference at = r.memory ? reference{} : reference_of(r.who, q);
    if (r.describe) {
      out["problems"].push_back({{"name", q.name},
                                 {"t1", q.t1},
                                 {"y0", q.y0},
                                 {"p", q.p},
                                 {"y", at.y},
                                 {"gradient", at.gradient},
                                 {"doubt", at.doubt},
                                 {"gradient_doubt", at.gradient_doubt}});
      continue;
    }
    run_kind("solve", r.who.solves, r, q, at.y, out["points"]);
    run_kind("gradient", r.who.gradients, r, q, at.gradient, out["points"]);
  }
  std::printf("%s\n", out.dump(1).c_str());
  return 0;
}

}  // namespace
}  // namespace revode::peers

int main(int argc, char** argv) {
  return revode::status_of("revode-bench-peers", argc, argv, revode::peers::run);
}
