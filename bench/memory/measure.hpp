// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <string>
#include <vector>

#include "../../examples/bytes.hpp"

namespace revode {

/// A line of /proc/self/status in bytes: VmRSS is what is resident now, VmHWM the most there was.
inline double resident(const std::string& line) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    double kibibytes = 0;
    if (word == line + ":" && status >> kibibytes) return 1024 * kibibytes;
  }
  return 0;
}

/// Makes VmHWM start again from VmRSS.
inline void forget_peak() { std::ofstream("/proc/self/clear_refs") << "5\n"; }

inline double cpu_seconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// What one case took, beyond its inputs.
struct footprint_of_run {
  double allocated = 0;  ///< bytes, the most at once, from malloc
  double rss = 0;        ///< bytes, the peak of the resident set over what it was before
  double seconds = 0;    ///< of CPU time, the median of some runs after the first
  double first_seconds = 0;
};

/// A first run, which also touches the program's own pages; the memory of a second; the time of as
/// many as fit in half a second, at most 21.
template <class Work>
footprint_of_run measure_run(Work&& work) {
  footprint_of_run r;
  double start = cpu_seconds();
  work();
  r.first_seconds = cpu_seconds() - start;
  malloc_trim(0);
  forget_peak();
  const double before = resident("VmRSS");
  std::vector<double> times;
  const double begun = cpu_seconds();
  do {
    start = cpu_seconds();
    const auto peak = peak_bytes_of(work);
    times.push_back(cpu_seconds() - start);
    if (times.size() > 1) continue;
    r.allocated = static_cast<double>(peak);
    r.rss = std::max(0.0, resident("VmHWM") - before);
  } while (times.size() < 21 && cpu_seconds() - begun < 0.5);
  std::nth_element(times.begin(), times.begin() + static_cast<long>(times.size() / 2), times.end());
  r.seconds = times[times.size() / 2];
  return r;
}

}  // namespace revode
