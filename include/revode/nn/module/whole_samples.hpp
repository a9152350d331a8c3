// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

#include <revode/config.hpp>

namespace revode::nn {

/// How many samples x is: `each` numbers one behind the other in memory. `sample_has()` says in words what one has.
/// errors  std::invalid_argument: no sample, no whole number of them, or a matrix that holds them another way
template <class X, class Words>
index whole_samples(const char* what, const X& x, index each, const Words& sample_has) {
  const auto size = static_cast<index>(x.size());
  if (each < 1)
    throw std::invalid_argument("samples of " + std::to_string(each) +
                                " numbers (each has at least one) give 1 or more?");
  if (size == 0 || size % each != 0)
    throw std::invalid_argument(std::string(what) + " of " + std::to_string(size) + " numbers (" +
                                sample_has() +
                                ", and there is at least one) give a whole number of samples?");
  if constexpr (requires { x.rows(), x.cols(); }) {
    bool by_rows = false;
    if constexpr (requires { X::IsRowMajor; }) by_rows = X::IsRowMajor;
    const auto rows = static_cast<index>(x.rows()), cols = static_cast<index>(x.cols());
    if (rows != 1 && cols != 1 && (by_rows ? cols : rows) != each)
      throw std::invalid_argument(
          std::string(what) + " of " + std::to_string(rows) + " x " + std::to_string(cols) +
          " numbers, " + (by_rows ? "row after row (" : "column after column (") + sample_has() +
          ", one behind the other in memory) transpose the matrix?");
  }
  return size / each;
}

/// The same for those who have nothing more to say of a sample.
template <class X>
index whole_samples(const char* what, const X& x, index each) {
  return whole_samples(what, x, each, [=] { return "a sample has " + std::to_string(each); });
}

}  // namespace revode::nn
