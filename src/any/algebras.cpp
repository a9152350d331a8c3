// SPDX-License-Identifier: Apache-2.0
#include <iterator>
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

/// Elements of M that are not 0.
auto mass_elements(const initial_value_problem& q) -> std::vector<mass_entries::written> {
  mass_entries m;
  if (q.f.has_mass()) erased_massive_field(q.f).mass(m);
  const int n = length(q.y0);
  const auto is_there = [n](int i) { return 0 <= i && i < n; };  // others are refused by the solve
  std::vector<mass_entries::written> all = m.all();
  std::erase_if(all, [&](const mass_entries::written& w) {
    return w.value == 0 || !is_there(w.row) || !is_there(w.column);
  });
  return all;
}
/// Methods factor γM − J, where it is as wide as J.
void expect_mass_inside(const algebra_text& a, const jacobian_structure& s,
                        const initial_value_problem& q) {
  for (const mass_entries::written& w : mass_elements(q)) {
    const int below = w.row - w.column;
    const bool inside =
        a.band ? below <= s.lower && -below <= s.upper : s.pattern->find(w.row, w.column) >= 0;
    if (inside) continue;
    misuse("mass(" + std::to_string(w.row) + ", " + std::to_string(w.column) + ") outside the " +
           (a.band ? "band" : "pattern") +
           " of the Jacobian (systems are with M and it together) give one that holds both?");
  }
}

auto found_structure(const algebra_text& a, jacobian_structure given,
                     const initial_value_problem& q, bool field_tells) -> jacobian_structure {
  const int n = length(q.y0);
  if (given.pattern != nullptr && (a.pattern || a.band)) expect_pattern(*given.pattern, n);
  if (a.band && (given.lower < 0 || given.upper < 0)) {
    if (given.pattern == nullptr && !field_tells) refuse_unknown(a, "lower and upper");
    const banded band =
        given.pattern != nullptr ? band_of(*given.pattern) : band_of(pattern_near_start(q));
    given.lower = band.lower;
    given.upper = band.upper;
  }
  if (a.band) require_band(given.lower, given.upper, n);
  if (a.pattern && given.pattern == nullptr) {
    if (!field_tells) refuse_unknown(a, "a sparsity pattern");
    given.pattern = std::make_shared<const sparsity>(pattern_near_start(q));
  }
  if (a.band || a.pattern) expect_mass_inside(a, given, q);
  given.check = field_tells;
  return given;
}

/// What is compiled for events serves problems without, too.
bool serves(const algebra_entry& e, kind_of_problem kind) {
  return e.kind.massive == kind.massive && (e.kind.events || !kind.events);
}

/// "events and a mass matrix"
auto what_comes_beside(kind_of_problem kind) -> std::string {
  std::string what = kind.events ? "events" : "";
  if (kind.massive) what.append(kind.events ? " and " : "").append("a mass matrix");
  return what;
}
[[noreturn]] void refuse_kind(const method_entry& m, const algebra_text& a, kind_of_problem kind) {
  const std::string algebra = "algebra " + std::string(a.name), what = what_comes_beside(kind);
  const std::string methods = methods_of_algebra(a.name, kind);
  const std::string others =
      ") take one of these, leave the algebra out, or solve it by the templates?";
  if (!methods.empty())
    misuse("method " + std::string(m.name) + " with " + algebra + " and " + what +
           " (compiled for that: " + methods + others);
  std::string algebras;
  for (const algebra_text& other : algebra_texts())
    if (!methods_of_algebra(other.name, kind).empty())
      algebras.append(algebras.empty() ? "" : ", ").append(other.name);
  misuse(algebra + " with " + what + " (compiled for that: " + algebras + others);
}

/// The entry of a method and an algebra.
auto pair_of(const method_entry& m, const algebra_text& a, kind_of_problem kind)
    -> const algebra_entry& {
  for (const algebra_entry& e : algebra_table())
    if (e.algebra == a.name && e.method == m.name && serves(e, kind)) return e;
  const std::string method(m.name), algebra(a.name), methods = methods_of_algebra(a.name);
  if (!m.asks_jacobian && !m.asks_parts)
    misuse("method " + method + " with algebra " + algebra +
           " (it solves no linear systems) leave the algebra out, or take one of the methods " +
           methods + "?");
  if (kind != kind_of_problem{}) refuse_kind(m, a, kind);
  misuse("method " + method + " with algebra " + algebra + " (it is compiled with " +
         algebras_of(m.name) + ") choose one of these, or one of the methods " + methods + "?");
}

}  // namespace

auto pattern_near_start(const initial_value_problem& q) -> sparsity {
  return q.f.has_mass() ? sparsity_of(erased_massive_field(q.f), q.t0, q.y0, q.p) : sparsity_of(q);
}

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
    for (auto part : {entries_with_products(), entries_with_factors_and_mass()})
      std::move(part.begin(), part.end(), std::back_inserter(all));
    return all;
  }();
  return table;
}

auto algebras_of(std::string_view method) -> std::string {
  std::string names(dense_name);
  for (const algebra_entry& e : algebra_table())
    if (e.method == method && serves(e, {})) names.append(", ").append(e.algebra);
  return names;
}
auto methods_of_algebra(std::string_view algebra, kind_of_problem kind, std::string_view between)
    -> std::string {
  const bool dense = algebra == dense_name;
  if (dense && kind == kind_of_problem{}) return "all implicit";
  std::string names;
  const auto add = [&](std::string_view method) {
    names.append(names.empty() ? "" : between).append(method);
  };
  for (const method_entry& m : method_table())
    if (dense && m.asks_jacobian && (m.*method_entry::place_of(kind)).solve) add(m.name);
  for (const algebra_entry& e : algebra_table())
    if (e.algebra == algebra && serves(e, kind)) add(e.method);
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
                        kind_of_problem kind, bool field_tells) -> method_entry {
  method_entry with = m;
  if (a.name == dense_name) return with;
  with.plain = with.with_events = with.massive = with.massive_with_events = {};
  with.*method_entry::place_of(kind) =
      pair_of(m, a, kind)
          .uses([&a, given = std::move(given), field_tells](const initial_value_problem& q) {
            return found_structure(a, given, q, field_tells);
          });
  return with;
}

}  // namespace revode::compiled
