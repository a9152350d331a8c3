// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <string>

#include "report.hpp"

namespace revode::wpd {
namespace {

constexpr double width = 520, height = 400, left = 74, right = 150, top = 30, bottom = 42;
constexpr int most_methods = 5;
constexpr const char* colours[] = {"#1b6ca8", "#d1495b", "#2a9d4a", "#8a4fbf", "#e08e0b",
                                   "#12a5a5", "#a0522d", "#7fb800", "#e377c2", "#00509d",
                                   "#9c6644", "#5e548e", "#f25f5c", "#247ba0"};
constexpr const char* peer_colours[] = {"#222222", "#999999", "#6b8e23", "#c71585",
                                        "#b8860b", "#4b0082", "#6a7fd0", "#4682b4"};

struct frame {
  double x0, x1, y0, y1;  ///< digits, log₁₀ of microseconds
  double x(double digits) const {
    return left + (digits - x0) / (x1 - x0) * (width - left - right);
  }
  double y(double seconds) const {
    return height - bottom - (std::log10(seconds * 1e6) - y0) / (y1 - y0) * (height - top - bottom);
  }
};

/// The curves worth drawing: all peers, and the methods that are fastest at 4, 6 and 8 digits.
std::vector<const curve*> chosen(const problem_report& q) {
  std::vector<const curve*> methods, peers;
  for (const curve& c : q.curves) (c.peer ? peers : methods).push_back(&c);
  const auto merit = [&](const curve* c) {
    double sum = 0;
    for (const double digits : targets) {
      const curve* best = fastest(q, false, digits);
      if (best == nullptr) continue;
      const double ratio = seconds_at(*c, digits) / seconds_at(*best, digits);
      sum += std::isnan(ratio) ? 3 : std::log(ratio);
    }
    return sum;
  };
  std::stable_sort(methods.begin(), methods.end(),
                   [&](const curve* a, const curve* b) { return merit(a) < merit(b); });
  if (methods.size() > most_methods) methods.resize(most_methods);
  methods.insert(methods.end(), peers.begin(), peers.end());
  return methods;
}

frame frame_of(const std::vector<const curve*>& curves) {
  double lowest = 12, highest = 2, least = 1e9, most = 1e-9;
  for (const curve* c : curves) {
    for (const point& p : c->points) {
      if (!p.good()) continue;
      lowest = std::fmin(lowest, p.mixed), highest = std::fmax(highest, p.mixed);
      least = std::fmin(least, p.least), most = std::fmax(most, p.least);
    }
  }
  return {std::floor(lowest), std::fmin(std::ceil(highest), 14),
          std::floor(std::log10(least * 1e6) * 2) / 2, std::ceil(std::log10(most * 1e6) * 2) / 2};
}

template <class... Values>
std::string line(const char* format, Values... values) {
  char buffer[512];
  std::snprintf(buffer, sizeof buffer, format, values...);
  return buffer;
}

/// 10^k microseconds.
std::string duration(int k) {
  const char* unit = k < 3 ? "µs" : k < 6 ? "ms" : "s";
  return line("%g %s", std::pow(10, k < 3 ? k : k < 6 ? k - 3 : k - 6), unit);
}

std::string axes(const frame& at, const std::string& title) {
  std::string out = line("<rect width='%g' height='%g' fill='white'/>\n", width, height);
  out += line("<text x='%g' y='18' font-weight='bold'>%s</text>\n", left, title.c_str());
  for (double d = at.x0; d <= at.x1; d += 1) {
    out += line("<path d='M%.1f %g V%g' stroke='#ddd'/>", at.x(d), top, height - bottom);
    out += line("<text x='%.1f' y='%g' text-anchor='middle'>%g</text>\n", at.x(d),
                height - bottom + 15, d);
  }
  for (double k = std::ceil(at.y0); k <= at.y1; k += 1) {
    const double y = at.y(std::pow(10, k - 6));
    out += line("<path d='M%g %.1f H%g' stroke='#ddd'/>", left, y, width - right);
    out += line("<text x='%g' y='%.1f' text-anchor='end'>%s</text>\n", left - 4, y + 4,
                duration(static_cast<int>(k)).c_str());
  }
  out += line("<text x='%g' y='%g' text-anchor='middle'>correct digits (mescd)</text>\n",
              (left + width - right) / 2, height - 8);
  return out + line(
                   "<text transform='translate(14 %g) rotate(-90)' text-anchor='middle'>"
                   "processor time</text>\n",
                   (top + height - bottom) / 2);
}

std::string drawn(const frame& at, const curve& c, const char* colour, int place) {
  std::string path, marks;
  for (const point& p : c.points) {
    if (!p.good()) continue;
    const double x = at.x(std::fmin(p.mixed, at.x1)), y = at.y(p.least);
    path += line("%c%.1f %.1f", path.empty() ? 'M' : 'L', x, y);
    marks += line("<circle cx='%.1f' cy='%.1f' r='2.5'/>", x, y);
  }
  const char* dashes = c.peer ? " stroke-dasharray='5 3'" : "";
  const double y = top + 10 + 15 * place, x = width - right + 8;
  return line("<g fill='%s'><path fill='none' stroke='%s' stroke-width='1.6'%s d='", colour, colour,
              dashes) +
         path + "'/>" + marks +
         line("<path d='M%g %g h16' stroke='%s' stroke-width='2'%s/>", x, y - 4, colour, dashes) +
         line("<text x='%g' y='%g'>%s</text></g>\n", x + 20, y, c.solver.c_str());
}

}  // namespace

palette palette_of(const report& all) {
  palette colour_of;
  std::size_t methods = 0, peers = 0;
  for (const auto& q : all.problems) {
    for (const curve* c : chosen(q)) {
      if (colour_of.contains(c->solver)) continue;
      colour_of[c->solver] = c->peer ? peer_colours[peers++ % std::size(peer_colours)]
                                     : colours[methods++ % std::size(colours)];
    }
  }
  return colour_of;
}

std::string drawing(const problem_report& q, const palette& colour_of) {
  const auto curves = chosen(q);
  const frame at = frame_of(curves);
  std::string out = "<g font-family='sans-serif' font-size='11'>\n";
  out += axes(at, q.name + ", n = " + std::to_string(q.n));
  int place = 0;
  for (const curve* c : curves) out += drawn(at, *c, colour_of.at(c->solver), place++);
  return out + "</g>\n";
}

std::string figure(const problem_report& q, const palette& colour_of) {
  return line("<svg xmlns='http://www.w3.org/2000/svg' width='%g' height='%g'>\n", width, height) +
         drawing(q, colour_of) + "</svg>\n";
}

}  // namespace revode::wpd
