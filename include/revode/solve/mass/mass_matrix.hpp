// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <type_traits>
#include <vector>

#include <revode/concepts.hpp>
#include <revode/linalg/mass_entries.hpp>
#include <revode/solve/mass/mass_elimination.hpp>
#include <revode/state/elements.hpp>

namespace revode {

/// The field says of which index the elements of y are: f.index() is a list of 1, 2 or 3, one for each.
template <class F>
inline constexpr bool has_index_v = requires(const std::remove_cvref_t<F>& f) {
  f.index().size();
  f.index()[0] + 1;
};
template <class List>
constexpr int highest_index(const List& list) {
  int most = 1;
  for (const auto k : list)
    if (static_cast<int>(k) > most) most = static_cast<int>(k);
  return most;
}
/// The list says at compile time that it has one above 1.
template <class F>
inline constexpr bool says_higher_index_v = [] {
  using G = std::remove_cvref_t<F>;
  if constexpr (requires { typename std::bool_constant<(highest_index(G::index()) > 1)>; })
    return highest_index(G::index()) > 1;
  return false;
}();

/// What it says, or nothing.
template <class F>
std::vector<int> index_list(const F& f) {
  std::vector<int> all;
  if constexpr (has_index_v<F>)
    for (const auto k : f.index()) all.push_back(static_cast<int>(k));
  return all;
}

/// Refuses an `index` that would be passed over.
template <class F>
constexpr bool index_can_be_asked() {
  using G = std::remove_cvref_t<F>;
  static_assert(
      !has_index_v<G> || has_mass_v<G>,
      "a field with index() and no mass matrix (elements of y' = f are all of index 1) write "
      "mass(m), too, or leave index() out?");
  constexpr bool other =
      has_mass_v<G> && !has_index_v<G> &&
      (
          requires(G & f) { f.index(); } || requires(const G& f) { f.index(0); });
  static_assert(!other,
                "an index that is no list by index() const (of 1, 2 or 3, one for each element of "
                "y) return a std::array or std::vector?");
  return true;
}

struct tolerance;

/// Refuses a `mass` that could not be asked: what is not const, takes entries by value, returns a matrix, or
/// stands behind a reference_wrapper would be taken for none.
template <class F>
constexpr bool mass_can_be_asked() {
  using G = std::remove_cvref_t<F>;
  constexpr bool wrapped = requires(const G& f, mass_entries& m) { f.get().mass(m); };
  constexpr bool by_value = has_mass_v<G> && requires(const G& f) { f.mass(mass_entries()); };
  constexpr bool other = !has_mass_v<G> && (
                                               requires(G & f, mass_entries & m) { f.mass(m); } ||
                                               requires(const G& f) { f.mass(); });
  static_assert(!wrapped,
                "a field with a mass matrix behind std::ref (its mass would not be seen) give the "
                "field itself, which is referred to?");
  static_assert(!by_value,
                "a mass(m) that takes m by value (what it writes would be lost) write void "
                "mass(Matrix& m) const?");
  static_assert(
      !other,
      "a mass that is not void mass(Matrix& m) const (it writes m(i, k) = value for any m, and "
      "changes nothing of the field) write it so?");
  return true;
}

/// The mass matrix M of a field, constant, by rows and by columns, and its algebraic equations: a row of
/// M that is a combination of others says that the same combination of f is 0.
/// With the index of each element of y, where the field tells it.
/// cost    twice as many numbers as M has entries, and those that its elimination, row by row, fills; M is
///         eliminated once, when its size is told
/// errors  an entry outside n × n, or one that is not finite, an index that is not 1, 2 or 3, a list of
///         another length throw std::invalid_argument
class mass_matrix {
 public:
  using entry = mass_elimination::entry;
  using entries = mass_elimination::entries;
  /// Row `row` of M is made of others: Σ weight.value f[weight.at] = 0, where its own weight is 1. As many
  /// elements of y' as there are constraints are left open by M; `open` is one of them.
  struct constraint {
    int row, open;
    entries weights;
  };

  mass_matrix() = default;
  template <class F>
  explicit mass_matrix(const F& f) : index_(index_list(f)) {
    f.mass(written_);
    check_index();
  }

  /// It is n × n.
  void resize(int n);

  int size() const { return static_cast<int>(rows_.size()); }
  const entries& row(int i) const { return rows_[static_cast<std::size_t>(i)]; }
  const entries& column(int k) const { return columns_[static_cast<std::size_t>(k)]; }
  const std::vector<constraint>& constraints() const { return constraints_; }
  const mass_elimination& elimination() const { return elimination_; }
  /// Has a solve begun with it? Then what cannot be solved is a status.
  bool has_begun() const { return begun_; }
  void begin() { begun_ = true; }

  /// Are elements of index 2 or 3? Then y0 and what events leave are taken as they are given.
  bool has_higher_index() const { return higher_; }
  int index_of(int i) const { return higher_ ? index_[static_cast<std::size_t>(i)] : 1; }
  /// By which states that are given are judged; without, they are not.
  const tolerance* judged_by = nullptr;

  /// Tells that the method is for index 1 alone.
  [[noreturn]] static void refuse_method(const char* method);
  /// Tells that row `row` of the algebraic equations is so many tolerances off at a start.
  [[noreturn]] static void refuse_start(int row, double off);

  /// Tells that no combination of the algebraic equations gives the variables that M leaves open.
  [[noreturn]] static void refuse_index();
  bool is_constrained(int row) const { return constrained_[static_cast<std::size_t>(row)]; }

  /// j = j − shift M
  /// errors  an entry outside the band or pattern of j throws std::invalid_argument
  template <class Matrix, class T>
  void subtract_from(Matrix& j, const T& shift) const {
    for (int i = 0; i < size(); ++i)
      for (const entry& e : row(i)) {
        if constexpr (requires { j.holds(i, e.at); })
          if (!j.holds(i, e.at)) refuse_entry(i, e.at, "band");
        if constexpr (requires { j.pattern->find(i, e.at); })
          if (j.pattern->find(i, e.at) < 0) refuse_entry(i, e.at, "pattern");
        j(i, e.at) = j(i, e.at) - shift * T(e.value);
      }
  }

 private:
  [[noreturn]] static void refuse_entry(int i, int k, const char* where);
  void find_constraints();
  void check_index();

  mass_entries written_;
  std::vector<entries> rows_, columns_;
  std::vector<constraint> constraints_;
  mass_elimination elimination_;
  std::vector<char> constrained_;
  std::vector<int> index_;
  bool begun_ = false, higher_ = false;
};

/// weight ← |h|^(k − 1) weight for elements of index k: what a step of length h leaves of them is larger by
/// as many powers, through no fault of its own.
/// source  Hairer & Wanner, Solving ODEs II, 2nd ed. (1996), VII.6; the codes RADAU5 and RADAU
template <class Mass, class Y>
void weigh_by_index([[maybe_unused]] const Mass& mass, [[maybe_unused]] double h,
                    [[maybe_unused]] Y& weight) {
  if constexpr (!std::is_same_v<Mass, nothing>) {
    if (!mass.has_higher_index()) return;
    const double powers[] = {1, std::abs(h), h * h};
    for (int i = 0, n = length(weight); i < n; ++i)
      weight.data()[i] = weight.data()[i] * scalar_t<Y>(powers[mass.index_of(i) - 1]);
  }
}

/// sum + Σ e.value x(e.at): an element of M x from a row of M, of Mᵀ x from a column.
template <class T, class X>
T add_entries(const mass_matrix::entries& of, T sum, const X& x) {
  for (const mass_matrix::entry& e : of) sum = muladd(T(e.value), x(e.at), sum);
  return sum;
}

/// Are there algebraic equations?
template <class Mass>
bool is_constrained([[maybe_unused]] const Mass& mass) {
  if constexpr (std::is_same_v<Mass, nothing>)
    return false;
  else
    return !mass.constraints().empty();
}

/// Are elements of index 2 or 3?
template <class Mass>
bool has_higher_index([[maybe_unused]] const Mass& mass) {
  if constexpr (std::is_same_v<Mass, nothing>)
    return false;
  else
    return mass.has_higher_index();
}

/// x ← x where elements are of index 1, else 0.
template <class Mass, class Y>
void drop_higher_index([[maybe_unused]] const Mass& mass, [[maybe_unused]] Y& x) {
  if (!has_higher_index(mass)) return;
  if constexpr (!std::is_same_v<Mass, nothing>)
    for (int i = 0, n = length(x); i < n; ++i)
      if (mass.index_of(i) > 1) x.data()[i] = scalar_t<Y>(0);
}

/// sum + a (M x)ᵢ, or with Mᵀ; M is I where there is no mass matrix.
template <bool Transposed = false, class Mass, class T>
REVODE_HD T add_mass_times([[maybe_unused]] const Mass& mass, int i, const T& a, const T* x,
                           const T& sum) {
  if constexpr (std::is_same_v<Mass, nothing>)
    return muladd(a, x[i], sum);
  else
    return add_entries(Transposed ? mass.column(i) : mass.row(i), sum,
                       [&](int k) { return a * x[k]; });
}

/// f becomes the factors of shift M − j.
template <class Factors, class Matrix, class T, class Mass>
bool factor_pencil(Factors& f, const Matrix& j, const T& shift, [[maybe_unused]] const Mass& mass) {
  if constexpr (std::is_same_v<Mass, nothing>) {
    return f.factor_shifted(j, shift);
  } else {
    Matrix moved = j;
    mass.subtract_from(moved, shift);
    return f.factor_shifted(moved, T(0));
  }
}

/// out = out + a M x, or with Mᵀ.
template <bool Transposed = false, class Mass, class Y>
void axpy_of_mass(const Mass& mass, scalar_t<Y> a, const Y& x, Y& out) {
  if constexpr (std::is_same_v<Mass, nothing>)
    axpy(a, x, out);
  else
    for (int k = 0, n = length(out); k < n; ++k)
      out.data()[k] = add_mass_times<Transposed>(mass, k, a, x.data(), out.data()[k]);
}

}  // namespace revode
