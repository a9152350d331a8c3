// SPDX-License-Identifier: Apache-2.0
#include <cli/step_file.hpp>

#include <cerrno>

#include <nlohmann/json.hpp>

#include <cli/text.hpp>

namespace revode::cli {
namespace {

/// The line of a step, the h before t: {"step","t","h","y"}.
std::string json_of_step(index step, double t, double h, const Eigen::VectorXd& y) {
  const nlohmann::ordered_json object{
      {"step", step}, {"t", t}, {"h", h}, {"y", std::vector<double>(y.begin(), y.end())}};
  return object.dump() + "\n";
}

}  // namespace

step_file::step_file(const std::string& path) : path_(path) {
  errno = 0;
  file_.reset(std::fopen(path.c_str(), "wb"));
  if (!file_) cannot_write("--steps-log", path, errno);
}

void step_file::step(double t, const Eigen::VectorXd& y) {
  if (error_ != 0) return;
  const std::string line = json_of_step(count_, t, count_ > 0 ? t - before_ : 0.0, y);
  errno = 0;
  const bool written = std::fwrite(line.data(), 1, line.size(), file_.get()) == line.size();
  if (!written || std::fflush(file_.get()) != 0) error_ = errno != 0 ? errno : EIO;
  before_ = t;
  ++count_;
}

void step_file::close() {
  errno = 0;
  if (std::fclose(file_.release()) != 0 && error_ == 0) error_ = errno != 0 ? errno : EIO;
  if (error_ != 0) cannot_write("--steps-log", path_, error_);
}

}  // namespace revode::cli
