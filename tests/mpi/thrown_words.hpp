// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

#include <revode/mpi/communicator.hpp>
#include <revode/mpi/together.hpp>

namespace revode {

/// What a call throws, after its kind; empty: nothing.
template <class Call>
std::string thrown_by(Call&& call) {
  try {
    call();
  } catch (const std::invalid_argument& e) {
    return std::string("misuse: ") + e.what();
  } catch (const thrown_on_a_rank& e) {
    return std::string("thrown: ") + e.what();
  }
  return "";
}

/// Is the text the same on all ranks?
inline bool same_everywhere(const std::string& text) {
  return thrown_by([&] { communicator().agree({{"text", text}}); }).empty();
}

}  // namespace revode
