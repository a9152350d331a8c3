// SPDX-License-Identifier: Apache-2.0
// prints: steps, power 3\.24
// prints: R9 +[+]1[.]09
// prints: the same bits with 8 states
#include <cassert>
#include <cmath>
#include <cstdio>

#include <revode/problems/transamp.hpp>
#include <revode/revode.hpp>

using namespace revode;

// An amplifier with two transistors, M y' = f: capacities are the mass matrix M, of rank 5 for 8 voltages, so
// three equations are algebraic, though none of its rows is zero. What do its resistors do to the power of
// the output, its last voltage? One reverse pass answers for all of them.
int main() {
  const transamp amplifier;
  const problem q{amplifier, amplifier.y0(), 0.0, 0.1, amplifier.parameters()};
  options o{.rtol = 1e-7, .atol = 1e-7};
  for (int k = 1; k <= 20; ++k) o.save.ts.push_back(0.09 + 0.0005 * k);  // the last period

  const auto power = [](const auto&, const auto& ys) {
    auto sum = 0.0 * ys[0][7];
    for (const auto& y : ys) sum += y[7] * y[7];
    return sum / static_cast<double>(ys.size());
  };
  const auto r = value_and_gradient(q, rodas5p{}, o, power);
  assert(r.solution.status == status::success);
  std::printf("%ld steps, power %.6f V²\n", static_cast<long>(r.solution.stats.accepted), *r.value);

  std::printf("one percent more of\n");
  for (int i = 0; i < 10; ++i)
    std::printf("  R%d  %+8.4f %%\n", i, q.p[i] * r.gradient->p[i] / *r.value);

  // A difference of two solves says the same of R9, with fewer digits.
  auto more = q, less = q;
  more.p[9] *= 1.001, less.p[9] *= 0.999;
  const double difference = (*value_and_gradient(more, rodas5p{}, o, power).value -
                             *value_and_gradient(less, rodas5p{}, o, power).value) /
                            (more.p[9] - less.p[9]);
  std::printf("dpower/dR9 %.6e, by differences %.6e\n", r.gradient->p[9], difference);
  assert(std::abs(difference - r.gradient->p[9]) < 1e-3 * std::abs(difference));

  // With 8 states in memory it is the same gradient.
  const auto small = value_and_gradient(q, rodas5p{}, o, power, {.slots = 8});
  for (int i = 0; i < 14; ++i) assert(small.gradient->p[i] == r.gradient->p[i]);
  std::printf("the same bits with %ld states kept, in place of %ld\n",
              static_cast<long>(small.gradient->reverse.peak_states),
              static_cast<long>(r.gradient->reverse.peak_states));
}
