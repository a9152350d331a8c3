// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fstream>
#include <string>

/// Panels of curves and dots in an SVG file, three a row, each of 240 × 190 with x in [x0, x1], y in [−top, top].
class picture {
 public:
  picture(const char* path, int panels, double x0, double x1, double top)
      : svg_(path),
        x0_(x0),
        x1_(x1),
        top_(top) {
    const int columns = panels < 3 ? panels : 3, rows = (panels + 2) / 3;
    const std::string w = std::to_string(250 * columns + 10), h = std::to_string(200 * rows + 10);
    svg_ << "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 " << w << ' ' << h << "' width='"
         << w << "' height='" << h << "'>\n<rect width='100%' height='100%' fill='white'/>\n";
  }
  ~picture() { svg_ << (panel_ > 0 ? "</svg>\n" : "") << "</svg>\n"; }
  picture(const picture&) = delete;
  picture& operator=(const picture&) = delete;

  void next_panel() {
    svg_ << (panel_ > 0 ? "</svg>\n" : "") << "<svg x='" << 10 + 250 * (panel_ % 3) << "' y='"
         << 10 + 200 * (panel_ / 3) << "' width='240' height='190'>\n"
         << "<rect width='240' height='190' fill='none' stroke='#999'/>\n";
    ++panel_;
  }
  /// Through the points x(k), y(k), k < count.
  template <class X, class Y>
  void curve(const char* colour, double width, int count, const X& x, const Y& y) {
    svg_ << "<polyline fill='none' stroke='" << colour << "' stroke-width='" << width
         << "' points='";
    for (int k = 0; k < count; ++k) svg_ << across(x(k)) << ',' << down(y(k)) << ' ';
    svg_ << "'/>\n";
  }
  void dot(const char* colour, double x, double y) {
    svg_ << "<circle r='3' fill='" << colour << "' cx='" << across(x) << "' cy='" << down(y)
         << "'/>\n";
  }

 private:
  double across(double x) const { return 240 * (x - x0_) / (x1_ - x0_); }
  double down(double y) const { return 95 * (1 - y / top_); }

  std::ofstream svg_;
  double x0_, x1_, top_;
  int panel_ = 0;
};
