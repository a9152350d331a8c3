// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <revode/ad/recording/array_store.hpp>
#include <revode/ad/recording/operation_list.hpp>
#include <revode/ad/recording/thread_owner.hpp>
#include <revode/ad/recording/variable.hpp>

namespace revode {

/// What recordings over different scalars know of each other. Two that are joined, a leader and its
/// follower, are pulled as one: the leader runs the operations that read both, and lets the follower
/// catch up before each. A copy is alone.
class joined_recording {
 public:
  joined_recording() = default;
  joined_recording(const joined_recording&) {}
  joined_recording& operator=(const joined_recording&) {
    operations_.clear();
    return *this;
  }
  virtual ~joined_recording() = default;
  virtual void clear() = 0;
  virtual void begin_pull() = 0;
  virtual std::size_t bytes() const = 0;

  /// Is the running thread the one that records? Operators that find it is not change nothing.
  [[gnu::always_inline]] bool here() const { return owner_.here(); }

  /// f() is run after whatever is recorded in either from now on, before what was recorded so far.
  template <class F>
  void joint_operation(F&& f) {
    joined_recording& first = leader_ != nullptr ? *leader_ : *this;
    const mark here = first.follower_ ? first.follower_->now() : mark{};
    first.operations_.template add<joined_recording>(first.now().nodes,
                                                     [&first, here, f = std::forward<F>(f)] {
                                                       first.pull_follower(here);
                                                       f();
                                                     });
  }

 protected:
  /// How much was recorded at a moment.
  struct mark {
    std::size_t nodes = 0, operations = 0;
  };
  virtual mark now() const = 0;
  /// Pulls what was recorded since then.
  virtual void pull_to(mark to) = 0;
  void pull_follower(mark to) {
    if (follower_) follower_->pull_to(to);
  }

  template <class Other>
  Other& beside() {
    if (leader_ != nullptr) return static_cast<Other&>(*leader_);
    if (!follower_) {
      follower_ = std::make_unique<Other>();
      follower_->leader_ = this;
    }
    return static_cast<Other&>(*follower_);
  }

  operation_list operations_;
  thread_owner owner_;
  joined_recording* leader_ = nullptr;
  std::unique_ptr<joined_recording> follower_;
};

/// The record of one evaluation of a formula, for its reverse derivative: one node an operation,
/// with two parents and two partial derivatives.
///   rec.clear(); auto x = rec.input(3.0); auto y = x * x; rec.pull(one output y, weight 1);
///   rec.adjoint(x.id) == 6
/// T is float, double or a dual (reverse over forward, for second derivatives). Memory: 8 + 3
/// sizeof(T) bytes an operation, kept by clear(): nothing is allocated once the arena has seen its
/// largest formula. Cost of pull: two multiply-adds a node, in fixed order. Not shared between
/// threads: what others write is not recorded, and the pull throws. There is no global state, two recordings know nothing of each other, but for those that
/// over() joins: one may be made and pulled while another is pulled.
///
/// What is no formula of two scalars is an operation: a callable, called as f() or f(recording) in
/// its place of the reverse order. It reads the adjoints of its results (inputs that it made) and
/// adds to those of its arguments.
///   auto y = rec.input(value); rec.operation([=](auto& r) { r.adjoint(x.id) += 6 * r.adjoint(y.id); });
/// Operations are consumed: a recording that has some is pulled once.
template <class T>
class recording final : public joined_recording {
 public:
  recording() = default;
  recording(const recording&) = default;
  recording(recording&&) = default;
  recording& operator=(const recording&) = default;
  recording& operator=(recording&&) = default;
  ~recording() override { clear(); }

  void clear() override {
    owner_.take();
    operations_.clear();
    if (follower_) follower_->clear();
    arrays_.clear();
    nodes_.clear();
  }

  variable<T> input(const T& value) {
    if (nodes_.empty() && arrays_.empty()) owner_.take();
    return {value, push(-1, -1, T(0), T(0)), this};
  }

  /// f is run in pull(): after whatever is recorded from now on, before what was recorded so far.
  /// errors  std::invalid_argument on another thread than the recording's
  template <class F>
  std::decay_t<F>& operation(F&& f) {
    if (!here()) owner_.expect_alone();
    return operations_.template add<recording>(nodes_.size(), std::forward<F>(f));
  }

  /// Adjoints of all nodes: d(sum_i weights[i] outputs[i]) / d(node). Outputs that are constants
  /// have none to give.
  void pull(const variable<T>* outputs, const T* weights, int count) {
    begin_pull();
    for (int i = 0; i < count; ++i) seed(outputs[i], weights[i]);
    pull();
  }

  /// The same in parts: all adjoints are 0; add weights of outputs; propagate them.
  /// errors  std::invalid_argument where other threads wrote to the recording
  void begin_pull() override {
    owner_.expect_alone();
    owner_.take();
    adjoints_.assign(nodes_.size(), T(0));
    left_ = nodes_.size();
    if (follower_) follower_->begin_pull();
  }
  void seed(const variable<T>& output, const T& weight) {
    if (output.home == nullptr) return;
    REVODE_EXPECT(output.home == this);
    T& adjoint = adjoints_[at(output.id)];
    adjoint = adjoint + weight;
  }
  void pull() {
    pull_to({});
    pull_follower({});
  }

  template <class Outputs, class Weights>
  void pull(const Outputs& outputs, const Weights& weights) {
    pull(outputs.data(), weights.data(), static_cast<int>(outputs.size()));
  }

  const T& adjoint(int id) const { return adjoints_[at(id)]; }
  T& adjoint(int id) { return adjoints_[at(id)]; }
  int size() const { return static_cast<int>(nodes_.size()); }

  /// Whole arrays that operations read and write (interop/eigen_recording.hpp).
  array_store<T>& arrays() { return arrays_; }
  const array_store<T>& arrays() const { return arrays_; }

  /// The recording of the same formula over U. float and double are pulled as one: variables of the
  /// one become variables of the other by cast. Made when first asked for.
  template <class U>
  recording<U>& over() {
    if constexpr (std::same_as<U, T>) {
      return *this;
    } else {
      static_assert(std::same_as<std::common_type_t<U, T>, double> && sizeof(U) != sizeof(T),
                    "a recording over these two scalars (float and double may meet, and duals "
                    "only their own kind) cast one of the leaves?");
      if (!here()) return elsewhere<U>();
      return beside<recording<U>>();
    }
  }
  template <class U>
  variable<U> cast(const variable<T>& x) {
    if (!here()) return variable<U>(static_cast<U>(x.value));
    recording<U>& other = over<U>();
    const variable<U> y = other.input(static_cast<U>(x.value));
    joint_operation([this, &other, to = x.id, from = y.id] {
      adjoint(to) += static_cast<T>(other.adjoint(from));
    });
    return y;
  }

  /// All memory that this recording keeps.
  std::size_t bytes() const override {
    return nodes_.capacity() * sizeof(node) + adjoints_.capacity() * sizeof(T) + arrays_.bytes() +
           operations_.bytes() + (follower_ ? follower_->bytes() : 0);
  }

  /// For operators: a new node with parents a and b (-1: none). On another thread: none.
  int push(int a, int b, const T& slope_a, const T& slope_b) {
    if (!here()) return -1;
    nodes_.push_back(node{slope_a, slope_b, a, b});
    return static_cast<int>(nodes_.size()) - 1;
  }

 private:
  struct node {
    T slope_a, slope_b;
    int a, b;
  };

  /// Where another thread finds nothing.
  template <class U>
  static recording<U>& elsewhere() {
    thread_local recording<U> nowhere;
    nowhere.clear();
    return nowhere;
  }

  mark now() const override { return {nodes_.size(), operations_.size()}; }
  void pull_to(mark to) override {
    while (operations_.size() > to.operations) {
      sweep(operations_.last_position());
      operations_.run_last(*this);
    }
    sweep(to.nodes);
  }

  /// The nodes that are left, down to `to`, hand their adjoints on.
  void sweep(std::size_t to) {
    for (std::size_t k = left_; k-- > to;) {
      const node& n = nodes_[k];
      if (n.a >= 0) give(n.a, n.slope_a, adjoints_[k]);
      if (n.b >= 0) give(n.b, n.slope_b, adjoints_[k]);
    }
    left_ = to;
  }

  static std::size_t at(int id) { return static_cast<std::size_t>(id); }

  void give(int parent, const T& slope, const T& adjoint) {
    T& target = adjoints_[at(parent)];
    target = muladd(slope, adjoint, target);
  }

  std::vector<node> nodes_;
  std::vector<T> adjoints_;
  std::size_t left_ = 0;  // nodes that were not yet pulled
  array_store<T> arrays_;
};

}  // namespace revode
