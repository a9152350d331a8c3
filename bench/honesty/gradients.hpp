// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "rows.hpp"

namespace revode::honesty {

/// A gradient of the table: of L = Σ wᵢ yᵢ(t1), where wᵢ is one over the size of yᵢ(t1), more or less.
/// Errors are parts of the gradient, of y0 or of p, whichever is larger: 2-norms over 2-norms.
struct gradient_row {
  std::string method, problem;
  int digits = 0;
  enum status status = status::success;  ///< of the solve, or of its gradient
  double error = 0;                      ///< beside the gradient of an accurate solve
  double estimate = 0;   ///< what the gradient says of itself, a part of the accurate one
  bool told = false;     ///< it says that it is not resolved
  double least = 0;      ///< below it, error is that of the accurate solve
  double condition = 1;  ///< of the problem's gradient, see accurate_gradient

  double off() const;  ///< error in tolerances and conditions
  bool is_counted() const { return is_complete(status) || status == status::gradient_not_resolved; }
};

/// The gradient of a solve with a method of high order at small tolerances, its difference from that
/// by another such method, and its condition: how many
/// parts in rtol it changes when every element of y0, or of p, changes by one part in rtol (signs drawn
/// four times), at least 1.
struct accurate_gradient {
  cli::vector y0{}, p{}, weights{};
  double error = 0, condition = 1;
};
auto accurate_gradient_of(const erased_problem& q) -> accurate_gradient;

auto gradient_row_of(const cli::method_entry& m, const erased_problem& q,
                     const accurate_gradient& truth, int digits) -> gradient_row;

/// Every adaptive method on every problem of its family, rtol = 1e-3 to 1e-8. left_out: problems
/// without an accurate gradient.
auto measure_gradients(bool stiff, std::ostream& progress, std::vector<std::string>& left_out)
    -> std::vector<gradient_row>;

/// A gradient solved for until it says that its error is at most gradient_rtol, from rtol = 1e-4 on.
inline constexpr double gradient_rtol = 1e-3;
struct resolved_row {
  std::string method, problem;
  double error = 0;
  std::optional<double> estimate{};  ///< none: the last solve or gradient failed
  int solves = 0;
  index attempts = 0;  ///< of all of them
  index least = 0;     ///< of the first single solve that meets it, rtol = 1e-3, 10^-3.5, …
};
auto resolved_row_of(const cli::method_entry& m, const erased_problem& q,
                     const accurate_gradient& truth) -> resolved_row;

/// Five stiff methods on the problems whose gradients are worst.
auto measure_gradient_rtol(std::ostream& progress) -> std::vector<resolved_row>;

/// docs/gradient_honesty.md
void write_gradient_page(std::ostream& out, const std::vector<gradient_row>& explicit_rows,
                         const std::vector<gradient_row>& implicit_rows,
                         const std::vector<resolved_row>& resolved,
                         const std::vector<std::string>& left_out);

}  // namespace revode::honesty
