// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <stdexcept>
#include <string>

#include <revode/mpi/communicator.hpp>

namespace revode {

/// What was thrown on some rank, as every rank throws it.
class thrown_on_a_rank : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What an exception said, in a form that ranks can tell each other.
struct thrown_words {
  std::string text{};  ///< empty: nothing was thrown
  bool misuse = false;

  explicit operator bool() const { return !text.empty(); }
  /// std::invalid_argument stays what it is, any other is thrown_on_a_rank.
  [[noreturn]] void raise() const {
    if (misuse) throw std::invalid_argument(text);
    throw thrown_on_a_rank(text);
  }
};

/// Runs the body, and tells what it threw.
template <class Body>
thrown_words words_of(Body&& body) {
  const auto words = [](const char* text) {
    return *text == 0 ? "an exception without words" : text;
  };
  try {
    body();
    return {};
  } catch (const std::invalid_argument& e) {
    return {words(e.what()), true};
  } catch (const std::exception& e) {
    return {words(e.what())};
  } catch (...) {
    return {"an exception that is no std::exception"};
  }
}

/// Runs the body on every rank, and waits for all. Where it throws on some, all of them throw: what the
/// lowest of these said, as std::invalid_argument where it was one, else as thrown_on_a_rank. For work
/// that may fail on one rank and that others wait for: a file to be read, a card to be found. Inside the
/// body there is no communication: ranks that are still in it would wait for one that has left.
/// cost    a collective, and one more where something was thrown
template <class Body>
void together(const communicator& ranks, Body&& body) {
  thrown_words here = words_of(body);
  struct length {
    std::size_t text;
    bool misuse;
  };
  const auto all = ranks.gather(length{here.text.size(), here.misuse});
  for (int r = 0; r < ranks.size(); ++r) {
    const auto [text, misuse] = all[static_cast<std::size_t>(r)];
    if (text > 0) thrown_words{ranks.text_of(r, std::move(here.text), text), misuse}.raise();
  }
}

}  // namespace revode
