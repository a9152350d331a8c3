// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <vector>

namespace revode::cli {

/// Curves over one axis, to zoom into and to read off.
struct chart {
  std::string title, across;
  std::vector<std::string> names;         ///< of the curves
  std::vector<std::vector<double>> rows;  ///< the number across, ascending, then one a curve
  bool logarithmic_across = false, logarithmic_up = false;
  bool dots = false;            ///< points without lines
  bool bars = false;            ///< steps above the axis
  std::vector<double> marks{};  ///< numbers across with a line upwards: events
};

/// Points in a plane, joined to a curve or each a dot.
struct drawn_points {
  std::string name;
  std::vector<std::array<double, 2>> points{};
  bool dots = false;
};

/// A picture of a plane, of one scale both ways, to zoom into and to read off.
struct plane {
  std::string title, across, up;
  std::array<double, 2> from{}, to{};  ///< its corners
  int side = 0;                        ///< shades in so many rows of so many cells; 0: none
  std::vector<double> shades{};        ///< of at least 0, the rows from below
  std::vector<drawn_points> drawn{};   ///< above them
};

/// A number with a bar of its share of the largest one.
struct named_number {
  std::string name;
  double value = 0;
};

/// What --report writes: one file of HTML that needs nothing else, no network either.
struct report_page {
  std::string title;
  std::string command;  ///< what was typed, to be typed again
  std::string text;     ///< what was printed
  std::vector<chart> charts{};
  std::vector<plane> planes{};
  std::vector<named_number> gradient{};

  std::string html() const;
};

/// Whether this command carries the charts' script (dygraphs, which Debian's libjs-dygraphs has).
bool has_charts();

/// Misuse unless the file of --report can be made, ends in .html, and charts can be.
void check_report(const std::string& path);

}  // namespace revode::cli
