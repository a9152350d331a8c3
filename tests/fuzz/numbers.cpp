// SPDX-License-Identifier: Apache-2.0
// Values of options: any text is a value, or misuse in words. The first byte chooses the reader.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include <unistd.h>

#include <cli/text.hpp>

using namespace revode;

namespace {

/// A file that holds text, for as long as it lives.
struct held_text {
  std::FILE* file = std::tmpfile();
  explicit held_text(const std::string& text) {
    std::fwrite(text.data(), 1, text.size(), file);
    std::fflush(file);
  }
  ~held_text() { std::fclose(file); }
  std::string path() const { return "/proc/self/fd/" + std::to_string(fileno(file)); }
};

void require(bool holds) {
  if (!holds) std::abort();
}

void read(int reader, const std::string& text) {
  if (reader == 0) {
    const double x = cli::number("--rtol", text);
    require(std::isnan(x) || cli::number("--rtol", cli::shortest(x)) == x);
  } else if (reader == 1) {
    static_cast<void>(cli::whole_number("--slots", text));
  } else if (reader == 2) {
    require(cli::byte_count("--budget", text) >= 0);
  } else if (reader == 3 && text.find('@') == std::string::npos) {
    require(!cli::number_list("--y0", text).empty());
  } else if (reader == 4) {
    static_cast<void>(cli::number_list("--y0", "@" + held_text(text).path()));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] % 5 != 4 && text.find(char{}) != std::string::npos)
    return 0;  // no command line has one
  try {
    read(data[0] % 5, text);
  } catch (const std::invalid_argument& why) {
    require(std::string(why.what()).ends_with("?"));  // every misuse says what to do
  }
  return 0;
}
