// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

#include <cli/text.hpp>
#ifdef REVODE_SAFETENSORS
#include <revode/nn/safetensors.hpp>
#endif

namespace revode::cli {

/// The weights under torch's names. Throws unwritten.
template <class Network, class P>
void save_weights([[maybe_unused]] const Network& network, [[maybe_unused]] const P& p,
                  [[maybe_unused]] const std::string& path) {
#ifdef REVODE_SAFETENSORS
  try {
    nn::write_tensors(path, nn::tensors_of(network, p));
  } catch (const std::runtime_error& e) {
    throw unwritten(e.what());
  }
#endif
}

}  // namespace revode::cli
