// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <revode/config.hpp>

namespace revode::cli {

/// Throws std::invalid_argument; the texts are "<problem> (<why>) <what to do>?".
[[noreturn]] void misuse(const std::string& text);

/// An output that could not be written, with a text of the same form; the command then ends with 3.
struct unwritten : std::runtime_error {
  using std::runtime_error::runtime_error;
};
[[noreturn]] void cannot_write(std::string_view option, const std::string& path, int error);

/// 'text', its beginning where it is long, a ? for each control character.
std::string in_quotes(std::string_view text);

/// The shortest decimal that reads back to the same bits.
std::string shortest(double x);
/// A number for people, to so many significant digits.
std::string rounded(double x, int digits);
/// "832 B", "12.5 KiB", "3.1 MiB"
std::string bytes_text(index bytes);
/// "12.3 ms", "4.567 s"
std::string seconds_text(double seconds);

/// Values of options; `option` is its name with dashes, for the misuse text.
double number(std::string_view option, std::string_view text);
index whole_number(std::string_view option, std::string_view text);
/// What up to nine digits say, −1 of any other text.
int counted(std::string_view digits);
/// The place of a name in the list, or of a number that is counted from 0; −1: neither.
int place_of(std::string_view text, std::span<const std::string> names);
/// 65536, 64KiB, 1.5MB
index byte_count(std::string_view option, std::string_view text);
/// "a,b,c", or "@file" with numbers between commas or white space.
std::vector<double> number_list(std::string_view option, std::string_view text);

/// The file of an option. Throws unwritten.
void write_file(std::string_view option, const std::string& path, const std::string& text);

/// Throws for a name that is not in a list of names: with the nearest one, or with `otherwise`.
[[noreturn]] void unknown_name(std::string_view kind, std::string_view name, std::string_view list,
                               std::span<const std::string_view> known, std::string_view otherwise);

/// Columns of equal width, two spaces between; the first is flush left, `left` more are too.
std::string aligned(const std::vector<std::vector<std::string>>& rows, std::size_t left = 0);

}  // namespace revode::cli
