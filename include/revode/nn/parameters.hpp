// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <revode/config.hpp>
#include <revode/nn/activation.hpp>
#include <revode/state/counter_random.hpp>

// The parameters of a network are one flat array, the p of a problem: one copy of the weights, which
// optimisers change in place. What they are called, and where they lie, the network tells as a list
// of leaves; a name is a path, "layers.0.weight". Matrices lie by rows (outputs × inputs), as in NumPy and torch.

namespace revode::nn {

/// One named array of a network, and how it begins: `start`, plus uniform numbers in ±`spread`.
struct leaf {
  std::string name;
  index rows = 0, cols = 0;  ///< no columns: a vector
  double start = 0, spread = 0;
  bool is_frozen = false;  ///< lies outside the flat array: no bytes there, no gradient
  index offset = 0;        ///< in the flat array

  bool is_matrix() const { return cols > 0; }
  index size() const { return is_matrix() ? rows * cols : rows; }
};

/// All leaves of a network, in the order of its flat array.
template <class Module>
std::vector<leaf> leaves_of(const Module& network) {
  std::vector<leaf> leaves;
  network.add_leaves("", leaves);
  index offset = 0;
  for (leaf& l : leaves) {
    l.offset = offset;
    if (!l.is_frozen) offset += l.size();
  }
  return leaves;
}

/// How many numbers the flat array of these leaves has.
inline index parameters_of(const std::vector<leaf>& leaves) {
  index all = 0;
  for (const leaf& l : leaves)
    if (!l.is_frozen) all += l.size();
  return all;
}

/// Has each part of a network inputs, outputs and weights?
/// errors  std::invalid_argument: no
template <class Module>
void expect_widths(const Module& network) {
  const auto refuse = [](const std::string& what) {
    throw std::invalid_argument(what + " (each has at least one) give widths of 1 or more?");
  };
  if (network.inputs() < 1 || network.outputs() < 1)
    refuse("network from " + std::to_string(network.inputs()) + " inputs to " +
           std::to_string(network.outputs()) + " outputs");
  if constexpr (requires(std::vector<leaf> leaves) { network.add_leaves("", leaves); })
    for (const leaf& l : leaves_of(network))
      if (l.rows < 1 || l.cols < 0)
        refuse("leaf \"" + l.name + "\" of a network with " + std::to_string(l.rows) + " rows");
}

/// The leaf of that name.
/// errors  std::invalid_argument: there is none
inline const leaf& find_leaf(const std::vector<leaf>& leaves, const std::string& name) {
  std::string names;
  for (const leaf& l : leaves) {
    if (l.name == name) return l;
    names += (names.empty() ? "" : ", ") + l.name;
  }
  throw std::invalid_argument("leaf \"" + name + "\" (the network has " + names +
                              ") take one of these?");
}

/// errors  std::invalid_argument: an array of another length than the parameters have
inline void expect_parameters(index given, index wanted) {
  if (given != wanted)
    throw std::invalid_argument("an array of " + std::to_string(given) +
                                " numbers (the network has " + std::to_string(wanted) +
                                " parameters) give these, without what lies beside them?");
}

/// The numbers of a leaf within a flat array, weights or their gradient, as a rows × cols matrix that
/// refers to them.
/// errors  std::invalid_argument: no such leaf, a frozen one, an array of another network
template <class Array>
auto view_of(const std::vector<leaf>& leaves, const std::string& name, Array& flat) {
  using S = std::remove_reference_t<decltype(*flat.data())>;
  const leaf& l = find_leaf(leaves, name);
  if (l.is_frozen)
    throw std::invalid_argument(
        "leaf \"" + name +
        "\" in an array of parameters (it is frozen: it lies outside and has "
        "no gradient) read it where it lies, or do not freeze it?");
  expect_parameters(static_cast<index>(flat.size()), parameters_of(leaves));
  return rows_view<S>(flat.data() + l.offset, l.rows, l.is_matrix() ? l.cols : 1);
}

/// The part of each module, or field, in one flat array that has the parameters of all of them, in this order,
/// or a gradient of it; they refer to it.
///   auto [of_encoder, of_field] = shares_of(p, encoder, f);
/// errors  std::invalid_argument: an array of another length
template <class Array, class... Modules>
auto shares_of(Array& flat, const Modules&... modules) {
  using S = std::remove_reference_t<decltype(*flat.data())>;
  const index all = (modules.parameters() + ...);
  if (static_cast<index>(flat.size()) != all)
    throw std::invalid_argument("an array of " + std::to_string(flat.size()) +
                                " numbers (the modules have " + std::to_string(all) +
                                " parameters) give as many?");
  S* next = flat.data();
  const auto share = [&](index size) {
    return vector_view<S>(std::exchange(next, next + size), size);
  };
  return std::tuple{share(modules.parameters())...};  // braces: from the first to the last
}

/// The untrained start: weights uniform in ±√(6/(inputs + outputs)), biases 0; number i of the flat
/// array depends on seed and i alone.
/// source  Glorot & Bengio, AISTATS (2010) 249–256, equation 16
/// errors  std::invalid_argument: a width below 1
template <class T, class Module>
Eigen::Matrix<T, Eigen::Dynamic, 1> initial_parameters(const Module& network, std::uint64_t seed) {
  expect_widths(network);
  Eigen::Matrix<T, Eigen::Dynamic, 1> p(network.parameters());
  for (const leaf& l : leaves_of(network)) {
    if (l.is_frozen) continue;
    for (index i = l.offset; i < l.offset + l.size(); ++i)
      p[i] = static_cast<T>(l.start + l.spread * (2 * counter_uniform(seed, 0, i) - 1));
  }
  return p;
}

}  // namespace revode::nn
