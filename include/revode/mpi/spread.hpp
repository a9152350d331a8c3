// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <revode/mpi/block/block_questions.hpp>
#include <revode/mpi/block/block_shares.hpp>
#include <revode/mpi/spread_layout.hpp>
#include <revode/solve/kept/run_print.hpp>
#include <revode/state/elements.hpp>
#include <revode/state/whole.hpp>
#include <revode/status.hpp>

namespace revode {

/// A state of which each rank holds a part: the rows of its blocks, one behind the other. A vector of these
/// in every other way; copies are local, and nothing is ever gathered.
///
///   spread<double> y0(spread_layout(communicator(), {.rows = 1'000'000}));
///   for (int i = 0; i < length(y0); ++i) y0[i] = …(y0.layout().first_row() + i);
template <class T>
class spread {
 public:
  spread() = default;
  explicit spread(const spread_layout& layout) : spread(layout, layout.size()) {}
  spread(const spread_layout& layout, std::size_t elements)
      : layout_(layout),
        elements_(elements) {}

  T* data() { return elements_.data(); }
  const T* data() const { return elements_.data(); }
  std::size_t size() const { return elements_.size(); }
  T& operator[](int i) { return elements_[static_cast<std::size_t>(i)]; }
  const T& operator[](int i) const { return elements_[static_cast<std::size_t>(i)]; }
  const spread_layout& layout() const { return layout_; }

  /// The same part over another scalar, of zeros.
  template <class S>
  spread<S> rebound() const {
    return spread<S>(layout_, size());
  }

 private:
  spread_layout layout_;
  std::vector<T> elements_;
};

/// Parameters of a problem with a spread state: every rank has them all. Cotangents of parameters are kept a
/// block, and summed by the tree over blocks when a reverse pass ends: dL/dp has the same bits on any number
/// of ranks. As data() it is a copy a block; what a field reads, and a gradient tells, is the first.
/// memory  parameters × blocks here, in the reverse pass some of these
template <class T>
class block_parameters {
 public:
  block_parameters() = default;
  block_parameters(const spread_layout& layout, std::span<const T> p)
      : block_parameters(layout, p.size(), static_cast<std::size_t>(layout.block_count())) {
    for (T* to = data(); to != data() + size(); to += p.size()) std::copy(p.begin(), p.end(), to);
  }
  block_parameters(const spread_layout& layout, std::initializer_list<T> p)
      : block_parameters(layout, std::span<const T>(p.begin(), p.size())) {}

  /// How many there are, and their values.
  int count() const { return static_cast<int>(count_); }
  T& operator[](int j) { return elements_[static_cast<std::size_t>(j)]; }
  const T& operator[](int j) const { return elements_[static_cast<std::size_t>(j)]; }
  /// Those of the b-th block here.
  std::span<T> of_block(int b) { return {data() + static_cast<std::size_t>(b) * count_, count_}; }
  std::span<const T> of_block(int b) const {
    return {data() + static_cast<std::size_t>(b) * count_, count_};
  }

  T* data() { return elements_.data(); }
  const T* data() const { return elements_.data(); }
  std::size_t size() const { return elements_.size(); }
  const spread_layout& layout() const { return layout_; }
  template <class S>
  block_parameters<S> rebound() const {
    return block_parameters<S>(layout_, count_, count_ > 0 ? size() / count_ : 0);
  }

 private:
  template <class S>
  friend class block_parameters;
  friend struct whole<block_parameters>;
  block_parameters(const spread_layout& layout, std::size_t count, std::size_t blocks)
      : layout_(layout),
        count_(count),
        elements_(count * blocks) {}

  spread_layout layout_;
  std::size_t count_ = 0;
  std::vector<T> elements_;
};

template <class T>
struct whole<block_parameters<T>> {
  static constexpr bool is_here = false;
  using parameters = block_parameters<T>;
  static parameters largest(const parameters& p) {
    return parameters(p.layout_, p.count_, p.layout_.most_blocks());
  }
  /// p_bar += what each block has of it, where `of` is that of 1.
  static void add_shares(const block_shares& x, const parameters& of, parameters& p_bar) {
    for (int b = 0; b < p_bar.layout_.block_count(); ++b)
      for (int j = 0; j < p_bar.count(); ++j)
        p_bar.of_block(b)[static_cast<std::size_t>(j)] += static_cast<T>(x[b]) * of[j];
  }
};

/// xᵀa and share + xᵀb over all of a state.
struct products_of_two {
  double a, b_and_share;
};

/// The decisions of a spread state: one collective each.
template <class T>
struct whole<spread<T>> {
  static constexpr bool is_here = false;
  using state = spread<T>;
  using questions = block_questions<T>;
  using shares = block_shares;

  static double count(const state& y) { return static_cast<double>(y.layout().elements()); }
  /// Whether x has the shape of y is the same on every rank.
  static bool alike(const state& x, const state& y) {
    return x.layout() == y.layout() && x.size() == y.size();
  }
  static index first(const state& y) { return y.layout().first_row() * y.layout().shape().width; }
  static state largest(const state& y) { return state(y.layout(), y.layout().most_elements()); }

  template <int K, class Add>
  static sums_of_all<K> sums(const state& y, const Add& add, double most = 0, int code = 0) {
    const spread_layout& layout = y.layout();
    std::vector<double> of_blocks(static_cast<std::size_t>(layout.block_count()) * K);
    double* block = of_blocks.data();
    bool bad = false;
    for (int b = 0; b < layout.block_count(); ++b, block += K)
      for (int i = layout.element_of(b), end = layout.element_of(b + 1); i < end; ++i) {
        add(i, block);
        bad = bad | !(y[i] - y[i] == 0);
      }
    const double greatest[] = {bad ? 1.0 : 0.0, most};
    const auto all = layout.decide(K, of_blocks, {.code = code, .most = greatest});
    sums_of_all<K> found{{}, all.most[0] == 0, all.most[1], all.code};
    std::copy(all.of_blocks.begin(), all.of_blocks.end(), found.of);
    return found;
  }
  /// K sums over all blocks; of_block(first element, elements, sums) adds those of one to zeros.
  template <class Block>
  static std::vector<double> sums_of_blocks(const state& y, int k, const Block& of_block) {
    const spread_layout& layout = y.layout();
    const auto width = static_cast<std::size_t>(k);
    std::vector<double> sums(width * static_cast<std::size_t>(layout.block_count()));
    double* block = sums.data();
    for (int b = 0; b < layout.block_count(); ++b, block += k) {
      const int from = layout.element_of(b);
      of_block(from, layout.element_of(b + 1) - from, block);
    }
    return layout.decide(width, sums, {}).of_blocks;
  }
  /// part(first, last) of the elements of each block.
  template <class Part>
  static shares by_parts(const state& y, const Part& part) {
    const spread_layout& layout = y.layout();
    std::vector<double> of_blocks;
    for (int b = 0; b < layout.block_count(); ++b)
      of_blocks.push_back(part(layout.element_of(b), layout.element_of(b + 1)));
    return shares(std::move(of_blocks));
  }
  /// What all know, as the share of the first block of all.
  static shares share(const state& y, double x) {
    return y.layout().first_block() == 0 ? shares(x) : shares();
  }
  /// xᵀa and share + xᵀb over all of a state.
  static products_of_two products(const state& x, const state& a, const state& b,
                                  const shares& share) {
    const spread_layout& layout = x.layout();
    std::vector<double> of_blocks;
    for (int k = 0; k < layout.block_count(); ++k) {
      double of_a = 0, of_b = share[k];
      for (int i = layout.element_of(k), end = layout.element_of(k + 1); i < end; ++i) {
        of_a += static_cast<double>(x[i]) * static_cast<double>(a[i]);
        of_b += static_cast<double>(x[i]) * static_cast<double>(b[i]);
      }
      of_blocks.insert(of_blocks.end(), {of_a, of_b});
    }
    const auto all = layout.decide(2, of_blocks, {});
    return {all.of_blocks[0], all.of_blocks[1]};
  }
  static bool any(const state& y, bool here) {
    return y.layout().decide(0, {}, {.code = here}).code != 0;
  }
  /// The greatest of each on any rank, in place; whether it is so on all.
  template <std::size_t K>
  static bool most(const state& y, std::array<double, K>& of, bool here = true) {
    const auto all = y.layout().decide(0, {}, {.code = !here, .most = of});
    std::copy(all.most.begin(), all.most.end(), of.begin());
    return all.code == 0;
  }

  /// Are options, times, parameters, shape and what `also` lists the same on every rank, y0 without NaN, and
  /// does check() throw nowhere?
  /// cost    a collective
  /// errors  std::invalid_argument, on every rank; what else check() throws as thrown_on_a_rank
  template <class Problem, class M, class Check, class... Events>
  static void agree(const Problem& q, const options& o, const M& m, const run_print& also,
                    const Check& check, const Events&... events);
  template <class Body>
  static bool alone(const state& y, const Body& body) {
    return y.layout().alone(body);
  }

  /// The sums over blocks of the cotangents of p, in g, and of times, which are returned; g's status becomes the first of
  /// all ranks that is not success.
  template <template <class> class Times, class Gradient>
  static Times<double> close(const Times<shares>& times, Gradient& g) {
    static_assert(
        static_size_v<decltype(g.p)> == 0 || requires { g.p.of_block(0); },
        "parameters of a spread state that are not block_parameters (each rank has but "
        "its part of their cotangents) write block_parameters(layout, {1.0, 2.0})?");
    Times<double> sums;
    std::vector<std::pair<const shares*, double*>> moved;
    times.each_beside(sums,
                      [&](const shares& bar, double& sum) { moved.emplace_back(&bar, &sum); });
    bool finite = all_finite(g.y0) && all_finite(g.p);
    for (const auto& [bar, sum] : moved) finite = finite && all_finite(*bar);
    if (g.status == status::success && !finite) g.status = status::non_finite_gradient;
    std::vector<double> of_blocks;
    for (int b = 0; b < g.y0.layout().block_count(); ++b) {
      if constexpr (requires { g.p.of_block(0); })
        of_blocks.insert(of_blocks.end(), g.p.of_block(b).begin(), g.p.of_block(b).end());
      for (const auto& [bar, sum] : moved) of_blocks.push_back((*bar)[b]);
    }
    std::size_t k = 0;
    if constexpr (requires { g.p.of_block(0); }) k = static_cast<std::size_t>(g.p.count());
    const auto all =
        g.y0.layout().decide(k + moved.size(), of_blocks, {.code = static_cast<int>(g.status)});
    const double* sum_of = all.of_blocks.data();
    if constexpr (requires { g.p.of_block(0); })
      for (int b = 0; b < g.y0.layout().block_count(); ++b)
        std::copy(sum_of, sum_of + k, g.p.of_block(b).begin());
    sum_of += k;
    for (const auto& [bar, sum] : moved) *sum = *sum_of++;
    g.status = static_cast<status>(all.code);
    return sums;
  }
};

/// xᵀy as a cotangent of a time. What is decided by all of a state asks `whole`.
template <class T>
block_shares dot(const spread<T>& x, const spread<T>& y) {
  return whole<spread<T>>::by_parts(y, [&](int first, int last) {
    T sum(0);
    for (int i = first; i < last; ++i) sum = muladd(x[i], y[i], sum);
    return static_cast<double>(sum);
  });
}

/// What a rank can see by itself to be no problem of a spread state.
template <class Problem>
void check_parts(const Problem& q, const options& o) {
  const spread_layout& layout = q.y0.layout();
  if (q.y0.size() != layout.size())
    throw std::invalid_argument(std::to_string(q.y0.size()) + " elements of y0 for a part of " +
                                std::to_string(layout.size()) +
                                " (a part is the rows of a layout) make it of the layout alone?");
  const auto elsewhere = [&](const auto& part) {
    if constexpr (requires { part.layout() == layout; }) return !(part.layout() == layout);
    return false;
  };
  if (elsewhere(q.f) || elsewhere(q.p))
    throw std::invalid_argument(
        "a field, or parameters, of another layout than y0 (they are where its blocks are) make "
        "all of one?");
  if (o.norm.given())
    throw std::invalid_argument(
        "options::norm for a state spread over ranks (it sees the elements of one rank) "
        "scale components of unlike size in the field?");
  if (o.restart)
    throw std::invalid_argument(
        "options::restart for a state spread over ranks (what one rank keeps is no part of what "
        "the others do) leave it out?");
}

template <class T>
template <class Problem, class M, class Check, class... Events>
void whole<spread<T>>::agree(const Problem& q, const options& o, const M& m, const run_print& also,
                             const Check& check, const Events&... events) {
  const spread_layout& layout = q.y0.layout();
  const communicator& ranks = layout.ranks();
  printed_request r{.t0 = q.t0, .t1 = q.t1, .scalar = sizeof(T)};
  if constexpr (requires { q.p.of_block(0); })
    r.parameters = sum_of_bytes(q.p.data(), static_cast<std::size_t>(q.p.count()) * sizeof(T));
  r.method = sum_of_type<M>(settings_of(m, false));
  ((r.events = told_of_events(events)), ...);
  run_print print = print_of(r, o, m.name, "", __VERSION__, instructions());
  const spread_shape& shape = layout.shape();
  print.emplace_back("shape", std::to_string(shape.rows) + " " + std::to_string(shape.width) + " " +
                                  std::to_string(shape.rows_a_block));
  print.insert(print.end(), also.begin(), also.end());
  std::string all;
  for (const auto& [name, value] : print) all += name + value;
  thrown_words thrown = words_of([&] {
    check_parts(q, o);
    check();
  });
  struct asked {
    std::uint64_t sum, words;
    bool misuse;
    index first_nan;
  };
  asked here{sum_of_bytes(all.data(), all.size()), thrown.text.size(), thrown.misuse, -1};
  const index first = layout.first_row() * shape.width;
  for (int i = length(q.y0) - 1; i >= 0; --i)
    if (std::isnan(q.y0[i])) here.first_nan = first + i;
  const auto of_ranks = ranks.gather(here);
  for (const asked& of : of_ranks)
    if (of.sum != of_ranks[0].sum) ranks.agree(print);
  for (int rank = 0; rank < ranks.size(); ++rank)
    if (const asked& of = of_ranks[static_cast<std::size_t>(rank)]; of.words > 0)
      thrown_words{ranks.text_of(rank, std::move(thrown.text), of.words), of.misuse}.raise();
  for (const asked& of : of_ranks)
    if (of.first_nan >= 0) refuse_start(of.first_nan);
}

}  // namespace revode
