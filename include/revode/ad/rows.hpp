// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include <revode/ad/dual.hpp>
#include <revode/ad/recording/row_recording.hpp>
#include <revode/state/element_blocks.hpp>
#include <revode/state/elements.hpp>

namespace revode {

// A field may compute any run of its rows by itself:
//
//   f.rows(first, last, t, y, p, dy)     dy[first] … dy[last − 1], and nothing else of dy
//
// Generic in the types of y, p and dy, which it reads and writes by [i], by data()[i] or by (i). A row has the same
// bits whatever run it is computed in, and runs may be computed at the same time on several threads.

/// y or p as rows see it: an element is made when it is read.
template <class Make>
class read_elements {
 public:
  read_elements(int size, const Make& make) : size_(size), make_(make) {}
  template <class Index>
  auto operator[](Index i) const {
    return make_(static_cast<int>(i));
  }
  template <class Index>
  auto operator()(Index i) const {
    return make_(static_cast<int>(i));
  }
  const read_elements& data() const { return *this; }
  int size() const { return size_; }

 private:
  int size_;
  Make make_;
};

[[noreturn]] inline void refuse_row(int row, int first, int last) {
  throw std::invalid_argument("dy[" + std::to_string(row) + "] in rows " + std::to_string(first) +
                              " to " + std::to_string(last - 1) +
                              " of a field (others are computed elsewhere, on another thread "
                              "perhaps) gather into dy[first] to dy[last - 1] alone?");
}

/// dy as they see it: room for their own elements.
template <class S>
class written_rows {
 public:
  written_rows(int size, int first, int last, S* room)
      : size_(size),
        first_(first),
        last_(last),
        room_(room) {}
  /// errors  std::invalid_argument for another row
  template <class Index>
  S& operator[](Index i) const {
    const int row = static_cast<int>(i);
    if (row < first_ || row >= last_) [[unlikely]]
      refuse_row(row, first_, last_);
    return room_[row - first_];
  }
  template <class Index>
  S& operator()(Index i) const {
    return (*this)[i];
  }
  const written_rows& data() const { return *this; }
  int size() const { return size_; }

 private:
  int size_, first_, last_;
  S* room_;
};

template <class S>
struct any_element {
  S operator()(int) const;
};
/// The field computes rows over scalar S, in a recording's or dual's place.
template <class F, class S>
concept has_rows_over = requires(const F& f, const S& t, const read_elements<any_element<S>>& y,
                                 written_rows<S>& dy) {
  f.rows(0, 1, t, y, y, dy);
};
/// And those of a plain state, whose length is known at run time.
template <class F, class Y, class P>
concept has_plain_rows = requires(const F& f, const scalar_t<Y>& t, const Y& y, const P& p, Y& dy) {
  f.rows(0, 1, t, y, p, dy);
};
template <class F, class Y, class P>
concept has_rows = static_size_v<Y> < 0 && has_plain_rows<F, Y, P>;

/// wᵀ times the Jacobian of a field that computes its rows, in a recording of a few rows at a time.
///   cost    one call of the field over recorded variables, and its pull
///   bytes   4 (n + np + 1) and the recording of at most 64 rows, or 32,768 operations, or one row where
///           that has more, and 12 an input that a block reads; on several threads of each, and of 128 blocks
///   bits    those of one recording up to 1,024 rows (but for rows that are an element of y, whose sum may
///           have another order); of more, sums of blocks of so many, first to last; for every number of threads
template <class S>
class row_sweep {
  using recording_type = row_recording<S>;

 public:
  using variable_type = typename recording_type::variable_type;

  /// Inputs are numbered: y, p where they are asked for, t where it is. weight(i) is w_i, y_of(i), p_of(i) and t
  /// the values; add(k, x) adds x to what input k has.
  template <class F, class YOf, class POf, class Weight, class Add>
  void pull(const F& f, int n, int np, const S& t, const YOf& y_of, const POf& p_of,
            const Weight& weight, bool time, bool parameters, const Add& add) {
    const int at_time = parameters ? n + np : n;
    const auto team = static_cast<std::size_t>(threads_for(n));
    if (workers_.size() < team) workers_.resize(team);
    const auto places = static_cast<std::size_t>(blocks_at_once(n));
    if (blocks_.size() < places) blocks_.resize(places);
    for_each_block(
        n,
        [&](int b, int number, int place) {
          worker& w = workers_[static_cast<std::size_t>(number)];
          recording_type& r = w.recording;
          r.begin_block(at_time + 1, blocks_[static_cast<std::size_t>(place)]);
          const read_elements y(n, [&](int i) { return r.input(i, y_of(i)); });
          const read_elements p(np, [&](int i) {
            return parameters ? r.input(n + i, p_of(i)) : variable_type(p_of(i));
          });
          const auto record = [&](int first, int last) {
            for (int i = first; i < last; ++i) {
              w.out[i - first] = variable_type(S(0));
              w.weights[i - first] = weight(i);
            }
            r.begin_rows();
            const auto now = time ? r.input(at_time, t) : variable_type(t);
            written_rows<variable_type> dy(n, first, last, w.out);
            f.rows(first, last, now, y, p, dy);
            r.pull(w.out, w.weights, last - first);
          };
          record_backwards(r, b * block_length, block_end(b, n), record);
        },
        [&](int places, int part, int parts) {  // each input's adjoints by one thread, in order
          const auto share = [&](int k) {
            return static_cast<int>(static_cast<index>(at_time + 1) * k / parts);
          };
          const int from = share(part), past = share(part + 1);
          for (int place = 0; place < places; ++place) {
            const block_adjoints<S>& block = blocks_[static_cast<std::size_t>(place)];
            for (std::size_t i = 0; i < block.read.size(); ++i)
              if (block.read[i] >= from && block.read[i] < past) add(block.read[i], block.bars[i]);
          }
        });
  }

  std::size_t bytes() const {
    std::size_t sum = 0;
    for (const worker& w : workers_) sum += sizeof(worker) + w.recording.bytes();
    for (const block_adjoints<S>& b : blocks_) sum += b.bytes();
    return sum;
  }

 private:
  static constexpr int most_rows = 64;
  static constexpr std::size_t most_operations = 1U << 15;
  struct worker {
    recording_type recording;
    variable_type out[most_rows];
    S weights[most_rows];
  };

  /// Rows last − 1 … first, in runs that grow as long as their recordings are short.
  template <class Record>
  static void record_backwards(const recording_type& r, int first, int last, const Record& record) {
    for (int rows = 1; last > first;) {
      const int from = last - first < rows ? first : last - rows;
      record(from, last);
      last = from;
      if (r.operations() > most_operations)
        rows = rows > 1 ? rows / 2 : 1;
      else if (rows < most_rows && 2 * r.operations() <= most_operations)
        rows *= 2;
    }
  }

  std::vector<worker> workers_;
  std::vector<block_adjoints<S>> blocks_;
};

/// dy = f(t, y, p) by rows, on the threads of the solve.
template <class F, class T, class Y, class P>
void evaluate_rows(const F& f, const T& t, const Y& y, const P& p, Y& dy) {
  for_each_part(length(y), [&](int first, int last) { f.rows(first, last, t, y, p, dy); });
}

/// The derivatives of a field that come from its rows, where they can.
template <class F, class Y, class P>
class row_derivatives {
  using T = scalar_t<Y>;
  using D = dual<T, 1>;
  template <class S>
  static constexpr bool over = has_rows<F, Y, P>&& has_rows_over<F, S>;
  template <class S>
  static constexpr bool records = over<typename row_sweep<S>::variable_type>;

 public:
  static constexpr bool pulls = records<T>, pushes = over<D>, pulls_moving = records<D>;

  /// gt (unless null), gy, gp (unless empty) += wᵀ (f_t, f_y, f_p)
  template <class GP>
  void pull(const F& f, T t, const Y& y, const P& p, const Y& w, T* gt, Y& gy, GP& gp) {
    const auto of = [](const auto& x) { return [from = x.data()](int i) { return from[i]; }; };
    sweep_.pull(f, length(y), length(p), t, of(y), of(p), of(w), gt != nullptr,
                static_size_v<GP> != 0, adding_to(gt, gy, gp, [](const T& bar) { return bar; }));
  }

  /// += the gradient of uᵀ(f_t kt + f_y k), with u, kt and k held
  template <class GP>
  void pull_moving(const F& f, T t, const Y& y, const P& p, const Y& u, T kt, const Y& k, T* gt,
                   Y& gy, GP& gp) {
    const auto still = [](const auto& x) {
      return [from = x.data()](int i) { return D(from[i]); };
    };
    moving_sweep_.pull(
        f, length(y), length(p), moving(t, kt),
        [&](int i) { return moving(y.data()[i], k.data()[i]); }, still(p), still(u), gt != nullptr,
        static_size_v<GP> != 0, adding_to(gt, gy, gp, [](const D& bar) { return bar.d[0]; }));
  }

  /// out = f_t dt + f_y dy + f_p dp, with duals of a few rows at a time. DP is P, or empty where p stands still.
  template <class DP>
  void push(const F& f, T t, const Y& y, const P& p, T dt, const Y& dy, const DP& dp, Y& out) {
    const int n = length(y), np = length(p);
    const read_elements at(n, [&](int i) { return moving(y.data()[i], dy.data()[i]); });
    const read_elements with(np, [&](int i) {
      if constexpr (static_size_v<DP> == 0)
        return D(p.data()[i]);
      else
        return moving(p.data()[i], dp.data()[i]);
    });
    for_each_part(n, [&](int begin, int end) {
      constexpr int most = 64;
      D room[most];
      for (int first = begin; first < end; first += most) {
        const int last = end - first < most ? end : first + most;
        for (int i = first; i < last; ++i) room[i - first] = D(T(0));  // those not written
        written_rows<D> rows(n, first, last, room);
        f.rows(first, last, moving(t, dt), at, with, rows);
        for (int i = first; i < last; ++i) out.data()[i] = room[i - first].d[0];
      }
    });
  }

  /// Of the recordings so far.
  index bytes() const {
    std::size_t sum = 0;
    if constexpr (pulls) sum += sweep_.bytes();
    if constexpr (pulls_moving) sum += moving_sweep_.bytes();
    return static_cast<index>(sum);
  }

 private:
  /// A dual that moves in one direction.
  static D moving(const T& value, const T& part) {
    D x(value);
    x.d[0] = part;
    return x;
  }
  /// Adds part(x) to element k of y, p and t in one row.
  template <class GP, class Part>
  static auto adding_to(T* gt, Y& gy, GP& gp, const Part& part) {
    return [=, to = gy.data(), n = length(gy), to_p = gp.data(), np = length(gp)](int k,
                                                                                  const auto& x) {
      T& sum = k < n ? to[k] : k - n < np ? to_p[k - n] : *gt;
      sum = sum + part(x);
    };
  }

  template <class S, bool Used>
  struct none {};
  template <class S, bool Used>
  using kept = std::conditional_t<Used, row_sweep<S>, none<S, Used>>;
  [[no_unique_address]] kept<T, pulls> sweep_;
  [[no_unique_address]] kept<D, pulls_moving> moving_sweep_;
};

}  // namespace revode
