// SPDX-License-Identifier: Apache-2.0
#include <cli/gnuplot.hpp>

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

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

std::string refusal(const std::string& path, const char* why, const char* what_to_do) {
  return "no picture " + in_quotes(path) + " (" + why + ") " + what_to_do + "?";
}

/// A new file for what is drawn, gone with this object: gnuplot does not tell of a full disk.
struct drawing {
  std::string path = (std::filesystem::temp_directory_path() / "revode-XXXXXX").string();
  drawing() {
    const int file = mkstemp(path.data());
    if (file >= 0) close(file);
  }
  drawing(const drawing&) = delete;
  drawing& operator=(const drawing&) = delete;
  ~drawing() { std::remove(path.c_str()); }

  /// All of it, or nothing.
  std::string content(bool svg) const {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    const std::string all = text.str(), tail = svg ? "</svg>" : "IEND";
    return all.find(tail, all.size() - std::min<std::size_t>(all.size(), 16)) == std::string::npos
               ? ""
               : all;
  }
};

}  // namespace

std::string gnuplot_quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("''") : std::string(1, c);
  return quoted + "'";
}

gnuplot_program::gnuplot_program(const std::string& path, int width, int height,
                                 std::string_view option)
    : path_(path),
      option_(option) {
  const bool svg = path.ends_with(".svg");
  text_ = std::string("set terminal ") + (svg ? "svg" : "pngcairo") + " size " +
          std::to_string(width) + "," + std::to_string(height) +
          " font 'DejaVu Sans,12' background rgb 'white'\n" + look;
}

void gnuplot_program::title(const std::string& text) {
  *this << "set label 1 " + gnuplot_quoted(text) +
               " at graph 0, graph 1 left offset 0,1 noenhanced font ',13'\n";
}

gnuplot_program& gnuplot_program::operator<<(double x) {
  text_ += std::isfinite(x) ? rounded(x, 7) : "NaN";
  return *this;
}

void gnuplot_program::run() const {
  if (std::system("gnuplot --version >/dev/null 2>&1") != 0) {
    const std::string why =
        refusal(path_, "gnuplot is not installed", "install the package gnuplot-nox");
    std::fprintf(stderr, "%s\n", why.c_str());
    return;
  }
  const drawing drawn;
  const std::string whole = "set output " + gnuplot_quoted(drawn.path) + "\n" + text_;
  std::FILE* pipe = popen("gnuplot >/dev/null 2>&1", "w");
  if (pipe == nullptr) throw unwritten(refusal(path_, "gnuplot could not be started", "try again"));
  const bool piped = std::fwrite(whole.data(), 1, whole.size(), pipe) == whole.size();
  const bool ended = pclose(pipe) == 0;
  const std::string picture = drawn.content(path_.ends_with(".svg"));
  if (!piped || !ended || picture.empty())
    throw unwritten(refusal(path_, "gnuplot refused it",
                            "is there room for temporary files, and gnuplot 5.4 or newer"));
  write_file(option_, path_, picture);
}

}  // namespace revode::cli
