// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <revode/nn/safetensors.hpp>

namespace revode::nn {

/// What a training has to remember between two minibatches, listed once: arrays and counters, by reference.
///   training_state kept;
///   kept.array("weights", q.p);
///   kept.array("adam.mean", optimiser.mean);
///   kept.array("adam.square", optimiser.square);
///   kept.counter("adam.steps", optimiser.steps);
///   kept.counter("step", step);
///   kept.setting("batch", "20");                          // what must be the same to go on
///   kept.resume("run.safetensors");                       // where there is one
///   for (; step < 1000; ++step) { …; if (step % 10 == 9) kept.save("run.safetensors"); }
/// A run that is killed at any moment and started again ends in the bits of one that was not: the
/// file is replaced as a whole, and all else (batches, rates) follows from the counters.
class training_state {
 public:
  /// x: floats or doubles with data() and size(); it has to outlive this, its size has to stay.
  /// errors  std::invalid_argument: a name that is listed already
  template <class Array>
  void array(std::string name, Array& x) {
    using T = scalar_t<Array>;
    expect_new(name);
    parts_.push_back(
        {std::move(name),
         [&x] { return tensor_of<T>("", {static_cast<index>(x.size())}, x.data()); },
         [&x](const tensor& t) { copy_numbers(t, x.data(), static_cast<index>(x.size())); }});
  }
  /// errors  as array's
  void counter(std::string name, index& x) {
    expect_new(name);
    parts_.push_back({std::move(name),
                      [&x] {
                        const auto number = static_cast<std::int64_t>(x);
                        return tensor_of("", {1}, &number);
                      },
                      [&x](const tensor& t) {
                        std::int64_t number = 0;
                        copy_numbers(t, &number, 1);
                        x = static_cast<index>(number);
                      }});
  }

  /// What decides the bits beside these numbers, in words: seeds, rates, the size of a batch. A file that was
  /// saved with others is refused.
  void setting(const std::string& name, std::string value) { settings_[name] = std::move(value); }

  /// errors  std::runtime_error: as write_tensors
  void save(const std::string& path) const { write_tensors(path, as_it_is()); }

  /// Takes up what a file says, and returns whether there is one.
  /// errors  std::runtime_error: a file that does not fit what is listed, has more, or was saved with other
  ///         settings; nothing is changed then
  bool resume(const std::string& path) {
    if (!std::filesystem::exists(path)) return false;
    const tensor_file found = read_tensors(path), now = as_it_is();
    expect_settings(path, found.metadata);
    for (const tensor& t : now.tensors) {  // all of them fit before any is taken
      expect_dtype(find_tensor(found, t.name), t.dtype);
      expect_shape(find_tensor(found, t.name), t.shape);
    }
    for (const tensor& t : found.tensors)
      if (!lists(t.name))
        throw std::runtime_error("tensor \"" + t.name + "\" of " + path +
                                 " (this training does not remember it) list it, or give another "
                                 "file?");
    for (const part& one : parts_) one.read(find_tensor(found, one.name));
    return true;
  }

 private:
  struct part {
    std::string name;
    std::function<tensor()> write;
    std::function<void(const tensor&)> read;
  };

  bool lists(const std::string& name) const {
    return std::any_of(parts_.begin(), parts_.end(),
                       [&](const part& one) { return one.name == name; });
  }
  void expect_new(const std::string& name) const {
    if (name == "__metadata__" || lists(name))
      throw std::invalid_argument("\"" + name +
                                  "\" listed twice, or the name of metadata (a file "
                                  "has each name once) call it otherwise?");
  }
  void expect_settings(const std::string& path,
                       const std::map<std::string, std::string>& found) const {
    for (const auto& [name, value] : settings_) {
      const auto there = found.find(name);
      if (there != found.end() && there->second == value) continue;
      throw std::runtime_error(
          path + ": a training with " + name + " " + value + " (that of the file has " +
          (there == found.end() ? "none" : there->second) + ") take the same, or another file?");
    }
  }

  tensor_file as_it_is() const {
    tensor_file file;
    file.metadata = settings_;
    for (const part& one : parts_) {
      file.tensors.push_back(one.write());
      file.tensors.back().name = one.name;
    }
    return file;
  }

  std::vector<part> parts_;
  std::map<std::string, std::string> settings_;
};

}  // namespace revode::nn
