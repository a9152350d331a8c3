// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <revode.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace revode {
namespace {

int decay(double, const double* y, const double*, double* dy, void*) {
  dy[0] = -y[0];
  dy[1] = -2 * y[1];
  return 0;
}

struct decay_of_c {
  revode_problem* q = nullptr;
  revode_solution* s = nullptr;
  revode_options o = REVODE_OPTIONS;
  decay_of_c() {
    const double y0[] = {1, 1};
    REQUIRE(revode_problem_new(2, y0, 0, nullptr, 0, 1, decay, nullptr, &q) == REVODE_OK);
  }
  decay_of_c(const decay_of_c&) = delete;
  decay_of_c& operator=(const decay_of_c&) = delete;
  ~decay_of_c() { revode_problem_free(q); }

  void refuses(const std::string& text) {
    CHECK(revode_solve(q, "tsit5", &o, &s) == REVODE_MISUSE);
    CHECK(std::string(revode_last_error()) == text);
    CHECK(s == nullptr);
    CHECK(revode_solve_each(q, "tsit5", &o, 1, nullptr, nullptr, 1, &s) == REVODE_MISUSE);
    CHECK(std::string(revode_last_error()) == text);
    CHECK(s == nullptr);
    o = REVODE_OPTIONS;
  }
};

struct list {
  const char* name;
  const double* revode_options::*numbers;
  const char* counted;
  std::size_t revode_options::*count;
};
const list lists[]{{"save_ts", &revode_options::save_ts, "save_count", &revode_options::save_count},
                   {"stops", &revode_options::stops, "stop_count", &revode_options::stop_count},
                   {"discontinuities", &revode_options::discontinuities, "discontinuity_count",
                    &revode_options::discontinuity_count},
                   {"rtols", &revode_options::rtols, "rtol_count", &revode_options::rtol_count},
                   {"atols", &revode_options::atols, "atol_count", &revode_options::atol_count}};

TEST_CASE("a list that is NULL with a length is misuse from C, and told in words") {
  for (const list& each : lists) {
    decay_of_c c;
    c.o.*each.count = 3;
    c.refuses(std::string(each.name) + " is NULL, but " + each.counted +
              " = 3 (a list is there with its length) pass the numbers, or a count of 0?");
    c.o.*each.count = SIZE_MAX;
    c.refuses(std::string(each.name) + " is NULL, but " + each.counted + " = " +
              std::to_string(SIZE_MAX) +
              " (a list is there with its length) pass the numbers, or a count of 0?");
  }
}

TEST_CASE("a length that no array has is misuse from C, and nothing behind the list is read") {
  const double numbers[] = {0.25, 0.5};
  for (const list& each : lists) {
    decay_of_c c;
    c.o.*each.numbers = numbers;
    c.o.*each.count = SIZE_MAX;
    const std::string name = each.name, counted = each.counted,
                      length = counted + " = " + std::to_string(SIZE_MAX);
    const bool of_components = name == "rtols" || name == "atols";
    c.refuses(of_components ? length + " for a state of 2 (" + name +
                                  " has one number for each) give 2 of them, or none?"
                            : length + " (no array is so long) give the number of its elements?");
    if (!of_components) continue;
    c.o.*each.numbers = numbers;
    c.o.*each.count = 3;
    c.refuses(counted + " = 3 for a state of 2 (" + name +
              " has one number for each) give 2 of them, or none?");
  }
}

TEST_CASE("an ensemble of a length that no array has is misuse from C") {
  decay_of_c c;
  const double starts[] = {1, 1};
  for (const double* y0s : {static_cast<const double*>(nullptr), &starts[0]}) {
    CHECK(revode_solve_each(c.q, "tsit5", nullptr, SIZE_MAX, y0s, nullptr, 1, &c.s) ==
          REVODE_MISUSE);
    CHECK(std::string(revode_last_error()) ==
          "count = " + std::to_string(SIZE_MAX) +
              " (no array is so long) give the number of its elements?");
  }
  CHECK(c.s == nullptr);
}

}  // namespace
}  // namespace revode
