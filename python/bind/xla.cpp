// SPDX-License-Identifier: Apache-2.0
#include "module.hpp"
#include "prepared.hpp"

#include <map>
#include <mutex>
#include <optional>
#include <random>

#include <nanobind/stl/shared_ptr.h>

#ifdef REVODE_XLA
#include <xla/ffi/api/ffi.h>
#endif

// Prepared solves as calls of XLA's programs, by its typed foreign functions: headers of jaxlib, nothing to link.

namespace revode::python {

#ifdef REVODE_XLA
namespace {

namespace ffi = xla::ffi;

/// What programs of JAX's call, by number. Programs may outlive whatever Python holds, so all is kept. Numbers
/// are random, so that a program that another process has stored finds nothing here.
class table_of_solves {
 public:
  std::int64_t add(std::shared_ptr<const prepared_solve> s) {
    const std::lock_guard lock(one_at_a_time_);
    std::int64_t number = 0;
    do number = static_cast<std::int64_t>((std::uint64_t{draw_()} << 31) | (draw_() >> 1));
    while (!solves_.emplace(number, s).second);
    return number;
  }
  std::shared_ptr<const prepared_solve> find(std::int64_t number) {
    const std::lock_guard lock(one_at_a_time_);
    const auto found = solves_.find(number);
    if (found == solves_.end())
      throw std::invalid_argument("solve number " + std::to_string(number) +
                                  " (it is none of this process) trace the program again?");
    return found->second;
  }

 private:
  std::mutex one_at_a_time_;
  std::random_device draw_;
  std::map<std::int64_t, std::shared_ptr<const prepared_solve>> solves_;
};

/// Of each prepared solve the one that was made last and waits for its pullback, which takes it: a gradient that comes
/// next need not solve again, and no more than one is ever kept.
template <class T>
class waiting_room {
 public:
  void put(std::int64_t number, std::unique_ptr<kept_solve<T>> s) {
    const std::lock_guard lock(one_at_a_time_);
    last_[number].swap(s);
  }
  /// Null where none waits, or one of other inputs.
  std::unique_ptr<kept_solve<T>> take(std::int64_t number, std::span<const T> y0,
                                      std::span<const T> p) {
    const std::lock_guard lock(one_at_a_time_);
    std::unique_ptr<kept_solve<T>> found = std::move(last_[number]);
    if (found && !found->is_of(y0, p)) found.reset();
    return found;
  }

 private:
  std::mutex one_at_a_time_;
  std::map<std::int64_t, std::unique_ptr<kept_solve<T>>> last_;
};

// What programs call may be called until the process ends: these are never taken down.
table_of_solves& solves() {
  static auto& all = *new table_of_solves;
  return all;
}
template <class T>
waiting_room<T>& waiting() {
  static auto& all = *new waiting_room<T>;
  return all;
}

/// A buffer as points whose rows have `size` numbers, in `behind` axes behind those that count them.
template <class T>
points<T> as_points(ffi::AnyBuffer of, std::size_t size, std::size_t behind = 1) {
  const auto axes = of.dimensions();
  const std::size_t lead = axes.size() - behind;
  points<T> a{static_cast<T*>(of.untyped_data()), {axes.begin(), lead}, 1};
  for (std::size_t k = lead; k < axes.size(); ++k) a.size *= static_cast<std::size_t>(axes[k]);
  expect_row(a.size, size);
  return a;
}

/// work(solve) with the solve of that number in its own precision; what is thrown becomes XLA's error.
template <class Work>
ffi::Error told(std::int64_t number, const Work& work) {
  try {
    const std::shared_ptr<const prepared_solve> s = solves().find(number);
    if (const auto* in_double = dynamic_cast<const prepared_solve_of<double>*>(s.get()))
      work(*in_double);
    else
      work(dynamic_cast<const prepared_solve_of<float>&>(*s));
    return ffi::Error::Success();
  } catch (const std::exception& e) {
    return ffi::Error::InvalidArgument(e.what());
  }
}

template <class T>
struct arguments {
  points<const T> y0, p;
  arguments(const prepared_solve& s, const ffi::AnyBuffer& start, const ffi::AnyBuffer& with)
      : y0(as_points<const T>(start, s.states)),
        p(as_points<const T>(with, s.parameters)) {}
};

/// With `keeps` a single solve waits for its pullback.
ffi::Error solve_values(std::int64_t number, bool keeps, ffi::AnyBuffer y0, ffi::AnyBuffer p,
                        ffi::Result<ffi::AnyBuffer> result) {
  return told(number, [&]<class T>(const prepared_solve_of<T>& s) {
    const arguments<T> of(s, y0, p);
    const points<T> y = as_points<T>(*result, s.results(), s.rows > 0 ? 2 : 1);
    if (!keeps || y.count() != 1) return values(s, of.y0, of.p, y);
    waiting<T>().put(number, s.keep(of.y0.row(0, {}), of.p.row(0, {}), y.row(0, {})));
  });
}
ffi::Error solve_gradients(std::int64_t number, ffi::AnyBuffer y0, ffi::AnyBuffer p,
                           ffi::AnyBuffer w, ffi::Result<ffi::AnyBuffer> by_y0,
                           ffi::Result<ffi::AnyBuffer> by_p) {
  return told(number, [&]<class T>(const prepared_solve_of<T>& s) {
    const arguments<T> of(s, y0, p);
    const auto bar = as_points<const T>(w, s.results(), s.rows > 0 ? 2 : 1);
    const points<T> gy0 = as_points<T>(*by_y0, s.states), gp = as_points<T>(*by_p, s.parameters);
    if (gy0.count() == 1)
      if (const auto kept = waiting<T>().take(number, of.y0.row(0, {}), of.p.row(0, {})))
        return kept->pull(bar.row(0, {}), gy0.row(0, {}), gp.row(0, {}));
    gradients(s, of.y0, of.p, bar, gy0, gp);
  });
}

XLA_FFI_DEFINE_HANDLER(values_handler, solve_values,
                       ffi::Ffi::Bind()
                           .Attr<std::int64_t>("number")
                           .Attr<bool>("keeps")
                           .Arg<ffi::AnyBuffer>()
                           .Arg<ffi::AnyBuffer>()
                           .Ret<ffi::AnyBuffer>());
XLA_FFI_DEFINE_HANDLER(gradients_handler, solve_gradients,
                       ffi::Ffi::Bind()
                           .Attr<std::int64_t>("number")
                           .Arg<ffi::AnyBuffer>()
                           .Arg<ffi::AnyBuffer>()
                           .Arg<ffi::AnyBuffer>()
                           .Ret<ffi::AnyBuffer>()
                           .Ret<ffi::AnyBuffer>());

}  // namespace

void bind_xla(nb::module_& m) {
  m.def("xla_number", [](std::shared_ptr<const prepared_solve> s) { return solves().add(s); });
  m.def("xla_handlers", [] {
    nb::dict all;
    all["revode_values"] = nb::capsule(reinterpret_cast<void*>(values_handler));
    all["revode_gradients"] = nb::capsule(reinterpret_cast<void*>(gradients_handler));
    return all;
  });
}

#else

void bind_xla(nb::module_& m) {
  m.def("xla_number", [](std::shared_ptr<const prepared_solve>) { return std::int64_t{0}; });
  m.def("xla_handlers", [] { return nb::dict(); });
}

#endif

}  // namespace revode::python
