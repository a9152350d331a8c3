// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <revode/config.hpp>

namespace revode::lanes {

struct request {
  index lanes = 2048;
  int repeats = 5;
};

/// One way of solving all lanes of a case, or of their gradients.
struct row {
  std::string who;
  std::string kind;     ///< "solve" or "gradient", of half the square of the end state's norm
  double seconds = 0;   ///< for all lanes, the least of the repetitions
  int together = 1;     ///< lanes side by side in one worker
  double attempts = 0;  ///< of a lane, on average
  double worst = 0;     ///< relative error, over the samples
  double median = 0;    ///< likewise
  double bytes = 0;     ///< of the reverse pass, over all resident lanes
};

/// What a lane's end state and gradient (by y0, then p) would be, to more digits than anyone here gets.
struct sample {
  index lane;
  std::vector<double> y, gradient;
};

struct measured {
  std::string method;
  index lanes = 0,
        slots = 0;  ///< slots: states kept for gradients, 0: as many as there is room for
  double t1 = 0, rtol = 0, atol = 0, fixed_step = 0, max_step = 0;  ///< a step of 0: none
  std::vector<double> attempts;            ///< least, mean and most of a lane
  std::vector<std::vector<double>> y0, p;  ///< one a lane, or one for all
  std::vector<row> rows;
  std::vector<sample> samples;
};

struct lane_case {
  const char* name;
  const char* summary;
  measured (*measure)(const request&);
  index lanes;  ///< by default
};

/// All of them, in the order of the report.
std::vector<lane_case> cases();

measured lorenz_sweep(const request&);
measured lorenz_fixed(const request&);
measured oscillators(const request&);
measured robertson(const request&);
measured proteins(const request&);
measured ring_of_4(const request&);
measured ring_of_8(const request&);
measured ring_of_16(const request&);
measured ring_of_32(const request&);
measured ring_of_40(const request&);
measured long_ring(const request&);

}  // namespace revode::lanes
