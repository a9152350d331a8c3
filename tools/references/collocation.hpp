// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <utility>
#include <vector>

#include <revode/ad/derivatives.hpp>
#include <revode/linalg/dense/dense_lu.hpp>

namespace revode::references {

/// Radau IIA collocation with any number of stages, in any arithmetic with abs and pow: nodes are
/// the zeros of P_s − P_{s−1}, the last one 1. Order 2s − 1.
/// source  Hairer & Wanner, Solving ODEs II, IV.5
template <class Real>
struct radau_nodes {
  int stages;
  std::vector<Real> node;  // 0, c1 … cs
  std::vector<Real> a;     // row by row: ∫₀^{ci} of the j-th Lagrange polynomial of c1 … cs
  std::vector<Real> barycentric;

  explicit radau_nodes(int s) : stages(s), node{Real(0)} {
    find_nodes();
    for (int i = 0; i < s; ++i)
      for (int j = 0; j < s; ++j) a.push_back(integral(i, j));
    for (int i = 0; i <= s; ++i) {
      Real w(1);
      for (int k = 0; k <= s; ++k)
        if (k != i) w /= at(i) - at(k);
      barycentric.push_back(w);
    }
  }
  const Real& at(int i) const { return node[static_cast<std::size_t>(i)]; }
  const Real& weight(int i, int j) const { return a[static_cast<std::size_t>(i * stages + j)]; }

 private:
  /// P_s − P_{s−1} at x, and its slope.
  std::pair<Real, Real> difference(const Real& x) const {
    Real p0(1), p1 = x, d0(0), d1(1);
    for (int k = 2; k <= stages; ++k) {
      const Real p2 = ((2 * k - 1) * x * p1 - (k - 1) * p0) / k;
      const Real d2 = d0 + (2 * k - 1) * p1;
      p0 = p1, p1 = p2, d0 = d1, d1 = d2;
    }
    return {p1 - p0, d1 - d0};
  }
  void find_nodes() {
    const int pieces = 2000;
    Real x(-1), before = difference(x).first;
    for (int i = 1; i < pieces; ++i) {
      const Real next = Real(2 * i - pieces) / pieces, value = difference(next).first;
      if (before * value < 0) {
        Real root = (x + next) / 2;
        for (int k = 0; k < 40; ++k) {
          const auto [f, slope] = difference(root);
          root -= f / slope;
        }
        node.push_back((root + 1) / 2);
      }
      x = next, before = value;
    }
    node.push_back(Real(1));
  }
  Real integral(int i, int j) const {
    std::vector<Real> polynomial{Real(1)};
    const Real& own = at(j + 1);
    for (int k = 1; k <= stages; ++k) {
      if (k == j + 1) continue;
      std::vector<Real> product(polynomial.size() + 1, Real(0));
      for (std::size_t m = 0; m < polynomial.size(); ++m) {
        product[m + 1] += polynomial[m] / (own - at(k));
        product[m] -= polynomial[m] * at(k) / (own - at(k));
      }
      polynomial = product;
    }
    Real sum(0);
    for (std::size_t m = polynomial.size(); m-- > 0;)
      sum = sum * at(i + 1) + polynomial[m] / Real(static_cast<double>(m + 1));
    return sum * at(i + 1);
  }
};

/// Of y' = f, or of M y' = f of index 1 where the field has a mass matrix: steps whose leading
/// divided difference, relative to every component, is near `small`; stage equations solved by
/// Newton's method with the Jacobians of all stages, to `least` of every component, or 1e10 times
/// that where rounding allows no more. A component counts as at least `floor` of its largest value
/// so far, which starts at `typical`.
template <class Real, class F>
class collocation {
 public:
  using vector = std::vector<Real>;
  static constexpr bool massive = requires(const F& g, dense_matrix<Real>& m) { g.mass(m); };
  collocation(const F& f, vector p, int stages, double small, double least, double floor,
              double typical = 0)
      : f_(f),
        p_(std::move(p)),
        nodes_(stages),
        small_(small),
        least_(least),
        floor_(floor),
        typical_(typical) {}

  /// y(to) from y(from). A field that jumps at an end is asked just inside the interval.
  vector solve(Real from, Real to, vector y, Real h) {
    using std::abs;
    low_ = from + (to - from) * Real(1e-25), high_ = to - (to - from) * Real(1e-25);
    largest_.assign(y.size(), typical_);
    if constexpr (massive) {
      mass_ = dense_matrix<Real>(static_cast<int>(y.size()));
      f_.mass(mass_);
    }
    Real t = from;
    previous_ = 0;
    for (steps = 0; t < to;) {
      const bool last = t + h * Real(1.0001) >= to;
      if (last) h = to - t;
      set_scale(y);
      predict(h);
      const bool solved = newton(t, y, h);
      const Real error = solved ? divided_difference() : Real(1);
      if (!solved || error > 4 * small_) {
        previous_ = solved ? previous_ : Real(0);
        h = solved ? h * factor(error) : h / 4;
        if (!(t + h > t)) throw std::runtime_error("no step is short enough");
        continue;
      }
      for (std::size_t i = 0; i < y.size(); ++i) y[i] += stage(nodes_.stages - 1)[i];
      kept_ = z_;
      previous_ = h;
      t = last ? to : t + h;
      h *= factor(error);
      ++steps;
    }
    return y;
  }
  long steps = 0;

 private:
  const Real* stage(int j) const { return z_.data() + static_cast<std::size_t>(j) * scale_.size(); }
  Real* stage(int j) { return z_.data() + static_cast<std::size_t>(j) * scale_.size(); }
  Real inside(const Real& t) const { return t < low_ ? low_ : t > high_ ? high_ : t; }

  void set_scale(const vector& y) {
    using std::abs;
    Real most(0);
    scale_.resize(y.size());
    for (std::size_t i = 0; i < y.size(); ++i) {
      const Real size = abs(y[i]);
      if (size > largest_[i]) largest_[i] = size;
      if (largest_[i] > most) most = largest_[i];
    }
    for (std::size_t i = 0; i < y.size(); ++i) {
      const Real least = largest_[i] > 0 ? largest_[i] : most * Real(1e-10);
      scale_[i] = abs(y[i]) + floor_ * least + Real(1e-60);
    }
  }

  Real factor(const Real& error) const {
    using std::pow;
    const Real least = small_ * Real(1e-9);
    const Real x = pow(small_ / (error > least ? error : least), Real(1) / nodes_.stages);
    const Real scaled = x * Real(0.85);
    return scaled > 4 ? Real(4) : scaled < Real(0.1) ? Real(0.1) : scaled;
  }

  /// The last step's polynomial, carried on; 0 where it runs away.
  void predict(const Real& h) {
    using std::abs;
    const std::size_t n = scale_.size();
    const int s = nodes_.stages;
    z_.assign(n * static_cast<std::size_t>(s), Real(0));
    if (previous_ == 0) return;
    for (int i = 0; i < s; ++i) {
      const Real x = 1 + nodes_.at(i + 1) * h / previous_;
      for (int k = 1; k <= s; ++k) {
        Real basis = nodes_.barycentric[static_cast<std::size_t>(k)];
        for (int o = 0; o <= s; ++o)
          if (o != k) basis *= x - nodes_.at(o);
        if (k == s) basis -= 1;
        const Real* from = kept_.data() + static_cast<std::size_t>(k - 1) * n;
        for (std::size_t l = 0; l < n; ++l) stage(i)[l] += basis * from[l];
      }
      for (std::size_t l = 0; l < n; ++l)
        if (!(abs(stage(i)[l]) <= 10 * scale_[l])) stage(i)[l] = 0;
    }
  }

  bool newton(const Real& t, const vector& y, const Real& h) {
    using std::abs;
    const int s = nodes_.stages, n = static_cast<int>(y.size());
    vector x(y.size()), right(z_.size()), slopes(z_.size());
    Real before(1e30);
    for (int iteration = 0; iteration < 40; ++iteration) {
      if (iteration < 3 || iteration == 10) factor_all(t, y, h);
      for (int j = 0; j < s; ++j) {
        for (int l = 0; l < n; ++l) x[as(l)] = y[as(l)] + stage(j)[l];
        vector slope(y.size());
        f_(inside(t + nodes_.at(j + 1) * h), x, p_, slope);
        for (int l = 0; l < n; ++l) slopes[as(j * n + l)] = slope[as(l)];
      }
      for (int i = 0; i < s; ++i) {
        for (int l = 0; l < n; ++l) {
          Real sum = -moved(stage(i), l);
          for (int j = 0; j < s; ++j) sum += h * nodes_.weight(i, j) * slopes[as(j * n + l)];
          right[as(i * n + l)] = sum / scale_[as(l)];
        }
      }
      lu_.solve(right);
      Real change(0);
      for (int i = 0; i < s * n; ++i) {
        z_[as(i)] += right[as(i)] * scale_[as(i % n)];
        const Real size = abs(right[as(i)]);
        if (!(size <= change)) change = size;
      }
      if (!(change < Real(1e6))) return false;
      if (change < least_ || (iteration > 4 && change >= before && change < 1e10 * least_))
        return true;
      before = change;
    }
    return false;
  }

  /// I ⊗ M − h A ⊗ J, every stage with its own J, in units of the components.
  void factor_all(const Real& t, const vector& y, const Real& h) {
    const int s = nodes_.stages, n = static_cast<int>(y.size());
    vector x(y.size());
    all_.resize(s * n);
    one_.resize(n);
    for (int i = 0; i < s * n; ++i)
      for (int k = 0; k < s * n; ++k) all_(i, k) = Real(i == k && !massive ? 1 : 0);
    if constexpr (massive) {
      for (int i = 0; i < s * n; ++i)
        for (int l = 0; l < n; ++l)
          all_(i, i / n * n + l) = mass_(i % n, l) * scale_[as(l)] / scale_[as(i % n)];
    }
    for (int j = 0; j < s; ++j) {
      for (int l = 0; l < n; ++l) x[as(l)] = y[as(l)] + stage(j)[l];
      derivatives_.jacobian(f_, inside(t + nodes_.at(j + 1) * h), x, p_, one_);
      for (int i = 0; i < s; ++i)
        for (int k = 0; k < n; ++k)
          for (int l = 0; l < n; ++l)
            all_(i * n + k, j * n + l) -=
                h * nodes_.weight(i, j) * one_(k, l) * scale_[as(l)] / scale_[as(k)];
    }
    lu_.factor(all_);
  }

  Real divided_difference() const {
    using std::abs;
    Real worst(0);
    for (std::size_t l = 0; l < scale_.size(); ++l) {
      Real sum(0);
      for (int k = 1; k <= nodes_.stages; ++k)
        sum += nodes_.barycentric[static_cast<std::size_t>(k)] * stage(k - 1)[l];
      const Real size = abs(sum) / (scale_[l] + abs(stage(nodes_.stages - 1)[l]));
      if (size > worst) worst = size;
    }
    return worst;
  }
  /// (M z)ₗ of one stage.
  Real moved(const Real* z, int l) const {
    if constexpr (massive) {
      Real sum(0);
      for (int k = 0; k < mass_.rows(); ++k) sum += mass_(l, k) * z[k];
      return sum;
    } else {
      return z[l];
    }
  }
  static std::size_t as(int i) { return static_cast<std::size_t>(i); }

  const F& f_;
  vector p_;
  radau_nodes<Real> nodes_;
  Real small_, least_, floor_, typical_, low_{0}, high_{0}, previous_{0};
  derivatives<F, vector, vector> derivatives_;
  dense_matrix<Real> all_, one_, mass_;
  dense_lu<Real> lu_;
  vector largest_, scale_, z_, kept_;
};

}  // namespace revode::references
