// SPDX-License-Identifier: Apache-2.0
#include <revode/io/restart.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <span>
#include <stdexcept>

#include <revode/loop/tiers.hpp>

namespace revode {
namespace {

constexpr std::string_view magic = "revode's run, 2\n";
constexpr const char* old_ending = ".old";  // of the file before

std::string named(const std::string& path) { return "the restart file '" + path + "'"; }

std::uint64_t sum_of(std::string_view text) {
  return checksum(std::as_bytes(std::span(text.data(), text.size())));
}

void pass_text(byte_stream& s, std::string& text) {
  text.resize(s.length(text.size(), 1));
  s.bytes(text.data(), text.size());
}

[[noreturn]] void cannot(const char* what, const std::string& path) {
  throw std::runtime_error(named(path) + " cannot be " + what + " (" + std::strerror(errno) +
                           ") make room there, or give another place?");
}

/// Puts the text on the disk.
void write_through(const std::string& path, const std::string& text) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) cannot("made", path);
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t n = ::write(file, text.data() + at, text.size() - at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      close(file);
      cannot("written", path);
    }
    at += static_cast<std::size_t>(n);
  }
  const bool safe = fsync(file) == 0;
  if (close(file) != 0 || !safe) cannot("written", path);
}

/// A folder's names are on the disk behind this; where there is no such thing, that is no failure.
void sync_folder(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  const int file = open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  fsync(file);
  close(file);
}

constexpr int signals[] = {SIGTERM, SIGINT, SIGUSR1};
volatile std::sig_atomic_t asked = 0;
struct sigaction before[std::size(signals)];
int waiting = 0;              // journals
std::atomic<int> at_work{0};  // solves that look for signals

/// As if nobody waited for it.
void pass_on(int number) {
  for (std::size_t k = 0; k < std::size(signals); ++k)
    if (signals[k] == number) sigaction(number, &before[k], nullptr);
  std::raise(number);
}
/// Between solves nobody would answer, and a second one does not wait: whatever is going on may be long.
extern "C" void note_signal(int number) {
  if (number != SIGUSR1 && (at_work == 0 || asked == number)) return pass_on(number);
  asked = number;
}

void wait_for_signals() {
  if (waiting++ > 0) return;
  struct sigaction ours {};
  ours.sa_handler = note_signal;
  for (std::size_t k = 0; k < std::size(signals); ++k) sigaction(signals[k], &ours, &before[k]);
}
void wait_no_more() {
  if (--waiting > 0) return;
  for (std::size_t k = 0; k < std::size(signals); ++k) sigaction(signals[k], &before[k], nullptr);
}
/// What was asked for is done; a signal that ends does so now.
void answer_signal() {
  const int number = asked;
  asked = 0;
  if (number != 0 && number != SIGUSR1) pass_on(number);
}

}  // namespace

void byte_stream::bytes(void* data, std::size_t size) {
  if (size == 0) return;
  if (!reads_) {
    written_.append(static_cast<const char*>(data), size);
  } else if (size > from_.size()) {
    throw std::invalid_argument("the state of a solve ends early");
  } else {
    std::memcpy(data, from_.data(), size);
    from_.remove_prefix(size);
  }
}

std::size_t byte_stream::length(std::size_t n, std::size_t each) {
  auto number = static_cast<std::uint64_t>(n);
  values(number);
  if (reads_ && each > 0 && number > from_.size() / each)
    throw std::invalid_argument("the state of a solve ends early");
  return static_cast<std::size_t>(number);
}

restart_journal::restart_journal(restart_request how)
    : how_(std::move(how)),
      last_(std::chrono::steady_clock::now()) {
  if (how_.file.empty())
    throw std::invalid_argument(
        "a restart file without a name (a run is kept in one) give e.g. run.kept?");
  if (how_.every.count() < 0)
    throw std::invalid_argument("restart_request::every = " + std::to_string(how_.every.count()) +
                                " ms (a time between two writes is not negative) give 0 for each "
                                "step?");
  read();
  if (how_.on_signal) wait_for_signals();
}

restart_journal::~restart_journal() {
  if (how_.on_signal) wait_no_more();
}

/// The file, or where it is damaged or was about to be written the one before.
void restart_journal::read() {
  std::string why, why_old;
  if (read(how_.file, why)) return;
  from_old_ = read(how_.file + old_ending, why_old);
  if (from_old_) return;
  if (!why.empty()) throw std::invalid_argument(why);
  if (!why_old.empty()) throw std::invalid_argument(why_old);
}

/// False with `why` empty: there is none.
bool restart_journal::read(const std::string& path, std::string& why) {
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr && errno == ENOENT) return false;
  if (file == nullptr) cannot("read", path);
  std::string text;
  char buffer[1 << 16];
  for (std::size_t n = 0; (n = std::fread(buffer, 1, sizeof buffer, file)) > 0;)
    text.append(buffer, n);
  std::fclose(file);
  if (!text.starts_with(magic)) {
    why = named(path) +
          " is no file of a run of this version (it does not begin as one) give another name, or "
          "remove it?";
    return false;
  }
  std::uint64_t sum = 0;
  const std::size_t size = text.size() < magic.size() + sizeof sum ? 0 : text.size() - sizeof sum;
  if (size > 0) std::memcpy(&sum, text.data() + size, sizeof sum);
  if (size == 0 || sum != sum_of(std::string_view(text).substr(0, size))) {
    why = named(path) +
          " is damaged (its checksum is not that of its bytes) remove it to begin anew?";
    return false;
  }
  byte_stream s(std::string_view(text).substr(magic.size(), size - magic.size()));
  solves_.resize(s.length(0, 16));
  for (kept_solve& k : solves_) {
    k.print.resize(s.length(0, 16));
    for (auto& [name, value] : k.print) {
      pass_text(s, name);
      pass_text(s, value);
    }
    pass_text(s, k.bytes);
  }
  return resumed_ = true;
}

std::size_t restart_journal::begin(const run_print& print) {
  const std::size_t number = begun_++;
  if (number == solves_.size()) solves_.push_back({print, {}});
  const run_print& kept = solves_[number].print;
  for (std::size_t k = 0; k < std::max(kept.size(), print.size()); ++k) {
    const bool both = k < kept.size() && k < print.size();
    if (both && kept[k] == print[k]) continue;
    const auto& [name, value] = k < kept.size() ? kept[k] : print[k];
    throw std::invalid_argument(
        named(how_.file + (from_old_ ? old_ending : "")) + " is that of another run (its " + name +
        " is " + value + (both && print[k].first == name ? ", here it is " + print[k].second : "") +
        ") give another name, or remove it to begin anew?");
  }
  return number;
}

bool restart_journal::due() const {
  return asked != 0 || how_.every.count() == 0 ||
         std::chrono::steady_clock::now() - last_ >= how_.every;
}

void restart_journal::keep(std::size_t solve, std::string bytes) {
  solves_[solve].bytes = std::move(bytes);
  write();
  last_ = std::chrono::steady_clock::now();
  if (how_.on_signal) answer_signal();
}

void restart_journal::write() {
  byte_stream s;
  s.length(begun_, 16);
  for (std::size_t k = 0; k < begun_; ++k) {
    s.length(solves_[k].print.size(), 16);
    for (auto& [name, value] : solves_[k].print) {
      pass_text(s, name);
      pass_text(s, value);
    }
    pass_text(s, solves_[k].bytes);
  }
  std::string text(magic);
  text += s.written();
  const std::uint64_t sum = sum_of(text);
  text.append(reinterpret_cast<const char*>(&sum), sizeof sum);
  const std::string fresh = how_.file + ".new", old = how_.file + old_ending;
  write_through(fresh, text);
  tell("synced");
  if (std::rename(how_.file.c_str(), old.c_str()) != 0 && errno != ENOENT) cannot("kept", old);
  tell("kept");
  if (std::rename(fresh.c_str(), how_.file.c_str()) != 0) cannot("written", how_.file);
  sync_folder(how_.file);
  ++writes_;
  tell("renamed");
}

std::size_t begin_solve(restart_journal& journal, const run_print& print) {
  return journal.begin(print);
}

restart_watch::restart_watch(restart_journal& journal, std::size_t solve)
    : journal_(journal),
      solve_(solve) {
  work(true);
}
restart_watch::~restart_watch() { work(false); }

void restart_watch::work(bool begins) {
  if (begins == works_) return;
  works_ = begins;
  at_work += begins ? 1 : -1;
  if (!begins && journal_.on_signal()) answer_signal();
}

void restart_watch::look() {
  give_up();
  if (journal_.due()) write();
}

void restart_watch::write() {
  byte_stream s;
  pass(s);
  journal_.keep(solve_, s.written());
}

bool restart_watch::resume() {
  const std::string& kept = journal_.kept(solve_);
  if (kept.empty()) return false;
  byte_stream s(kept);
  pass(s);
  if (!s.at_end()) throw std::invalid_argument("the state of a solve has more than that");
  return true;
}

run_print library_print() {
  double probe[] = {std::exp(0.7), std::log(0.7), std::pow(0.7, 1.3), std::sin(0.7)};
  const auto bytes = std::as_bytes(std::span(probe));
  return {{"version of revode", REVODE_VERSION},
          {"library of functions", std::to_string(checksum(bytes))}};
}

}  // namespace revode
