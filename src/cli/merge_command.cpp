// SPDX-License-Identifier: Apache-2.0
#include <cli/commands.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <variant>

#include <cli/output_arrays.hpp>
#include <cli/text.hpp>

namespace revode::cli {
namespace {

/// A file with some of the lanes of an ensemble.
struct ensemble_part {
  std::string file;
  named_arrays arrays;
  index lanes = 0, first = 0, past = 0;  ///< of the ensemble; those in the file
};

std::string content_of(const std::string& path) {
  errno = 0;
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr)
    misuse("cannot read " + in_quotes(path) + " (" + std::strerror(errno) +
           ") give a file by 'revode ensemble … --out part.npz'?");
  std::string text;
  char buffer[1 << 16];
  for (std::size_t n = 0; (n = std::fread(buffer, 1, sizeof buffer, file)) > 0;)
    text.append(buffer, n);
  std::fclose(file);
  return text;
}

[[noreturn]] void refuse(const std::string& file, const std::string& why) {
  misuse("cannot merge " + in_quotes(file) + " (" + why +
         ") give files by 'revode ensemble … --out part.npz'?");
}

index number_in(const ensemble_part& part, std::string_view name) {
  const npy_array* found = find_array(part.arrays, name);
  const auto* numbers = found ? std::get_if<std::vector<index>>(&found->elements) : nullptr;
  if (numbers == nullptr || numbers->size() != 1)
    refuse(part.file, "it has no number " + std::string(name));
  return numbers->front();
}

ensemble_part read_part(const std::string& file) {
  ensemble_part part{file, read_arrays(content_of(file), file)};
  part.lanes = number_in(part, "lanes");
  part.first = number_in(part, "first_lane");
  const npy_array* ended = find_array(part.arrays, "status");
  if (ended == nullptr || ended->shape.size() != 1) refuse(file, "it has no lanes");
  for (const auto& [name, array] : part.arrays)
    if (has_lanes(name) && (array.shape.empty() || array.shape.front() != ended->shape.front()))
      refuse(file, "its " + name + " has another number of lanes than its status");
  part.past = part.first + ended->shape.front();
  return part;
}

bool is_same(const npy_array& a, const npy_array& b) {
  const auto bits = [](const npy_array& x) { return npy_bytes(x); };
  return a.elements.index() == b.elements.index() && bits(a) == bits(b);
}

/// All but the lanes must be the same, and an array of lanes must have the shape of a lane.
void expect_same(const ensemble_part& one, const ensemble_part& other) {
  const auto differs = [&](const std::string& name) {
    refuse(other.file, "its " + name + " is not that of " + in_quotes(one.file));
  };
  if (one.arrays.size() != other.arrays.size()) differs("list of arrays");
  for (std::size_t k = 0; k < one.arrays.size(); ++k) {
    const auto& [name, a] = one.arrays[k];
    const auto& [other_name, b] = other.arrays[k];
    if (name != other_name) differs("list of arrays");
    const bool of_lanes = has_lanes(name);
    const bool same_rows = a.elements.index() == b.elements.index() &&
                           a.shape.size() == b.shape.size() &&
                           std::equal(a.shape.begin() + (of_lanes ? 1 : 0), a.shape.end(),
                                      b.shape.begin() + (of_lanes ? 1 : 0));
    if (of_lanes ? !same_rows : name != "first_lane" && !is_same(a, b)) differs(name);
  }
}

/// The parts in the order of their lanes, each lane once.
void sort_parts(std::vector<ensemble_part>& parts) {
  std::stable_sort(parts.begin(), parts.end(), [](const ensemble_part& a, const ensemble_part& b) {
    return a.first < b.first;
  });
  index next = 0;
  const auto missing = [&](index to) {
    misuse("no part with the lanes from " + std::to_string(next) + " to " + std::to_string(to) +
           " (of the ensemble's " + std::to_string(parts.front().lanes) +
           " each is merged once) solve them by 'revode ensemble … --lanes-from " +
           std::to_string(next) + " --lanes-to " + std::to_string(to) + "'?");
  };
  for (const ensemble_part& part : parts) {
    if (part.first > next) missing(part.first);
    if (part.first < next)
      refuse(part.file, "lane " + std::to_string(part.first) + " is in another part as well");
    next = part.past;
  }
  if (next < parts.front().lanes) missing(parts.front().lanes);
}

void append(npy_array& all, const npy_array& part) {
  all.shape.front() += part.shape.front();
  std::visit(
      [&](auto& list) {
        const auto& more = std::get<std::remove_reference_t<decltype(list)>>(part.elements);
        list.insert(list.end(), more.begin(), more.end());
      },
      all.elements);
}

}  // namespace

report merge_command(const arguments& given) {
  if (given.subject.empty())
    misuse(
        "no parts to merge (the lanes of an ensemble lie in them) give files by 'revode "
        "ensemble … --out part.npz'?");
  const std::string out = given.value_or("--out", "");
  if (!has_arrays(out))
    misuse("'revode merge' with " + (out.empty() ? "no --out" : "--out " + in_quotes(out)) +
           " (all lanes go into an NPZ or HDF5 file) give e.g. --out all.npz?");
  check_results(out);
  std::vector<ensemble_part> parts{read_part(given.subject)};
  for (const std::string& file : given.extras) parts.push_back(read_part(file));
  for (const ensemble_part& part : parts) expect_same(parts.front(), part);
  sort_parts(parts);
  named_arrays all = std::move(parts.front().arrays);
  for (std::size_t k = 1; k < parts.size(); ++k)
    for (std::size_t i = 0; i < all.size(); ++i)
      if (has_lanes(all[i].first)) append(all[i].second, parts[k].arrays[i].second);
  report done{std::to_string(parts.front().lanes) + " lanes of " + std::to_string(parts.size()) +
              (parts.size() == 1 ? " part" : " parts") + " in " + out + "\n"};
  add_file(done, [&] { write_arrays(out, all); });
  return done;
}

}  // namespace revode::cli
