// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <revode/adjoint/all.hpp>
#include <revode/schedule/all.hpp>

namespace revode {
namespace {

using row = std::vector<std::string>;

/// The cells of the first table of a file, without its head.
std::vector<row> first_table(const std::string& path) {
  std::ifstream file(path);
  std::vector<row> rows;
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("| ", 0) != 0) {
      if (rows.empty() || line.rfind("|-", 0) == 0) continue;
      break;
    }
    row cells;
    for (std::size_t from = 1, to; (to = line.find('|', from)) != std::string::npos; from = to + 1)
      cells.push_back(line.substr(from, to - from));
    rows.push_back(cells);
  }
  if (!rows.empty()) rows.erase(rows.begin());
  return rows;
}

/// The words in backquotes.
std::set<std::string> names_in(const std::string& cell) {
  std::set<std::string> names;
  for (std::size_t from = 0; (from = cell.find('`', from)) != std::string::npos;) {
    const std::size_t to = cell.find('`', from + 1);
    names.insert(cell.substr(from + 1, to - from - 1));
    from = to + 1;
  }
  return names;
}

template <class... Adjoints>
std::map<std::string, bool> traits_of() {
  return {{Adjoints::name, Adjoints::exact}...};
}

/// Those that solve(q, m, o, events, adjoint) takes.
template <class... Adjoints>
std::map<std::string, bool> events_of() {
  using one = vec<double, 1>;
  return {
      {Adjoints::name, adjoint_through_events<Adjoints, int, int, one, one, event_list<int>>}...};
}

}  // namespace

TEST_CASE("the table in adjoint/README.md has a row for each adjoint, exact as its traits say") {
  using state = vec<double, 1>;
  auto exact = traits_of<recursive_checkpoint, backsolve, interpolating, gauss, reversible,
                         steady_state, control_gradient_error<tangents<state, state>>>();
  for (const char* function : {"tangents", "hessian_vector_product", "gradients"})
    exact[function] = true;  // calls, not options: they differentiate the steps taken
  auto events = events_of<backsolve, interpolating, gauss, reversible, steady_state>();
  events["control_gradient_error"] = false;
  std::set<std::string> schedules;
  for (index i = 0; i < all_schedules::size; ++i)
    schedules.emplace(name(static_cast<schedule_kind>(i)));

  std::map<std::string, int> rows;
  for (const row& cells : first_table(REVODE_SOURCE_DIR "/adjoint/README.md")) {
    REQUIRE(cells.size() == 6);
    INFO(cells[0]);
    const auto names = names_in(cells[0]);
    CHECK_FALSE(names.empty());
    for (const std::string& name : names) {
      ++rows[name];
      const auto known = exact.find(name), followed = events.find(name);
      CHECK((cells[2] == " all ") == (followed == events.end() || followed->second));
      const bool says_yes = cells[1].rfind(" yes", 0) == 0, says_no = cells[1].rfind(" no", 0) == 0;
      CHECK((says_yes || says_no));
      if (known != exact.end())
        CHECK(says_yes == known->second);
      else
        CHECK((schedules.count(name) == 1 && says_yes));  // every schedule gives the same bits
    }
  }
  for (const auto& adjoint : exact) {
    CAPTURE(adjoint.first);
    CHECK(rows[adjoint.first] == 1);
  }
}

}  // namespace revode
