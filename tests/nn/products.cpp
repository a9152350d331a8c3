// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include <revode/nn/activation.hpp>
#include <revode/nn/module/dual_products.hpp>
#include <revode/state/counter_random.hpp>

namespace revode::nn {
namespace {

constexpr index sizes[] = {0, 1, 2, 3, 7, 8, 17};

/// Numbers of ±1 that are not round, `first` numbers behind the start of their memory.
template <class T>
struct numbers {
  std::vector<T> all;
  index first;
  numbers(index size, index first_number, std::uint64_t stream)
      : all(static_cast<std::size_t>(size + first_number)),
        first(first_number) {
    for (index i = 0; i < size; ++i)
      data()[i] = static_cast<T>(2 * counter_uniform(3, stream, i) - 1);
  }
  T* data() { return all.data() + first; }
};

template <class T, bool Add, class A, class B, class C>
std::vector<T> product_of(const A& a, const B& b, C&& c) {
  product<Add>(a, b, c);
  std::vector<T> out;
  for (index j = 0; j < c.cols(); ++j)
    for (index i = 0; i < c.rows(); ++i) out.push_back(c(i, j));
  return out;
}

/// One shape with factors by rows or columns, whole or blocks of more: beside sums of its own, and the same bits
/// wherever the numbers lie.
template <class T, bool Add, bool RowsA, bool RowsB>
void check_shape(index m, index n, index k) {
  std::vector<T> first;
  for (const index offset : {0, 1, 3}) {
    numbers<T> of_a(m * k, offset, 1), of_b((k + 2) * n + k * 2, offset, 2), of_c(m * n, offset, 3);
    const auto before = numbers<T>(m * n, 0, 3).all;
    const auto a = [&] {
      if constexpr (RowsA)
        return rows_view<const T>(of_a.data(), m, k);
      else
        return columns_view<const T>(of_a.data(), m, k);
    }();
    const auto b = [&] {
      if constexpr (RowsB)
        return columns_view<const T>(of_b.data(), n, k).transpose();
      else
        return columns_view<const T>(of_b.data(), k + 2, n).bottomRows(k);
    }();
    columns_view<T> c(of_c.data(), m, n);
    const auto found = product_of<T, Add>(a, b, c);
    if (offset == 0) first = found;
    CHECK(found == first);
    bool right = true;
    for (index j = 0; j < n; ++j)
      for (index i = 0; i < m; ++i) {
        double sum = Add ? double(before[static_cast<std::size_t>(j * m + i)]) : 0.0;
        for (index l = 0; l < k; ++l) sum += double(a(i, l)) * double(b(l, j));
        const double rounding = double(k + 2) * std::numeric_limits<T>::epsilon() * double(k + 1);
        right = right && std::abs(double(c(i, j)) - sum) <= rounding;
      }
    CHECK(right);
  }
}

template <class T>
void check_shapes() {
  for (const index m : sizes)
    for (const index n : sizes)
      for (const index k : sizes) {
        CAPTURE(m);
        CAPTURE(n);
        CAPTURE(k);
        check_shape<T, false, true, false>(m, n, k);   // W x
        check_shape<T, true, false, true>(m, n, k);    // g xᵀ
        check_shape<T, false, false, false>(m, n, k);  // Wᵀ g
      }
}

TEST_CASE("products: every shape beside sums, the same bits wherever its numbers lie") {
  check_shapes<double>();
  check_shapes<float>();
}

TEST_CASE("products: what c was does not matter where nothing is added") {
  using S = dual<double, 1>;
  const double nan = std::nan("");
  const Eigen::MatrixXd a = Eigen::MatrixXd::Ones(3, 2), b = Eigen::MatrixXd::Ones(2, 1);
  Eigen::MatrixXd c = Eigen::MatrixXd::Constant(3, 1, nan);
  product<false>(columns_view<const double>(a.data(), 3, 2),
                 columns_view<const double>(b.data(), 2, 1), columns_view<double>(c.data(), 3, 1));
  CHECK(c == Eigen::MatrixXd::Constant(3, 1, 2));
  Eigen::Matrix<S, -1, -1> moving(2, 1), to(3, 1);
  for (int i = 0; i < 2; ++i) moving(i).value = 1, moving(i).d[0] = 3;
  for (int i = 0; i < 3; ++i) to(i).value = to(i).d[0] = nan;
  product<false>(columns_view<const double>(a.data(), 3, 2),
                 columns_view<const S>(moving.data(), 2, 1), columns_view<S>(to.data(), 3, 1));
  for (int i = 0; i < 3; ++i) CHECK((to(i).value == 2 && to(i).d[0] == 6));
}

/// σ and σ' of the same numbers, `offset` numbers behind the start of aligned memory.
template <class T>
std::vector<T> activated(activation sigma, index n, index offset) {
  Eigen::Matrix<T, Eigen::Dynamic, 1> z(n + offset), slope(n + offset);
  for (index i = 0; i < n; ++i) z[offset + i] = static_cast<T>(8 * counter_uniform(5, 1, i) - 4);
  bias_and_activation(sigma, static_cast<const T*>(nullptr),
                      columns_view<T>(z.data() + offset, n, 1), slope.data() + offset);
  std::vector<T> out(z.data() + offset, z.data() + offset + n);
  if (sigma != activation::identity)
    out.insert(out.end(), slope.data() + offset, slope.data() + offset + n);
  return out;
}

TEST_CASE("activations: the same bits wherever their numbers lie") {
  const auto check = [](auto one) {
    using T = decltype(one);
    for (int sigma = 0; sigma <= static_cast<int>(activation::sin); ++sigma)
      for (const index n : {1, 3, 16, 37, 300})
        for (const index offset : {1, 2, 3, 4, 7, 8}) {
          CAPTURE(sigma);
          CAPTURE(n);
          CAPTURE(offset);
          const auto which = static_cast<activation>(sigma);
          CHECK(activated<T>(which, n, offset) == activated<T>(which, n, 0));
        }
  };
  check(1.0);
  check(1.0f);
}

}  // namespace
}  // namespace revode::nn
