// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <revode/config.hpp>

namespace revode {

/// Numbers on their way into a text of bytes, or out of one in the same order: who passes an object through
/// says once what it consists of.
/// errors  std::invalid_argument: the text ends early, or has a length that cannot be
class byte_stream {
 public:
  byte_stream() = default;  ///< writes
  explicit byte_stream(std::string_view from) : from_(from), reads_(true) {}

  bool reads() const { return reads_; }
  bool at_end() const { return from_.empty(); }
  const std::string& written() const { return written_; }

  void bytes(void* data, std::size_t size);
  /// A length, of things of so many bytes each at least: what is left must have room for them.
  std::size_t length(std::size_t n, std::size_t each);

  template <class... T>
  void values(T&... x) {
    static_assert((std::is_trivially_copyable_v<T> && ...));
    (bytes(&x, sizeof(T)), ...);
  }
  template <class T>
  void list(std::vector<T>& all) {
    static_assert(std::is_trivially_copyable_v<T>);
    all.resize(length(all.size(), sizeof(T)));
    bytes(all.data(), all.size() * sizeof(T));
  }

 private:
  std::string written_;
  std::string_view from_;
  bool reads_ = false;
};

}  // namespace revode
