// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

#include <Eigen/Core>

#include <revode/any.hpp>

namespace revode {

/// Of an any_state and of another one or of an Eigen vector.
inline bool same_bits(const any_state& a, const auto& b) {
  return a.size() == static_cast<std::size_t>(b.size()) &&
         std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}
inline Eigen::VectorXd as_vector(const any_state& y) {
  return Eigen::Map<const Eigen::VectorXd>(y.data(), static_cast<Eigen::Index>(y.size()));
}

}  // namespace revode
