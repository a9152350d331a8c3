// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
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
///   kept.resume("run.safetensors");                       // where there is one
///   for (; step < 1000; ++step) { …; if (step % 10 == 9) kept.save("run.safetensors"); }
/// A run that is killed at any moment and started again ends in the bits of one that was not: the
/// file is replaced as a whole, and all else (batches, rates) follows from the counters.
class training_state {
 public:
  /// x: floats or doubles with data() and size(); it has to outlive this, its size has to stay.
  template <class Array>
  void array(std::string name, Array& x) {
    using T = scalar_t<Array>;
    parts_.push_back(
        {std::move(name),
         [&x] { return tensor_of<T>("", {static_cast<index>(x.size())}, x.data()); },
         [&x](const tensor& t) { copy_numbers(t, x.data(), static_cast<index>(x.size())); }});
  }
  void counter(std::string name, index& x) {
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

  /// errors  std::runtime_error: as write_tensors
  void save(const std::string& path) const { write_tensors(path, as_it_is()); }

  /// Takes up what a file says, and returns whether there is one.
  /// errors  std::runtime_error: a file that does not fit what is listed; nothing is changed then
  bool resume(const std::string& path) {
    if (!std::filesystem::exists(path)) return false;
    const tensor_file found = read_tensors(path), now = as_it_is();
    for (const tensor& t : now.tensors) {  // all of them fit before any is taken
      expect_dtype(find_tensor(found, t.name), t.dtype);
      expect_shape(find_tensor(found, t.name), t.shape);
    }
    for (const part& one : parts_) one.read(find_tensor(found, one.name));
    return true;
  }

 private:
  struct part {
    std::string name;
    std::function<tensor()> write;
    std::function<void(const tensor&)> read;
  };

  tensor_file as_it_is() const {
    tensor_file file;
    for (const part& one : parts_) {
      file.tensors.push_back(one.write());
      file.tensors.back().name = one.name;
    }
    return file;
  }

  std::vector<part> parts_;
};

}  // namespace revode::nn
