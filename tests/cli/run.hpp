// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <sys/wait.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

namespace revode::cli {

/// How one run of the command ended.
struct outcome {
  int exit_status = -1;
  std::string out, err;

  nlohmann::ordered_json json() const { return nlohmann::ordered_json::parse(out); }
};

inline std::string content(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// A file of this process in the folder for temporary files, gone when it goes out of scope.
class temporary_file {
 public:
  explicit temporary_file(const std::string& name)
      : path_(std::filesystem::temp_directory_path() /
              ("revode_" + std::to_string(getpid()) + "_" + name)) {}
  temporary_file(const temporary_file&) = delete;
  temporary_file& operator=(const temporary_file&) = delete;
  ~temporary_file() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }

  std::string path() const { return path_.string(); }
  std::string text() const { return content(path_); }
  bool exists() const { return std::filesystem::exists(path_); }

 private:
  std::filesystem::path path_;
};

/// Runs `revode <words>` through the shell, `before` in front of it (an environment).
inline outcome run(const std::string& words, const std::string& before = "") {
  const temporary_file err("err");
  const std::string line = before + " '" REVODE_COMMAND "' " + words + " 2>'" + err.path() + "'";
  std::FILE* pipe = popen(line.c_str(), "r");
  if (pipe == nullptr) return {};
  outcome o;
  std::array<char, 4096> buffer{};
  for (std::size_t n = 0; (n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
    o.out.append(buffer.data(), n);
  const int state = pclose(pipe);
  o.exit_status = WIFEXITED(state) ? WEXITSTATUS(state) : -1;
  o.err = err.text();
  return o;
}

}  // namespace revode::cli
