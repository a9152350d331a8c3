// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "covering.hpp"

namespace revode::combinations {

/// Every cell, one after the other.
template <class Visit>
void for_each_cell(const Visit& visit) {
  choice c{};
  for (;;) {
    visit(c);
    int i = axes - 1;
    while (i >= 0 && c[i] + 1 == static_cast<int>(values[i].size())) c[i--] = 0;
    if (i < 0) return;
    ++c[i];
  }
}

/// What becomes of a pair of values: the least said of the cells that have it.
struct pair_of_values {
  int covered = 0;        ///< how many covering cells have it
  bool possible = false;  ///< some cell that has it is not refused
};
class pair_table {
 public:
  pair_table() {
    for_each_cell([&](const choice& c) {
      const std::string_view why = refusal(c);
      for_pairs(c, [&](pair_of_values& p) { p.possible = p.possible || why.empty(); });
      ++(why.empty() ? cells_ : refused_);
    });
    for (const choice& c : covering) for_pairs(c, [](pair_of_values& p) { ++p.covered; });
  }
  const pair_of_values& at(int i, int a, int j, int b) const { return pairs_[place(i, a, j, b)]; }
  /// Why an impossible one is refused: with what goes with most on the other axes.
  std::string_view why(int i, int a, int j, int b) const {
    choice c{explicit_rk, dense, plain, checkpoints, fixed, real};
    c[i] = a;
    c[j] = b;
    if (i != family && c[algebra] != dense) c[family] = esdirk;
    return refusal(c);
  }
  int cells() const { return cells_; }
  int refused() const { return refused_; }

 private:
  static constexpr int most = *std::max_element(sizes.begin(), sizes.end());
  static std::size_t place(int i, int a, int j, int b) {
    return static_cast<std::size_t>(((i * most + a) * axes + j) * most + b);
  }
  template <class Visit>
  void for_pairs(const choice& c, const Visit& visit) {
    for (int i = 0; i < axes; ++i)
      for (int j = i + 1; j < axes; ++j) visit(pairs_[place(i, c[i], j, c[j])]);
  }

  std::vector<pair_of_values> pairs_ =
      std::vector<pair_of_values>(static_cast<std::size_t>(axes * most * axes * most));
  int cells_ = 0, refused_ = 0;
};

/// docs/combinations.md.
inline std::string document() {
  const pair_table table;
  std::vector<std::string_view> reasons;
  const auto mark = [&](std::string_view why) {
    const auto found = std::find(reasons.begin(), reasons.end(), why);
    if (found == reasons.end()) return std::string("?");
    return "refused (" + std::to_string(found - reasons.begin() + 1) + ")";
  };
  for_each_cell([&](const choice& c) {
    const auto why = refusal(c);
    if (!why.empty() && std::find(reasons.begin(), reasons.end(), why) == reasons.end())
      reasons.push_back(why);
  });

  std::string text =
      "# What goes with what\n\n"
      "Written by `tests/combinations` from its lists, and compared with them in every run of the "
      "tests: run\n"
      "`REVODE_WRITE_DOCS=1 test_combinations` after a change. Of the product of six axes, " +
      std::to_string(table.cells()) + " cells are\npossible and " +
      std::to_string(table.refused()) + " are refused in words. " + std::to_string(covering_size) +
      " cells hold every pair of values; each passes the laws of its adjoint:\n\n"
      "- `recursive_checkpoint`, `tangents`: ⟨w, J v⟩ = ⟨Jᵀw, v⟩ over y0, p, t0, t1, save times, "
      "stops and the times of events; "
      "the\n  same bits by every schedule; a running cost has the bits of a quadrature\n"
      "- `gradients`, `gauss`, `interpolating`, `backsolve`: the gradient by tsit5 at 1e-11, to "
      "the method's tolerance\n"
      "- Hessians (`hessian_vector_product`, through events, too): uᵀHv = vᵀHu\n\n"
      "The heavy tests draw 64 cells of the whole product, from `-DREVODE_FIRST_DRAW=0` on, in an "
      "order in which\n" +
      std::to_string(product_size) +
      " draws are all of them (`tests/combinations/drawn.hpp`).\n\n"
      "An entry counts the cells that hold the pair.\n\n";
  for (int i = 0; i < axes; ++i)
    for (int j = i + 1; j < axes; ++j) {
      const int rows = static_cast<int>(values[i].size()),
                columns = static_cast<int>(values[j].size());
      text += "| " + std::string(axis_names[i]) + " |";
      for (const auto name : values[j]) text += " " + std::string(name) + " |";
      text += "\n|---|";
      for (int b = 0; b < columns; ++b) text += "---|";
      text += "\n";
      for (int a = 0; a < rows; ++a) {
        text += "| " + std::string(values[i][a]) + " |";
        for (int b = 0; b < columns; ++b) {
          const auto& p = table.at(i, a, j, b);
          text +=
              " " + (p.possible ? std::to_string(p.covered) : mark(table.why(i, a, j, b))) + " |";
        }
        text += "\n";
      }
      text += "\n";
    }
  text += "Refusals, by these words in an exception or a `static_assert`:\n\n";
  for (std::size_t k = 0; k < reasons.size(); ++k)
    text += std::to_string(k + 1) + ". " + std::string(reasons[k]) + "\n";
  text += "\nThe covering cells:\n\n";
  for (const choice& c : covering) text += "- " + text_of(c) + "\n";
  return text;
}

}  // namespace revode::combinations
