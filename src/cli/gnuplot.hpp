// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace revode::cli {

/// A gnuplot program under way: the common look of all pictures, then data and plots.
class gnuplot_program {
 public:
  /// SVG or PNG by the path's ending, of that size in pixels, for an option.
  gnuplot_program(const std::string& path, int width, int height,
                  std::string_view option = "--plot");

  gnuplot_program& operator<<(const std::string& text) {
    text_ += text;
    return *this;
  }
  gnuplot_program& operator<<(double x);

  /// Named data: a row (t, y) a save point.
  template <class Solution>
  void add_data(const std::string& name, const Solution& s) {
    *this << "$" + name + " << EOD\n";
    for (std::size_t k = 0; k < s.ts.size(); ++k) {
      *this << s.ts[k];
      for (const double x : s.ys[k]) (*this << " ") << x;
      *this << "\n";
    }
    *this << "EOD\n";
  }

  /// The line above the picture, flush with its left side.
  void title(const std::string& text);

  /// Pipes the program to gnuplot, and writes what it draws. Where there is no gnuplot there is one
  /// line on stderr; the work that the picture shows is done and stands. Throws unwritten.
  void run() const;

 private:
  std::string path_, option_, text_;
};

/// 'text' as gnuplot quotes it.
std::string gnuplot_quoted(const std::string& text);

}  // namespace revode::cli
