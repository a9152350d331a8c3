// SPDX-License-Identifier: Apache-2.0
// prints: products, by hand +[0-9]+ kB
// prints: recurrent, plain body, all tapes .* of by hand
// prints: recurrent, plain body, 10 states .* of by hand
#include <cassert>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <revode/revode.hpp>

#include "bodies.hpp"
#include "bytes.hpp"

using namespace revode;
using bodies::matrix;  // of float, which stays float

// A chain of products z ← x z, and a recurrent layer h ← tanh(h W + b): every step adds to the same
// gradient, in place, and what a step has kept is freed when it has been used. So the loop takes the
// memory of a reverse pass that is written by hand, with a body that brings its pull and with the
// plain one alike, and gives its bits; with a budget it takes less.
template <class Own, class Plain, class P>
void compare(const char* name, const Own& own, const Plain& plain, const matrix& start, const P& p,
             int n) {
  P expected, found;
  const std::vector<int> times(static_cast<std::size_t>(n));
  const auto hand = peak_bytes_of([&] { expected = bodies::by_hand(own, start, p, n); });
  std::printf("%s, by hand %25.0f kB\n", name, static_cast<double>(hand) / 1e3);
  const auto try_with = [&](const char* kind, const auto& body, const char* kept,
                            const loop_options& o) {
    const auto peak = peak_bytes_of([&] {
      auto run = scan(body, start, times, p, vec<float, 0>{}, o);
      found = run.pullback(matrix::Ones(start.rows(), start.cols())).params;
    });
    const double ratio = static_cast<double>(peak) / static_cast<double>(hand);
    std::printf("%s, %s, %s %10.0f kB, %.2f of by hand\n", name, kind, kept,
                static_cast<double>(peak) / 1e3, ratio);
    assert(!bytes_are_counted || ratio < 1.1);
    assert(found == expected);  // bit for bit
  };
  const loop_options all{.schedule = schedule_kind::store_all}, few{.slots = 10};
  try_with("own pull  ", own, "all tapes", all);
  try_with("plain body", plain, "all tapes", all);
  try_with("own pull  ", own, "10 states", few);
  try_with("plain body", plain, "10 states", few);
}

int main(int argc, char** argv) {
  const int size = argc > 1 ? std::atoi(argv[1]) : 300;
  const float scale = 1 / std::sqrt(static_cast<float>(size));
  compare("products", bodies::chained_product_with_pull{}, bodies::chained_product{},
          matrix::Random(size, size), matrix(1.7f * scale * matrix::Random(size, size)), 100);
  compare("recurrent", bodies::recurrent_with_pull{}, bodies::recurrent{}, matrix::Random(16, size),
          bodies::recurrent::parameters(scale * matrix::Random(size, size),
                                        Eigen::RowVectorXf::Random(size)),
          100);
}
