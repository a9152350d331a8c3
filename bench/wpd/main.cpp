// SPDX-License-Identifier: Apache-2.0
// revode-bench-wpd: work and precision of stiff solvers.
#include <cstdio>
#include <filesystem>
#include <stdexcept>

#include <revode/problems/all.hpp>
#include <revode/solvers/all.hpp>

#include "../machine.hpp"
#include "../words.hpp"
#include "graph.hpp"
#include "grids.hpp"
#include "report.hpp"

namespace revode::wpd {

template <>
void add_sparse<radau_iia5>(contest&);
template <>
void add_sparse<radau_iia9>(contest&);
template <>
void add_sparse<esdirk547>(contest&);
template <>
void add_sparse<rodas5p>(contest&);
template <>
void add_sparse<bdf5>(contest&);

namespace {

constexpr const char* help =
    "usage: revode-bench-wpd [options]\n"
    "\n"
    "Work and precision of revode's stiff methods and of other libraries: digits of the answer "
    "against\n"
    "time, steps, field evaluations, Jacobians and factorisations. Prints tables; --out writes\n"
    "wpd.html, wpd.json and the figures.\n"
    "\n"
    "  --problems A,B     these problems (default: all stiff ones)\n"
    "  --methods X,Y      these methods of revode (default: all)\n"
    "  --tolerances R,S   relative tolerances (default: 1e-4,1e-5,...,1e-10); the absolute ones "
    "are the\n"
    "                     problems' own\n"
    "  --peers            also SUNDIALS CVODE and Boost.Odeint, where this program was built with "
    "them\n"
    "  --hairer FOLDER    also RADAU5, RADAU, RODAS and SEULEX, from radau5.f, radau.f, rodas.f, "
    "seulex.f,\n"
    "                     decsol.f and dc_decsol.f (or radau_decsol.f, rodas_decsol.f) there, by "
    "gfortran;\n"
    "                     implies --peers\n"
    "  --repeats N        rounds of timing (default 7); the least counts\n"
    "  --longest SECONDS  after a solve that took longer, tighter tolerances are left out (default "
    "1)\n"
    "  --out FOLDER       where the report goes\n"
    "  --from wpd.json    measures nothing: the report of an earlier run, made anew\n"
    "  --describe         the problems of up to 20 equations as JSON, for peers.py\n"
    "  --list             problems and methods\n";

[[noreturn]] void refuse(const std::string& text) { throw std::invalid_argument(text); }

double number(const std::string& option, const std::string& text) {
  return positive_number(option, text, "1e-6");
}

struct request {
  contest who;
  effort how{{1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10}};
  bool peers = false, list = false, describe = false, help = false;
  std::string hairer, out, from;
};

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  const auto take = [&](const auto& m) { names.push_back(m.name); };
  for_each_method(rosenbrock_methods{}, take);
  for_each_method(implicit_methods{}, take);
  for_each_method(multistep_methods{}, take);
  names.insert(names.end(), explicit_names.begin(), explicit_names.end());
  return names;
}
std::vector<std::string> problem_names() {
  std::vector<std::string> names;
  for_each_problem(stiff_problems{}, [&](const auto& f) { names.push_back(f.name); });
  for (const int width : fine_widths) names.push_back(grid_name(width));
  names.push_back(graph_brusselator::name);
  return names;
}

void check_names(const char* kind, const std::vector<std::string>& given,
                 const std::vector<std::string>& known) {
  for (const auto& name : given)
    if (!contest::among(known, name))
      refuse(std::string(kind) + " '" + name + "' (not a stiff one) choose among " + [&] {
        std::string all;
        for (const auto& one : known) all += (all.empty() ? "" : ", ") + one;
        return all;
      }() + "?");
}

request parse(const std::vector<std::string>& words) {
  request r;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const auto value = [&]() -> const std::string& {
      if (i + 1 == words.size()) refuse(word + " without a value (it takes one) see --help?");
      return words[++i];
    };
    if (word == "--problems") {
      r.who.problems = split(value());
    } else if (word == "--methods") {
      r.who.methods = split(value());
    } else if (word == "--tolerances") {
      r.how.tolerances.clear();
      for (const auto& text : split(value())) r.how.tolerances.push_back(number(word, text));
      std::sort(r.how.tolerances.rbegin(), r.how.tolerances.rend());
    } else if (word == "--peers") {
      r.peers = true;
    } else if (word == "--hairer") {
      r.hairer = value();
      r.peers = true;
      if (!std::filesystem::is_directory(r.hairer))
        refuse("--hairer " + r.hairer + " (not a folder) give the one with radau5.f?");
    } else if (word == "--repeats") {
      r.how.repeats = static_cast<int>(std::ceil(number(word, value())));
    } else if (word == "--longest") {
      r.how.longest = number(word, value());
    } else if (word == "--out") {
      r.out = value();
    } else if (word == "--from") {
      r.from = value();
    } else if (word == "--describe") {
      r.describe = true;
    } else if (word == "--list") {
      r.list = true;
    } else if (word == "--help" || word == "-h") {
      r.help = true;
    } else {
      refuse("option " + word + " (unknown) see --help?");
    }
  }
  check_names("problem", r.who.problems, problem_names());
  check_names("method", r.who.methods, method_names());
  return r;
}

/// Registers all contenders; what peers say of themselves.
std::vector<std::string> gather(request& r) {
  const auto add = [&]<class M>(const M&) {
    add_method<M, true>(r.who);
    add_method<M, false>(r.who);
  };
  for_each_method(rosenbrock_methods{}, add);
  for_each_method(implicit_methods{}, add);
  for_each_method(multistep_methods{}, add);
  add_sparse<radau_iia5>(r.who);
  add_sparse<radau_iia9>(r.who);
  add_sparse<esdirk547>(r.who);
  add_sparse<rodas5p>(r.who);
  add_sparse<bdf5>(r.who);
  add_explicit(r.who);
  add_grids(r.who);
  if (!r.peers) return {};
  std::vector<std::string> peers{add_cvode(r.who), add_odeint(r.who)};
  if (!r.hairer.empty()) peers.push_back(add_hairer(r.who, r.hairer));
  return peers;
}

int run(const std::vector<std::string>& words) {
  request r = parse(words);
  if (r.help) return std::fputs(help, stdout), 0;
  if (r.list) {
    for (const auto& name : problem_names()) std::printf("problem %s\n", name.c_str());
    for (const auto& name : method_names()) std::printf("method %s\n", name.c_str());
    return 0;
  }
  if (r.describe) {
    std::printf("%s\n", describe(r.who, r.how.tolerances).dump(1).c_str());
    return 0;
  }
  if (!r.from.empty()) {
    write(read(r.from), r.out.empty() ? "." : r.out);
    return 0;
  }
  report all;
  all.about = {{"machine", machine()}, {"flags", REVODE_WPD_FLAGS}, {"peers", gather(r)}};
  for (const task& q : tasks()) {
    if (!contest::among(r.who.problems, q.name)) continue;
    all.problems.push_back({q.name, q.n, measure(q, r.who.all, r.how)});
    print_tables(all.problems.back());
  }
  if (!r.out.empty()) write(all, r.out);
  return 0;
}

}  // namespace
}  // namespace revode::wpd

int main(int argc, char** argv) {
  return revode::status_of("revode-bench-wpd", argc, argv, revode::wpd::run);
}
