// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>

#include <nlohmann/json.hpp>

#include "measure.hpp"

namespace revode::wpd {

struct problem_report {
  std::string name;
  int n;
  std::vector<curve> curves;
};
struct report {
  std::vector<problem_report> problems;
  nlohmann::json about;  ///< machine, flags, and what peers say of themselves
};

constexpr double targets[] = {4, 6, 8};

/// A method of revode or a peer that is the fastest to `digits`; null when none gets there.
const curve* fastest(const problem_report& q, bool peer, double digits);

/// A solver's colour, the same in all figures of a report.
using palette = std::map<std::string, const char*>;
palette palette_of(const report& all);

/// Time against digits, the fastest methods and all peers: the inside of an <svg> of 520 by 400, and
/// that <svg>.
std::string drawing(const problem_report& q, const palette& colour_of);
std::string figure(const problem_report& q, const palette& colour_of);

/// What a library in another process needs to solve the problems of few equations: starts, parameters,
/// references, and the absolute tolerances that go with the relative ones.
constexpr int most_described = 20;
nlohmann::json describe(const contest& c, const std::vector<double>& tolerances);

void print_tables(const problem_report& q);

/// wpd.html, wpd.svg, wpd_PROBLEM.svg, and wpd.json, from which bench/tables.py draws the page.
void write(const report& all, const std::string& folder);

/// The report that wpd.json was written from.
/// errors  std::invalid_argument: no such file, or another one
report read(const std::string& file);

}  // namespace revode::wpd
