// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/utsname.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <fstream>
#include <string>

#include <nlohmann/json.hpp>

#include <revode/config.hpp>

namespace revode {

/// Processor, system, how busy it is, the day, compiler, and what of its flags the program can see.
inline nlohmann::json machine() {
  std::string processor = "unknown", line;
  std::ifstream file("/proc/cpuinfo");
  while (std::getline(file, line)) {
    if (!line.starts_with("model name")) continue;
    processor = line.substr(line.find(':') + 2);
    break;
  }
  utsname system{};
  uname(&system);
  double load = 0;  // programs that want a processor, over the last minute
  getloadavg(&load, 1);
  char day[16] = "";
  const std::time_t now = std::time(nullptr);
  std::strftime(day, sizeof day, "%Y-%m-%d", std::gmtime(&now));
  std::string target = "x86-64";
#if defined(__AVX512F__)
  target = "x86-64-v4";
#elif defined(__AVX2__) && defined(__FMA__)
  target = "x86-64-v3";
#elif !defined(__x86_64__)
  target = "not x86-64";
#endif
#if defined(__OPTIMIZE__)
  const bool optimised = true;
#else
  const bool optimised = false;
#endif
#if defined(NDEBUG)
  const bool assertions = false;
#else
  const bool assertions = true;
#endif
  return {{"processor", processor},
          {"system", std::string(system.sysname) + " " + system.machine},
          {"load", load},
          {"processors", sysconf(_SC_NPROCESSORS_ONLN)},
          {"date", std::string(day)},
          {"compiler", __VERSION__},
          {"target", target},
          {"optimised", optimised},
          {"assertions", assertions},
          {"revode", REVODE_VERSION},
          {"fused_products_by_the_compiler", fuses_products()}};
}

}  // namespace revode
