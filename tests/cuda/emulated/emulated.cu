// SPDX-License-Identifier: Apache-2.0
// What nvcc makes of lanes for a device, without a device: the kernels' PTX, translated to C++ (ptx_to_cpp.py), solves
// lanes and their gradients as single solves do.
#include <cstdint>
#include <cstdio>
#include <type_traits>

#include <revode/adjoint/recursive_checkpoint.hpp>

#include "kernels.hpp"

// In the order of kernels.cu: the arguments, as they lie in memory, and the number of the thread.
extern "C" void kernel_0(const char* group, std::int64_t n, std::uint32_t thread);
extern "C" void kernel_1(const char* group, std::int64_t n, std::uint32_t thread);
extern "C" void kernel_2(const char* group, std::int64_t n, std::uint32_t thread);

namespace revode::emulated {

template <class Group>
inline constexpr auto kernel_of = nullptr;
template <>
inline constexpr auto kernel_of<wide_forward> = kernel_0;
template <>
inline constexpr auto kernel_of<stiff_forward> = kernel_1;
template <>
inline constexpr auto kernel_of<stiff_gradient> = kernel_2;

/// A device of one thread at a time; what has no kernel runs as it does on a host.
struct device : on_host {
  static constexpr int width = 1;

  template <class Group>
  static void for_each(index n, const Group& group) {
    if constexpr (std::is_null_pointer_v<std::remove_cv_t<decltype(kernel_of<Group>)>>)
      on_host::for_each(n, group);
    else
      for (index i = 0; i < n; ++i)
        kernel_of<Group>(reinterpret_cast<const char*>(&group), n, static_cast<std::uint32_t>(i));
  }
};

template <bool Gradients, class M, class F, class Y, class P>
int wrong_lanes(const ensemble<F, Y, P>& e, const M& m, const options& o) {
  ensemble_solver<M, F, Y, P, device, 1, false> solver(e, m, o);
  solver.run();
  const auto s = solver.result();
  ensemble_gradient<Y, P> g;
  if constexpr (Gradients) g = solver.gradient(half_square{});
  int wrong = 0;
  for (index l = 0; l < lanes_of(e); ++l) {
    const auto k = static_cast<std::size_t>(l);
    auto alone = solve(problem_of(e, l), m, o, recursive_checkpoint{});
    bool right = s.status[k] == status::success && distance(s.y[k], alone.y) < 1e-10;
    if constexpr (Gradients) {
      const auto bar = alone.pullback(alone.y);
      right = right && distance(g.y0[k], bar.y0) < 1e-9 && distance(g.p[k], bar.p) < 1e-9;
    }
    wrong += !right;
  }
  std::printf("%s, %d components: %d of %d lanes differ\n", M::name, static_size_v<Y>, wrong,
              static_cast<int>(lanes_of(e)));
  return wrong;
}

int wrong_rings() {
  ensemble<lorenz96, vec<double, 16>, vec<double, 1>> e{.f = {.n = 16}, .t1 = {0.5}, .p = {}};
  vec<double, 16> y;
  for (double& x : y) x = 8;
  y[7] = 8.008;
  e.y0 = {y};
  for (index l = 0; l < 5; ++l) e.p.push_back({8 + 0.1 * static_cast<double>(l)});
  return wrong_lanes<false>(e, bosh3{}, {.rtol = 1e-6, .atol = 1e-6});
}

int wrong_proteins() {
  const hires f;
  ensemble<hires, vec<double, 8>, vec<double, 10>> e{.t1 = {5.0}, .p = {f.parameters()}};
  for (index l = 0; l < 5; ++l) {
    e.y0.push_back(f.y0());
    e.y0.back()[0] *= 1 + 0.1 * static_cast<double>(l);
  }
  return wrong_lanes<true>(e, rosenbrock23{}, {.rtol = 1e-4, .atol = 1e-8});
}

}  // namespace revode::emulated

int main() {
  return revode::emulated::wrong_rings() + revode::emulated::wrong_proteins() == 0 ? 0 : 1;
}
