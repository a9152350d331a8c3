// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <type_traits>
#include <vector>

#include <revode/ad/dual.hpp>
#include <revode/concepts.hpp>
#include <revode/state/elements.hpp>

namespace revode::odeint {

/// A time of a step, or a length: its value, and how it moves with the step's two ends.
using step_time = dual<double, 2>;

template <class Y>
class trace;

/// α₁x₁ + … + α_N x_N, not yet computed.
template <class Y, int N>
struct combination {
  trace<Y>* home;
  step_time weight[N];
  int term[N];
};

/// A state as a stepper sees it: the number of a value in a trace. To assign a combination makes a
/// new value, to copy a node copies the number.
template <class Y>
struct node {
  trace<Y>* home = nullptr;
  int id = -1;

  node() = default;
  node(trace<Y>* where, int number) : home(where), id(number) {}
  template <int N>
  node& operator=(const combination<Y, N>& sum) {
    return *this = sum.home->sum(sum);
  }
};

template <class C, class Y>
requires(std::is_arithmetic_v<C> || std::is_same_v<C, step_time>) combination<Y, 1>
operator*(const C& weight, const node<Y>& x) { return {x.home, {step_time(weight)}, {x.id}}; }

template <class Y, int N>
combination<Y, N + 1> operator+(const combination<Y, N>& a, const combination<Y, 1>& b) {
  combination<Y, N + 1> sum{a.home, {}, {}};
  for (int j = 0; j < N; ++j) sum.weight[j] = a.weight[j], sum.term[j] = a.term[j];
  sum.weight[N] = b.weight[0];
  sum.term[N] = b.term[0];
  return sum;
}

/// What one step of a stepper did: linear combinations of states and calls of the field, in order,
/// with all values. Nothing else can be done to a node, so this is the whole step, and its transpose
/// is exact. Value 0 is the step's start. Memory is kept from step to step.
template <class Y>
class trace {
  using T = scalar_t<Y>;

 public:
  node<Y> begin(const Y& start) {
    operations_.clear();
    terms_.clear();
    copy(start, add(start, {}));
    return last();
  }

  /// In the order in which the algebra of plain states adds.
  template <int N>
  node<Y> sum(const combination<Y, N>& c) {
    const auto first = static_cast<int>(terms_.size());
    T* out = add(value(c.term[0]), {.first = first, .count = N}).data();
    const T* x[N];
    T weight[N];
    for (int j = 0; j < N; ++j) {
      terms_.push_back({c.weight[j], c.term[j]});
      weight[j] = static_cast<T>(c.weight[j].value);
      x[j] = value(c.term[j]).data();
    }
    for (int i = 0, n = length(value(0)); i < n; ++i) {
      T total = weight[0] * x[0][i];
      for (int j = 1; j < N; ++j) total = total + weight[j] * x[j][i];
      out[i] = total;
    }
    return last();
  }

  /// Notes that the field is called at (t, y), and gives the place of what it returns.
  Y& call(const step_time& t, const node<Y>& y) {
    return add(value(y.id), {.argument = y.id, .time = t});
  }
  node<Y> last() { return {this, static_cast<int>(operations_.size()) - 1}; }

  Y& value(int id) { return values_[at(id)]; }

  /// A stage at the end of the step is at t_new itself: t + (t_new − t) need not be.
  static double time_of(const step_time& t, double t_new) {
    return t.d[0] == 0 && t.d[1] == 1 ? t_new : t.value;
  }

  /// The transpose: bar is the cotangent of value `out` before, that of value 0 after.
  template <class System, class P>
  void pull(System& sys, double t_new, int out, Y& bar, P& p_bar, step_ends<T>* ends) {
    look_for(out);
    copy(bar, slope(out));
    for (int id = out; id > 0; --id) {
      if (!needed_[at(id)]) continue;
      const operation& done = operations_[at(id)];
      const Y& w = slope(id);
      if (done.count == 0) {
        T t_bar(0);
        sys.vjp(time_of(done.time, t_new), value(done.argument), w,
                ends != nullptr ? &t_bar : nullptr, slope(done.argument), p_bar);
        if (ends != nullptr) move(*ends, t_bar, done.time);
      }
      for (int k = done.first; k < done.first + done.count; ++k) {
        const term& x = terms_[at(k)];
        if (stands_still(x.weight)) continue;
        axpy(static_cast<T>(x.weight.value), w, slope(x.id));
        if (ends != nullptr) move(*ends, dot(w, value(x.id)), x.weight);
      }
    }
    copy(slope(0), bar);
  }

  /// The derivative: y_dot is the tangent of value 0 before, that of value `out` after.
  template <class System, class P>
  void push(System& sys, double t_new, int out, Y& y_dot, const P& p_dot,
            const step_ends<T>& ends) {
    look_for(out);
    copy(y_dot, slope(0));
    const auto along = [&](const step_time& t) {
      return static_cast<T>(t.d[0]) * ends.t + static_cast<T>(t.d[1]) * ends.t_new;
    };
    for (int id = 1; id <= out; ++id) {
      if (!needed_[at(id)]) continue;
      const operation& done = operations_[at(id)];
      Y& dot_of = slope(id);
      if (done.count == 0)
        sys.jvp(time_of(done.time, t_new), value(done.argument), along(done.time),
                slope(done.argument), p_dot, dot_of);
      for (int k = done.first; k < done.first + done.count; ++k) {
        const term& x = terms_[at(k)];
        if (stands_still(x.weight)) continue;
        axpy(static_cast<T>(x.weight.value), slope(x.id), dot_of);
        axpy(along(x.weight), value(x.id), dot_of);
      }
    }
    copy(slope(out), y_dot);
  }

 private:
  struct operation {
    int first = 0, count = 0;  // of its terms; no terms: a call
    int argument = 0;
    step_time time{};
  };
  struct term {
    step_time weight;
    int id;
  };

  static std::size_t at(int id) { return static_cast<std::size_t>(id); }
  static bool stands_still(const step_time& t) {
    return t.value == 0 && t.d[0] == 0 && t.d[1] == 0;
  }
  static void move(step_ends<T>& ends, const T& bar, const step_time& t) {
    ends.t += bar * static_cast<T>(t.d[0]);
    ends.t_new += bar * static_cast<T>(t.d[1]);
  }
  Y& slope(int id) { return slopes_[at(id)]; }

  Y& add(const Y& like, const operation& o) {
    operations_.push_back(o);
    if (values_.size() < operations_.size()) values_.push_back(Y(like));
    return values_[operations_.size() - 1];
  }

  /// Marks what value `out` depends on, and clears the slopes of that.
  void look_for(int out) {
    needed_.assign(at(out) + 1, 0);
    while (slopes_.size() <= at(out)) slopes_.push_back(values_[0]);
    needed_[0] = needed_[at(out)] = 1;
    for (int id = out; id >= 0; --id) {
      if (!needed_[at(id)]) continue;
      fill(slope(id), T(0));
      const operation& done = operations_[at(id)];
      if (id > 0 && done.count == 0) needed_[at(done.argument)] = 1;
      for (int k = done.first; k < done.first + done.count; ++k)
        if (!stands_still(terms_[at(k)].weight)) needed_[at(terms_[at(k)].id)] = 1;
    }
  }

  std::vector<Y> values_, slopes_;
  std::vector<operation> operations_;
  std::vector<term> terms_;
  std::vector<char> needed_;
};

}  // namespace revode::odeint
