// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <revode/any.hpp>

namespace revode::python {

namespace nb = nanobind;

using numbers = nb::ndarray<nb::numpy, double>;

/// A new array of NumPy's, with the numbers of `from`, or rows of the first `columns` numbers behind `skipped` ones.
inline numbers to_numpy(std::span<const double> from) {
  auto* kept = new std::vector<double>(from.begin(), from.end());
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
  return numbers(kept->data(), {kept->size()}, owner);
}
inline numbers to_numpy(const std::vector<any_state>& rows, std::size_t columns,
                        std::size_t skipped = 0) {
  auto* kept = new std::vector<double>;
  kept->reserve(rows.size() * columns);
  for (const any_state& row : rows) {
    const auto shown = std::span(row).subspan(skipped, columns);
    kept->insert(kept->end(), shown.begin(), shown.end());
  }
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
  return numbers(kept->data(), {rows.size(), columns}, owner);
}

/// Whatever numpy.asarray makes numbers of.
inline nb::object as_array(nb::handle of) {
  return nb::module_::import_("numpy").attr("ascontiguousarray")(of, "float64");
}
inline std::vector<double> from_numpy(nb::handle of) {
  using contiguous = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;
  if (contiguous a; nb::try_cast<contiguous>(of, a, false)) return {a.data(), a.data() + a.size()};
  const auto a = nb::cast<contiguous>(as_array(of));
  return {a.data(), a.data() + a.size()};
}
inline std::vector<any_state> rows_from_numpy(nb::handle of) {
  const auto a = nb::cast<nb::ndarray<const double, nb::c_contig, nb::device::cpu>>(as_array(of));
  if (a.ndim() != 2)
    throw std::invalid_argument("an array of " + std::to_string(a.ndim()) +
                                " axes (rows of numbers have 2) reshape it?");
  std::vector<any_state> rows;
  for (std::size_t i = 0; i < a.shape(0); ++i)
    rows.emplace_back(a.data() + i * a.shape(1), a.data() + (i + 1) * a.shape(1));
  return rows;
}

/// Arrays that are given to functions of Python's: one that nobody keeps is given again, one that somebody
/// keeps is theirs. Under the interpreter's lock.
class array_pool {
 public:
  struct array {
    nb::object it;
    double* data;
    std::size_t size;
  };
  array take(std::span<const double> from) {
    array a;
    const auto found = std::find_if(idle_.begin(), idle_.end(),
                                    [&](const array& one) { return one.size == from.size(); });
    if (found != idle_.end()) {
      a = std::move(*found);
      idle_.erase(found);
    } else {
      a.it = nb::cast(to_numpy(std::vector<double>(from.size())));
      a.data = nb::cast<nb::ndarray<double, nb::c_contig, nb::device::cpu>>(a.it).data();
      a.size = from.size();
    }
    std::copy(from.begin(), from.end(), a.data);
    return a;
  }
  void give_back(array a) {
    if (Py_REFCNT(a.it.ptr()) == 1 && idle_.size() < 16) idle_.push_back(std::move(a));
  }

 private:
  std::vector<array> idle_;
};

/// A function of Python's, called from any thread and freed from any.
class callable {
 public:
  explicit callable(nb::object f)
      : kept_(new state{std::move(f), {}}, [](state* it) {
          nb::gil_scoped_acquire held;
          delete it;
        }) {}

  /// use(what f says of these), with the interpreter's lock.
  template <class Use, class... A>
  auto operator()(Use&& use, const A&... arguments) const {
    nb::gil_scoped_acquire held;
    return [&](auto... given) {
      nb::object result = kept_->f(passed(given)...);
      (release(std::move(given)), ...);
      return use(std::move(result));
    }(seen(arguments)...);
  }

 private:
  struct state {
    nb::object f;
    array_pool arrays;
  };
  static double seen(double x) { return x; }
  array_pool::array seen(std::span<const double> v) const { return kept_->arrays.take(v); }
  static double passed(double x) { return x; }
  static nb::handle passed(const array_pool::array& a) { return a.it; }
  static void release(double) {}
  void release(array_pool::array a) const { kept_->arrays.give_back(std::move(a)); }

  std::shared_ptr<state> kept_;
};

/// The numbers of a list or tuple of Python's numbers, or of anything else that NumPy takes.
template <class Take>
void for_each_number(nb::handle of, std::size_t size, const char* what, const Take& take) {
  const auto expect = [&](std::size_t got) {
    if (got != size)
      throw std::invalid_argument(std::string(what) + " of " + std::to_string(got) +
                                  " numbers (it has " + std::to_string(size) + ") return as many?");
  };
  if (of.is_none())
    throw std::invalid_argument(
        std::string(what) + " that is None (its function returned nothing) return its numbers?");
  const bool list = nb::isinstance<nb::list>(of);
  if (list || nb::isinstance<nb::tuple>(of)) {
    const std::size_t n = nb::len(of);
    bool plain = n == size;
    for (std::size_t i = 0; plain && i < n; ++i) plain = !nb::hasattr(of[i], "__len__");
    if (plain) {
      for (std::size_t i = 0; i < n; ++i) take(i, nb::cast<double>(of[i]));
      return;
    }
  }
  const std::vector<double> got = from_numpy(of);
  expect(got.size());
  for (std::size_t i = 0; i < size; ++i) take(i, got[i]);
}

/// What a function gave, into an array of its length; or added to it.
inline void fill_from(nb::handle result, std::span<double> to, const char* what) {
  for_each_number(result, to.size(), what, [&](std::size_t i, double x) { to[i] = x; });
}
inline void add_from(nb::handle result, std::span<double> to, const char* what) {
  for_each_number(result, to.size(), what, [&](std::size_t i, double x) { to[i] += x; });
}

}  // namespace revode::python
