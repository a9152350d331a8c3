// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include <revode/ad/recording/recording.hpp>
#include <revode/interop/eigen.hpp>
#include <revode/interop/eigen/pairwise_sum.hpp>

namespace revode {

/// Elements side by side as Eigen sees them, whatever the shape.
template <class T>
using flat = Eigen::Map<Eigen::Array<T, Eigen::Dynamic, 1>>;
template <class T>
using const_flat = Eigen::Map<const Eigen::Array<T, Eigen::Dynamic, 1>>;

/// Where elements [offset, offset + size) of an array of a recording accumulate their cotangent.
/// Holds nothing.
template <class T>
struct array_place {
  recording<T>* home = nullptr;
  int id = -1;
  std::size_t offset = 0, size = 0;

  array_store<T>& store() const { return home->arrays(); }
  Eigen::Index count() const { return static_cast<Eigen::Index>(size); }
  bool tracked() const { return store().tracked(id); }
  bool whole() const { return size == store().size(id); }

  const T* bar() const { return store().bar(id) + offset; }
  /// The cotangent, 0 at first, to add to.
  T* bar_to_add() const { return store().bar_to_add(id) + offset; }
  /// Memory for the first contribution; null where this is not the first.
  T* bar_to_set() const { return whole() ? store().bar_to_set(id) : nullptr; }

  /// Adds an array to the cotangent.
  template <class Formula>
  void add(const Formula& formula) const {
    if (T* first = bar_to_set())
      flat<T>(first, count()) = formula;
    else
      flat<T>(bar_to_add(), count()) += formula;
  }
};

/// The same elements, and their value, which is kept as long as this lives. Does not outlive the
/// recording; after recording.clear() it refers to nothing.
template <class T>
class array_ref : private array_place<T> {
 public:
  using array_place<T>::bar, array_place<T>::bar_to_add, array_place<T>::store;
  using array_place<T>::count, array_place<T>::whole;

  array_ref() = default;
  /// Nothing yet, but of this recording.
  explicit array_ref(recording<T>& home) { this->home = &home; }
  array_ref(recording<T>& home, int id) : array_ref({&home, id, 0, home.arrays().size(id)}) {}
  /// A part of another.
  array_ref(const array_ref& from, std::size_t first, std::size_t size)
      : array_ref({from.home, from.id, from.offset + first, size}) {}
  array_ref(const array_ref& other) : array_place<T>(other), generation_(other.generation_) {
    if (is_set() && here()) store().hold(this->id);
  }
  array_ref(array_ref&& other) noexcept { swap(other); }
  array_ref& operator=(array_ref other) noexcept {
    swap(other);
    return *this;
  }
  ~array_ref() {
    if (is_set() && here()) store().release(this->id);
  }

  /// Is the running thread the one of the recording? Others see arrays of NaN that are not tracked, and
  /// what they write is lost: whoever recorded throws.
  bool here() const { return this->home->here(); }
  bool is_set() const { return this->id >= 0 && store().generation() == generation_; }
  recording<T>* where() const { return this->home; }
  const array_place<T>& place() const { return *this; }

  bool tracked() const {
    expect_written();
    return here() && array_place<T>::tracked();
  }
  const T* value() const {
    expect_written();
    return here() ? store().value(this->id) + this->offset : nothing_of_thread();
  }
  const_flat<T> values() const { return {value(), count()}; }
  T* writable() const {
    return here() ? store().writable(this->id) + this->offset : nothing_of_thread();
  }
  /// May the value be overwritten, unseen by anybody else?
  bool exclusive() const { return !here() || (whole() && store().exclusive(this->id)); }
  /// For a pull: a value that was only lent is copied.
  const array_ref& keep() const {
    if (here()) store().keep(this->id);
    return *this;
  }

 private:
  explicit array_ref(const array_place<T>& place)
      : array_place<T>(place),
        generation_(place.store().generation()) {
    if (here()) store().hold(place.id);
  }
  T* nothing_of_thread() const {
    thread_local std::vector<std::vector<T>> nothing;  // the longest last; each stays where it is
    if (nothing.empty() || nothing.back().size() < this->size)
      nothing.emplace_back(this->size, T(std::numeric_limits<double>::quiet_NaN()));
    return nothing.back().data();
  }
  void expect_written() const {
    if (!is_set())
      throw std::invalid_argument(
          "a recorded matrix that is read and was never written (a result is written before it is "
          "read) assign to it first?");
  }
  void swap(array_ref& other) noexcept {
    std::swap(static_cast<array_place<T>&>(*this), static_cast<array_place<T>&>(other));
    std::swap(generation_, other.generation_);
  }

  std::uint32_t generation_ = 0;
};

/// Where constants of no recording live, one place a thread: variables that were not opened as
/// leaves of a recording and depend on none. It is emptied whenever nobody holds any of them.
template <class T>
recording<T>& constants_of_thread() {
  thread_local recording<T> constants;
  if (constants.arrays().held() == 0) constants.clear();
  return constants;
}

/// A new array, not yet written. Tracked: an operation will say what its cotangent is for.
template <class T>
array_ref<T> make_array(recording<T>& home, Eigen::Index size, bool tracked) {
  recording<T>& place = home.here() ? home : constants_of_thread<T>();
  return {place, place.arrays().make(static_cast<std::size_t>(size), tracked && &place == &home)};
}

/// x as an array of `home`: the value of a constant that lives elsewhere is lent.
template <class T>
array_ref<T> in_recording(recording<T>& home, const array_ref<T>& x) {
  if (x.where() == &home || !x.is_set() || !home.here()) return x;
  REVODE_EXPECT(!x.tracked());  // variables of two recordings do not meet
  return {home, home.arrays().refer(x.value(), x.place().size, nullptr,
                                    !x.store().outside(x.place().id))};
}

/// Sums over the parts of an array, of n elements each, in pairs: add(o, to) adds part o. Memory: an array
/// of the recording for each doubling of their number beyond 32.
template <class T, class Add>
class part_sums {
 public:
  part_sums(recording<T>& home, Eigen::Index n, const Add& add) : home_(home), n_(n), add_(add) {}

  /// to += parts [0, count)
  void sum(T* to, Eigen::Index count) {
    if (count <= most) return add_run(to, 0, count);
    std::array<array_ref<T>, 60> halves{};
    sum(to, 0, count, halves.data());
  }

 private:
  static constexpr Eigen::Index most = 32;

  void add_run(T* to, Eigen::Index from, Eigen::Index count) {
    for (Eigen::Index o = from; o < from + count; ++o) add_(o, to);
  }
  void sum(T* to, Eigen::Index from, Eigen::Index count, array_ref<T>* halves) {
    if (count <= most) return add_run(to, from, count);
    sum(to, from, count / 2, halves + 1);
    if (!halves->is_set()) *halves = make_array(home_, n_, false);
    T* const half = halves->writable();
    std::fill_n(half, n_, T(0));
    sum(half, from + count / 2, count - count / 2, halves + 1);
    flat<T>(to, n_) += const_flat<T>(half, n_);
  }

  recording<T>& home_;
  Eigen::Index n_;
  const Add& add_;
};

/// The formula w of a cotangent that is handed on as it is.
struct unchanged {
  template <class W>
  const W& operator()(Eigen::Index, const W& w) const {
    return w;
  }
};

/// The cotangent w of an operation's result, in that operation's pull.
template <class T>
class result_bar {
 public:
  result_bar(recording<T>& home, int id) : home_(home), id_(id) {}

  recording<T>& home() const { return home_; }
  const T* data() const { return home_.arrays().bar(id_); }
  Eigen::Index count() const { return static_cast<Eigen::Index>(home_.arrays().size(id_)); }
  /// Part o of `parts` equal ones.
  const_flat<T> part(Eigen::Index o, Eigen::Index parts) const {
    const Eigen::Index n = count() / parts;
    return {data() + o * n, n};
  }

  /// Adds formula(o, part o of w) to the cotangent of part o of x. `last` says that w is not needed
  /// any more: its memory may become that of x's cotangent.
  template <class Formula>
  void give(const array_place<T>& x, bool last, Eigen::Index parts, const Formula& formula) const {
    constexpr bool as_it_is = std::is_same_v<Formula, unchanged>;
    array_store<T>& arrays = home_.arrays();
    const T* w = data();
    T* set = nullptr;
    if (last && x.whole() && (as_it_is || arrays.owns_bar(id_)) && arrays.move_bar(id_, x.id)) {
      if constexpr (as_it_is) return;
      set = arrays.bar_to_add(x.id);
    } else {
      set = x.bar_to_set();
    }
    T* const to = set != nullptr ? set : x.bar_to_add();
    const Eigen::Index n = x.count() / parts;
    for (Eigen::Index o = 0; o < parts; ++o) {
      const const_flat<T> from(w + o * n, n);
      if (set != nullptr)
        flat<T>(to + o * n, n) = formula(o, from);
      else
        flat<T>(to + o * n, n) += formula(o, from);
    }
  }

 private:
  recording<T>& home_;
  int id_;
};

/// pull(result_bar) is called when the recording is pulled, if anything depended on the result.
template <class T, class Pull>
void record_pull(const array_ref<T>& result, Pull pull) {
  result.where()->operation([id = result.place().id, pull = std::move(pull)](recording<T>& r) {
    if (r.arrays().bar(id) == nullptr) return;
    pull(result_bar<T>(r, id));
    r.arrays().drop_bar(id);
  });
}

/// The result of an operation that is a number. pull(adjoint of the number) is called when the
/// recording is pulled.
template <class T, class Pull>
variable<T> record_number(recording<T>& home, const T& value, Pull pull) {
  const variable<T> number = home.input(value);
  home.operation(
      [id = number.id, pull = std::move(pull)](recording<T>& r) { pull(r.adjoint(id)); });
  return number;
}

}  // namespace revode
