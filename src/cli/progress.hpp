// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>

#include <unistd.h>

#include <cli/text.hpp>
#include <revode/config.hpp>

namespace revode::cli {

/// The progress line itself: what is done, how much of it (0 … 1), and where it is.
inline void show_progress(const char* what, double part, const std::string& where) {
  constexpr int width = 30;
  char bar[width + 1] = {};
  for (int i = 0; i < width; ++i) bar[i] = i < part * width ? '#' : '.';
  std::fprintf(stderr, "\r%s [%s] %3.0f %%  %-16s", what, bar, 100 * part, where.c_str());
  std::fflush(stderr);
}
inline void clear_progress() { std::fputs("\r\033[K", stderr); }

/// One line on stderr that shows how far a long run is. It looks at the clock once in 4096 calls
/// over the state's size, and writes only where stderr is a terminal and the run takes its time.
class progress {
 public:
  progress(double t0, double t1, index size)
      : t0_(t0),
        t1_(t1),
        every_(std::max<index>(1, 4096 / std::max<index>(1, size))) {}
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;
  ~progress() {
    if (shown_) clear_progress();
  }

  static bool wanted() { return isatty(STDERR_FILENO) == 1; }

  /// The field was evaluated at time t.
  void forward(double t) {
    if (++calls_ >= every_) [[unlikely]]
      look(t, false);
  }
  /// The field was pulled back at time t.
  void reverse(double t) {
    reversing_ = true;
    if (++calls_ >= every_) [[unlikely]]
      look(t, true);
  }

 private:
  using clock = std::chrono::steady_clock;

  void look(double t, bool pulled) {
    calls_ = 0;
    if (reversing_ && !pulled) return;  // a replay: the last pull says how far it is
    const auto now = clock::now();
    if (now < next_) return;
    next_ = now + std::chrono::milliseconds(100);
    const double part = t1_ == t0_ ? 1 : std::clamp((t - t0_) / (t1_ - t0_), 0.0, 1.0);
    show_progress(reversing_ ? "reverse" : "solve  ", part, "t = " + rounded(t, 6));
    shown_ = true;
  }

  double t0_, t1_;
  index every_, calls_ = 0;
  clock::time_point next_ = clock::now() + std::chrono::milliseconds(400);
  bool reversing_ = false, shown_ = false;
};

}  // namespace revode::cli
