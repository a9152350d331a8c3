// SPDX-License-Identifier: Apache-2.0
#include <revode/io/npy.hpp>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <stdexcept>

namespace revode {
namespace {

constexpr std::string_view magic = "\x93NUMPY";

[[noreturn]] void refuse(const std::string& name, const std::string& why) {
  throw std::invalid_argument("cannot read the array " + name + " (" + why +
                              ") give a file by numpy.save or revode, as it was written?");
}

// Numbers lie with the least byte first, whatever the machine.
template <class Word>
void put(std::string& bytes, Word word) {
  for (std::size_t k = 0; k < sizeof(Word); ++k)
    bytes += static_cast<char>(static_cast<unsigned char>(word >> (8 * k)));
}
template <class Word>
Word word_at(const char* bytes) {
  Word word = 0;
  for (std::size_t k = 0; k < sizeof(Word); ++k)
    word |= static_cast<Word>(static_cast<Word>(static_cast<unsigned char>(bytes[k])) << (8 * k));
  return word;
}
template <class Number>
std::uint64_t bits_of(Number x) {
  std::uint64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}

/// Reads one character of UTF-8 and drops it from the text; nothing where it is none.
std::optional<char32_t> next_character(std::string_view& text) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  const unsigned first = byte(0);
  const std::size_t more = first < 0x80 ? 0 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
  if ((first >= 0x80 && first < 0xc2) || first > 0xf4 || text.size() <= more) return {};
  char32_t c = more == 0 ? first : first & (0x3fu >> more);
  for (std::size_t k = 1; k <= more; ++k) {
    if ((byte(k) & 0xc0u) != 0x80) return {};
    c = (c << 6) | (byte(k) & 0x3fu);
  }
  const bool brief = (more == 2 && c < 0x800) || (more == 3 && c < 0x10000);
  if (brief || c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) return {};
  text.remove_prefix(more + 1);
  return c;
}

void add_character(std::string& text, char32_t c) {
  const auto add = [&](char32_t byte) { text += static_cast<char>(byte); };
  if (c < 0x80) return add(c);
  if (c < 0x800) {
    add(0xc0 | (c >> 6));
  } else if (c < 0x10000) {
    add(0xe0 | (c >> 12));
    add(0x80 | ((c >> 6) & 0x3f));
  } else {
    add(0xf0 | (c >> 18));
    add(0x80 | ((c >> 12) & 0x3f));
    add(0x80 | ((c >> 6) & 0x3f));
  }
  add(0x80 | (c & 0x3f));
}

std::u32string characters_of(std::string_view text) {
  std::u32string characters;
  for (std::string_view rest = text; !rest.empty();) {
    const std::optional<char32_t> c = next_character(rest);
    if (!c || *c == 0)
      throw std::invalid_argument("the text '" + std::string(text) +
                                  "' in an array (it is not UTF-8) write it in that?");
    characters += *c;
  }
  return characters;
}

std::string header_of(const std::string& type, const std::vector<index>& shape) {
  std::string text = "{'descr': '" + type + "', 'fortran_order': False, 'shape': (";
  for (std::size_t i = 0; i < shape.size(); ++i)
    text.append(i == 0 ? "" : " ").append(std::to_string(shape[i])).append(",");
  if (shape.size() > 1) text.pop_back();
  text += "), }";
  constexpr std::size_t before = 10;  // magic, version and length
  text.append(63 - (before + text.size()) % 64, ' ').append("\n");
  std::string header(magic);
  header.append("\x01\x00", 2);
  put(header, static_cast<std::uint16_t>(text.size()));
  return header + text;
}

template <class Number>
std::string bytes_of_numbers(const char* type, const std::vector<index>& shape,
                             const std::vector<Number>& numbers) {
  std::string bytes = header_of(type, shape);
  bytes.reserve(bytes.size() + 8 * numbers.size());
  for (const Number x : numbers) put(bytes, bits_of(x));
  return bytes;
}

std::string bytes_of_texts(const std::vector<index>& shape, const std::vector<std::string>& texts) {
  std::vector<std::u32string> all;
  std::size_t longest = 1;  // NumPy has no texts of none
  for (const std::string& text : texts) {
    all.push_back(characters_of(text));
    longest = std::max(longest, all.back().size());
  }
  std::string bytes = header_of("<U" + std::to_string(longest), shape);
  for (std::u32string& text : all) {
    text.resize(longest);
    for (const char32_t c : text) put(bytes, static_cast<std::uint32_t>(c));
  }
  return bytes;
}

/// What the header of a file says; the rest are its elements.
struct npy_header {
  std::string_view type;
  std::vector<index> shape;
  index size = 1;
  std::string_view elements;
};

/// The text between `begin` and `end` in a header.
std::string_view part_of(std::string_view text, std::string_view begin, std::string_view end,
                         const std::string& name) {
  const std::size_t from = text.find(begin);
  if (from == text.npos) refuse(name, "its header has no " + std::string(begin));
  text.remove_prefix(from + begin.size());
  const std::size_t to = text.find(end);
  if (to == text.npos) refuse(name, "its header ends early");
  return text.substr(0, to);
}

void read_shape(std::string_view text, npy_header& h, const std::string& name) {
  constexpr index most = std::numeric_limits<index>::max() / 64;  // bytes stay a number
  while (!text.empty()) {
    index length = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), length);
    if (error != std::errc() || length < 0 || (length > 0 && h.size > most / length))
      refuse(name, "its shape is none");
    h.shape.push_back(length);
    h.size *= length;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    while (!text.empty() && (text.front() == ',' || text.front() == ' ')) text.remove_prefix(1);
  }
}

npy_header read_header(std::string_view bytes, const std::string& name) {
  if (bytes.size() < 12 || !bytes.starts_with(magic)) refuse(name, "it is no NPY file");
  const int version = bytes[6];
  if (version < 1 || version > 3) refuse(name, "its format is not version 1, 2 or 3");
  const std::size_t before = version == 1 ? 10 : 12;
  const std::size_t length = version == 1 ? word_at<std::uint16_t>(bytes.data() + 8)
                                          : word_at<std::uint32_t>(bytes.data() + 8);
  if (length > bytes.size() - before) refuse(name, "it is cut off");
  const std::string_view text = bytes.substr(before, length);
  if (part_of(text, "'fortran_order': ", ",", name) != "False")
    refuse(name, "its elements do not lie row by row");
  npy_header h;
  h.elements = bytes.substr(before + length);
  h.type = part_of(text, "'descr': '", "'", name);
  read_shape(part_of(text, "'shape': (", ")", name), h, name);
  return h;
}

/// The elements, of so many bytes each, must be all there is.
void expect_bytes(const npy_header& h, std::size_t each, const std::string& name) {
  const std::size_t is = h.elements.size(), size = static_cast<std::size_t>(h.size);
  if (is / each != size || is % each != 0)
    refuse(name, "it has " + std::to_string(is) + " bytes for " + std::to_string(h.size) +
                     " elements of " + std::to_string(each));
}

template <class Number>
std::vector<Number> numbers_in(const npy_header& h, const std::string& name) {
  expect_bytes(h, 8, name);
  std::vector<Number> numbers(static_cast<std::size_t>(h.size));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto bits = word_at<std::uint64_t>(h.elements.data() + 8 * i);
    std::memcpy(&numbers[i], &bits, sizeof bits);
  }
  return numbers;
}

std::vector<std::string> texts_in(const npy_header& h, const std::string& name) {
  std::size_t each = 0;
  const char *from = h.type.data() + 2, *to = h.type.data() + h.type.size();
  const auto [end, error] = std::from_chars(from, to, each);
  if (error != std::errc() || end != to || each == 0 || each > h.elements.size())
    refuse(name, "the length of its texts is none");
  expect_bytes(h, 4 * each, name);
  std::vector<std::string> texts(static_cast<std::size_t>(h.size));
  const char* at = h.elements.data();
  for (std::string& text : texts)
    for (std::size_t k = 0; k < each; ++k, at += 4) {
      const auto c = word_at<std::uint32_t>(at);
      if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) refuse(name, "a text is none");
      if (c != 0) add_character(text, c);
    }
  return texts;
}

}  // namespace

npy_array npy_array::list(std::vector<double> numbers) {
  return {{static_cast<index>(numbers.size())}, std::move(numbers)};
}
npy_array npy_array::list(std::vector<index> numbers) {
  return {{static_cast<index>(numbers.size())}, std::move(numbers)};
}
npy_array npy_array::list(std::vector<std::string> texts) {
  return {{static_cast<index>(texts.size())}, std::move(texts)};
}
npy_array npy_array::rows(std::vector<double> numbers, index columns) {
  const index n = columns == 0 ? 0 : static_cast<index>(numbers.size()) / columns;
  return {{n, columns}, std::move(numbers)};
}

index npy_array::size() const {
  return std::visit([](const auto& all) { return static_cast<index>(all.size()); }, elements);
}

std::string npy_bytes(const npy_array& array) {
  index size = 1;
  for (const index length : array.shape) size *= length;
  if (size != array.size())
    throw std::invalid_argument("an array of " + std::to_string(array.size()) +
                                " elements whose shape has " + std::to_string(size) +
                                " (each has a place) give as many?");
  if (const auto* reals = std::get_if<std::vector<double>>(&array.elements))
    return bytes_of_numbers("<f8", array.shape, *reals);
  if (const auto* wholes = std::get_if<std::vector<index>>(&array.elements))
    return bytes_of_numbers("<i8", array.shape, *wholes);
  return bytes_of_texts(array.shape, std::get<std::vector<std::string>>(array.elements));
}

npy_array read_npy(std::string_view bytes, const std::string& name) {
  const npy_header h = read_header(bytes, name);
  if (h.type == "<f8") return {h.shape, numbers_in<double>(h, name)};
  if (h.type == "<i8") return {h.shape, numbers_in<index>(h, name)};
  if (h.type.starts_with("<U")) return {h.shape, texts_in(h, name)};
  refuse(name, "its elements are '" + std::string(h.type.substr(0, 20)) +
                   "', which are neither '<f8' nor '<i8' nor texts");
}

const npy_array* find_array(const named_arrays& arrays, std::string_view name) {
  for (const auto& [other, array] : arrays)
    if (other == name) return &array;
  return nullptr;
}

}  // namespace revode
