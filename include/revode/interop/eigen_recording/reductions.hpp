// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/interop/eigen_recording/array_ref.hpp>

// Sums of recorded arrays, and copies that move elements: transposes, slices, pieces put into a
// whole.

namespace revode {

/// Σ xᵢ
template <class T>
variable<T> array_sum(const array_ref<T>& x) {
  const T sum = pairwise_sum(x.values());
  if (!x.tracked()) return variable<T>(sum);
  return record_number(*x.where(), sum, [to = x.place()](const T& w) {
    to.add(Eigen::Array<T, Eigen::Dynamic, 1>::Constant(to.count(), w));
  });
}

/// Σ xᵢ²
template <class T>
variable<T> array_squared_norm(const array_ref<T>& x) {
  const T sum = pairwise_sum(x.values().square());
  if (!x.tracked()) return variable<T>(sum);
  return record_number(*x.where(), sum, [to = x.place(), x = x.keep()](const T& w) {
    to.add(T(2) * w * x.values());
  });
}

/// Σ xᵢ yᵢ
template <class T>
variable<T> array_dot(const array_ref<T>& x, const array_ref<T>& y) {
  const T sum = pairwise_sum(x.values() * y.values());
  const bool pull_x = x.tracked(), pull_y = y.tracked();
  if (!pull_x && !pull_y) return variable<T>(sum);
  return record_number(
      *x.where(), sum,
      [to_x = x.place(), to_y = y.place(), pull_x, pull_y, x = pull_y ? x.keep() : array_ref<T>(),
       y = pull_x ? y.keep() : array_ref<T>()](const T& w) {
        if (pull_x) to_x.add(w * y.values());
        if (pull_y) to_y.add(w * x.values());
      });
}

/// One element, by its number, that is about to be written.
template <class T>
variable<T> written_element(const array_ref<T>& x, Eigen::Index i) {
  const T value = x.value()[i];
  if (!x.tracked()) return variable<T>(value);
  return record_number(*x.where(), value,
                       [to = x.place(), i](const T& w) { to.bar_to_add()[i] += w; });
}

/// One element, by its number. Those beside it are read with it, so that a loop over elements makes few operations.
template <class T>
variable<T> array_element(const array_ref<T>& x, Eigen::Index i) {
  const T value = x.value()[i];
  if (!x.tracked()) return variable<T>(value);
  recording<T>& home = *x.where();
  const int id = x.place().id;
  constexpr std::size_t length = array_store<T>::run_length;
  const std::size_t k = x.place().offset + static_cast<std::size_t>(i), first = k / length * length;
  int& run = home.arrays().run_of(id, k);
  if (run < 0) {
    const auto count = static_cast<int>(std::min(length, home.arrays().size(id) - first));
    run = home.input(T(0)).id;
    for (int j = 1; j < count; ++j) home.input(T(0));
    home.operation([id, first, count, run](recording<T>& r) {
      T* const bar = r.arrays().bar_to_add(id) + first;
      for (int j = 0; j < count; ++j) bar[j] += r.adjoint(run + j);
    });
  }
  return {value, run + static_cast<int>(k - first), &home};
}

/// Sums within each of `parts` equal parts (one sum a part), or over the parts (as many as a part
/// has elements).
template <class T>
array_ref<T> array_partial_sums(const array_ref<T>& x, Eigen::Index parts, bool within) {
  const Eigen::Index n = parts > 0 ? x.count() / parts : 0;
  const array_ref<T> y = make_array(*x.where(), within ? parts : n, x.tracked());
  const auto part = [&](Eigen::Index o) { return const_flat<T>(x.value() + o * n, n); };
  if (within) {
    for (Eigen::Index o = 0; o < parts; ++o) y.writable()[o] = pairwise_sum(part(o));
  } else {
    const auto add = [&](Eigen::Index o, T* sum) { flat<T>(sum, n) += part(o); };
    flat<T>(y.writable(), n).setZero();
    part_sums(*y.where(), n, add).sum(y.writable(), parts);
  }
  if (!x.tracked()) return y;
  record_pull(y, [to = x.place(), n, parts, within](const result_bar<T>& bar) {
    T* sum = to.bar_to_add();
    for (Eigen::Index o = 0; o < parts; ++o) {
      flat<T> part(sum + o * n, n);
      if (within)
        part += bar.data()[o];
      else
        part += bar.part(0, 1);
    }
  });
  return y;
}

/// The same numbers over U, in the recording beside x's.
template <class U, class T>
array_ref<U> array_cast(const array_ref<T>& x) {
  if constexpr (std::is_same_v<U, T>) {
    return x;
  } else {
    recording<U>& home = x.tracked() ? x.where()->template over<U>() : constants_of_thread<U>();
    const array_ref<U> y = make_array(home, x.count(), x.tracked());
    flat<U>(y.writable(), y.count()) = x.values().template cast<U>();
    if (x.tracked()) {
      home.joint_operation([to = x.place(), from = y.place()] {
        if (from.store().bar(from.id) == nullptr) return;
        to.add(const_flat<U>(from.bar(), from.count()).template cast<T>());
        from.store().drop_bar(from.id);
      });
    }
    return y;
  }
}

/// Block (i, j) of shape Part of an array of shape Whole, in the order of Part.
template <class Whole, class Part, class T>
array_ref<T> array_block(const array_ref<T>& x, Eigen::Index rows, Eigen::Index cols,
                         Eigen::Index i, Eigen::Index j, Eigen::Index r, Eigen::Index c) {
  const array_ref<T> y = make_array(*x.where(), r * c, x.tracked());
  Eigen::Map<Part>(y.writable(), r, c) =
      Eigen::Map<const Whole>(x.value(), rows, cols).block(i, j, r, c);
  if (!x.tracked()) return y;
  record_pull(y, [=, to = x.place()](const result_bar<T>& bar) {
    Eigen::Map<Whole>(to.bar_to_add(), rows, cols).block(i, j, r, c) +=
        Eigen::Map<const Part>(bar.data(), r, c);
  });
  return y;
}

/// A copy that somebody may write to.
template <class T>
array_ref<T> array_copy(const array_ref<T>& x) {
  const array_ref<T> y = make_array(*x.where(), x.count(), x.tracked());
  flat<T>(y.writable(), y.count()) = x.values();
  if (x.tracked()) {
    record_pull(y,
                [to = x.place()](const result_bar<T>& bar) { bar.give(to, true, 1, unchanged{}); });
  }
  return y;
}

/// Block (i, j) of x, of shape Whole, becomes part. x is exclusive.
template <class Whole, class Part, class T>
void put_block(const array_ref<T>& x, Eigen::Index rows, Eigen::Index cols, Eigen::Index i,
               Eigen::Index j, const array_ref<T>& part, Eigen::Index r, Eigen::Index c) {
  if (!x.here()) return;
  x.store().forget_runs(x.place().id);
  Eigen::Map<Whole>(x.writable(), rows, cols).block(i, j, r, c) =
      Eigen::Map<const Part>(part.value(), r, c);
  if (!x.tracked() && !part.tracked()) return;
  x.store().track(x.place().id);
  x.where()->operation([=, from = x.place(), to = part.place(), pull = part.tracked()] {
    if (from.bar() == nullptr) return;
    auto taken = Eigen::Map<Whole>(from.bar_to_add(), rows, cols).block(i, j, r, c);
    if (pull) Eigen::Map<Part>(to.bar_to_add(), r, c) += taken;
    taken.setZero();
  });
}

/// Element i of x becomes a number. x is exclusive.
template <class T>
void put_element(const array_ref<T>& x, Eigen::Index i, const variable<T>& number) {
  if (!x.here()) return;
  x.writable()[i] = number.value;
  x.store().forget_run(x.place().id, static_cast<std::size_t>(i));
  if (!x.tracked() && number.home == nullptr) return;
  x.store().track(x.place().id);
  x.where()->operation(
      [from = x.place(), i, node = number.home != nullptr ? number.id : -1](recording<T>& r) {
        if (from.bar() == nullptr) return;
        T& taken = from.bar_to_add()[i];
        if (node >= 0) r.adjoint(node) += taken;
        taken = T(0);
      });
}

}  // namespace revode
