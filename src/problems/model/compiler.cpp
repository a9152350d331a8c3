// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <vector>

#include <revode/problems/catalog.hpp>

#include "model.hpp"

extern char** environ;

namespace revode::named {
namespace {

namespace fs = std::filesystem;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

/// The program or library that this code is in.
fs::path own_file() {
  Dl_info found{};
  std::error_code none;
  if (dladdr(reinterpret_cast<const void*>(&own_file), &found) == 0 || found.dli_fname == nullptr)
    return {};
  const fs::path path = fs::canonical(found.dli_fname, none);
  return none ? fs::canonical("/proc/self/exe", none) : path;
}

bool is_in(const fs::path& folder, const char* header) {
  std::error_code none;
  return fs::exists(folder / header, none);
}

/// Where revode's headers and Eigen's are: in REVODE_INCLUDE (folders between colons), in those that the build
/// wrote beside its programs, or where they are installed.
std::vector<fs::path> include_path() {
  std::vector<fs::path> folders;
  const fs::path beside = own_file().parent_path();
  std::string given = variable("REVODE_INCLUDE");
  if (given.empty())
    if (std::ifstream of_build(beside / "revode.include"); of_build) std::getline(of_build, given);
  for (std::size_t from = 0; from < given.size();) {
    const std::size_t to = std::min(given.find(':', from), given.size());
    folders.emplace_back(given.substr(from, to - from));
    from = to + 1;
  }
  for (const fs::path& installed :
       {beside.parent_path() / "include", beside.parent_path().parent_path() / "include",
        fs::path("/usr/local/include"), fs::path("/usr/include")})
    folders.push_back(installed);
  for (std::size_t i = 0, n = folders.size(); i < n; ++i) folders.push_back(folders[i] / "eigen3");
  return folders;
}

std::vector<std::string> include_flags(const std::string& file) {
  std::vector<std::string> flags;
  bool revode = false, eigen = false;
  for (const fs::path& folder : include_path()) {
    const bool has_revode = is_in(folder, "revode/problems/plugin.hpp") ||
                            is_in(folder, "revode/solvers/all.hpp") ||
                            is_in(folder, "revode/adjoint/all.hpp");
    const bool has_eigen = is_in(folder, "Eigen/Core");
    if ((has_revode && !revode) || (has_eigen && !eigen)) flags.push_back("-I" + folder.string());
    revode = revode || is_in(folder, "revode/problems/plugin.hpp");
    eigen = eigen || has_eigen;
  }
  if (!revode || !eigen)
    misuse("no headers of " + std::string(revode ? "Eigen" : "revode") + " for model " +
           in_quotes(file) + " (it is compiled with them) install " +
           (revode ? "libeigen3-dev" : "librevode-dev") +
           ", or name their folders in REVODE_INCLUDE?");
  return flags;
}

bool is_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return access(name.c_str(), X_OK) == 0;
  const std::string path = variable("PATH");
  for (std::size_t from = 0; from <= path.size();) {
    const std::size_t to = std::min(path.find(':', from), path.size());
    if (access((path.substr(from, to - from) + "/" + name).c_str(), X_OK) == 0) return true;
    from = to + 1;
  }
  return false;
}

std::string compiler(const std::string& file) {
  const std::string wanted = variable("CXX");
  if (!wanted.empty() && is_program(wanted)) return wanted;
  for (const char* name : {"c++", "g++", "clang++"})
    if (is_program(name)) return name;
  misuse("no C++ compiler for model " + in_quotes(file) +
         " (CXX, c++, g++ and clang++ are not there) install g++?");
}

/// Where models stay compiled: REVODE_CACHE, or the cache folder of the user.
fs::path cache_folder(const std::string& file) {
  fs::path folder = variable("REVODE_CACHE");
  if (folder.empty() && !variable("XDG_CACHE_HOME").empty())
    folder = fs::path(variable("XDG_CACHE_HOME")) / "revode";
  if (folder.empty() && !variable("HOME").empty())
    folder = fs::path(variable("HOME")) / ".cache/revode";
  std::error_code failed;
  if (!folder.empty()) fs::create_directories(folder, failed);
  if (folder.empty() || failed || access(folder.c_str(), W_OK) != 0)
    misuse("no folder for the compiled model " + in_quotes(file) + " (" +
           in_quotes(folder.string()) + " cannot be written) name one in REVODE_CACHE?");
  return folder;
}

/// FNV-1a; the source is compared as well.
std::string hash(const std::string& text) {
  std::uint64_t h = 14695981039346656037ULL;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  char digits[17];
  for (int i = 0; i < 16; ++i) digits[i] = "0123456789abcdef"[(h >> (60 - 4 * i)) & 15];
  return {digits, 16};
}

std::string contents(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Runs a program without a shell; what it says goes to a file. Its exit status, or −1.
int run(std::vector<std::string> words, const fs::path& log) {
  std::vector<char*> argv;
  for (std::string& w : words) argv.push_back(w.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 1, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&files, 1, 2);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, argv[0], &files, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  int status = 0;
  if (failed != 0) return -1;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// Of models of several hundred operations optimisers take minutes, two thirds of them in what makes no solve faster
/// there and a gradient by a twentieth. What g++ leaves out stands in the source, where other compilers pass over it.
constexpr std::size_t long_model = 8000;  // characters
constexpr auto without_long_passes = "#pragma GCC optimize(\"no-gcse,no-tree-pta\")\n";

}  // namespace

auto compiled_model(const std::string& file, const std::string& written) -> std::string {
  const bool is_long = written.size() >= long_model;
  const std::string source = is_long ? without_long_passes + written : written;
  std::vector<std::string> words{
      compiler(file),   "-std=c++20", "-DNDEBUG",          "-fPIC",
      "-shared",        "-w",         "-ffp-contract=off", "-fno-finite-math-only",
      "-fno-math-errno"};
#if defined(__SANITIZE_ADDRESS__)  // Eigen's arrays are aligned otherwise then
  words.push_back("-fsanitize=address");
#endif
  words.push_back(is_long ? "-O2" : "-O3");
  const std::vector<std::string> includes = include_flags(file);
  words.insert(words.end(), includes.begin(), includes.end());
  std::error_code none;
  const auto built = fs::last_write_time(own_file(), none).time_since_epoch().count();
  std::string key = "// " + std::to_string(built);
  for (const std::string& word : words) key += " " + word;
  const std::string kept = key + "\n" + source;

  const fs::path folder = cache_folder(file), base = folder / hash(kept);
  const fs::path library = base.string() + ".so", text = base.string() + ".cpp";
  if (is_in(folder, library.filename().c_str()) && contents(text) == kept) return library;
  const std::string own = base.string() + "." + std::to_string(getpid());
  std::ofstream(own + ".cpp", std::ios::binary) << kept;
  words.insert(words.end(), {"-o", own + ".so", own + ".cpp"});
  const int failed = run(words, own + ".log");
  if (failed != 0)
    misuse("model " + in_quotes(file) + " is not compiled (" + words[0] +
           (failed < 0 ? " could not run" : " refuses its field") + ") see " +
           in_quotes(own + ".log") + "?");
  fs::rename(own + ".cpp", text);
  fs::rename(own + ".so", library);
  fs::remove(own + ".log", none);
  return library;
}

}  // namespace revode::named
