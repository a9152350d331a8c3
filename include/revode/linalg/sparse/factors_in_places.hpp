// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <memory>
#include <type_traits>
#include <vector>

#include <revode/linalg/sparse/number_factors.hpp>
#include <revode/linalg/sparse/sparse_matrix.hpp>
#include <revode/linalg/sparse/sparse_stages.hpp>
#include <revode/linalg/sparse/sparsity_of.hpp>

namespace revode {

/// Factors of s I − J over numbers S, double or complex, by a library whose factors lie in places. It is given rows as
/// columns: it factors the transpose. A pattern is analysed once; copies share factors, which depend on the matrix
/// alone, so that a replay has those of the step bit for bit. Place<K>, K doubles a number, has
///   order, of_pattern(p)                what belongs to a pattern
///   factor(order, p, values), solve<Transposed>(b), sign_has_turned(backwards)
///   price(order, place), blocks(order, visit), bytes_in_passing(order, p, bytes of values)
template <class S, template <int> class Place>
class factors_in_places {
  static constexpr int K = std::is_same_v<S, double> ? 1 : 2;
  using place = Place<K>;

 public:
  bool factor_shifted(const sparse_matrix<double>& j, const S& shift) {
    take(j.pattern);
    for (std::size_t e = 0; e < j.values.size(); ++e) {
      values_[K * e] = 0.0 - j.values[e];
      if constexpr (K == 2) values_[K * e + 1] = 0;
    }
    for (const int e : diagonal_->of_row)
      for (int part = 0; part < K; ++part)
        values_[static_cast<std::size_t>(K * e + part)] += numbers_of(&shift)[part];
    return factor();
  }
  /// −(a + ib)
  bool factor_negative(const sparse_matrix<double>& a, const sparse_matrix<double>& b) {
    take(a.pattern);
    for (std::size_t e = 0; e < a.values.size(); ++e) {
      values_[2 * e] = -a.values[e];
      values_[2 * e + 1] = -b.values[e];
    }
    return factor();
  }
  double price() const { return order_ == nullptr ? 0 : place::price(*order_, place_.get()); }
  bool sign_has_turned(bool backwards) const requires(K == 1) {
    return place_.get()->sign_has_turned(backwards);
  }
  template <bool Transposed>
  void solve(S* b) const {
    if (place_.get() != nullptr)
      place_.get()->template solve<Transposed>(const_cast<double*>(numbers_of(b)));
  }
  /// See matrix_shape.
  template <class Visit>
  void blocks_to_come(const matrix_shape& s, Visit&& visit) const {
    if (s.pattern == nullptr) return;
    if (pattern_.get() != s.pattern) visit(bytes_of_values(*s.pattern));
    if (place_.get() == nullptr) place::blocks(*place::of_pattern(*s.pattern), visit);
  }
  index bytes_in_passing(const matrix_shape& s) const {
    if (s.pattern == nullptr) return 0;
    return place::bytes_in_passing(*place::of_pattern(*s.pattern), *s.pattern,
                                   bytes_of_values(*s.pattern));
  }
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.values_);
  }

 private:
  static index bytes_of_values(const sparsity& p) {
    return K * p.entries() * static_cast<index>(sizeof(double));
  }
  void take(const std::shared_ptr<const sparsity>& pattern) {
    if (pattern_ != pattern) {
      pattern_ = pattern;
      order_ = place::of_pattern(*pattern);
      diagonal_ = diagonal_of(*pattern);
    }
    values_.resize(static_cast<std::size_t>(K * pattern->entries()));
  }
  bool factor() {
    return all_finite(values_) && place_.own().factor(order_, *pattern_, values_.data());
  }
  /// A complex number is an array of two by its standard.
  static const double* numbers_of(const S* x) { return reinterpret_cast<const double*>(x); }

  std::shared_ptr<const sparsity> pattern_;
  std::shared_ptr<const typename place::order> order_;
  std::shared_ptr<const diagonal_places> diagonal_;
  shared_place<place> place_;
  std::vector<double> values_;
};

template <template <int> class Place>
using real_factors_in_places = number_factors<factors_in_places<double, Place>, double, double>;
template <template <int> class Place>
using complex_factors_in_places =
    number_factors<factors_in_places<std::complex<double>, Place>, double, std::complex<double>>;

/// An algebra of such factors: sparse Jacobians for implicit methods, by the field's own sparse_jacobian or coloured
/// products.
template <template <int> class Place>
struct algebra_of_places {
  std::shared_ptr<const sparsity> pattern{};
  bool check = false;  ///< one product more a Jacobian, to find entries that the pattern misses

  template <class Y>
  using jacobian = sparse_matrix<scalar_t<Y>>;
  template <class Y>
  using factors = real_factors_in_places<Place>;
  template <class Y>
  using complex_factors = complex_factors_in_places<Place>;

  template <class System, class Y>
  void evaluate(System& sys, double t, const Y& y, sparse_matrix<scalar_t<Y>>& j) const {
    static_assert(std::is_same_v<scalar_t<Y>, double>,
                  "KLU and UMFPACK know double only: take eigen_sparse for other scalars?");
    evaluate_on_pattern(sys, t, y, pattern, check, j);
  }

  /// x = (a ⊗ M − diag J)⁻¹ right, or its transpose, over the stages of a step.
  template <bool Transposed, int S, class Mass, class Y>
  static bool solve_stages(const scalar_t<Y> (&a)[S][S], const Mass& mass,
                           const sparse_matrix<scalar_t<Y>> (&j)[S], const Y (&right)[S],
                           Y (&x)[S]) {
    return solve_sparse_stages<real_factors_in_places<Place>, Transposed>(a, mass, j, right, x);
  }
};

}  // namespace revode
