// SPDX-License-Identifier: Apache-2.0
#pragma once

// One Thrust system a build: REVODE_BATCH_SYSTEM of the CMake files defines THRUST_DEVICE_SYSTEM.
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/for_each.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/counting_iterator.h>
#if defined(_OPENMP)
#include <omp.h>
#endif
#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_TBB
#include <tbb/task_arena.h>
#endif

#include <algorithm>
#include <stdexcept>
#include <string>
#include <type_traits>

#include <revode/config.hpp>

namespace revode {

/// Lanes stepped together by one core: two to four of its vectors, so that they hide each other's
/// latency. Any width gives the same bits.
#if defined(REVODE_LANES)
inline constexpr int host_lanes = REVODE_LANES;
#elif defined(__AVX512F__)
inline constexpr int host_lanes = 32;
#else
inline constexpr int host_lanes = 16;
#endif

/// States with more elements go one after the other: code without a loop over their elements would not
/// fit the instruction cache. The library's compiler flags know this number (batch.cmake).
inline constexpr int most_in_lanes = 40;

/// How many lanes of a state with `numbers` elements step together where a place takes `most`: of a
/// large one, whose stages fill the registers by themselves, two vectors.
constexpr int lane_width(int most, int numbers) {
  if (numbers > most_in_lanes) return 1;
  return numbers > 8 && most >= 4 ? most / 2 : most;
}
/// The same where gradients are made: one vector, for what two leave behind at every step would not
/// stay in the caches until it is read again.
constexpr int pull_width(int most, int numbers) {
  return lane_width(most, numbers) < most ? std::max(lane_width(most, numbers) / 2, 1) : most;
}

#if defined(__CUDACC__)
template <class Op>
__global__ void __launch_bounds__(128) lane_kernel(Op op, index n) {
  const index i = static_cast<index>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) op(i);
}

inline void require(cudaError_t found) {
  if (found != cudaSuccess)
    throw std::runtime_error(
        "lanes cannot run on the device (CUDA says: " + std::string(cudaGetErrorString(found)) +
        ") run them on_host{}, or where a driver and a card of the build's "
        "architecture are?");
}
#endif

/// Thrust's host system: what runs where no accelerator is.
struct on_host {
  template <class T>
  using array = thrust::host_vector<T>;
  static constexpr int width = host_lanes;
  static constexpr bool catches = true;  ///< exceptions of a field

  /// How many lane groups run at a time.
  template <class Op>
  static index workers(const Op&) {
#if THRUST_HOST_SYSTEM == THRUST_HOST_SYSTEM_OMP
    return omp_get_max_threads();
#else
    return 1;
#endif
  }
  /// op(0) … op(n − 1), at the same time where the system does that.
  template <class Op>
  static void for_each(index n, const Op& op) {
    thrust::for_each(thrust::host, thrust::counting_iterator<index>(0),
                     thrust::counting_iterator<index>(n), op);
  }
};

/// Thrust's device system: CPP, OMP and TBB run lane groups on this machine's cores, CUDA one lane a
/// thread.
struct on_device {
  template <class T>
  using array = thrust::device_vector<T>;
#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CUDA
  static constexpr int width = 1;
  static constexpr bool catches = false;

  template <class Op>
  static index workers(const Op&) {
    int device = 0, processors = 0, blocks = 0;
    require(cudaGetDevice(&device));
    require(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
    require(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, lane_kernel<Op>, 128, 0));
    return index{128} * processors * std::max(blocks, 1);
  }
  template <class Op>
  static void for_each(index n, const Op& op) {
    if (n == 0) return;
    lane_kernel<<<static_cast<unsigned>((n + 127) / 128), 128>>>(op, n);
    require(cudaGetLastError());
    require(cudaDeviceSynchronize());
  }
#else
  static constexpr int width = host_lanes;
  static constexpr bool catches = true;

  template <class Op>
  static index workers(const Op&) {
#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_OMP
    return omp_get_max_threads();
#elif THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_TBB
    return tbb::this_task_arena::max_concurrency();
#else
    return 1;
#endif
  }
  template <class Op>
  static void for_each(index n, const Op& op) {
    thrust::for_each(thrust::device, thrust::counting_iterator<index>(0),
                     thrust::counting_iterator<index>(n), op);
  }
#endif
};

/// As on_device, with Thrust's own for_each in place of the launcher above: 256 threads a block and two
/// workers a thread, one after the other, so that twice as many are asked for, and the second of a
/// thread finds no lane left. The body is called, not inlined at each of its uses. Where the device
/// system is a host's there is no other.
#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CUDA
struct on_device_by_for_each : on_device {
  template <class Op>
  struct called {
    Op op;
    __host__ __device__ __noinline__ void operator()(index i) const { op(i); }
  };
  template <class Op>
  static index workers(const Op& op) {
    return 2 * on_device::workers(op);
  }
  template <class Op>
  static void for_each(index n, const Op& op) {
    thrust::for_each(thrust::device, thrust::counting_iterator<index>(0),
                     thrust::counting_iterator<index>(n), called<Op>{op});
    require(cudaDeviceSynchronize());
  }
};
#else
using on_device_by_for_each = on_device;
#endif

/// The elements of an array, as a pointer for lanes; none of an empty one, whose data() Thrust finds
/// by taking its first element's address.
template <class Array>
auto elements(Array& a) {
  using pointer = decltype(thrust::raw_pointer_cast(a.data()));
  return a.empty() ? pointer{} : thrust::raw_pointer_cast(a.data());
}

}  // namespace revode
