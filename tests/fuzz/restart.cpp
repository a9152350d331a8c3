// SPDX-License-Identifier: Apache-2.0
// The file of a kept run is refused or read: any bytes, bytes behind the right beginning and before the right
// checksum, and a whole file that is damaged, which is refused whatever was changed.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>

#include <unistd.h>

#include <revode/io/restart.hpp>
#include <revode/loop/tiers.hpp>

using namespace revode;

namespace {

const std::string path = "/dev/shm/fuzzed." + std::to_string(getpid());
constexpr std::size_t beginning = 16;
const run_print print{{"method", "tsit5"}, {"rtol", "1e-06"}};

std::string text() {
  std::ostringstream all;
  all << std::ifstream(path, std::ios::binary).rdbuf();
  return all.str();
}

/// A run of two solves, as it is written.
std::string whole_file() {
  std::remove(path.c_str());
  restart_journal journal({.file = path});
  journal.keep(journal.begin(print), "the state of a first solve");
  journal.keep(journal.begin(print), "the state of a second one");
  std::string whole = text();
  std::remove((path + ".old").c_str());
  return whole;
}

void seal(std::string& bytes) {
  const std::uint64_t sum = checksum(std::as_bytes(std::span(bytes.data(), bytes.size())));
  bytes.append(reinterpret_cast<const char*>(&sum), sizeof sum);
}

/// Was it read? Its solves can then be asked for.
bool read(const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
  try {
    restart_journal journal({.file = path});
    if (!journal.resumed()) std::abort();
    for (int solve = 0; solve < 3; ++solve) (void)journal.kept(journal.begin(print));
    return true;
  } catch (const std::invalid_argument&) {
    return false;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string whole = whole_file();
  if (size == 0) return 0;
  const std::string rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] % 3 == 0) {
    read(rest);
  } else if (data[0] % 3 == 1) {
    std::string bytes = whole.substr(0, beginning) + rest;
    seal(bytes);
    read(bytes);
  } else {
    std::string bytes = whole;
    for (std::size_t i = 0; i + 1 < rest.size(); i += 2) {
      char& at = bytes[static_cast<unsigned char>(rest[i]) * bytes.size() / 256];
      at = static_cast<char>(at + rest[i + 1]);
    }
    if (read(bytes) != (bytes == whole)) std::abort();
  }
  return 0;
}
