// SPDX-License-Identifier: Apache-2.0
// What does the gradient of a field written in Eigen's matrices cost where nobody wrote its vjp, recorded on arrays and
// number by number, beside one by hand? y' = W₂ tanh(W₁ y + b₁) + b₂, samples as columns.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>
#include <type_traits>
#include <vector>

#include <revode/interop/eigen_recording.hpp>

#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/solvers/tsit5.hpp>
#include <revode/state/counter_random.hpp>

#include "json_lines.hpp"

namespace revode {
namespace {

/// As it is written down.
struct plain_field {
  int states, hidden;
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    const int n = states, m = hidden;
    const auto w1 = p.head(m * n).reshaped(m, n), w2 = p.segment(m * n, n * m).reshaped(n, m);
    const auto b1 = p.segment(2 * m * n, m), b2 = p.tail(n);
    dy = (w2 * ((w1 * y).colwise() + b1).array().tanh().matrix()).colwise() + b2;
  }
};

/// The same by an expert: in place, with its vjp.
template <class T>
struct field_by_hand {
  using matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
  using vector = Eigen::Matrix<T, Eigen::Dynamic, 1>;
  static constexpr bool vjp_without_parameters = true;
  int states, hidden;
  mutable matrix a{}, a_bar{};

  struct weights {
    Eigen::Map<const matrix> w1, w2;
    Eigen::Map<const vector> b1, b2;
  };
  weights of(const vector& p) const {
    const int n = states, m = hidden;
    const T* at = p.data();
    return {{at, m, n}, {at + m * n, n, m}, {at + 2 * m * n, m}, {at + 2 * m * n + m, n}};
  }
  template <class Y>
  void activate(const weights& w, const Y& y) const {
    a.resize(hidden, y.cols());
    a.noalias() = w.w1 * y;
    a.colwise() += w.b1;
    a.array() = a.array().tanh();
  }
  template <class Y>
  void operator()(T, const Y& y, const vector& p, Y& dy) const {
    const weights w = of(p);
    activate(w, y);
    dy.noalias() = w.w2 * a;
    dy.colwise() += w.b2;
  }
  template <class Y, class G>
  void vjp(T, const Y& y, const vector& p, const Y& lambda, T&, Y& gy, G& gp) const {
    const weights w = of(p);
    const int n = states, m = hidden;
    activate(w, y);
    a_bar.resize(m, y.cols());
    a_bar.noalias() = w.w2.transpose() * lambda;
    a_bar.array() *= 1 - a.array().square();
    gy.noalias() += w.w1.transpose() * a_bar;
    if (gp.size() == 0) return;
    T* const at = gp.data();
    Eigen::Map<matrix>(at, m, n).noalias() += a_bar * y.transpose();
    Eigen::Map<matrix>(at + m * n, n, m).noalias() += lambda * a.transpose();
    Eigen::Map<vector>(at + 2 * m * n, m) += a_bar.rowwise().sum();
    Eigen::Map<vector>(at + 2 * m * n + m, n) += lambda.rowwise().sum();
  }
};

/// Milliseconds of the fastest of many calls, of each in turn.
template <class... Call>
std::vector<double> fastest(int rounds, Call&&... call) {
  std::vector<double> least(sizeof...(call), 1e300);
  for (int round = 0; round < rounds; ++round) {
    std::size_t i = 0;
    const auto time = [&](auto&& one) {
      const auto start = std::chrono::steady_clock::now();
      one();
      const std::chrono::duration<double, std::milli> took =
          std::chrono::steady_clock::now() - start;
      least[i] = std::min(least[i], took.count());
      ++i;
    };
    (time(call), ...);
  }
  return least;
}

template <class T>
nlohmann::json row(int width, int samples) {
  using matrix = typename field_by_hand<T>::matrix;
  using vector = typename field_by_hand<T>::vector;
  const auto some = [](int rows, int cols, std::uint64_t stream) {
    matrix x(rows, cols);
    for (int i = 0; i < static_cast<int>(x.size()); ++i)
      x.data()[i] = static_cast<T>((counter_uniform(1, stream, i) - 0.5) / std::sqrt(rows));
    return x;
  };
  const matrix y = some(width, samples, 1), w = some(width, samples, 2);
  const vector p = some(2 * width * (width + 1), 1, 3) * std::sqrt(T(2 * width));
  const field_by_hand<T> by_hand{width, width};
  const plain_field plain{width, width};
  const auto numbers = by_elements(plain);
  const auto vjp = [&](const auto& f) {
    return [&, d = derivatives<std::remove_cvref_t<decltype(f)>, matrix, vector>{}, gy = y,
            gp = p]() mutable { d.vjp(f, T(0), y, p, w, static_cast<T*>(nullptr), gy, gp); };
  };
  const auto gradient = [&](const auto& f) {
    return [&] {
      auto s = solve(problem{f, y, 0.0, 1.0, p}, tsit5{}, {.fixed_step = 1.0 / 16},
                     recursive_checkpoint{.schedule = schedule_kind::store_all});
      return s.pullback({.y = w}).p[0];
    };
  };
  const bool heavy = width * width * samples > 300'000;
  const auto calls = fastest(heavy ? 50 : 400, vjp(by_hand), vjp(plain));
  const auto gradients = fastest(heavy ? 5 : 40, gradient(by_hand), gradient(plain));
  const double slow = heavy ? 0 : fastest(5, vjp(numbers))[0];
  return {{"width", width},          {"samples", samples},     {"bytes", sizeof(T)},
          {"vjp_by_hand", calls[0]}, {"vjp_arrays", calls[1]}, {"vjp_numbers", slow},
          {"by_hand", gradients[0]}, {"arrays", gradients[1]}};
}

}  // namespace
}  // namespace revode

int main(int argc, char** argv) {
  revode::kept_rows rows;
  for (const int width : {16, 64, 256})
    for (const int samples : {1, 64}) {
      rows.add(revode::row<float>(width, samples));
      rows.add(revode::row<double>(width, samples));
    }
  rows.write(revode::output_of(argc, argv, "array_fields.json"));
}
