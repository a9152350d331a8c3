// SPDX-License-Identifier: Apache-2.0
#include <revode/io/npz.hpp>

#include <array>
#include <cstdint>
#include <limits>
#include <stdexcept>

namespace revode {
namespace {

constexpr std::size_t local_size = 30, central_size = 46, end_size = 22;
constexpr std::string_view local_mark = "PK\x03\x04", central_mark = "PK\x01\x02",
                           end_mark = "PK\x05\x06", ending = ".npy";

[[noreturn]] void refuse(const std::string& name, const std::string& why) {
  throw std::invalid_argument("cannot read " + name + " (" + why +
                              ") give a file by numpy.savez or revode, as it was written?");
}

std::uint32_t crc32(std::string_view bytes) {
  static const auto table = [] {
    std::array<std::uint32_t, 256> all{};
    for (std::uint32_t i = 0; i < 256; ++i) {
      std::uint32_t c = i;
      for (int k = 0; k < 8; ++k) c = (c >> 1) ^ ((c & 1u) != 0 ? 0xedb88320u : 0u);
      all[i] = c;
    }
    return all;
  }();
  std::uint32_t sum = 0xffffffff;
  for (const char byte : bytes)
    sum = table[(sum ^ static_cast<unsigned char>(byte)) & 0xffu] ^ (sum >> 8);
  return ~sum;
}

void put(std::string& bytes, std::size_t number, int size) {
  for (int k = 0; k < size; ++k)
    bytes += static_cast<char>(static_cast<unsigned char>(number >> (8 * k)));
}
std::size_t number_at(std::string_view bytes, std::size_t place, int size) {
  std::size_t number = 0;
  for (int k = 0; k < size; ++k)
    number |= std::size_t{static_cast<unsigned char>(bytes[place + static_cast<std::size_t>(k)])}
              << (8 * k);
  return number;
}

/// What the two headers of a file in the archive have in common: from the version needed to the length of
/// the extra field. Stored, and of 1980-01-01, the first day that zip knows.
std::string entry_text(std::string_view content, std::size_t name_size) {
  std::string text;
  put(text, 20, 2);
  put(text, 0, 6);
  put(text, 0x21, 2);
  put(text, crc32(content), 4);
  put(text, content.size(), 4);
  put(text, content.size(), 4);
  put(text, name_size, 2);
  put(text, 0, 2);
  return text;
}

void check_size(std::size_t size) {
  if (size < std::numeric_limits<std::uint32_t>::max()) return;
  throw std::invalid_argument("an NPZ file of " + std::to_string(size) +
                              " bytes (a zip archive has at most 4 GiB) keep fewer numbers, or "
                              "write several?");
}

/// Where the table of files begins, and how many there are.
struct table_place {
  std::size_t at, count;
};
table_place find_table(std::string_view bytes, const std::string& name) {
  if (bytes.size() < end_size || !bytes.starts_with("PK")) refuse(name, "it is no zip archive");
  const std::size_t last = bytes.rfind(end_mark, bytes.size() - end_size);
  if (last == bytes.npos) refuse(name, "it is cut off");
  const std::size_t size = number_at(bytes, last + 12, 4), at = number_at(bytes, last + 16, 4);
  if (at > last || size > last - at) refuse(name, "its table of files lies outside");
  return {at, number_at(bytes, last + 10, 2)};
}

/// The content of the file whose header in the table is at `place`.
std::string_view content_of(std::string_view bytes, std::size_t place, const std::string& file) {
  if (number_at(bytes, place + 10, 2) != 0) refuse(file, "it is compressed");
  const std::size_t size = number_at(bytes, place + 20, 4), at = number_at(bytes, place + 42, 4);
  if (size != number_at(bytes, place + 24, 4)) refuse(file, "it has two sizes");
  if (at > bytes.size() || bytes.size() - at < local_size || bytes.substr(at, 4) != local_mark)
    refuse(file, "it lies outside the archive");
  const std::size_t from =
      at + local_size + number_at(bytes, at + 26, 2) + number_at(bytes, at + 28, 2);
  if (from > bytes.size() || size > bytes.size() - from) refuse(file, "it is cut off");
  const std::string_view content = bytes.substr(from, size);
  if (crc32(content) != number_at(bytes, place + 16, 4))
    refuse(file, "it is damaged: its CRC is not that of its bytes");
  return content;
}

}  // namespace

std::string npz_bytes(const named_arrays& arrays) {
  std::string bytes, table;
  for (const auto& [name, array] : arrays) {
    const std::string content = npy_bytes(array), file = name + std::string(ending),
                      entry = entry_text(content, file.size());
    table.append(central_mark);
    put(table, 20, 2);  // written for version 2.0, as it needs
    table.append(entry);
    put(table, 0, 8);  // no comment, disk 0, no attributes
    put(table, 0, 2);
    check_size(bytes.size());
    put(table, bytes.size(), 4);
    table.append(file);
    bytes.append(local_mark).append(entry).append(file).append(content);
  }
  check_size(bytes.size() + table.size() + end_size);
  const std::size_t at = bytes.size();
  bytes.append(table).append(end_mark);
  put(bytes, 0, 4);
  put(bytes, arrays.size(), 2);
  put(bytes, arrays.size(), 2);
  put(bytes, table.size(), 4);
  put(bytes, at, 4);
  put(bytes, 0, 2);
  return bytes;
}

named_arrays read_npz(std::string_view bytes, const std::string& name) {
  auto [at, count] = find_table(bytes, name);
  named_arrays arrays;
  for (; count > 0; --count) {
    if (bytes.size() - at < central_size || bytes.substr(at, 4) != central_mark)
      refuse(name, "its table of files is damaged");
    const std::size_t length = number_at(bytes, at + 28, 2);
    if (length > bytes.size() - at - central_size) refuse(name, "its table of files is damaged");
    std::string file(bytes.substr(at + central_size, length));
    const std::string_view content = content_of(bytes, at, "'" + file + "' in " + name);
    if (!file.ends_with(ending)) refuse(name, "it has files that are no arrays");
    file.resize(file.size() - ending.size());
    npy_array array = read_npy(content, "'" + file + "' in " + name);
    arrays.emplace_back(std::move(file), std::move(array));
    const std::size_t next =
        central_size + length + number_at(bytes, at + 30, 2) + number_at(bytes, at + 32, 2);
    if (next > bytes.size() - at) refuse(name, "its table of files is damaged");
    at += next;
  }
  return arrays;
}

}  // namespace revode
