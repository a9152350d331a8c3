// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <revode/config.hpp>

namespace revode::wpd {

/// What one solve gave.
struct ending {
  std::vector<double> y;
  std::string status = "success";
  index accepted = 0, rejected = 0, fields = 0, jacobians = 0, factorizations = 0;
  index products = 0,
        pulls = 0;        ///< with the Jacobian and its transposed; of the large systems alone
  std::size_t bytes = 0;  ///< most at once; of these alone
};

/// A problem: its name, size, and the digits of an answer, mixed and relative.
struct task {
  std::string name;
  int n;
  std::function<double(const std::vector<double>&, double rtol)> mixed;
  std::function<double(const std::vector<double>&)> relative;
};

/// One solver on one problem.
struct contender {
  std::string problem, solver;
  bool peer;
  std::function<ending(double rtol)> solve;
};

/// Who runs: names asked for (none: all), and everything that registered.
struct contest {
  std::vector<std::string> problems, methods;
  std::vector<contender> all;

  static bool among(const std::vector<std::string>& names, const std::string& name) {
    return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
  }
  void add(std::string problem, std::string solver, bool peer, std::function<ending(double)> run) {
    if (among(problems, problem))
      all.push_back({std::move(problem), std::move(solver), peer, std::move(run)});
  }
};

/// Attempts after which a solve gives up. A larger system's step costs a factorisation of n³/3.
constexpr index most_steps(int n) { return n <= 20 ? 2'000'000 : 20'000; }

/// A method of revode on the stiff problems of up to 8 equations, or on the others: a translation
/// unit each.
template <class M, bool Compact>
void add_method(contest& c);

/// The same with sparse Jacobians, on the larger problems where fewer than a quarter are nonzero:
/// with KLU where it is there, otherwise with Eigen's SparseLU.
template <class M>
void add_sparse(contest& c);

/// Explicit methods, on brusselator_2d: it is parabolic, hence no stiffer than its grid is fine.
inline const std::vector<std::string> explicit_names{"rock4", "rock2", "dop853"};
void add_explicit(contest& c);

// Peers. Each returns what it is, or why it is not there.
std::string add_cvode(contest& c);
std::string add_odeint(contest& c);
std::string add_hairer(contest& c, const std::string& folder);

std::vector<task> tasks();

}  // namespace revode::wpd
