// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>

#include <any/held_problem.hpp>
#include <any/parts.hpp>
#include <any/structured.hpp>
#include <revode/problems/catalog.hpp>

namespace revode::compiled {
namespace {

void expect_pattern(const sparsity& pattern, int n) {
  if (pattern.size() != n)
    misuse("a sparsity pattern of size " + std::to_string(pattern.size()) + " for a state of " +
           std::to_string(n) + " (a Jacobian is square) give one of the state's size?");
}
[[noreturn]] void refuse_unknown(const algebra_text& a, const char* what) {
  misuse("algebra " + std::string(a.name) + " without " + what +
         " (callbacks do not tell where their Jacobian is not 0) give it?");
}

auto found_structure(const algebra_text& a, jacobian_structure given,
                     const initial_value_problem& q, bool field_tells) -> jacobian_structure {
  const int n = length(q.y0);
  if (given.pattern != nullptr && (a.pattern || a.band)) expect_pattern(*given.pattern, n);
  if (a.band && (given.lower < 0 || given.upper < 0)) {
    if (given.pattern == nullptr && !field_tells) refuse_unknown(a, "lower and upper");
    const banded band =
        given.pattern != nullptr ? band_of(*given.pattern) : band_of(sparsity_of(q));
    given.lower = band.lower;
    given.upper = band.upper;
  }
  if (a.band) require_band(given.lower, given.upper, n);
  if (a.pattern && given.pattern == nullptr) {
    if (!field_tells) refuse_unknown(a, "a sparsity pattern");
    given.pattern = std::make_shared<const sparsity>(sparsity_of(q));
  }
  return given;
}

/// The entry of a method and an algebra.
auto pair_of(const method_entry& m, const algebra_text& a) -> const algebra_entry& {
  for (const algebra_entry& e : algebra_table())
    if (e.algebra == a.name && e.method == m.name) return e;
  const std::string method(m.name), algebra(a.name), methods = methods_of_algebra(a.name);
  if (!m.asks_jacobian)
    misuse("method " + method + " with algebra " + algebra +
           " (it solves no linear systems) leave the algebra out, or take one of the methods " +
           methods + "?");
  misuse("method " + method + " with algebra " + algebra + " (it is compiled with " +
         algebras_of(m.name) + ") choose of these, or one of the methods " + methods + "?");
}

}  // namespace

auto algebra_texts() -> const std::vector<algebra_text>& {
  static const std::vector<algebra_text> all{
      {.name = dense_name, .summary = "matrices of n x n numbers: the default"},
      {.name = "banded", .summary = "diagonals beside the main one", .band = true},
      {.name = "klu",
       .summary = "a sparse matrix, factored by SuiteSparse's KLU",
       .pattern = true,
       .compiled = with_klu},
      {.name = "gmres", .summary = "no matrix: Krylov spaces of products", .products = true},
      {.name = "gmres_ilu0",
       .summary = "the same, preconditioned by incomplete factors of a sparse matrix",
       .pattern = true,
       .products = true}};
  return all;
}

auto algebra_table() -> const std::vector<algebra_entry>& {
  static const std::vector<algebra_entry> table = [] {
    std::vector<algebra_entry> all = entries_with_factors();
    for (algebra_entry& e : entries_with_products()) all.push_back(std::move(e));
    return all;
  }();
  return table;
}

auto algebras_of(std::string_view method) -> std::string {
  std::string names(dense_name);
  for (const algebra_entry& e : algebra_table())
    if (e.method == method) names.append(", ").append(e.algebra);
  return names;
}
auto methods_of_algebra(std::string_view algebra, std::string_view between) -> std::string {
  if (algebra == dense_name) return "all implicit";
  std::string names;
  for (const algebra_entry& e : algebra_table())
    if (e.algebra == algebra) names.append(names.empty() ? "" : between).append(e.method);
  return names;
}

auto find_algebra(std::string_view name) -> const algebra_text& {
  std::vector<std::string_view> known;
  for (const algebra_text& a : algebra_texts()) {
    known.push_back(a.name);
    if (a.name != name) continue;
    if (!a.compiled)
      misuse("algebra " + std::string(name) +
             " in a build without it (its library was not there) install libsuitesparse-dev and "
             "build revode again, or take gmres_ilu0?");
    return a;
  }
  const std::string nearest = nearest_name(name, known);
  misuse("unknown algebra '" + std::string(name) +
         "' (it is not among any_algebra_names()) did you mean '" +
         (nearest.empty() ? "dense" : nearest) + "'?");
}

auto entry_with_algebra(const method_entry& m, const algebra_text& a, jacobian_structure given,
                        const initial_value_problem& q, bool field_tells) -> method_entry {
  method_entry with = m;
  if (a.name == dense_name) return with;
  with.plain = pair_of(m, a).uses(found_structure(a, std::move(given), q, field_tells));
  with.with_events = with.massive = with.massive_with_events = {};
  return with;
}

}  // namespace revode::compiled
