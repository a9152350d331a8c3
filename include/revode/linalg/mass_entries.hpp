// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>
#include <vector>

namespace revode {

/// Where a field writes its mass matrix: m(i, k) = value, or +=; what is not written is 0.
class mass_entries {
 public:
  struct written {
    int row, column;
    double value;
    bool adds;
  };
  struct element {
    std::vector<written>& to;
    int row, column;
    double operator=(double value) {
      append(to, {row, column, value, false});
      return value;
    }
    void operator+=(double value) { append(to, {row, column, value, true}); }
  };

  element operator()(int i, int k) { return {all_, i, k}; }
  const std::vector<written>& all() const { return all_; }

 private:
  /// Not inlined: g++ 12 sees an overflow in loops of it that is none. Here, since problems in shared
  /// libraries have no other.
  [[gnu::noinline]] static void append(std::vector<written>& to, const written& w) {
    to.push_back(w);
  }

  std::vector<written> all_;
};

/// The field says M y' = f(t, y, p), with f.mass(m).
template <class F>
inline constexpr bool has_mass_v = requires(const std::remove_cvref_t<F>& f, mass_entries& m) {
  f.mass(m);
};

}  // namespace revode
