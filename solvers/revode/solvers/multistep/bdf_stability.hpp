// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <revode/solvers/multistep/bdf_types.hpp>

namespace revode {

// Formulas of orders 3 to 5 amplify oscillations with hλ near the imaginary axis, 0.5 < |hλ| < 9. Error estimates see
// such an oscillation when it is as large as the tolerance, and then make steps so short that it is resolved, which
// they stay, where a formula of order 2 would damp it at any length. So the array is asked what oscillates in it.
// CVODE's STALD asks norms of three columns over six steps, which are no part of it.

/// Modes ζⁿ and ζ̄ⁿ of equal steps, and hλ, of which the formula makes ζ.
struct oscillating_mode {
  double growth = 0;               ///< |ζ|; 0: no oscillation dominates
  double real = 0, imaginary = 0;  ///< of hλ
};

/// The mode of δ = re ± i im, δ = 1 − 1/ζ: hλ = Σ_{j≤q} δʲ/j − κ_q l₁ δ^(q+1).
template <class M>
oscillating_mode mode_of_difference(int q, double l1, double re, double im) {
  oscillating_mode found{1 / std::sqrt((1 - re) * (1 - re) + im * im)};
  double x = 1, y = 0;
  for (int j = 1; j <= q + 1; ++j) {
    const double before = x;
    x = before * re - y * im;
    y = before * im + y * re;
    const double part = j <= q ? 1.0 / j : -M::formula::kappa(q) * l1;
    found.real += part * x;
    found.imaginary += part * y;
  }
  return found;
}

/// zᵀz, zᵀa, aᵀa, zᵀa₋, aᵀa₋ and a₋ᵀa₋ of the last column z of an array of order q, its correction a and `before`, the
/// one before, a₋, in units of tolerances; and 3/4 of those of the step before.
/// cost    six dot products
template <class Y, int K>
vec<double, 6> oscillation_products(const tolerance& tol, int q, const nordsieck<Y, K>& s,
                                    const Y& before, const Y& weight,
                                    const vec<double, 6>& earlier) {
  const auto all = sums_over<6>(s.correction, [&](int i, double* sum) {
    if (tol.each != nullptr && !tol.each->is_inside(i)) return;
    const auto weighted = [&](const Y& x) {
      return static_cast<double>(value_of(weight.data()[i])) *
             static_cast<double>(value_of(x.data()[i]));
    };
    const double z = weighted(s.z[q]), a = weighted(s.correction), b = weighted(before);
    sum[0] = muladd(z, z, sum[0]);
    sum[1] = muladd(z, a, sum[1]);
    sum[2] = muladd(a, a, sum[2]);
    sum[3] = muladd(z, b, sum[3]);
    sum[4] = muladd(a, b, sum[4]);
    sum[5] = muladd(b, b, sum[5]);
  });
  vec<double, 6> products;
  for (int k = 0; k < 6; ++k) products[k] = muladd(0.75, earlier[k], all.of[k]);
  return products;
}

/// What dominates z and a, by these products. On equal steps the backward difference δ takes z to l_q a and a to
/// a − a₋. Of one pair of modes a₋ = c₀ z + c₁ a, by least squares here, and so
///   δ² − (1 − c₁) δ + c₀ l_q = 0
/// No mode where z and a are nearly parallel, where c₀ and c₁ leave more than 0.3 |a₋|, and where δ is real.
template <class M>
oscillating_mode dominant_mode(int q, const typename M::formula& by,
                               const vec<double, 6>& products) {
  const double zz = products[0], za = products[1], aa = products[2], zb = products[3],
               ab = products[4], bb = products[5];
  const double area = zz * aa - za * za;
  if (!(area > 0.02 * zz * aa)) return {};
  const double c0 = (zb * aa - ab * za) / area, c1 = (ab * zz - zb * za) / area;
  if (!(bb - c0 * zb - c1 * ab < 0.1 * bb)) return {};
  const double re = 0.5 * (1 - c1), square = c0 * by.l[q] - re * re;
  return square > 0 ? mode_of_difference<M>(q, by.l[1], re, std::sqrt(square)) : oscillating_mode{};
}

/// Does this step's formula amplify an oscillation that it does not resolve? Known where steps before were as long and
/// of its order. Re hλ is known to a quarter of Im hλ, where other modes lie beside it.
template <class M, class Y>
bool amplifies(const tolerance& tol, int q, const typename M::formula& by, const carry<M, Y>& from,
               carry<M, Y>& to) {
  vec<double, 6>& products = to.memo.next.products;
  const double h = to.memo.tau[0];
  if (q < 3 || from.memo.order != q || !(std::abs(h - to.memo.tau[1]) < 0.01 * std::abs(h))) {
    products = {};
    return false;
  }
  products = oscillation_products(tol, q, to.state, from.state.correction, to.cache.weight,
                                  from.memo.next.products);
  const oscillating_mode mode = dominant_mode<M>(q, by, products);
  return mode.growth > 1 && mode.imaginary > 0.4 && mode.real <= 0.25 * mode.imaginary;
}

/// How many steps amplify, each that does counted twice and each that does not taken away.
template <class Record>
int amplifying_steps(const bdf_decisions& d, const Record& r) {
  if (r.has(r.amplifies)) return d.amplifying + 2;
  return d.amplifying > 0 ? d.amplifying - 1 : 0;
}
inline constexpr int enough_to_leave = 14;

/// The highest order of the next step.
template <class M, class Record>
int highest_order(const bdf_decisions& d, const Record& r) {
  if (amplifying_steps(d, r) >= enough_to_leave) return r.order - 1;
  return d.highest > 0 ? d.highest : M::most_order;
}

/// An order that amplifies is left for 100 steps, and for twice as many the next time, up to 1,600.
template <class Record>
void note_amplification(const Record& r, const bdf_decisions& from, bdf_decisions& next) {
  next.amplifying = amplifying_steps(from, r);
  next.highest = from.held > 1 ? from.highest : 0;
  next.held = from.held > 1 ? from.held - 1 : 0;
  next.hold = from.hold;
  if (next.amplifying < enough_to_leave) return;
  next.amplifying = 0;
  next.highest = r.order - 1;
  next.held = from.hold;
  next.hold = from.hold < 1600 ? 2 * from.hold : 1600;
}

}  // namespace revode
