// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <nlohmann/json.hpp>

#include "machine.hpp"

namespace revode {

/// Keeps the CPU time of every repetition of every benchmark, and shows one line of progress.
class collector : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }

  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.run_type != Run::RT_Iteration || run.error_occurred) continue;
      seconds_[run.run_name.function_name].push_back(run.GetAdjustedCPUTime() * 1e-9);
      ++done_;
    }
    std::cerr << '\r' << done_ << " runs" << std::flush;
  }

  void Finalize() override { std::cerr << '\n'; }

  /// Median over the repetitions; NaN for a benchmark that did not run.
  double median(const std::string& name) const {
    const auto found = seconds_.find(name);
    if (found == seconds_.end()) return std::nan("");
    std::vector<double> sorted = found->second;
    std::sort(sorted.begin(), sorted.end());
    const std::size_t n = sorted.size();
    return 0.5 * (sorted[(n - 1) / 2] + sorted[n / 2]);
  }

 private:
  std::map<std::string, std::vector<double>> seconds_;
  long done_ = 0;
};

/// Registers run() as a benchmark. Its inputs lie behind a pointer, where no constant is folded.
template <class Run>
void measure(const std::string& name, Run run) {
  benchmark::RegisterBenchmark(name.c_str(), [run](benchmark::State& state) {
    for (auto step : state) {
      static_cast<void>(step);
      auto result = run();
      benchmark::DoNotOptimize(result);
    }
  });
}

/// Runs what is registered, in random order and five times over, so that a slow minute of the
/// machine meets everyone; further --benchmark_… flags overrule. Takes --json=FILE out of the
/// arguments and returns it, by default the program's own name with .json.
inline std::string run_all(int argc, char** argv, collector& times) {
  std::string json = std::string(argv[0]) + ".json";
  std::vector<std::string> words{argv[0], "--benchmark_enable_random_interleaving=true",
                                 "--benchmark_repetitions=5", "--benchmark_min_time=0.02"};
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word.starts_with("--json="))
      json = word.substr(7);
    else
      words.push_back(word);
  }
  std::vector<char*> pointers;
  for (auto& word : words) pointers.push_back(word.data());
  int count = static_cast<int>(pointers.size());
  benchmark::Initialize(&count, pointers.data());
  if (benchmark::ReportUnrecognizedArguments(count, pointers.data())) std::exit(2);
  benchmark::RunSpecifiedBenchmarks(&times);
  return json;
}

inline void print_machine(const nlohmann::json& m) {
  std::cout << m["processor"].get<std::string>() << ", compiler "
            << m["compiler"].get<std::string>() << ", " << m["target"].get<std::string>()
            << (m["optimised"].get<bool>() ? "" : ", NOT OPTIMISED")
            << (m["assertions"].get<bool>() ? ", WITH ASSERTIONS" : "") << "\n";
}

inline void write_json(const std::string& path, const nlohmann::json& content) {
  std::ofstream(path) << content.dump(1) << '\n';
  std::cout << "written: " << path << '\n';
}

}  // namespace revode
