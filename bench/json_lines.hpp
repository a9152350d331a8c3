// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace revode {

/// A JSON object whose last member, `name`, is an array with a line for each row: what one run
/// changes of a kept file is then read line by line.
inline std::string by_lines(const nlohmann::json& about, const std::string& name,
                            const std::vector<nlohmann::json>& rows) {
  std::string out = about.dump(1);
  out.erase(out.rfind('}') - 1);
  out += ",\n \"" + name + "\": [";
  for (std::size_t i = 0; i < rows.size(); ++i) out += (i == 0 ? "\n" : ",\n") + rows[i].dump();
  return out + "\n]}\n";
}

}  // namespace revode
