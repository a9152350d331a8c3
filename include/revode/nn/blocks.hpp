// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <revode/nn/dense_layer.hpp>

namespace revode::nn {

/// Modules behind each other, each of the others' kinds:
///   chain(dense_layer{2, 64}, residual(dense_layer{64, 64}), dense_layer{64, 2, activation::identity})
/// parameters  those of each, under "0.", "1.", …
/// errors      std::invalid_argument: outputs of one that are not the inputs of the next
template <class... Modules>
class chain {
  static constexpr std::size_t last = sizeof...(Modules) - 1;

 public:
  explicit chain(Modules... modules) : modules_(std::move(modules)...) {
    expect_to_chain(std::make_index_sequence<last>{});
  }

  index inputs() const { return std::get<0>(modules_).inputs(); }
  index outputs() const { return std::get<last>(modules_).outputs(); }
  index parameters() const {
    return std::apply([](const auto&... m) { return (m.parameters() + ...); }, modules_);
  }
  index kept() const {
    return std::apply([](const auto&... m) { return (m.kept() + ...); }, modules_) + between();
  }
  index work() const {
    return between() +
           std::apply([](const auto&... m) { return std::max({m.work()...}); }, modules_);
  }

  void add_leaves(const std::string& path, std::vector<leaf>& leaves) const {
    const auto add = [&]<std::size_t... I>(std::index_sequence<I...>) {
      (std::get<I>(modules_).add_leaves(path + std::to_string(I) + ".", leaves), ...);
    };
    add(std::index_sequence_for<Modules...>{});
  }

  template <class S, class W>
  void forward(columns_view<const S> x, const W* p, columns_view<S> y, S* kept, bool slopes) const {
    forward_from<0>(x, p, y, kept, slopes);
  }
  template <class S, class W>
  void pull(columns_view<const S> x, const W* p, const S* kept, columns_view<S> gy, S* gx, S* gp,
            S* work) const {
    pull_from<0>(x, p, kept, gy, gx, gp, work);
  }
  template <class S, class W>
  void push(columns_view<const S> x, const W* p, const S* kept, columns_view<const S> dx,
            const S* dp, columns_view<S> dy, S* work) const {
    push_from<0>(x, p, kept, dx, dp, dy, work);
  }

 private:
  template <std::size_t... I>
  void expect_to_chain(std::index_sequence<I...>) const {
    (expect_to_chain(I, std::get<I>(modules_).outputs(), std::get<I + 1>(modules_).inputs()), ...);
  }
  static void expect_to_chain(std::size_t i, index outputs, index inputs) {
    if (outputs == inputs) return;
    throw std::invalid_argument("module " + std::to_string(i) + " with " + std::to_string(outputs) +
                                " outputs (module " + std::to_string(i + 1) + " behind it takes " +
                                std::to_string(inputs) + ") make them equal?");
  }
  /// Numbers a sample between the modules.
  index between() const {
    const index all = std::apply([](const auto&... m) { return (m.outputs() + ...); }, modules_);
    return all - outputs();
  }

  template <std::size_t I, class S, class W>
  void forward_from(columns_view<const S> x, const W* p, columns_view<S> y, S* kept,
                    bool slopes) const {
    const auto& module = std::get<I>(modules_);
    if constexpr (I == last) {
      module.forward(x, p, y, kept, slopes);
    } else {
      columns_view<S> h(kept + module.kept() * x.cols(), module.outputs(), x.cols());
      module.forward(x, p, h, kept, slopes);
      forward_from<I + 1>(columns_view<const S>(h.data(), h.rows(), h.cols()),
                          p + module.parameters(), y, h.data() + h.size(), slopes);
    }
  }

  template <std::size_t I, class S, class W>
  void pull_from(columns_view<const S> x, const W* p, const S* kept, columns_view<S> gy, S* gx,
                 S* gp, S* work) const {
    const auto& module = std::get<I>(modules_);
    if constexpr (I == last) {
      module.pull(x, p, kept, gy, gx, gp, work);
    } else {
      columns_view<const S> h(kept + module.kept() * x.cols(), module.outputs(), x.cols());
      columns_view<S> gh(work, h.rows(), h.cols());
      pull_from<I + 1>(h, p + module.parameters(), h.data() + h.size(), gy, gh.data(),
                       gp != nullptr ? gp + module.parameters() : nullptr, work + h.size());
      module.pull(x, p, kept, gh, gx, gp, work + h.size());
    }
  }

  template <std::size_t I, class S, class W>
  void push_from(columns_view<const S> x, const W* p, const S* kept, columns_view<const S> dx,
                 const S* dp, columns_view<S> dy, S* work) const {
    const auto& module = std::get<I>(modules_);
    if constexpr (I == last) {
      module.push(x, p, kept, dx, dp, dy, work);
    } else {
      columns_view<const S> h(kept + module.kept() * x.cols(), module.outputs(), x.cols());
      columns_view<S> dh(work, h.rows(), h.cols());
      module.push(x, p, kept, dx, dp, dh, work + h.size());
      push_from<I + 1>(h, p + module.parameters(), h.data() + h.size(),
                       columns_view<const S>(dh.data(), dh.rows(), dh.cols()),
                       dp != nullptr ? dp + module.parameters() : nullptr, dy, work + h.size());
    }
  }

  std::tuple<Modules...> modules_;
};

/// y = x + module(x)
/// errors  std::invalid_argument: a module with other outputs than inputs
template <class Module>
class residual {
 public:
  explicit residual(Module module) : module_(std::move(module)) {
    if (module_.inputs() != module_.outputs())
      throw std::invalid_argument("residual block from " + std::to_string(module_.inputs()) +
                                  " inputs to " + std::to_string(module_.outputs()) +
                                  " outputs (x is added to them) make them equal?");
  }

  index inputs() const { return module_.inputs(); }
  index outputs() const { return module_.outputs(); }
  index parameters() const { return module_.parameters(); }
  index kept() const { return module_.kept(); }
  index work() const { return module_.work() + module_.outputs(); }
  void add_leaves(const std::string& path, std::vector<leaf>& leaves) const {
    module_.add_leaves(path, leaves);
  }

  template <class S, class W>
  void forward(columns_view<const S> x, const W* p, columns_view<S> y, S* kept, bool slopes) const {
    module_.forward(x, p, y, kept, slopes);
    y += x;
  }
  template <class S, class W>
  void pull(columns_view<const S> x, const W* p, const S* kept, columns_view<S> gy, S* gx, S* gp,
            S* work) const {
    columns_view<S> g(work, gy.rows(), gy.cols());
    g = gy;
    module_.pull(x, p, kept, g, gx, gp, work + gy.size());
    if (gx != nullptr) columns_view<S>(gx, gy.rows(), gy.cols()) += gy;
  }
  template <class S, class W>
  void push(columns_view<const S> x, const W* p, const S* kept, columns_view<const S> dx,
            const S* dp, columns_view<S> dy, S* work) const {
    module_.push(x, p, kept, dx, dp, dy, work);
    dy += dx;
  }

 private:
  Module module_;
};

/// A module whose parameters are not learned: it reads them where they lie, and no one computes a
/// gradient of them. In the flat array it has no bytes.
/// errors  std::invalid_argument: weights that are not as many as the module's parameters
template <class Module, class T>
class frozen_module {
 public:
  /// `weights` has to outlive it, and whatever was copied from it.
  template <class Array>
  frozen_module(Module module, const Array& weights)
      : module_(std::move(module)),
        weights_(weights.data()) {
    if (static_cast<index>(weights.size()) != module_.parameters())
      throw std::invalid_argument(
          std::to_string(weights.size()) + " frozen weights (the module has " +
          std::to_string(module_.parameters()) + " parameters) give as many?");
  }

  template <class Array>
  frozen_module(Module, const Array&&) = delete;  // a temporary would be gone

  index inputs() const { return module_.inputs(); }
  index outputs() const { return module_.outputs(); }
  index parameters() const { return 0; }
  index kept() const { return module_.kept(); }
  index work() const { return module_.work(); }
  void add_leaves(const std::string& path, std::vector<leaf>& leaves) const {
    const std::size_t first = leaves.size();
    module_.add_leaves(path, leaves);
    for (std::size_t i = first; i < leaves.size(); ++i) leaves[i].is_frozen = true;
  }

  template <class S, class W>
  void forward(columns_view<const S> x, const W*, columns_view<S> y, S* kept, bool slopes) const {
    module_.forward(x, weights_, y, kept, slopes);
  }
  template <class S, class W>
  void pull(columns_view<const S> x, const W*, const S* kept, columns_view<S> gy, S* gx, S*,
            S* work) const {
    if (gx != nullptr) module_.pull(x, weights_, kept, gy, gx, static_cast<S*>(nullptr), work);
  }
  template <class S, class W>
  void push(columns_view<const S> x, const W*, const S* kept, columns_view<const S> dx, const S*,
            columns_view<S> dy, S* work) const {
    module_.push(x, weights_, kept, dx, static_cast<const S*>(nullptr), dy, work);
  }

 private:
  Module module_;
  const T* weights_;
};
template <class Module, class Array>
frozen_module(Module, const Array&)
    -> frozen_module<Module, std::remove_cvref_t<decltype(*std::declval<const Array&>().data())>>;

}  // namespace revode::nn
