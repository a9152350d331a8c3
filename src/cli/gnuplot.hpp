// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace revode::cli {

/// A gnuplot program under way: the common look of all pictures, then data and plots.
class gnuplot_program {
 public:
  /// SVG or PNG by the path's ending, of that size in pixels.
  gnuplot_program(const std::string& path, int width, int height);

  gnuplot_program& operator<<(const std::string& text) {
    text_ += text;
    return *this;
  }
  gnuplot_program& operator<<(double x);

  /// The line above the picture, flush with its left side.
  void title(const std::string& text);

  /// Pipes the program to gnuplot. False, and one line on stderr, when there is no picture; the
  /// work that it shows is done and stands.
  bool run() const;

 private:
  std::string path_, text_;
};

/// 'text' as gnuplot quotes it.
std::string gnuplot_quoted(const std::string& text);

}  // namespace revode::cli
