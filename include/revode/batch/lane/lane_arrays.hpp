// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <revode/config.hpp>
#include <revode/solve/controller.hpp>

namespace revode {

/// Number i of lane l is data[i * stride + l * step]: component-major, lane fastest, so that
/// neighbouring lanes read neighbouring memory; step 0 where all lanes share one.
template <class T>
struct lane_column {
  const T* data = nullptr;
  index stride = 0;
  index step = 0;

  REVODE_HD T at(index i, index lane) const { return data[i * stride + lane * step]; }
};

/// What all lanes of a solve have in common.
struct lane_rules {
  pid_controller controller{};
  double fixed_step = 0;
  double first_step = 0;
  double max_step = 0;
  bool save_t0 = false, save_t1 = false;
};

/// The problems, one a lane. Lane l's listed save points are save_ts[save_begin(l) … save_end(l)).
template <class T>
struct lane_inputs {
  index lanes = 0;
  lane_column<T> y0, p;
  lane_column<double> t0, t1, rtol, atol;
  lane_column<index> max_steps, save_begin, save_end;
  const double* save_ts = nullptr;
  const index* order = nullptr;  ///< which lane starts k-th; null: lane k

  REVODE_HD index started(index k) const { return order == nullptr ? k : order[k]; }
};

/// A lane's `ended` until it has; otherwise a status.
inline constexpr std::int64_t running = -1;

/// The results. Save point k of lane l has number i at ys[(k n + i) stride + l].
template <class T>
struct lane_outputs {
  index stride = 0;
  T* y = nullptr;
  double* t = nullptr;
  std::int64_t* ended = nullptr;
  index *attempts = nullptr, *accepted = nullptr, *evaluations = nullptr, *saved = nullptr;
  T* ys = nullptr;
};

/// Hands out lanes, each once, to whichever group has room.
struct lane_queue {
  unsigned long long* next = nullptr;
  index end = 0;

  /// The first of the next `count` lanes in the order of starting; `end` and more: there is none.
  REVODE_HD index pull(unsigned long long count = 1) const {
#if defined(__CUDA_ARCH__)
    return static_cast<index>(atomicAdd(next, count));
#else
    return static_cast<index>(__atomic_fetch_add(next, count, __ATOMIC_RELAXED));
#endif
  }
};

}  // namespace revode
