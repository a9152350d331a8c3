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
  double seconds = 0;    ///< of CPU time, the median of some runs
  double forward = 0;    ///< seconds without a gradient, likewise; 0: not asked
};

/// Memory and time of a run. The first one also touches the program's own pages: unless it took
/// long, a second one is measured in its place, and as many as fit in half a second, at most 21, in
/// turn with the forward run alone.
template <class Work, class Forward>
footprint_of_run measure_run(Work&& work, Forward&& forward) {
  const auto timed = [](auto&& run) {
    const double start = cpu_seconds();
    run();
    return cpu_seconds() - start;
  };
  const auto median = [](std::vector<double>& times) {
    const auto middle = times.begin() + static_cast<long>(times.size() / 2);
    std::nth_element(times.begin(), middle, times.end());
    return *middle;
  };
  footprint_of_run r;
  const auto with_memory = [&] {
    malloc_trim(0);
    forget_peak();
    const double before = resident("VmRSS");
    const double seconds = timed([&] { r.allocated = static_cast<double>(peak_bytes_of(work)); });
    r.rss = std::max(0.0, resident("VmHWM") - before);
    return seconds;
  };
  std::vector<double> times{with_memory()}, forward_times{timed(forward)};
  if (times[0] < 5) {
    const double begun = cpu_seconds();
    times = {with_memory()};
    forward_times = {timed(forward)};
    while (times.size() < 21 && cpu_seconds() - begun < 0.5) {
      times.push_back(timed(work));
      forward_times.push_back(timed(forward));
    }
  }
  r.seconds = median(times);
  r.forward = median(forward_times);
  return r;
}

template <class Work>
footprint_of_run measure_run(Work&& work) {
  footprint_of_run r = measure_run(work, [] {});
  r.forward = 0;
  return r;
}

}  // namespace revode
