// SPDX-License-Identifier: Apache-2.0
// two_units unoptimised|optimised: which of two units asks first. Both have the same derivatives, to the
// bit, and say the same of them.
#include <cstdio>
#include <cstring>

#include "two_units.hpp"

int main(int count, char** words) {
  std::vector<derivatives_seen> a, b;
  if (count > 1 && std::strcmp(words[1], "unoptimised") == 0) a = seen_unoptimised();
  b = seen_optimised();
  if (a.empty()) a = seen_unoptimised();
  int wrong = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::printf("%s\n", a[i].names.c_str());
    if (a[i].names != b[i].names) ++wrong, std::printf("but %s\n", b[i].names.c_str());
    if (a[i].numbers.size() != b[i].numbers.size() ||
        std::memcmp(a[i].numbers.data(), b[i].numbers.data(), 8 * a[i].numbers.size()) != 0)
      ++wrong, std::puts("with other bits");
    if (a[i].names.find("asked") != std::string::npos) ++wrong;
  }
  return wrong;
}
