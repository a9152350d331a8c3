// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/ad/dual.hpp>
#include <revode/interop/eigen_recording/array_ref.hpp>

// Elementwise operations on recorded arrays, whatever their shape. A function is an object with
// value() and its pull formulas over Eigen's arrays, and says what the formulas read, so that
// nothing else is kept.

namespace revode {

/// What a pull formula reads.
enum class reads { nothing, argument, result };

struct minus_of {
  static constexpr reads pull_reads = reads::nothing;
  auto value(const auto& x) const { return -x; }
  auto pull(const auto&, const auto& w) const { return -w; }
};
struct exp_of {
  static constexpr reads pull_reads = reads::result;
  auto value(const auto& x) const { return x.exp(); }
  auto pull(const auto& y, const auto& w) const { return w * y; }
};
struct tanh_of {
  static constexpr reads pull_reads = reads::result;
  auto value(const auto& x) const { return x.tanh(); }
  auto pull(const auto& y, const auto& w) const { return w * (1 - y.square()); }
};
struct logistic_of {
  static constexpr reads pull_reads = reads::result;
  auto value(const auto& x) const { return x.logistic(); }
  auto pull(const auto& y, const auto& w) const { return w * y * (1 - y); }
};
struct sqrt_of {
  static constexpr reads pull_reads = reads::result;
  auto value(const auto& x) const { return x.sqrt(); }
  auto pull(const auto& y, const auto& w) const { return w / (2 * y); }
};
struct inverse_of {
  static constexpr reads pull_reads = reads::result;
  auto value(const auto& x) const { return x.inverse(); }
  auto pull(const auto& y, const auto& w) const { return -w * y.square(); }
};
struct log_of {
  static constexpr reads pull_reads = reads::argument;
  auto value(const auto& x) const { return x.log(); }
  auto pull(const auto& x, const auto& w) const { return w / x; }
};
struct log1p_of {
  static constexpr reads pull_reads = reads::argument;
  auto value(const auto& x) const { return x.log1p(); }
  auto pull(const auto& x, const auto& w) const { return w / (1 + x); }
};
struct sin_of {
  static constexpr reads pull_reads = reads::argument;
  auto value(const auto& x) const { return x.sin(); }
  auto pull(const auto& x, const auto& w) const { return w * x.cos(); }
};
struct cos_of {
  static constexpr reads pull_reads = reads::argument;
  auto value(const auto& x) const { return x.cos(); }
  auto pull(const auto& x, const auto& w) const { return -w * x.sin(); }
};
struct square_of {
  static constexpr reads pull_reads = reads::argument;
  auto value(const auto& x) const { return x.square(); }
  auto pull(const auto& x, const auto& w) const { return 2 * w * x; }
};
struct cube_of {
  static constexpr reads pull_reads = reads::argument;
  auto value(const auto& x) const { return x.cube(); }
  auto pull(const auto& x, const auto& w) const { return 3 * w * x.square(); }
};
struct tan_of {
  static constexpr reads pull_reads = reads::result;
  auto value(const auto& x) const { return x.tan(); }
  auto pull(const auto& y, const auto& w) const { return w * (1 + y.square()); }
};
struct sinh_of {
  static constexpr reads pull_reads = reads::argument;
  auto value(const auto& x) const { return x.sinh(); }
  auto pull(const auto& x, const auto& w) const { return w * x.cosh(); }
};
struct cosh_of {
  static constexpr reads pull_reads = reads::argument;
  auto value(const auto& x) const { return x.cosh(); }
  auto pull(const auto& x, const auto& w) const { return w * x.sinh(); }
};
struct asin_of {
  static constexpr reads pull_reads = reads::argument;
  auto value(const auto& x) const { return x.asin(); }
  auto pull(const auto& x, const auto& w) const { return w / (1 - x.square()).sqrt(); }
};
struct acos_of {
  static constexpr reads pull_reads = reads::argument;
  auto value(const auto& x) const { return x.acos(); }
  auto pull(const auto& x, const auto& w) const { return -w / (1 - x.square()).sqrt(); }
};
struct atan_of {
  static constexpr reads pull_reads = reads::argument;
  auto value(const auto& x) const { return x.atan(); }
  auto pull(const auto& x, const auto& w) const { return w / (1 + x.square()); }
};
struct expm1_of {
  static constexpr reads pull_reads = reads::result;
  auto value(const auto& x) const { return x.expm1(); }
  auto pull(const auto& y, const auto& w) const { return w * (1 + y); }
};
struct rsqrt_of {
  static constexpr reads pull_reads = reads::result;
  auto value(const auto& x) const { return x.rsqrt(); }
  auto pull(const auto& y, const auto& w) const { return -w * y.cube() / 2; }
};
struct abs_of {  // slope 1 at 0, as for numbers
  static constexpr reads pull_reads = reads::argument;
  auto value(const auto& x) const { return x.abs(); }
  auto pull(const auto& x, const auto& w) const { return (x < 0).select(-w, w); }
};
template <class T>
struct pow_of {
  static constexpr reads pull_reads = reads::argument;
  T exponent;
  auto value(const auto& x) const { return x.pow(exponent); }
  auto pull(const auto& x, const auto& w) const { return w * (exponent * x.pow(exponent - 1)); }
};

/// y = f(x), element by element.
template <class T, class F>
array_ref<T> apply_unary(const F& f, const array_ref<T>& x) {
  const array_ref<T> y = make_array(*x.where(), x.count(), x.tracked());
  flat<T>(y.writable(), y.count()) = f.value(x.values());
  if (!x.tracked()) return y;
  const array_ref<T> read = F::pull_reads == reads::result     ? y
                            : F::pull_reads == reads::argument ? x.keep()
                                                               : array_ref<T>();
  record_pull(y, [f, to = x.place(), read](const result_bar<T>& bar) {
    const T* seen = F::pull_reads == reads::nothing ? nullptr : read.value();
    bar.give(to, true, 1,
             [&](Eigen::Index, const auto& w) { return f.pull(const_flat<T>(seen, w.size()), w); });
  });
  return y;
}

/// y = f(x), element by element, f any function of a number that is generic in it: its slopes come
/// from duals, and are kept.
template <class T, class F>
array_ref<T> apply_function(const F& f, const array_ref<T>& x) {
  const array_ref<T> y = make_array(*x.where(), x.count(), x.tracked());
  if (!x.tracked()) {
    for (std::size_t i = 0; i < x.place().size; ++i) y.writable()[i] = f(x.value()[i]);
    return y;
  }
  const array_ref<T> slopes = make_array(*x.where(), x.count(), false);
  for (std::size_t i = 0; i < x.place().size; ++i) {
    const dual<T, 1> moving = f(dual<T, 1>::input(x.value()[i], 0));
    y.writable()[i] = moving.value;
    slopes.writable()[i] = moving.d[0];
  }
  record_pull(y, [to = x.place(), slopes](const result_bar<T>& bar) {
    bar.give(to, true, 1, [&](Eigen::Index, const auto& w) { return w * slopes.values(); });
  });
  return y;
}

// --- two arguments: what the pull formulas read of a, b and the result y is said by two sets -------

inline constexpr int reads_a = 1, reads_b = 2, reads_y = 4;

struct plus_of {
  static constexpr int pull_a_reads = 0, pull_b_reads = 0;
  auto value(const auto& a, const auto& b) const { return a + b; }
  auto pull_a(const auto&, const auto&, const auto&, const auto& w) const { return w; }
  auto pull_b(const auto&, const auto&, const auto&, const auto& w) const { return w; }
};
struct difference_of {
  static constexpr int pull_a_reads = 0, pull_b_reads = 0;
  auto value(const auto& a, const auto& b) const { return a - b; }
  auto pull_a(const auto&, const auto&, const auto&, const auto& w) const { return w; }
  auto pull_b(const auto&, const auto&, const auto&, const auto& w) const { return -w; }
};
struct times_of {
  static constexpr int pull_a_reads = reads_b, pull_b_reads = reads_a;
  auto value(const auto& a, const auto& b) const { return a * b; }
  auto pull_a(const auto&, const auto& b, const auto&, const auto& w) const { return w * b; }
  auto pull_b(const auto& a, const auto&, const auto&, const auto& w) const { return w * a; }
};
struct ratio_of {
  static constexpr int pull_a_reads = reads_b, pull_b_reads = reads_b | reads_y;
  auto value(const auto& a, const auto& b) const { return a / b; }
  auto pull_a(const auto&, const auto& b, const auto&, const auto& w) const { return w / b; }
  auto pull_b(const auto&, const auto& b, const auto& y, const auto& w) const { return -w * y / b; }
};
struct larger_of {  // a where they are equal
  static constexpr int pull_a_reads = reads_a | reads_b, pull_b_reads = reads_a | reads_b;
  auto value(const auto& a, const auto& b) const { return (a.max)(b); }
  auto pull_a(const auto& a, const auto& b, const auto&, const auto& w) const {
    return (a < b).select(0 * w, w);
  }
  auto pull_b(const auto& a, const auto& b, const auto&, const auto& w) const {
    return (a < b).select(w, 0 * w);
  }
};
struct smaller_of {
  static constexpr int pull_a_reads = reads_a | reads_b, pull_b_reads = reads_a | reads_b;
  auto value(const auto& a, const auto& b) const { return (a.min)(b); }
  auto pull_a(const auto& a, const auto& b, const auto&, const auto& w) const {
    return (a > b).select(0 * w, w);
  }
  auto pull_b(const auto& a, const auto& b, const auto&, const auto& w) const {
    return (a > b).select(w, 0 * w);
  }
};

/// How an operand meets a result of `parts` parts: element by element (full), the same elements in
/// every part (repeated), one element a part (each), one number for all (number). The last two are
/// uniform: a number within a part.
enum class extent { full, repeated, each, number };

template <class T, extent Extent>
struct operand {
  static constexpr bool uniform = Extent == extent::each || Extent == extent::number;
  array_ref<T> array{};
  variable<T> number{};

  bool tracked() const {
    if constexpr (Extent == extent::number)
      return number.home != nullptr && number.home->here();
    else
      return array.tracked();
  }
  void keep(bool needed) {
    if constexpr (Extent != extent::number) array = needed ? array.keep() : array_ref<T>();
  }
  /// What stands in part o of n elements.
  auto part(Eigen::Index o, Eigen::Index n) const {
    if constexpr (Extent == extent::number)
      return number.value;
    else if constexpr (Extent == extent::each)
      return array.is_set() ? array.value()[o] : T(0);
    else
      return const_flat<T>(
          !array.is_set() ? nullptr : array.value() + (Extent == extent::full ? o * n : 0), n);
  }
};

/// The cotangent of one operand, contribution(o, w) for part o of the result's.
template <extent Extent, class T, class Contribution>
void pull_operand(const result_bar<T>& bar, const array_place<T>& to, int node, bool last,
                  Eigen::Index parts, const Contribution& contribution) {
  if constexpr (Extent == extent::full) {
    bar.give(to, last, parts, contribution);
  } else {
    T* sums = Extent == extent::number ? &bar.home().adjoint(node) : to.bar_to_add();
    if constexpr (Extent == extent::repeated) {
      const auto add = [&](Eigen::Index o, T* sum) {
        const const_flat<T> w = bar.part(o, parts);
        flat<T>(sum, w.size()) += contribution(o, w);
      };
      part_sums(bar.home(), to.count(), add).sum(sums, parts);
    } else {
      for (Eigen::Index o = 0; o < parts; ++o)
        sums[Extent == extent::each ? o : 0] += pairwise_sum(contribution(o, bar.part(o, parts)));
    }
  }
}

/// y = f(a, b) of `count` elements in `parts` equal parts. At least one operand is full.
template <extent A, extent B, class T, class F>
array_ref<T> apply_binary(const F& f, recording<T>& home, operand<T, A> a, operand<T, B> b,
                          Eigen::Index count, Eigen::Index parts) {
  const bool pull_a = a.tracked(), pull_b = b.tracked();
  array_ref<T> y = make_array(home, count, pull_a || pull_b);
  const Eigen::Index n = parts > 0 ? count / parts : 0;
  for (Eigen::Index o = 0; o < parts; ++o)
    flat<T>(y.writable() + o * n, n) = f.value(a.part(o, n), b.part(o, n));
  if (!pull_a && !pull_b) return y;
  const int read = (pull_a ? F::pull_a_reads : 0) | (pull_b ? F::pull_b_reads : 0);
  const array_place<T> to_a = a.array.place(), to_b = b.array.place();
  a.keep((read & reads_a) != 0);
  b.keep((read & reads_b) != 0);
  operand<T, extent::full> result;
  if ((read & reads_y) != 0) result.array = y;
  record_pull(y, [=, a = std::move(a), b = std::move(b),
                  result = std::move(result)](const result_bar<T>& bar) {
    const auto contribution_a = [&](Eigen::Index o, const auto& w) {
      return f.pull_a(a.part(o, n), b.part(o, n), result.part(o, n), w);
    };
    const auto contribution_b = [&](Eigen::Index o, const auto& w) {
      return f.pull_b(a.part(o, n), b.part(o, n), result.part(o, n), w);
    };
    constexpr bool full_b = B == extent::full;  // goes last, since it may take the result's place
    if (!full_b && pull_b) pull_operand<B>(bar, to_b, b.number.id, false, parts, contribution_b);
    if (pull_a) {
      if constexpr (std::is_same_v<F, plus_of> || std::is_same_v<F, difference_of>)
        pull_operand<A>(bar, to_a, a.number.id, !(full_b && pull_b), parts, unchanged{});
      else
        pull_operand<A>(bar, to_a, a.number.id, !(full_b && pull_b), parts, contribution_a);
    }
    if (full_b && pull_b) {
      if constexpr (std::is_same_v<F, plus_of>)
        pull_operand<B>(bar, to_b, b.number.id, true, parts, unchanged{});
      else
        pull_operand<B>(bar, to_b, b.number.id, true, parts, contribution_b);
    }
  });
  return y;
}

}  // namespace revode
