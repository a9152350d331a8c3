// SPDX-License-Identifier: Apache-2.0
#include <cli/gnuplot.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include <cli/text.hpp>

namespace revode::cli {
namespace {

constexpr const char* look =
    "set encoding utf8\n"
    "set border 3 lw 1 lc rgb '#555555'\n"
    "set tics nomirror out scale 0.6 textcolor rgb '#333333'\n"
    "set grid back lt 1 dt 1 lw 0.6 lc rgb '#e4e4e4'\n"
    "set key outside right top vertical noenhanced samplen 2\n"
    "set tmargin 3\n"
    "set xlabel noenhanced\n"
    "set ylabel noenhanced\n"
    "set palette defined (0 '#440154', 1 '#414487', 2 '#2a788e', 3 '#22a884', 4 '#7ad151', "
    "5 '#e3cf1e')\n"
    "set linetype 1 lw 1.6 lc rgb '#0072b2'\n"
    "set linetype 2 lw 1.6 lc rgb '#d55e00'\n"
    "set linetype 3 lw 1.6 lc rgb '#009e73'\n"
    "set linetype 4 lw 1.6 lc rgb '#cc79a7'\n"
    "set linetype 5 lw 1.6 lc rgb '#56b4e9'\n"
    "set linetype 6 lw 1.6 lc rgb '#e69f00'\n"
    "set linetype 7 lw 1.6 lc rgb '#000000'\n"
    "set linetype 8 lw 1.6 lc rgb '#999933'\n";

bool warn(const std::string& path, const char* why, const char* what_to_do) {
  std::fprintf(stderr, "no picture %s (%s) %s?\n", in_quotes(path).c_str(), why, what_to_do);
  return false;
}

}  // namespace

std::string gnuplot_quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("''") : std::string(1, c);
  return quoted + "'";
}

gnuplot_program::gnuplot_program(const std::string& path, int width, int height) : path_(path) {
  const bool svg = path.ends_with(".svg");
  text_ = std::string("set terminal ") + (svg ? "svg" : "pngcairo") + " size " +
          std::to_string(width) + "," + std::to_string(height) +
          " font 'DejaVu Sans,12' background rgb 'white'\n" + look + "set output " +
          gnuplot_quoted(path) + "\n";
}

void gnuplot_program::title(const std::string& text) {
  *this << "set label 1 " + gnuplot_quoted(text) +
               " at graph 0, graph 1 left offset 0,1 noenhanced font ',13'\n";
}

gnuplot_program& gnuplot_program::operator<<(double x) {
  text_ += std::isfinite(x) ? rounded(x, 7) : "NaN";
  return *this;
}

bool gnuplot_program::run() const {
  if (std::system("gnuplot --version >/dev/null 2>&1") != 0)
    return warn(path_, "gnuplot is not installed", "install the package gnuplot-nox");
  std::FILE* pipe = popen("gnuplot >/dev/null 2>&1", "w");
  if (pipe == nullptr) return warn(path_, "gnuplot could not be started", "try again");
  const bool written = std::fwrite(text_.data(), 1, text_.size(), pipe) == text_.size();
  if (pclose(pipe) == 0 && written) return true;
  return warn(path_, "gnuplot refused it", "is the file writable, and gnuplot 5.4 or newer");
}

}  // namespace revode::cli
