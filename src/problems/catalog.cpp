// SPDX-License-Identifier: Apache-2.0
#include <revode/problems/catalog.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <iterator>
#include <stdexcept>
#include <utility>

#include <revode/problems/all.hpp>

namespace revode {
namespace {

constexpr int largest_size = 10'000'000;

[[noreturn]] void misuse(const std::string& text) { throw std::invalid_argument(text); }

std::string quoted(std::string_view text) { return std::string("'").append(text).append("'"); }

/// The whole text as a number, or false.
template <class Number>
bool parse(std::string_view text, Number& number) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc{} && stop == end && !text.empty();
}

/// What stands behind the colon of "name:argument"; given is false without a colon.
struct argument {
  bool given = false;
  std::string_view text;
};

template <class F>
void set_argument(F& f, argument a) {
  const std::string name = F::name;
  if (!a.given) return;
  const std::string spec = quoted(name + ":" + std::string(a.text));
  if constexpr (requires { F::default_size; }) {
    if (!parse(a.text, f.n) || f.n < F::least_size || f.n > largest_size) {
      misuse("invalid size " + quoted(a.text) + " in " + spec + " (a whole number from " +
             std::to_string(F::least_size) + " to " + std::to_string(largest_size) +
             " is needed) did you mean '" + name + ":" + std::to_string(F::default_size) + "'?");
    }
  } else if constexpr (requires { f.eccentricity; }) {
    if (!parse(a.text, f.eccentricity) || !(f.eccentricity >= 0 && f.eccentricity < 1)) {
      misuse("invalid eccentricity " + quoted(a.text) + " in " + spec +
             " (an ellipse needs 0 <= e < 1) did you mean '" + name + ":0.5'?");
    }
  } else {
    misuse("invalid problem " + spec + " (" + name + " takes no argument) did you mean '" + name +
           "'?");
  }
}

template <class Values>
Eigen::VectorXd as_vector(const Values& values) {
  Eigen::VectorXd v(static_cast<Eigen::Index>(values.size()));
  copy(values, v);
  return v;
}

template <class F>
std::vector<std::string> labels_of(int n) {
  std::vector<std::string> labels;
  if constexpr (requires { F::labels; }) {
    labels.assign(std::begin(F::labels), std::end(F::labels));
  } else {
    for (int i = 1; i <= n; ++i) labels.emplace_back("y").append(std::to_string(i));
  }
  return labels;
}

template <class F>
std::vector<int> components_of(const F& f, int n) {
  std::vector<int> components;
  if constexpr (requires { f.reference_components(); }) {
    components = f.reference_components();
    if (n == 0) components.clear();
  } else {
    for (int i = 0; i < n; ++i) components.push_back(i);
  }
  return components;
}

/// A stiff problem says which absolute tolerance goes with a relative one.
template <class F>
constexpr bool is_stiff = requires { F::atol(1.0); };
template <class F>
constexpr auto atol_of() -> double (*)(double) {
  if constexpr (is_stiff<F>) return F::atol;
  return nullptr;
}

template <class F>
erased_problem erase(const F& f) {
  const Eigen::VectorXd y0 = as_vector(f.y0()), reference = as_vector(f.reference());
  return {F::name,
          F::source,
          F::t0,
          F::t1,
          y0,
          as_vector(f.parameters()),
          erased_field(f),
          labels_of<F>(length(y0)),
          components_of(f, length(reference)),
          reference,
          F::digits,
          atol_of<F>()};
}

/// Optimal string alignment distance of Damerau and Levenshtein.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before, last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    before = std::exchange(last, row);
  }
  return last[b.size()];
}

/// fn(problem{}) for every problem of the library.
template <class Function>
void for_each_named_problem(Function&& fn) {
  for_each_problem(all_problems{}, fn);
  for_each_problem(stiff_problems{}, fn);
}

[[noreturn]] void unknown(std::string_view name) {
  std::vector<std::string_view> known;
  for_each_named_problem([&](const auto& f) { known.emplace_back(f.name); });
  const std::string nearest = nearest_name(name, known);
  misuse(
      "unknown problem " + quoted(name) + " (not in the list of named problems) " +
      (nearest.empty() ? "run 'revode list problems'?" : "did you mean " + quoted(nearest) + "?"));
}

}  // namespace

auto catalog() -> std::vector<catalog_entry> {
  std::vector<catalog_entry> entries;
  for_each_named_problem([&]<class F>(const F&) {
    int size = 0;
    if constexpr (requires { F::default_size; }) size = F::default_size;
    entries.push_back({F::name, F::summary, F::source, size, is_stiff<F>});
  });
  return entries;
}

auto make_problem(std::string_view spec) -> erased_problem {
  const std::size_t colon = spec.find(':');
  const std::string_view name = spec.substr(0, colon);
  argument a;
  if (colon != std::string_view::npos) a = {true, spec.substr(colon + 1)};
  std::vector<erased_problem> found;
  for_each_named_problem([&]<class F>(F f) {
    if (name != F::name) return;
    set_argument(f, a);
    found.push_back(erase(f));
  });
  if (found.empty()) unknown(name);
  return std::move(found.front());
}

auto nearest_name(std::string_view name, std::span<const std::string_view> known) -> std::string {
  std::string_view best;
  std::size_t least = 0;
  for (const std::string_view candidate : known) {
    const std::size_t distance = edit_distance(name, candidate);
    if (best.empty() || distance < least) best = candidate, least = distance;
  }
  return 2 * least > best.size() ? std::string() : std::string(best);
}

}  // namespace revode
