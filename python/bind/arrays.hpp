// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <revode/any.hpp>

namespace revode::python {

namespace nb = nanobind;

using numbers = nb::ndarray<nb::numpy, double>;

/// A new array of NumPy's, with the numbers of `from`, in rows where `rows` says how many.
inline numbers to_numpy(const std::vector<double>& from) {
  auto* kept = new std::vector<double>(from);
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
  return numbers(kept->data(), {kept->size()}, owner);
}
inline numbers to_numpy(const std::vector<any_state>& rows, std::size_t columns) {
  auto* kept = new std::vector<double>;
  kept->reserve(rows.size() * columns);
  for (const any_state& row : rows) kept->insert(kept->end(), row.begin(), row.end());
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
  return numbers(kept->data(), {rows.size(), columns}, owner);
}

/// Whatever numpy.asarray makes numbers of.
inline nb::object as_array(nb::handle of) {
  return nb::module_::import_("numpy").attr("ascontiguousarray")(of, "float64");
}
inline std::vector<double> from_numpy(nb::handle of) {
  const auto a = nb::cast<nb::ndarray<const double, nb::c_contig, nb::device::cpu>>(as_array(of));
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

/// A function of Python's, called from any thread and freed from any.
class callable {
 public:
  explicit callable(nb::object f)
      : f_(new nb::object(std::move(f)), [](nb::object* it) {
          nb::gil_scoped_acquire held;
          delete it;
        }) {}

  /// use(what f says of these), with the interpreter's lock.
  template <class Use, class... A>
  auto operator()(Use&& use, const A&... arguments) const {
    nb::gil_scoped_acquire held;
    return use((*f_)(seen(arguments)...));
  }

 private:
  static double seen(double x) { return x; }
  /// As an array that cannot be written, valid during the call.
  static nb::object seen(std::span<const double> v) {
    return nb::cast(nb::ndarray<nb::numpy, const double>(v.data(), {v.size()}, nb::handle()),
                    nb::rv_policy::reference);
  }
  std::shared_ptr<nb::object> f_;
};

/// What a function gave, into an array of its length; or added to it.
inline void fill_from(nb::handle result, std::span<double> to, const char* what) {
  const std::vector<double> got = from_numpy(result);
  if (got.size() != to.size())
    throw std::invalid_argument(std::string(what) + " of " + std::to_string(got.size()) +
                                " numbers (it has " + std::to_string(to.size()) +
                                ") return as many?");
  std::copy(got.begin(), got.end(), to.begin());
}
inline void add_from(nb::handle result, std::span<double> to, const char* what) {
  std::vector<double> more(to.size());
  fill_from(result, more, what);
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += more[i];
}

}  // namespace revode::python
