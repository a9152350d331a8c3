// SPDX-License-Identifier: Apache-2.0
#include <cli/text.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <utility>

#include <revode/problems/catalog.hpp>

namespace revode::cli {
namespace {

/// The whole text as a number, or false.
template <class Number>
bool parse(std::string_view text, Number& value) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc{} && stop == end && !text.empty();
}

[[noreturn]] void invalid(std::string_view option, std::string_view text, const std::string& rest) {
  misuse("invalid " + std::string(option) + " " + in_quotes(text) + " " + rest);
}

std::string read_file(std::string_view option, const std::string& path) {
  errno = 0;
  std::ifstream file(path);
  std::ostringstream content;
  content << file.rdbuf();
  if (!file || content.str().empty()) {
    const std::string why = !file.is_open() && errno != 0 ? std::strerror(errno) : "nothing in it";
    misuse("cannot read " + in_quotes(path) + " for " + std::string(option) + " (" + why +
           ") give a file of numbers after the @?");
  }
  return content.str();
}

}  // namespace

void misuse(const std::string& text) { throw std::invalid_argument(text); }

std::string in_quotes(std::string_view text) {
  constexpr std::size_t most = 200;
  std::string quoted = "'" + std::string(text.substr(0, most)) + (text.size() > most ? "…'" : "'");
  for (char& c : quoted) c = std::iscntrl(static_cast<unsigned char>(c)) != 0 ? '?' : c;
  return quoted;
}

std::string shortest(double x) {
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), x).ptr;
  std::string text(buffer.data(), end);
  if (const std::size_t e = text.find('e');
      e != std::string::npos) {  // 1e-06 to 1e-6, 1e+20 to 1e20
    if (text[e + 1] == '+') text.erase(e + 1, 1);
    const std::size_t digits = e + (text[e + 1] == '-' ? 2 : 1);
    if (text[digits] == '0' && digits + 1 < text.size()) text.erase(digits, 1);
  }
  return text;
}

std::string rounded(double x, int digits) {
  if (std::isnan(x)) return "nan";  // whatever its sign bit
  std::array<char, 48> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.*g", digits, x);
  return buffer.data();
}

std::string bytes_text(index bytes) {
  constexpr std::array units{"B", "KiB", "MiB", "GiB", "TiB"};
  double amount = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; amount >= 1024 && unit + 1 < units.size(); ++unit) amount /= 1024;
  std::array<char, 48> buffer{};
  std::snprintf(buffer.data(), buffer.size(), unit == 0 ? "%.0f %s" : "%.1f %s", amount,
                units[unit]);
  return buffer.data();
}

std::string seconds_text(double seconds) {
  return seconds < 1 ? rounded(1e3 * seconds, 3) + " ms" : rounded(seconds, 4) + " s";
}

double number(std::string_view option, std::string_view text) {
  double value = 0;
  if (!parse(text, value))
    invalid(option, text, "(a number is needed) give e.g. " + std::string(option) + " 0.5?");
  return value;
}

index whole_number(std::string_view option, std::string_view text) {
  index value = 0;
  if (!parse(text, value))
    invalid(option, text, "(a whole number is needed) give e.g. " + std::string(option) + " 1000?");
  return value;
}

int counted(std::string_view digits) {
  constexpr std::string_view all = "0123456789";
  if (digits.empty() || digits.size() > 9 || digits.find_first_not_of(all) != all.npos) return -1;
  int value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

int place_of(std::string_view text, std::span<const std::string> names) {
  const auto found = std::find(names.begin(), names.end(), text);
  if (found != names.end()) return static_cast<int>(found - names.begin());
  const int i = counted(text);
  return i < static_cast<int>(names.size()) ? i : -1;
}

index byte_count(std::string_view option, std::string_view text) {
  constexpr std::array<std::pair<std::string_view, double>, 7> units{{{"KiB", 0x1p10},
                                                                      {"MiB", 0x1p20},
                                                                      {"GiB", 0x1p30},
                                                                      {"kB", 1e3},
                                                                      {"MB", 1e6},
                                                                      {"GB", 1e9},
                                                                      {"B", 1}}};
  std::string_view digits = text;
  double factor = 1;
  for (const auto& [suffix, size] : units) {
    if (!digits.ends_with(suffix)) continue;
    digits.remove_suffix(suffix.size());
    factor = size;
    break;
  }
  double amount = 0;
  if (!parse(digits, amount) || !(amount * factor >= 1) || !(amount * factor < 0x1p60))
    invalid(
        option, text,
        "(a number of bytes is needed, alone or with B, kB, MB, GB, KiB, MiB or GiB) give e.g. " +
            std::string(option) + " 64KiB?");
  return static_cast<index>(amount * factor);
}

std::vector<double> number_list(std::string_view option, std::string_view text) {
  std::string list(text);
  if (list.starts_with('@')) {
    list = read_file(option, list.substr(1));
    list.erase(list.find_last_not_of(" \t\r\n,") + 1);
    for (std::size_t at = 0; (at = list.find_first_of("\t\r\n", at)) < list.size();) list[at] = ' ';
  }
  std::vector<double> values;
  std::size_t from = 0;
  for (;;) {
    const std::size_t to = std::min(list.find_first_of(", ", from), list.size());
    double value = 0;
    if (!parse(std::string_view(list).substr(from, to - from), value))
      invalid(option, text,
              "(" + in_quotes(list.substr(from, to - from)) +
                  " is not a number) separate numbers by commas, or give @file?");
    values.push_back(value);
    if (to == list.size()) return values;
    from = to + 1;
    if (text.starts_with('@')) from = std::min(list.find_first_not_of(", ", to), list.size());
  }
}

void write_file(std::string_view option, const std::string& path, const std::string& text) {
  errno = 0;
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) cannot_write(option, path, errno);
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const int error = errno;
  if (std::fclose(file) != 0 || !written) cannot_write(option, path, written ? errno : error);
}

void cannot_write(std::string_view option, const std::string& path, int error) {
  throw unwritten("cannot write " + in_quotes(path) + " for " + std::string(option) + " (" +
                  (error == 0 ? "it took less than there is" : std::strerror(error)) +
                  ") make room there, or give another file?");
}

void unknown_name(std::string_view kind, std::string_view name, std::string_view list,
                  std::span<const std::string_view> known, std::string_view otherwise) {
  const std::string nearest = nearest_name(name, known);
  std::string text = "unknown ";
  text.append(kind).append(" ").append(in_quotes(name));
  text.append(" (not in the list of ").append(list).append(") ");
  misuse(
      text.append(nearest.empty() ? std::string(otherwise) : "did you mean " + in_quotes(nearest))
          .append("?"));
}

std::string aligned(const std::vector<std::vector<std::string>>& rows, std::size_t left) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string padding(widths[i] - row[i].size(), ' ');
      const bool flush_left = i <= left;
      if (i > 0) text += "  ";
      text += flush_left ? row[i] : padding + row[i];
      if (flush_left && i + 1 < row.size()) text += padding;
    }
    text += '\n';
  }
  return text;
}

}  // namespace revode::cli
