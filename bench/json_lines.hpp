// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fstream>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "machine.hpp"

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

/// What one run measured: each row is printed when it is there, and all are written to a file, from
/// which bench/tables.py draws its page.
class kept_rows {
 public:
  void add(nlohmann::json row) {
    std::cout << row.dump() << std::endl;
    rows_.push_back(std::move(row));
  }
  void write(const std::string& file) const {
    std::ofstream(file) << by_lines({{"machine", machine()}}, "rows", rows_);
    std::cout << "written: " << file << '\n';
  }

 private:
  std::vector<nlohmann::json> rows_;
};

/// The file to write: the program's argument, or `usual`.
inline std::string output_of(int argc, char** argv, const char* usual) {
  return argc > 1 ? argv[1] : usual;
}

}  // namespace revode
