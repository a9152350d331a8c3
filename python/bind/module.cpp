// SPDX-License-Identifier: Apache-2.0
#include "module.hpp"

#include <revode.h>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace revode::python {
namespace {

std::vector<std::string> names(const char* (*name)(std::size_t)) {
  std::vector<std::string> all;
  for (std::size_t i = 0; const char* one = name(i); ++i) all.emplace_back(one);
  return all;
}

}  // namespace
}  // namespace revode::python

NB_MODULE(_core, m) {
  using namespace revode::python;
  nanobind::set_leak_warnings(false);  // of what a program holds to its end
  m.doc() = "Ordinary differential equations and exact gradients, in the memory you choose.";
  m.attr("__version__") = revode_version();
  m.def("methods", [] { return names(revode_method_name); });
  m.def("algebras", [] { return names(revode_algebra_name); });
  m.def("adjoints", [] { return names(revode_adjoint_name); });
  m.def("schedules", [] { return names(revode_schedule_name); });
  m.def("problems", [] { return names(revode_problem_name); });
  bind_problems(m);
  bind_solutions(m);
  bind_solves(m);
  bind_prepared(m);
  bind_networks(m);
  bind_xla(m);
}
