// SPDX-License-Identifier: Apache-2.0
#include <cli/method_entries.hpp>

namespace revode::cli {

template auto entries_of_part<4>() -> std::vector<method_entry>;

}  // namespace revode::cli
