// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/io/restart.hpp>
#include <revode/linalg/gmres.hpp>
#include <revode/mpi/block_event.hpp>
#include <revode/solvers/kvaerno3.hpp>
#include <revode/solvers/rkc.hpp>
#include <revode/solvers/tsit5.hpp>

#include "spread_problems.hpp"
#include "thrown_words.hpp"

namespace revode {
namespace {

enum class trouble { none, throws, throws_in_pull, overflows, gives_nan, is_slow };

/// A ring in whose last row something goes wrong behind t = 0.1.
struct troubled_ring : ring {
  trouble what = trouble::none;

  template <class T, class P>
  void operator()(const block_place& b, const T& t, block_rows<const T> u, const P& p,
                  block_rows<T> du) const {
    ring::operator()(b, t, u, p, du);
    if (!b.ends() || !(t > 0.1)) return;
    T& last = du(b.rows - 1);
    if (what == trouble::throws ||
        (what == trouble::throws_in_pull && !std::is_floating_point_v<T>))
      throw std::runtime_error("row " + std::to_string(b.all_rows - 1) + " is broken");
    if (what == trouble::overflows) last = last + 1e200 * 1e200;
    if (what == trouble::gives_nan) last = last * std::nan("");
    if (what == trouble::is_slow)
      for (const double begin = MPI_Wtime(); MPI_Wtime() < begin + 1e-4;) {
      }
  }
};

constexpr spread_shape shape{.rows = 120, .rows_a_block = 16};
constexpr halo_shape round{.rows = 1, .periodic = true};

/// How a solve and its gradient end, in words.
std::string end_of(const spread_layout& layout, trouble what, const options& o,
                   const spread<double>& y0, const spread<double>& w) {
  const over_blocks f(layout, round, troubled_ring{{}, what});
  const problem q{f, y0, 0.0, 0.3, block_parameters(layout, {30.0, 2.0})};
  std::string end = "never";
  const std::string text = thrown_by([&] {
    auto s = solve(q, tsit5{}, o, recursive_checkpoint{.slots = 2});
    end = name(s.status);
    if (s.status == status::success) end += std::string(", ") + name(s.pullback(w).status);
  });
  return end + (text.empty() ? "" : "; ") + text;
}

TEST_CASE("spread: what goes wrong on one rank ends all of them alike, and soon") {
  const spread_layout layout(communicator(), shape);
  const auto y0 = bumps(layout, 0), w = bumps(layout, 1);
  const options fixed{.fixed_step = 0.01};
  const auto ends = [&](const char* how, trouble what, const options& o = {}) {
    CAPTURE(static_cast<int>(what));
    const double begin = MPI_Wtime();
    const std::string end = end_of(layout, what, o, y0, w);
    CHECK(MPI_Wtime() - begin < 10);
    CHECK(end == how);
    CHECK(same_everywhere(end));
  };
  ends("never; thrown: row 119 is broken", trouble::throws);
  ends("success, success", trouble::none);  // the layout serves again
  ends("never; thrown: row 119 is broken", trouble::throws, fixed);
  ends("success; thrown: row 119 is broken", trouble::throws_in_pull);
  ends("non_finite_field", trouble::overflows);
  ends("non_finite_state", trouble::overflows, fixed);
  ends("non_finite_field", trouble::gives_nan);
  ends("success, success", trouble::is_slow);
  auto broken = w;
  if (layout.ranks().rank() == layout.ranks().size() - 1) broken[0] = std::nan("");
  const std::string end = end_of(layout, trouble::none, {}, y0, broken);
  CHECK(end == "success, non_finite_gradient");
  CHECK(same_everywhere(end));
}

/// Where the elements of a rank may be, and what it says after a step.
struct bounds {
  double most, until;
  bool breaks = false;
  template <class T, class P>
  bool inside(const T& t, const spread<double>& y, const P&) const {
    if (breaks && t > 0.1) throw std::runtime_error("no such place");
    for (int i = 0; i < length(y); ++i)
      if (!(y[i] <= most)) return false;
    return true;
  }
  template <class P>
  bool after_step(double t, const spread<double>& y, const P&) const {
    if (breaks && t > 0) throw std::runtime_error("no such step");
    return t > until && y.layout().ranks().rank() == y.layout().ranks().size() - 1;
  }
};

TEST_CASE("spread: a domain and an observer of one rank are those of all") {
  const spread_layout layout(communicator(), shape);
  const over_blocks f(layout, round, ring{});
  const problem q{f, bumps(layout, 0), 0.0, 1.0, block_parameters<double>(layout, {3.0, 2.0})};
  const auto end = [&](double most, double until) {
    const auto s = solve(q, tsit5{}, {}, events(bounds{most, until}));
    return std::string(name(s.status)) + " at " + std::to_string(s.t);
  };
  for (const std::string& found : {end(0.95, 2), end(2, 0.3)}) CHECK(same_everywhere(found));
  CHECK(end(0.95, 2).starts_with("outside_domain at 0."));
  CHECK(end(2, 0.3).starts_with("stopped_by_callback at 0."));
  const bool last = layout.ranks().rank() == layout.ranks().size() - 1;
  const std::string thrown = thrown_by([&] { solve(q, tsit5{}, {}, events(bounds{2, 2, last})); });
  CHECK(thrown == "thrown: no such step");
  CHECK(thrown_by([&] {
          solve(q, tsit5{}, {.first_step = 0.2, .max_steps = 1}, events(bounds{2, 2, last}));
        }) == "thrown: no such place");
}

TEST_CASE("spread: ranks that are asked for different things are refused, on every rank") {
  const communicator ranks;
  const spread_layout layout(ranks, shape);
  const bool last = ranks.rank() == ranks.size() - 1;
  const auto w = bumps(layout, 1);
  auto y0 = bumps(layout, 0);
  const auto end = [&](const options& o) { return end_of(layout, trouble::none, o, y0, w); };
  if (ranks.size() > 1)
    CHECK(
        end({.rtol = last ? 1e-5 : 1e-6}) ==
        "never; misuse: rtol: not the same on all ranks (each is given the whole problem) make it "
        "on one and broadcast it?");
  CHECK(end({.norm = {.combine = maximum_norm}}) ==
        "never; misuse: options::norm for a state spread over ranks (it sees the elements of one "
        "rank) scale components of unlike size in the field?");
  CHECK(end({.restart = kept_in({.file = "unused.kept"})}) ==
        "never; misuse: options::restart for a state spread over ranks (what one rank keeps is no "
        "part of what the others do) leave it out?");
  const spread_layout other(ranks, {.rows = 120, .rows_a_block = 8});
  CHECK(end_of(other, trouble::none, {}, y0, w) ==
        "never; misuse: a field, or parameters, of another layout than y0 (they are where its "
        "blocks are) make all of one?");
  CHECK(end_of(layout, trouble::none, {}, y0, bumps(other, 1))
            .starts_with("success; misuse: a cotangent whose size is not "));
  if (last) y0[length(y0) - 1] = std::nan("");
  CHECK(end({}) ==
        "never; misuse: y0[119] = nan (a solve starts from numbers) give that element a value?");
}

struct doses {
  std::vector<double> times;
  template <class T, class P>
  void jump(const block_place& b, const T&, block_rows<const T> y, const P&,
            block_rows<T> y_new) const {
    for (int i = 0; i < b.rows; ++i) y_new(i) = y(i) + 0.1;
  }
};

TEST_CASE("spread: another setting of a method, or time of an event, is refused on every rank") {
  const communicator ranks;
  const bool other = ranks.rank() > 0 && ranks.rank() == ranks.size() - 1;
  const spread_layout layout(ranks, shape);
  const over_blocks f(layout, round, ring{});
  const problem q{f, bumps(layout, 0), 0.0, 1.0, block_parameters<double>(layout, {3.0, 2.0})};
  const auto refused = [&](const std::string& what, const auto&... asked) {
    const std::string text = thrown_by([&] { solve(q, asked...); });
    CHECK(same_everywhere(text));
    if (ranks.size() > 1)
      CHECK(text == "misuse: " + what +
                        ": not the same on all ranks (each is given the whole problem) make it on "
                        "one and broadcast it?");
    else
      CHECK(text.empty());
  };
  const std::string settings = "method's type and settings";
  refused(settings, rkc{.spectral_radius = other ? 400.0 : 4000.0});
  gmres<> algebra;
  algebra.limits.restart = other ? 3 : 30;
  refused(settings, with_algebra<kvaerno3, gmres<>>{{}, algebra});
  refused("list of events", tsit5{}, options{}, events(block_event{doses{{other ? 0.3 : 0.7}}}));
}

TEST_CASE("spread: what one rank alone is given or told wrongly is refused on every rank") {
  const spread_layout layout(communicator(), shape);
  const int ranks = layout.ranks().size();
  const bool last = layout.ranks().rank() == ranks - 1;
  const over_blocks f(layout, round, ring{});
  const block_parameters<double> p(layout, {30.0, 2.0});
  const problem q{f, bumps(layout, 0), 0.0, 0.1, p};
  const auto end = [&](const auto& of, const options& o, const recursive_checkpoint& a = {}) {
    return thrown_by([&] { solve(of, tsit5{}, o, a); });
  };
  options one;
  if (last) one.restart = kept_in({.file = "unused.kept"});
  CHECK(end(q, one).starts_with("misuse: options::restart for a state spread over ranks"));
  one = {};
  if (last) one.norm.combine = maximum_norm;
  CHECK(end(q, one).starts_with("misuse: options::norm for a state spread over ranks"));
  if (ranks > 1)
    CHECK(end(q, {}, {.slots = last ? 2 : 3})
              .starts_with("misuse: recursive_checkpoint::slots: not "));
  recursive_checkpoint spilled{.schedule = schedule_kind::two_tier, .slow_slots = 2, .spill = "."};
  if (last) spilled.spill = "no/such/folder";
  CHECK(end(q, {}, spilled).starts_with("thrown: the spill file no/such/folder"));
  const problem few{f, spread<double>(layout, last ? 5 : layout.size()), 0.0, 0.1, p};
  CHECK(end(few, {}).starts_with("misuse: 5 elements of y0 for a part of "));
  const problem none{f, spread<double>(), 0.0, 0.1, p};
  CHECK(end(none, {}).starts_with("misuse: a layout of no ranks and rows "));

  auto s = solve(q, tsit5{}, {.save = {.ts = {0.03, 0.07}}}, recursive_checkpoint{.slots = 2});
  const auto w = bumps(layout, 1);
  cotangents<spread<double>> seen{.y = w};
  if (last) seen.ys = {w};
  CHECK(thrown_by([&] { s.pullback(seen); }).starts_with("misuse: 1 cotangents for 2 save points"));
  auto zeros = w;
  fill(zeros, 0.0);
  seen.ys = {last ? w : zeros, zeros};
  const auto g = s.pullback(seen);
  if (!last) seen.ys.clear();  // which says the same
  CHECK(same_elements(s.pullback(seen).y0, g.y0));
}

TEST_CASE("spread: a layout or a halo that cannot be is refused") {
  const communicator ranks;
  CHECK(thrown_by([&] { spread_layout(ranks, {.rows = 0}); }) ==
        "misuse: 0 rows of 1 elements in blocks of 0 rows (a state has some of each) count them "
        "again?");
  if (ranks.size() > 1)
    CHECK(thrown_by([&] { spread_layout(ranks, {.rows = 3, .rows_a_block = 4}); }) ==
          "misuse: " + std::to_string(ranks.size()) +
              " ranks for 1 blocks of 4 rows (each rank holds one at least, and they are not cut) "
              "start fewer, or choose smaller blocks?");
  CHECK(thrown_by([&] {
          spread_layout(ranks, {.rows = 1'000'000'000'000, .rows_a_block = 1'000'000'000});
        }).starts_with("misuse: "));
  CHECK(thrown_by([&] {
          spread_layout(ranks, {.rows = index{1} << 61, .width = 1 << 30, .rows_a_block = 1 << 30});
        }).starts_with("misuse: "));
  const communicator self(MPI_COMM_SELF);
  CHECK(spread_layout(self, {.rows = 10, .width = 3, .rows_a_block = 1 << 30}).size() == 30);
  const spread_layout uneven(ranks, {.rows = 41, .rows_a_block = 10});
  CHECK(thrown_by([&] { halo<double>(uneven, {.rows = 2}); }) ==
        "misuse: a halo of 2 rows about a block of 1 (only neighbours are asked) choose blocks of "
        "as many rows, which divide the rows of all?");
}

/// ⟨x, y⟩ over all ranks.
double product(const spread<double>& x, const spread<double>& y) {
  return whole<spread<double>>::sums<1>(x, [&](int i, double* sum) { *sum += x[i] * y[i]; }).of[0];
}

/// Sums of three rows with sharp weights: H is linear, so a vjp is its transpose.
struct smear {
  template <class T, class P>
  void operator()(const block_place& b, const T&, block_rows<const T> y, const P&,
                  block_rows<T> dy) const {
    for (int i = 0; i < b.rows; ++i)
      for (int c = 0; c < b.width; ++c) dy(i, c) = 3 * y(i - 2, c) - y(i, c) + 0.25 * y(i + 1, c);
  }
};
struct gathering_smear : smear {
  template <class T, class P>
  void vjp(const block_place& b, const T&, block_rows<const T>, const P&, block_rows<const T> w, T&,
           block_rows<T> gy, std::span<T>) const {
    for (int i = 0; i < b.rows; ++i)
      for (int c = 0; c < b.width; ++c) gy(i, c) += 3 * w(i + 2, c) - w(i, c) + 0.25 * w(i - 1, c);
  }
};

template <class Local>
void check_transpose(const spread_layout& layout, bool periodic, const Local& local) {
  const over_blocks f(layout, {.rows = 2, .periodic = periodic}, local);
  const block_parameters<double> p(layout, {1.0});
  const auto v = bumps(layout, 2), w = bumps(layout, 3);
  auto h_v = v, h_w = v, j_v = v;
  auto of_p = p;
  double of_t = 0;
  fill(h_w, 0.0);
  f(0.0, v, p, h_v);
  f.vjp(0.0, v, p, w, of_t, h_w, of_p);
  f.jvp(0.0, v, p, 0.0, v, p, j_v);
  const double there = product(w, h_v), back = product(h_w, v);
  CHECK(std::abs(there - back) <= 4 * std::numeric_limits<double>::epsilon() * std::abs(there));
  CHECK(same_elements(j_v, h_v));
}

TEST_CASE("halo: ⟨w, H v⟩ = ⟨Hᵀ w, v⟩, added back and gathered") {
  const spread_layout layout(communicator(), {.rows = 40, .width = 3, .rows_a_block = 5});
  for (const bool periodic : {false, true}) {
    check_transpose(layout, periodic, smear{});
    check_transpose(layout, periodic, gathering_smear{});
  }
}

TEST_CASE("spread: nothing of the length of the state comes to one rank, and bytes are shared") {
  const both_layouts on({.rows = 16384, .rows_a_block = 256});
  const int ranks = on.world.size();
  const auto solved = [&](const spread_layout& layout, index& bytes) {
    const over_blocks f(layout, round, ring{});
    const problem q{f, bumps(layout, 0), 0.0, 1.0, block_parameters(layout, {0.3, 2.0})};
    auto s = solve(q, tsit5{}, {.fixed_step = 0.1}, recursive_checkpoint{.slots = 3});
    bytes = s.pullback(bumps(layout, 1)).reverse.peak_bytes;
    return s.y.size();
  };
  index bytes = 0, of_all = 0;
  const std::size_t here = solved(on.spread_out, bytes), all = solved(on.alone, of_all);
  const index block = 256 * of_all / 16384;
  CHECK(here <= all / static_cast<std::size_t>(ranks) + 256);
  CHECK(bytes <= of_all / ranks + block);
  // the sums of each branch, of p and of both ends, and what else is told, by each rank
  CHECK(on.world.statistics().most_bytes <= ranks * 8 * (2 + (2 + 2) * (2 * 6)));
}

}  // namespace
}  // namespace revode
