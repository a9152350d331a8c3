// SPDX-License-Identifier: Apache-2.0
// References of the problems M y' = f of index 1 in quadruple precision, in two ways that share no
// method: Radau IIA collocation of M y' = f, with 9 and with 11 stages; and the extrapolated
// midpoint rule, explicit, on the ODE that differentiated constraints make of it (for rober_dae,
// rober's reference in its header).
//   g++ -std=gnu++20 -O2 -Iinclude tools/references/dae.cpp -lquadmath -o dae && ./dae [NAME]
// Needs Boost.Multiprecision and libquadmath. Seconds each, transamp two minutes.
#include <boost/multiprecision/float128.hpp>

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include <revode/problems/chemakzo.hpp>
#include <revode/problems/pendulum_index1.hpp>
#include <revode/problems/rober_dae.hpp>
#include <revode/problems/transamp.hpp>

#include "collocation.hpp"
#include "extrapolation.hpp"

using namespace revode;
using real = boost::multiprecision::float128;
using vector = std::vector<real>;

namespace {

std::size_t as(int i) { return static_cast<std::size_t>(i); }

template <class From>
vector widened(const From& from) {
  return vector(from.data(), from.data() + from.size());
}

/// y' from M y' = f. E M has `rank` independent rows, the others are 0: y' solves (E M) y' = E f in
/// the former, d/dt (E f) = 0 in the latter.
template <class F>
class underlying {
 public:
  explicit underlying(const F& f)
      : f_(f),
        n_(f.y0().size()),
        e_(n_),
        m_(n_),
        j_(n_),
        a_(n_),
        lu_(n_) {
    for (int i = 0; i < n_; ++i)
      for (int k = 0; k < n_; ++k) m_(i, k) = 0, e_(i, k) = i == k ? 1 : 0;
    f.mass(m_);
    for (int column = 0; column < n_; ++column) {
      int pivot = rank_;
      while (pivot < n_ && m_(pivot, column) == 0) ++pivot;
      if (pivot == n_) continue;
      for (int k = 0; k < n_; ++k)
        std::swap(m_(pivot, k), m_(rank_, k)), std::swap(e_(pivot, k), e_(rank_, k));
      for (int i = rank_ + 1; i < n_; ++i) {
        const real factor = m_(i, column) / m_(rank_, column);
        for (int k = 0; k < n_; ++k)
          m_(i, k) -= factor * m_(rank_, k), e_(i, k) -= factor * e_(rank_, k);
      }
      ++rank_;
    }
  }

  void operator()(const real& t, const vector& y, const vector& p, vector& dy) const {
    vector f(y.size()), slope(y.size());
    derivatives_.jacobian(f_, t, y, p, j_);
    derivatives_.time_derivative(f_, t, y, p, slope);
    f_(t, y, p, f);
    for (int i = 0; i < n_; ++i) {
      const vector& from = i < rank_ ? f : slope;
      real sum = 0;
      for (int k = 0; k < n_; ++k) sum += e_(i, k) * from[as(k)];
      dy[as(i)] = i < rank_ ? sum : -sum;
      for (int k = 0; k < n_; ++k) {
        a_(i, k) = m_(i, k);
        if (i < rank_) continue;
        a_(i, k) = 0;
        for (int l = 0; l < n_; ++l) a_(i, k) += e_(i, l) * j_(l, k);
      }
    }
    lu_.factor(a_);
    lu_.solve(dy);
  }
  /// The largest |E f| among the rows without M.
  real defect(const real& t, const vector& y, const vector& p) const {
    vector f(y.size());
    f_(t, y, p, f);
    real worst = 0;
    for (int i = rank_; i < n_; ++i) {
      real sum = 0;
      for (int k = 0; k < n_; ++k) sum += e_(i, k) * f[as(k)];
      worst = std::max<real>(worst, abs(sum));
    }
    return worst;
  }

 private:
  const F& f_;
  int n_, rank_ = 0;
  mutable derivatives<F, vector, vector> derivatives_;
  dense_matrix<real> e_, m_;
  mutable dense_matrix<real> j_, a_;
  mutable dense_lu<real> lu_;
};

template <class F>
vector by_extrapolation(const F& f, vector y, real tolerance, int columns) {
  const underlying<F> g(f);
  const vector p = widened(f.parameters());
  const auto counts =
      references::extrapolate(g, real(F::t0), real(F::t1), y, p, tolerance, columns);
  std::printf("%s: extrapolation, %ld steps and %ld rejected, |constraint| %.1e\n", F::name,
              counts.steps, counts.rejected, static_cast<double>(g.defect(real(F::t1), y, p)));
  return y;
}

template <class F>
vector by_collocation(const F& f, const vector& y0, int stages, double small, double floor) {
  const real span = real(F::t1) - real(F::t0);
  references::collocation<real, F> run(f, widened(f.parameters()), stages, small, 1e-30, floor,
                                       1.0);
  const vector y =
      run.solve(real(F::t0), real(F::t1), y0, span > 1e3 ? real(1e-6) : real(span * 1e-6));
  std::printf(
      "%s: %d stages, %ld steps, |constraint| %.1e\n", F::name, stages, run.steps,
      static_cast<double>(underlying<F>(f).defect(real(F::t1), y, widened(f.parameters()))));
  return y;
}

template <class F>
void show(const std::string& asked, const F& f, const vector& y0, double floor, int columns = 12) {
  if (!asked.empty() && asked != F::name) return;
  const vector rough = by_collocation(f, y0, 9, 1e-11, floor);
  const vector y = by_collocation(f, y0, 11, 1e-11, floor);
  const vector header = widened(f.reference());
  const vector other = columns > 0 ? by_extrapolation(f, y0, real(1e-26), columns) : header;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const auto off = [&](const real& x) { return static_cast<double>(abs(x / y[i] - 1)); };
    std::printf("  %s = %.17g   9 stages %.1e   other way %.1e   header %.1e\n",
                y[i].str(24).c_str(), static_cast<double>(y[i]), off(rough[i]), off(other[i]),
                off(header[i]));
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string asked = argc > 1 ? argv[1] : "";
  vector akzo = widened(chemakzo{}.y0());
  akzo[5] = real(chemakzo{}.parameters()[6]) * (akzo[0] * akzo[3]);  // its double is 1e-17 off
  show(asked, pendulum_index1{}, widened(pendulum_index1{}.y0()), 1e-8);
  show(asked, chemakzo{}, akzo, 1e-8);
  show(asked, rober_dae{}, widened(rober_dae{}.y0()), 1e-8, 0);
  show(asked, transamp{}, widened(transamp{}.y0()), 1e-2);
}
