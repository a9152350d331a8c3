// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include <Eigen/Core>

#include <revode/config.hpp>

namespace revode::cli {

/// The file of --steps-log: a line of JSON for the start and for each accepted step, each written when
/// it is known, so that a run that is killed keeps its lines.
///   {"step":1,"t":0.25,"h":0.25,"y":[1.0,0.5]}     y behind the events at t
class step_file {
 public:
  /// Throws unwritten.
  explicit step_file(const std::string& path);

  void step(double t, const Eigen::VectorXd& y);

  /// Throws unwritten if a line is missing.
  void close();

 private:
  struct closing {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::string path_;
  std::unique_ptr<std::FILE, closing> file_;
  index count_ = 0;
  double before_ = 0;
  int error_ = 0;
};

}  // namespace revode::cli
