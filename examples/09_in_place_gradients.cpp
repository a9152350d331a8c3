// SPDX-License-Identifier: Apache-2.0
// prints: products, by hand +[0-9]+ kB
// prints: recurrent, plain body, all tapes .* of by hand
// prints: recurrent, plain body, 10 states .* of by hand
#include <cassert>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <tuple>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include <revode/interop/eigen_recording.hpp>
#include <revode/revode.hpp>

#include "bytes.hpp"

using namespace revode;
using matrix = Eigen::MatrixXf;  // all in float
using row = Eigen::RowVectorXf;

// z ← x z: every step adds to the same gradient of x.
const auto chain_product = [](const auto& z, const auto&, const auto& x, auto& next, auto&) {
  next.noalias() = x * z;
};
struct product_with_pull {
  void operator()(const matrix& z, auto, const matrix& x, matrix& next, auto&) const {
    next.noalias() = x * z;
  }
  void pull(const matrix& z, auto, const matrix& x, const matrix& next_bar, const auto&,
            matrix& z_bar, auto&, matrix& x_bar) const {
    x_bar.noalias() += next_bar * z.transpose();
    z_bar.noalias() += x.transpose() * next_bar;
  }
};

// h ← tanh(h W + b), a batch of rows.
using layer = std::tuple<matrix, row>;
const auto recurrent = [](const auto& h, const auto&, const auto& p, auto& next, auto&) {
  const auto& [w, b] = p;
  next.noalias() = h * w;
  next = (next.rowwise() + b).array().tanh();
};
struct recurrent_with_pull {
  void operator()(const matrix& h, auto x, const layer& p, matrix& next, auto& out) const {
    recurrent(h, x, p, next, out);
  }
  void pull(const matrix& h, auto x, const layer& p, const matrix& next_bar, const auto& out,
            matrix& h_bar, auto&, layer& p_bar) const {
    matrix a(h.rows(), h.cols());
    recurrent(h, x, p, a, out);
    a = next_bar.array() * (1 - a.array().square());
    h_bar.noalias() += a * std::get<0>(p).transpose();
    std::get<0>(p_bar).noalias() += h.transpose() * a;
    std::get<1>(p_bar) += a.colwise().sum();
  }
};

// The reverse pass as one writes it by hand: a stack of states, each freed when it has been used.
template <class Body, class P>
P by_hand(const Body& body, matrix state, const P& p, int n) {
  std::vector<matrix> stack;
  for (int i = 0; i < n; ++i) {
    stack.push_back(state);
    body(stack.back(), i, p, state, i);
  }
  P p_bar = zero_cotangent(p);
  matrix bar = matrix::Ones(state.rows(), state.cols()), next_bar;
  for (; !stack.empty(); stack.pop_back()) {
    next_bar = bar;
    bar.setZero();
    body.pull(stack.back(), 0, p, next_bar, n, bar, n, p_bar);
  }
  return p_bar;
}

template <class Own, class Plain, class P>
void compare(const char* name, const Own& own, const Plain& plain, const matrix& start, const P& p,
             int n) {
  P expected, found;
  const std::vector<int> times(static_cast<std::size_t>(n));
  const auto hand = peak_bytes_of([&] { expected = by_hand(own, start, p, n); });
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
  for (const auto& [kept, o] :
       {std::pair{"all tapes", loop_options{.schedule = schedule_kind::store_all}},
        std::pair{"10 states", loop_options{.slots = 10}}}) {
    try_with("own pull  ", own, kept, o);
    try_with("plain body", plain, kept, o);
  }
}

int main(int argc, char** argv) {
  const int size = argc > 1 ? std::atoi(argv[1]) : 300;
  const float scale = 1 / std::sqrt(static_cast<float>(size));
  compare("products", product_with_pull{}, chain_product, matrix::Random(size, size),
          matrix(1.7f * scale * matrix::Random(size, size)), 100);
  compare("recurrent", recurrent_with_pull{}, recurrent, matrix::Random(16, size),
          layer(scale * matrix::Random(size, size), row::Random(size)), 100);
}
