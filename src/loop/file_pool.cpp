// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>

#include <revode/loop/tiers.hpp>

namespace revode {

std::uint64_t checksum(std::span<const std::byte> bytes) {
  constexpr std::uint64_t prime = 0x100000001b3;
  std::uint64_t sum = 0xcbf29ce484222325 ^ bytes.size();
  for (std::size_t i = 0; i < bytes.size(); i += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + i, std::min(sizeof(word), bytes.size() - i));
    sum = (sum ^ word) * prime;
    sum ^= sum >> 32;
  }
  return sum;
}

file_pool::file_pool(const std::string& folder) { open(folder); }

file_pool::~file_pool() {
  std::fclose(file_);
  std::error_code ignored;
  if (named_) std::filesystem::remove(path_, ignored);
}

void file_pool::store(index slot, std::span<const std::byte> bytes) {
  const auto i = static_cast<std::size_t>(slot);
  if (i >= sums_.size()) sums_.resize(i + 1);
  errno = 0;
  if (!seek(slot, bytes.size()) ||
      std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size())
    fail("written", "make room there, or take fewer slow slots");
  sums_[i] = checksum(bytes);
}

void file_pool::load(index slot, std::span<std::byte> bytes) {
  errno = 0;
  if (!seek(slot, bytes.size()) || std::fread(bytes.data(), 1, bytes.size(), file_) != bytes.size())
    fail("read", "look whether somebody else changes it");
  if (checksum(bytes) != sums_[static_cast<std::size_t>(slot)])
    throw std::runtime_error("the snapshot in slot " + std::to_string(slot) + " of " + path_ +
                             " is damaged (its checksum is not the one of what was stored) "
                             "check the disk, and run again?");
}

/// A name that no file has yet.
void file_pool::open(const std::string& folder) {
  for (std::uint64_t number = 0;; ++number) {
    path_ =
        (std::filesystem::path(folder) / ("revode-" + std::to_string(number) + ".spill")).string();
    errno = 0;
    file_ = std::fopen(path_.c_str(), "w+bx");
    if (file_ != nullptr) break;
    if (errno != EEXIST) fail("made", "give a folder that exists and can be written");
  }
  std::setvbuf(file_, nullptr, _IONBF, 0);  // an error shows at once
  std::error_code refused;
  named_ = !std::filesystem::remove(path_, refused);
}

bool file_pool::seek(index slot, std::size_t size) {
  return std::fseek(file_, static_cast<long>(slot) * static_cast<long>(size), SEEK_SET) == 0;
}

void file_pool::fail(const char* what, const char* advice) const {
  const std::string why = errno == 0 ? "it ended early" : std::strerror(errno);
  throw std::runtime_error("the spill file " + path_ + " cannot be " + what + " (" + why + ") " +
                           advice + "?");
}

}  // namespace revode
