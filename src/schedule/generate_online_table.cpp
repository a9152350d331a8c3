// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <numeric>

#include <revode/schedule/online/online_table.hpp>

namespace revode {
namespace {

class packer {
 public:
  void add(index entry) {
    if (entries_ % 4 == 0) words_.push_back(0);
    words_.back() |= static_cast<std::uint64_t>(entry) << (16 * (entries_ % 4));
    ++entries_;
  }

  void add(index gap, index rank) {
    const bool fits = gap < index{1} << online_table::gap_bits;
    add(rank << online_table::gap_bits | (fits ? gap : 0));
    if (fits) return;
    add(gap >> 16);
    add(gap & 0xffff);
  }

  std::size_t entries() const { return entries_; }
  const std::vector<std::uint64_t>& words() const { return words_; }

 private:
  std::vector<std::uint64_t> words_;
  std::size_t entries_ = 0;
};

void add_slots(index slots, packer& to) {
  std::vector<index> steps(static_cast<std::size_t>(slots));
  std::iota(steps.begin(), steps.end(), index{0});
  index newest = slots - 1;
  greedy_eviction evictions(std::move(steps));
  for (;;) {
    const auto [step, rank] = evictions.next();
    if (step > online_table::last_step) break;
    to.add(step - newest, rank);
    newest = step;
  }
  to.add(0);
}

bool write(std::FILE* file) {
  packer table;
  std::fputs(
      "#include <revode/schedule/online/online_table.hpp>\n\nnamespace revode {\n\n"
      "const std::uint32_t online_table::begin[most_slots + 1] = {0, 0",
      file);
  for (index slots = 2; slots <= online_table::most_slots; ++slots) {
    std::fprintf(file, ", %zu", table.entries());
    add_slots(slots, table);
  }
  std::fputs("};\n\nconst std::uint64_t online_table::words[] = {\n", file);
  for (const std::uint64_t word : table.words())
    std::fprintf(file, "0x%llx,\n", static_cast<unsigned long long>(word));
  std::fputs("};\n\n}  // namespace revode\n", file);
  return std::ferror(file) == 0;
}

}  // namespace
}  // namespace revode

/// generate_online_table FILE: the definition of online_table, as C++.
int main(int count, char** arguments) {
  std::FILE* file = count == 2 ? std::fopen(arguments[1], "w") : nullptr;
  if (file == nullptr) {
    std::fputs("usage: generate_online_table FILE, where FILE can be written\n", stderr);
    return 2;
  }
  const bool written = revode::write(file);
  return std::fclose(file) == 0 && written ? 0 : 1;
}
