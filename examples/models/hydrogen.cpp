// SPDX-License-Identifier: Apache-2.0
// hydrogen.ode as a field in a shared library: the same 9 species, 28 reactions and temperature, by loops over tables.
//   g++ -std=c++20 -O3 -shared -fPIC hydrogen.cpp $(pkg-config --cflags revode) -o libhydrogen.so
//   revode solve ./libhydrogen.so
#include <array>
#include <cmath>

#include <revode/problems/plugin.hpp>

namespace {

enum species : int { H2, H, O, O2, OH, H2O, HO2, H2O2, AR, count, none = count };

/// Heat capacity over gas: a0 + a1 T + … + a4 T⁴; a5 and a6 begin enthalpy and entropy (NASA's polynomials).
using polynomial = std::array<double, 7>;
struct gas {
  polynomial cold, hot;  ///< below and above 1000 K
};
constexpr gas thermodynamics[count]{
    {{2.34433112, 0.00798052075, -1.9478151e-05, 2.01572094e-08, -7.37611761e-12, -917.935173,
      0.683010238},
     {3.3372792, -4.94024731e-05, 4.99456778e-07, -1.79566394e-10, 2.00255376e-14, -950.158922,
      -3.20502331}},
    {{2.5, 7.05332819e-13, -1.99591964e-15, 2.30081632e-18, -9.27732332e-22, 25473.6599,
      -0.446682853},
     {2.50000001, -2.30842973e-11, 1.61561948e-14, -4.73515235e-18, 4.98197357e-22, 25473.6599,
      -0.446682914}},
    {{3.1682671, -0.00327931884, 6.64306396e-06, -6.12806624e-09, 2.11265971e-12, 29122.2592,
      2.05193346},
     {2.56942078, -8.59741137e-05, 4.19484589e-08, -1.00177799e-11, 1.22833691e-15, 29217.5791,
      4.78433864}},
    {{3.78245636, -0.00299673416, 9.84730201e-06, -9.68129509e-09, 3.24372837e-12, -1063.94356,
      3.65767573},
     {3.28253784, 0.00148308754, -7.57966669e-07, 2.09470555e-10, -2.16717794e-14, -1088.45772,
      5.45323129}},
    {{3.99201543, -0.00240131752, 4.61793841e-06, -3.88113333e-09, 1.3641147e-12, 3615.08056,
      -0.103925458},
     {3.09288767, 0.000548429716, 1.26505228e-07, -8.79461556e-11, 1.17412376e-14, 3858.657,
      4.4766961}},
    {{4.19864056, -0.0020364341, 6.52040211e-06, -5.48797062e-09, 1.77197817e-12, -30293.7267,
      -0.849032208},
     {3.03399249, 0.00217691804, -1.64072518e-07, -9.7041987e-11, 1.68200992e-14, -30004.2971,
      4.9667701}},
    {{4.30179801, -0.00474912051, 2.11582891e-05, -2.42763894e-08, 9.29225124e-12, 294.80804,
      3.71666245},
     {4.0172109, 0.00223982013, -6.3365815e-07, 1.1424637e-10, -1.07908535e-14, 111.856713,
      3.78510215}},
    {{4.27611269, -0.000542822417, 1.67335701e-05, -2.15770813e-08, 8.62454363e-12, -17702.5821,
      3.43505074},
     {4.16500285, 0.00490831694, -1.90139225e-06, 3.71185986e-10, -2.87908305e-14, -17861.7877,
      2.91615662}},
    {{2.5, 0, 0, 0, 0, -745.375, 4.366}, {2.5, 0, 0, 0, 0, -745.375, 4.366}},
};

/// Up to three species on each side, and 1e-6^(order − 1) A T^b exp(−E/T) in cubic metres and mol.
struct reaction {
  std::array<species, 3> from, to;
  double a, b, e;                    ///< cubic centimetres, mol, calories a mol
  std::array<double, count> with{};  ///< how much a third body counts; all 0: there is none
};
constexpr reaction reactions[]{
    {{O, O, none}, {O2, none, none}, 1.2e+17, -1, 0, {2.4, 1, 1, 1, 1, 15.4, 1, 1, 0.83}},
    {{O, H, none}, {OH, none, none}, 5e+17, -1, 0, {2, 1, 1, 1, 1, 6, 1, 1, 0.7}},
    {{O, H2, none}, {H, OH, none}, 38700, 2.7, 6260},
    {{O, HO2, none}, {OH, O2, none}, 2e+13, 0, 0},
    {{O, H2O2, none}, {OH, HO2, none}, 9.63e+06, 2, 4000},
    {{H, O2, none}, {HO2, none, none}, 2.8e+18, -0.86, 0, {1, 1, 1, 0, 1, 0, 1, 1, 0}},
    {{H, O2, O2}, {HO2, O2, none}, 2.08e+19, -1.24, 0},
    {{H, O2, H2O}, {HO2, H2O, none}, 1.126e+19, -0.76, 0},
    {{H, O2, AR}, {HO2, AR, none}, 7e+17, -0.8, 0},
    {{H, O2, none}, {O, OH, none}, 2.65e+16, -0.6707, 17041},
    {{H, H, none}, {H2, none, none}, 1e+18, -1, 0, {0, 1, 1, 1, 1, 0, 1, 1, 0.63}},
    {{H, H, H2}, {H2, H2, none}, 9e+16, -0.6, 0},
    {{H, H, H2O}, {H2, H2O, none}, 6e+19, -1.25, 0},
    {{H, OH, none}, {H2O, none, none}, 2.2e+22, -2, 0, {0.73, 1, 1, 1, 1, 3.65, 1, 1, 0.38}},
    {{H, HO2, none}, {O, H2O, none}, 3.97e+12, 0, 671},
    {{H, HO2, none}, {O2, H2, none}, 4.48e+13, 0, 1068},
    {{H, HO2, none}, {OH, OH, none}, 8.4e+13, 0, 635},
    {{H, H2O2, none}, {HO2, H2, none}, 1.21e+07, 2, 5200},
    {{H, H2O2, none}, {OH, H2O, none}, 1e+13, 0, 3600},
    {{OH, H2, none}, {H, H2O, none}, 2.16e+08, 1.51, 3430},
    {{OH, OH, none}, {H2O2, none, none}, 7.4e+13, -0.37, 0, {2, 1, 1, 1, 1, 6, 1, 1, 0.7}},
    {{OH, OH, none}, {O, H2O, none}, 35700, 2.4, -2110},
    {{OH, HO2, none}, {O2, H2O, none}, 1.45e+13, 0, -500},
    {{OH, H2O2, none}, {HO2, H2O, none}, 2e+12, 0, 427},
    {{OH, H2O2, none}, {HO2, H2O, none}, 1.7e+18, 0, 29410},
    {{HO2, HO2, none}, {O2, H2O2, none}, 1.3e+11, 0, -1630},
    {{HO2, HO2, none}, {O2, H2O2, none}, 4.2e+14, 0, 12000},
    {{OH, HO2, none}, {O2, H2O, none}, 5e+15, 0, 17330},
};
constexpr int falloff = 20;  // 2 OH (+ M) = H2O2 (+ M)

struct hydrogen {
  static constexpr const char* name = "hydrogen";
  static constexpr const char* title = "Ignition of hydrogen in oxygen and argon";
  static constexpr const char* source =
      "Reactions and thermodynamics of GRI-Mech 3.0: Smith et al., www.me.berkeley.edu/gri_mech "
      "(1999)";
  static constexpr const char* labels[] = {"H2",  "H",   "O",    "O2", "OH",
                                           "H2O", "HO2", "H2O2", "AR", "T"};
  static constexpr double t0 = 0, t1 = 1e-3, ideal = 8.314462618, atmosphere = 101325;
  static double atol(double rtol) { return 1e-8 * rtol; }  // of the radicals that begin it, too
  auto y0() const {
    revode::vec<double, count + 1> y{};
    const double all = atmosphere / (ideal * 1000);
    y[H2] = 0.2 * all;
    y[O2] = 0.1 * all;
    y[AR] = 0.7 * all;
    y[count] = 1000;
    return y;
  }
  /// What H + O2 = O + OH and H + O2 + AR = HO2 + AR are multiplied by.
  auto parameters() const { return revode::vec<double, 2>{1, 1}; }

  template <class S, class Y, class P>
  void operator()(const S&, const Y& y, const P& p, Y& dy) const {
    using std::exp, std::log;
    const S t = y[count], ln_t = log(t);
    S heat[count], enthalpy[count], potential[count];  // over gas, gas T and gas T
    for (int k = 0; k < count; ++k) {
      const polynomial& a = t < 1000 ? thermodynamics[k].cold : thermodynamics[k].hot;
      heat[k] = a[0] + t * (a[1] + t * (a[2] + t * (a[3] + t * a[4])));
      enthalpy[k] =
          a[0] + t * (a[1] / 2 + t * (a[2] / 3 + t * (a[3] / 4 + t * (a[4] / 5)))) + a[5] / t;
      potential[k] = a[0] * (1 - ln_t) -
                     t * (a[1] / 2 + t * (a[2] / 6 + t * (a[3] / 12 + t * (a[4] / 20)))) +
                     a[5] / t - a[6];
    }
    for (int k = 0; k < count; ++k) dy[k] = 0 * y[k];
    const S unit = atmosphere / (ideal * t);
    for (int r = 0; r < static_cast<int>(std::size(reactions)); ++r) {
      const reaction& of = reactions[r];
      S forwards(1), backwards(1), difference(0);
      int order = 0, change = 0;
      for (const species k : of.from)
        if (k != none) {
          forwards = forwards * y[k];
          difference = difference - potential[k];
          ++order, --change;
        }
      for (const species k : of.to)
        if (k != none) {
          backwards = backwards * y[k];
          difference = difference + potential[k];
          ++change;
        }
      backwards = backwards * exp(difference);
      if (change < 0) backwards = backwards * unit;
      const bool meets = of.with[H2O2] > 0;
      S rate = constant(of.a, of.b, of.e, order + (meets && r != falloff), t, ln_t);
      if (meets) {
        S third(0);
        for (int k = 0; k < count; ++k) third = third + of.with[k] * y[k];
        rate = rate * (r == falloff ? S(between(third / rate, t, ln_t)) : third);
      }
      if (r == 9) rate = rate * p[0];
      if (r == 8) rate = rate * p[1];
      rate = rate * (forwards - backwards);
      for (const species k : of.from)
        if (k != none) dy[k] = dy[k] - rate;
      for (const species k : of.to)
        if (k != none) dy[k] = dy[k] + rate;
    }
    S released(0), capacity(0);
    for (int k = 0; k < count; ++k) {
      released = released - (enthalpy[k] - 1) * dy[k];
      capacity = capacity + y[k] * (heat[k] - 1);
    }
    dy[count] = t * released / capacity;
  }

 private:
  /// a T^b exp(−e/T) of a reaction of so many particles, in cubic metres and mol.
  template <class S>
  static S constant(double a, double b, double e, int order, const S& t, const S& ln_t) {
    using std::exp;
    for (int i = 1; i < order; ++i) a *= 1e-6;
    return a * exp(b * ln_t - e / 1.987204258640831 / t);
  }
  /// What the constant for many collisions is multiplied by, with third/rate of those there are: Troe's blend.
  template <class S>
  static S between(const S& third_over_many, const S& t, const S& ln_t) {
    using std::exp, std::log;
    const double ln10 = 2.302585092994046;
    const S pressed = constant(2.3e18, -0.9, -1700, 3, t, ln_t) * third_over_many;
    const S center = log(0.2654 * exp(-t / 94) + 0.7346 * exp(-t / 1756) + exp(-5182 / t)) / ln10;
    const S excess = log(pressed) / ln10 - 0.4 - 0.67 * center;
    const S slope = excess / (0.75 - 1.27 * center - 0.14 * excess);
    return pressed / (1 + pressed) * exp(ln10 * center / (1 + slope * slope));
  }
};

}  // namespace
REVODE_PROBLEM(hydrogen)
