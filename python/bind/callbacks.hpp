// SPDX-License-Identifier: Apache-2.0
// Functions of Python's, and compiled ones behind objects, as the callbacks of a field.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include <revode.h>

#include "module.hpp"

namespace revode::python {

/// The address of a C function behind an object: numba's cfunc has one, ctypes' by its own cast; 0: it is a
/// function of Python's.
inline std::uintptr_t address_of(nb::handle f) {
  if (nb::hasattr(f, "address")) return nb::cast<std::uintptr_t>(f.attr("address"));
  const nb::object ctypes = nb::module_::import_("ctypes");
  if (nb::isinstance(f, ctypes.attr("_CFuncPtr")))
    return nb::cast<std::uintptr_t>(ctypes.attr("cast")(f, ctypes.attr("c_void_p")).attr("value"));
  return 0;
}
template <class Function>
Function pointer_at(std::uintptr_t address) {
  return reinterpret_cast<Function>(address);
}
inline void expect_zero(const char* what, int number) {
  if (number != 0)
    throw std::runtime_error(std::string("the compiled ") + what + " returned " +
                             std::to_string(number) + " (it ends the call) return 0 to go on?");
}

inline auto as_field(const nb::object& f, const char* what = "field",
                     const char* a_what = "a field") -> decltype(any_callbacks::f) {
  if (const auto at = address_of(f))
    return [call = pointer_at<revode_f>(at), what](double t, auto y, auto p, auto dy) {
      expect_zero(what, call(t, y.data(), p.data(), dy.data(), nullptr));
    };
  return [call = callable(f), a_what](double t, auto y, auto p, auto dy) {
    call([&](nb::object out) { fill_from(out, dy, a_what); }, t, y, p);
  };
}
inline auto as_vjp(const nb::object& f) -> decltype(any_callbacks::vjp) {
  if (const auto at = address_of(f))
    return [call = pointer_at<revode_vjp>(at)](double t, auto y, auto p, auto w, double& gt,
                                               auto gy, auto gp) {
      expect_zero("vjp", call(t, y.data(), p.data(), w.data(), &gt, gy.data(), gp.data(), nullptr));
    };
  return [call = callable(f)](double t, auto y, auto p, auto w, double& gt, auto gy, auto gp) {
    call(
        [&](nb::object out) {
          const nb::tuple parts(out);
          if (parts.size() != 3)
            throw std::invalid_argument("a vjp of " + std::to_string(parts.size()) +
                                        " parts (it is of t, y and p) return (gt, gy, gp)?");
          gt += nb::cast<double>(parts[0]);
          add_from(parts[1], gy, "gy of a vjp");
          add_from(parts[2], gp, "gp of a vjp");
        },
        t, y, p, w);
  };
}
inline auto as_jvp(const nb::object& f) -> decltype(any_callbacks::jvp) {
  if (const auto at = address_of(f))
    return [call = pointer_at<revode_jvp>(at)](double t, auto y, auto p, double dt, auto dy,
                                               auto dp, auto out) {
      expect_zero("jvp",
                  call(t, y.data(), p.data(), dt, dy.data(), dp.data(), out.data(), nullptr));
    };
  return [call = callable(f)](double t, auto y, auto p, double dt, auto dy, auto dp, auto out) {
    call([&](nb::object got) { fill_from(got, out, "a jvp"); }, t, y, p, dt, dy, dp);
  };
}
/// errors  std::invalid_argument: a band with its diagonals as rows, as SciPy's banded solvers take it
inline void expect_rows_of(const nb::object& band, std::size_t n) {
  if (!nb::hasattr(band, "shape")) return;
  const nb::tuple shape(band.attr("shape"));
  if (shape.size() == 2 && nb::cast<std::size_t>(shape[0]) != n)
    throw std::invalid_argument("a Jacobian in a band with " +
                                std::to_string(nb::cast<std::size_t>(shape[0])) + " rows (y has " +
                                std::to_string(n) +
                                " elements) return a row of lower + 1 + upper numbers for each?");
}
/// Numbers of a Jacobian: all, a band's row by row, or those of a pattern, for which a sparse matrix of SciPy's will do.
inline auto as_jacobian(const nb::object& f, const char* what = "Jacobian",
                        const char* a_what = "a Jacobian", bool in_band = false)
    -> decltype(any_callbacks::jacobian) {
  if (const auto at = address_of(f))
    return [call = pointer_at<revode_jacobian>(at), what](double t, auto y, auto p, auto jac) {
      expect_zero(what, call(t, y.data(), p.data(), jac.data(), nullptr));
    };
  return [call = callable(f), a_what, in_band](double t, auto y, auto p, auto jac) {
    call(
        [&](nb::object got) {
          if (in_band) expect_rows_of(got, y.size());
          if (nb::hasattr(got, "tocsc")) {
            got = got.attr("tocsc")();
            got.attr("sort_indices")();
            got = got.attr("data");
          }
          fill_from(got, jac, a_what);
        },
        t, y, p);
  };
}

}  // namespace revode::python
