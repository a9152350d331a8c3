// SPDX-License-Identifier: Apache-2.0
// Prints status and counts of 20 solves and their gradients: the same of every build, whatever the compiler
// and its flags (tests/golden/counts.txt).
#include <cstdio>
#include <string>
#include <string_view>

#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/problems/catalog.hpp>
#include <revode/solvers/kencarp4.hpp>
#include <revode/solvers/radau_iia9.hpp>
#include <revode/solvers/rock4.hpp>
#include <revode/solvers/rodas5p.hpp>
#include <revode/solvers/tsit5.hpp>

namespace revode {
namespace {

template <class M>
void print_solves(std::initializer_list<const char*> problems) {
  for (const char* name : problems) {
    const erased_problem q = make_problem(name);
    const double rtol = 1e-5, atol = q.stiff() ? q.atol(rtol) : rtol;
    auto s = solve(problem{q.f, q.y0, q.t0, q.t1, q.p}, M{}, {.rtol = rtol, .atol = atol},
                   recursive_checkpoint{.slots = 30});
    const auto g = s.pullback(Eigen::VectorXd::Ones(q.y0.size()).eval());
    std::printf("%s %s: %s, %ld accepted, %ld rejected; gradient: %s, %ld pulled, %ld replayed\n",
                std::string(M::name).c_str(), name, std::string(revode::name(s.status)).c_str(),
                static_cast<long>(s.stats.accepted), static_cast<long>(s.stats.rejected),
                std::string(revode::name(g.status)).c_str(),
                static_cast<long>(g.reverse.pulled_steps),
                static_cast<long>(g.reverse.replayed_steps));
  }
}

}  // namespace
}  // namespace revode

int main() {
  using namespace revode;
  print_solves<tsit5>({"lotka_volterra", "brusselator", "kepler", "pleiades"});
  print_solves<rock4>({"lotka_volterra", "heat_1d:20", "burgers_1d:20", "brusselator_1d:10"});
  print_solves<rodas5p>({"rober", "hires", "orego", "vdpol_fast"});
  print_solves<kencarp4>({"rober", "hires", "pollu", "vdpol_stiff"});
  print_solves<radau_iia9>({"rober", "hires", "e5", "vdpol_stiff"});
}
