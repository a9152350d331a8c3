// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace revode::cli {

/// One of the lists of `revode list`: a table of texts.
struct named_list {
  std::string name;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};

/// The list of that name, all of them for an empty name.
/// errors  misuse: there is no such list
auto lists(const std::string& what) -> std::vector<named_list>;

/// For people: each list with its title and its columns aligned.
std::string text_of_lists(const std::string& what);

}  // namespace revode::cli
