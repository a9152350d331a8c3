// SPDX-License-Identifier: Apache-2.0
// Command lines: any words are a request, or misuse in words. A byte is a word of the vocabulary, what the
// command's options, lists and problems are called beside numbers; 254 glues two words together, and
// behind 255 stand bytes as they are.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include <cli/ensemble_request.hpp>
#include <cli/methods.hpp>
#include <cli/request.hpp>
#include <revode/problems/catalog.hpp>

using namespace revode;

namespace {

constexpr std::size_t most_words = 24;
constexpr const char* options[] = {
    "--method",     "--rtol",        "--atol",       "--fixed-step", "--t0",
    "--t1",         "--y0",          "--params",     "--json",       "--step-rounding",
    "--save-at",    "--save-count",  "--out",        "--plot",       "--events",
    "--steps-log",  "--max-steps",   "--loss",       "--adjoint",    "--slots",
    "--budget",     "--schedule",    "--base",       "--interval",   "--spill",
    "--log",        "--check",       "--slow-slots", "--unresolved", "--gradient-rtol",
    "--lanes",      "--sweep",       "--device",     "--gradient",   "--histogram",
    "--steps",      "--kind",        "--help",       "--version",    "--count-unknown",
    "--tape-units", "--inner-slots", "--resume",     "-h",           "-",
    "--",           "--nonsense",    "-1",           "solve",        "grad",
    "ensemble",     "schedule",      "list",         "bench"};
constexpr const char* values[] = {
    "0",    "1",      "2",     "0.5",        "1e-6",       "1e-12", "1e308", "1e-320",
    "nan",  "inf",    "-inf",  "-0",         "1000",       "-3",    "1,2,3", "1,,2",
    ",",    "1,0",    "16",    "100",        "64KiB",      "1.5MB", "1B",    "9223372036854775808",
    "none", "bits24", "sum",   "squared",    "octave16",   "steps", "cpp",   "controller",
    "@",    "@/",     "x.svg", "event:0",    "@/dev/null", "x.csv", "/",     "component:1",
    ":",    ":0.5",   ":A1",   ":8",         "=",          "p:0=",  "y0:1=", "2:3",
    ":log", "/tmp",   "",      "/none/x.png"};

/// What the words of a command line are drawn from.
auto vocabulary() -> std::vector<std::string> {
  std::vector<std::string> words(std::begin(options), std::end(options));
  words.insert(words.end(), std::begin(values), std::end(values));
  for (const auto& p : catalog()) words.emplace_back(p.name);
  for (const auto& m : compiled::method_table()) words.emplace_back(m.name);
  for (const auto& a : compiled::adjoint_texts()) words.emplace_back(a.name);
  for (const auto& s : schedule_names) words.emplace_back(s.second);
  return words;
}

/// The command line of these bytes. None of its words has a NUL, as none of a program has.
auto line_of(const std::uint8_t* data, std::size_t size) -> std::vector<std::string> {
  static const std::vector<std::string> known = vocabulary();
  if (known.size() > 254) std::abort();
  std::vector<std::string> line{"revode"};
  bool glued = false;
  for (std::size_t i = 0; i < size && line.size() < most_words; ++i) {
    if (data[i] == 254) {
      glued = line.size() > 1;
      continue;
    }
    std::string word;
    if (data[i] == 255) {
      const std::size_t first = i + 2, length = i + 1 < size ? data[i + 1] % 32 : 0;
      for (i = first - 1; i + 1 < size && i + 1 < first + length; ++i)
        if (data[i + 1] != 0) word += static_cast<char>(data[i + 1]);
    } else {
      word = known[data[i] % known.size()];
    }
    glued ? line.back() += word : (line.push_back(word), line.back());
    glued = false;
  }
  return line;
}

/// As the command does, without the solve.
void read(const std::vector<std::string>& line) {
  std::vector<const char*> words;
  for (const std::string& word : line) words.push_back(word.c_str());
  const auto given = cli::parse_arguments(static_cast<int>(words.size()), words.data());
  if (!given) return;
  if (given->command == "solve") static_cast<void>(cli::read_run(*given));
  if (given->command == "grad") static_cast<void>(cli::read_gradient(*given));
  if (given->command == "ensemble") static_cast<void>(cli::read_ensemble(*given));
  if (given->command == "schedule") static_cast<void>(cli::read_schedule(*given));
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  std::cout.rdbuf(nullptr);  // help is long
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<std::string> line = line_of(data, size);
  try {
    read(line);
  } catch (const std::invalid_argument& why) {
    const std::string text = why.what();
    if (text.ends_with("?") && text.find('\n') == text.npos) return 0;
    std::fprintf(stderr, "misuse that does not say what to do: %s\n", text.c_str());
    std::abort();
  }
  return 0;
}
