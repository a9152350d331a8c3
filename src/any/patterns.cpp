// SPDX-License-Identifier: Apache-2.0
#include <any/held_problem.hpp>

#include <algorithm>

#include <any/parts.hpp>

namespace revode {

std::shared_ptr<const sparsity> any_pattern(std::span<const int> starts,
                                            std::span<const int> rows) {
  const auto count = static_cast<int>(rows.size());
  const bool whole = !starts.empty() && starts.front() == 0 && starts.back() == count;
  if (!whole || !std::is_sorted(starts.begin(), starts.end()))
    compiled::misuse("a sparsity pattern of " + std::to_string(count) +
                     " rows whose starts are not from 0 to that, in order (column j has the rows "
                     "starts[j] to starts[j + 1] - 1) give n + 1 of them?");
  const compressed<int, double> columns{static_cast<int>(starts.size()) - 1, starts.data(),
                                        rows.data()};
  auto pattern = std::make_shared<const sparsity>(columns);
  pattern->kept.get<compiled::entry_places>([&] {
    auto places = std::make_shared<compiled::entry_places>();
    columns.visit_entries([&](int i, int j, int) { places->of.push_back(pattern->find(i, j)); });
    return places;
  });
  return pattern;
}

std::shared_ptr<const sparsity> any_pattern(const any_problem& q) {
  compiled::check_field(q);
  if (!q.f.tells_pattern())
    compiled::misuse(
        "the pattern of a field of callbacks (they do not tell where their Jacobian is not 0) give "
        "its starts and rows?");
  const compiled::held_problem held(q);
  return std::make_shared<const sparsity>(compiled::pattern_near_start(held.q));
}

namespace compiled {

auto places_in(const sparsity& pattern) -> std::shared_ptr<const entry_places> {
  const std::shared_ptr<const sparsity> by_columns =
      pattern.transposed();  // kept beside the places
  return pattern.kept.get<entry_places>([&] {
    auto places = std::make_shared<entry_places>();
    for (int j = 0; j < pattern.size(); ++j)
      for (int e = by_columns->start(j); e < by_columns->start(j + 1); ++e)
        places->of.push_back(pattern.find(by_columns->column(e), j));
    return places;
  });
}

bool callback_field::bring_jacobian(double t, const vector& y, const vector& p,
                                    banded_matrix<vector>& jac) const {
  const int n = jac.rows(), width = jac.width();
  if (of_->banded_jacobian) {
    jac.clear();
    of_->banded_jacobian(t, seen(y), seen(p), {jac.data(), jac.size()});
    for (int i = 0; i < n; ++i)
      for (int k = 0; k < width; ++k)
        if (const int j = i - jac.lower() + k; j < 0 || j >= n) jac.row(i)[k] = 0;
    return true;
  }
  if (!pulls_alone()) return false;
  vector w(n), gy(n), gp(p.size());
  for (int first = 0; first < std::min(width, n); ++first) {
    double gt = 0;
    w.setZero(), gy.setZero(), gp.setZero();
    for (int i = first; i < n; i += width) w[i] = 1;
    of_->vjp(t, seen(y), seen(p), seen(w), gt, filled(gy), filled(gp));
    for (int i = first; i < n; i += width)
      for (int j = jac.first(i); j <= jac.last(i); ++j) jac(i, j) = gy[j];
  }
  return true;
}

bool callback_field::bring_jacobian(double t, const vector& y, const vector& p,
                                    sparse_matrix<double>& jac) const {
  if (of_->sparse_jacobian) {
    const std::shared_ptr<const entry_places> places = places_in(*jac.pattern);
    entries_.assign(places->of.size(), 0.0);
    of_->sparse_jacobian(t, seen(y), seen(p), entries_);
    jac.clear();
    for (std::size_t e = 0; e < entries_.size(); ++e)
      jac.values[static_cast<std::size_t>(places->of[e])] += entries_[e];
    return true;
  }
  if (!pulls_alone()) return false;
  const std::shared_ptr<const sparsity> rows = jac.pattern->transposed();
  vector w(y.size()), gy(y.size()), gp(p.size());
  for (int colour = 0; colour < rows->colours(); ++colour) {
    double gt = 0;
    w.setZero(), gy.setZero(), gp.setZero();
    for (const int i : rows->columns_of(colour)) w[i] = 1;
    of_->vjp(t, seen(y), seen(p), seen(w), gt, filled(gy), filled(gp));
    for (const auto [entry, j] : rows->elements_of(colour)) jac(rows->column(entry), j) = gy[j];
  }
  return true;
}

}  // namespace compiled
}  // namespace revode
