// SPDX-License-Identifier: Apache-2.0
#include <cli/method_entries.hpp>

namespace revode::cli {

template auto entries_of_part<5>() -> std::vector<method_entry>;

}  // namespace revode::cli
