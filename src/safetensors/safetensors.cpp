// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <set>
#include <utility>

#include <nlohmann/json.hpp>

#include <revode/nn/safetensors.hpp>

namespace revode::nn {
namespace {

using json = nlohmann::json;
constexpr std::uint64_t longest_header = 100'000'000;  // as the reference reader's

[[noreturn]] void refuse(const std::string& name, const std::string& what) {
  throw std::runtime_error(name + ": " + what);
}

struct dtype {
  const char* name;
  std::uint64_t bytes;
};
constexpr dtype dtypes[] = {{"F64", 8}, {"F32", 4}, {"F16", 2}, {"BF16", 2}, {"I64", 8},
                            {"I32", 4}, {"I16", 2}, {"I8", 1},  {"U64", 8},  {"U32", 4},
                            {"U16", 2}, {"U8", 1},  {"BOOL", 1}};

std::uint64_t bytes_of_dtype(const std::string& file, const std::string& tensor,
                             const std::string& name) {
  for (const dtype& known : dtypes)
    if (name == known.name) return known.bytes;
  refuse(file, "tensor \"" + tensor + "\" of dtype \"" + name +
                   "\" (F64, F32, F16, BF16, I64, I32, I16, I8, U64, U32, U16, U8 and BOOL are "
                   "known) store it as one of these?");
}

/// The header as JSON in which no name stands twice.
json header_of(const char* text, std::size_t length, const std::string& file) {
  std::set<std::string> names;
  std::string twice;
  bool deep = false;  // nothing in a header is: no tower of brackets comes to anyone who recurses
  const auto note = [&](int depth, json::parse_event_t event, json& parsed) {
    deep = deep || depth > 4;
    if (depth > 4) return false;
    if (event == json::parse_event_t::key && depth == 1 &&
        !names.insert(parsed.get_ref<const std::string&>()).second && twice.empty())
      twice = parsed.get<std::string>();
    return true;
  };
  json header = json::parse(text, text + length, note, false);
  if (deep || header.is_discarded() || !header.is_object())
    refuse(file,
           "a header that is no JSON object (the file is no safetensors, or damaged) write "
           "it again?");
  if (!twice.empty())
    refuse(file, "tensor \"" + twice + "\" stands twice (which one is meant?) write it once?");
  return header;
}

std::uint64_t whole_number(const json& value, const std::string& file, const std::string& tensor) {
  if (!value.is_number_unsigned())
    refuse(file, "tensor \"" + tensor + "\" with " +
                     value.dump(-1, ' ', true, json::error_handler_t::replace).substr(0, 40) +
                     " for a size or an offset (whole numbers from 0 on) write the file again?");
  return value.get<std::uint64_t>();
}

/// What an entry of the header says; begin and end are those of its bytes.
struct entry {
  tensor made;
  std::uint64_t begin = 0, end = 0;
};

entry entry_of(const std::string& file, const std::string& name, const json& said) {
  const auto has = [&](const char* key, auto is) { return said.contains(key) && is(said[key]); };
  if (!said.is_object() || !has("dtype", [](const json& v) { return v.is_string(); }) ||
      !has("shape", [](const json& v) { return v.is_array(); }) ||
      !has("data_offsets", [](const json& v) { return v.is_array() && v.size() == 2; }))
    refuse(file, "tensor \"" + name +
                     "\" without dtype, shape and two data_offsets (all of them are needed) write "
                     "the file again?");
  entry found;
  found.made.name = name;
  found.made.dtype = said["dtype"].get<std::string>();
  std::uint64_t bytes = bytes_of_dtype(file, name, found.made.dtype);
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<index>::max());
  bool fits = true;
  for (const json& extent : said["shape"]) {
    const std::uint64_t n = whole_number(extent, file, name);
    fits = fits && n <= most && !__builtin_mul_overflow(bytes, n, &bytes);
    if (fits) found.made.shape.push_back(static_cast<index>(n));
  }
  found.begin = whole_number(said["data_offsets"][0], file, name);
  found.end = whole_number(said["data_offsets"][1], file, name);
  if (!fits || found.end < found.begin || found.end - found.begin != bytes)
    refuse(file, "tensor \"" + name + "\" with bytes from " + std::to_string(found.begin) + " to " +
                     std::to_string(found.end) +
                     " (its shape and dtype take another number of them) write the file again?");
  return found;
}

/// The header's length, which the file has room for.
std::size_t header_length(std::span<const std::byte> bytes, const std::string& file) {
  if (bytes.size() < 8)
    refuse(file, std::to_string(bytes.size()) +
                     " bytes (a safetensors file begins with 8 that tell its header's length) copy "
                     "the whole file?");
  std::uint64_t length = 0;
  for (std::size_t i = 0; i < 8; ++i) length |= std::to_integer<std::uint64_t>(bytes[i]) << (8 * i);
  if (length > longest_header || length > bytes.size() - 8)
    refuse(file, "a header of " + std::to_string(length) + " bytes (the file has " +
                     std::to_string(bytes.size() - 8) +
                     " behind its first 8, and 100000000 are allowed) copy the whole file?");
  return static_cast<std::size_t>(length);
}

std::map<std::string, std::string> metadata_of(const json& said, const std::string& file) {
  std::map<std::string, std::string> metadata;
  if (!said.is_object())
    refuse(file, "__metadata__ that is no object (texts by name) write the file again?");
  for (const auto& [what, text] : said.items()) {
    if (!text.is_string())
      refuse(file, "metadata \"" + what +
                       "\" that is no text (others are not allowed) write the file again?");
    metadata[what] = text.get<std::string>();
  }
  return metadata;
}

}  // namespace

tensor_file parse_tensors(std::span<const std::byte> bytes, const std::string& name) {
  const std::size_t length = header_length(bytes, name);
  const json header = header_of(reinterpret_cast<const char*>(bytes.data()) + 8, length, name);
  const auto numbers = bytes.subspan(8 + length);
  tensor_file file;
  std::vector<entry> entries;
  for (const auto& [key, said] : header.items()) {
    if (key == "__metadata__")
      file.metadata = metadata_of(said, name);
    else
      entries.push_back(entry_of(name, key, said));
  }
  std::stable_sort(entries.begin(), entries.end(), [](const entry& a, const entry& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
  });
  std::uint64_t reached = 0;
  for (entry& one : entries) {
    if (one.begin != reached || one.end > numbers.size())
      refuse(name, "tensor \"" + one.made.name + "\" with bytes from " + std::to_string(one.begin) +
                       " to " + std::to_string(one.end) + " (those before it end at " +
                       std::to_string(reached) + ", the file at " + std::to_string(numbers.size()) +
                       ") copy the whole file, or write it again?");
    const auto part = numbers.subspan(static_cast<std::size_t>(one.begin),
                                      static_cast<std::size_t>(one.end - one.begin));
    one.made.bytes.assign(part.begin(), part.end());
    reached = one.end;
    file.tensors.push_back(std::move(one.made));
  }
  if (reached != numbers.size())
    refuse(name, std::to_string(numbers.size() - reached) +
                     " bytes behind the last tensor (a safetensors file ends with it) write the "
                     "file again?");
  return file;
}

tensor_file read_tensors(const std::string& path) {
  std::error_code trouble;
  static_cast<void>(std::filesystem::file_size(path, trouble));  // tells a folder, too
  errno = 0;
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  if (!in && !trouble) trouble = {errno, std::generic_category()};
  if (trouble) refuse(path, "cannot be read (" + trouble.message() + ") is it there?");
  // The size of the file that was opened: another may have its name by now.
  std::vector<std::byte> bytes(static_cast<std::size_t>(in.tellg()));
  in.seekg(0);
  in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(in.gcount()));
  return parse_tensors(bytes, path);
}

std::vector<std::byte> tensor_bytes(const tensor_file& file) {
  json header = json::object();
  if (!file.metadata.empty()) header["__metadata__"] = file.metadata;
  std::size_t reached = 0;
  for (const tensor& t : file.tensors) {
    if (t.name == "__metadata__" || header.contains(t.name))
      throw std::runtime_error("tensor \"" + t.name +
                               "\" twice, or by the name of metadata (a file has each name once) "
                               "call it otherwise?");
    header[t.name] = {{"dtype", t.dtype},
                      {"shape", t.shape},
                      {"data_offsets", {reached, reached + t.bytes.size()}}};
    reached += t.bytes.size();
  }
  std::string text = header.dump(-1, ' ', false, json::error_handler_t::replace);
  text.resize((text.size() + 7) / 8 * 8, ' ');
  std::vector<std::byte> bytes(8 + text.size() + reached);
  for (std::size_t i = 0; i < 8; ++i) bytes[i] = static_cast<std::byte>(text.size() >> (8 * i));
  std::memcpy(bytes.data() + 8, text.data(), text.size());
  std::byte* to = bytes.data() + 8 + text.size();
  for (const tensor& t : file.tensors) to = std::copy(t.bytes.begin(), t.bytes.end(), to);
  return bytes;
}

namespace {

/// The file beside, empty and nobody else's: where two runs write the same file, one waits until the other has renamed
/// it, 10 s at most. −1 and errno: there is none.
int open_alone(const std::string& beside) {
  for (int tries = 0; tries < 10'000; ++tries) {
    const int to = ::open(beside.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (to < 0) return to;
    const bool taken = ::flock(to, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    struct stat opened {
    }, named{};
    const bool renamed = ::fstat(to, &opened) != 0 || ::stat(beside.c_str(), &named) != 0 ||
                         opened.st_ino != named.st_ino || opened.st_dev != named.st_dev;
    if (!taken && !renamed && ::ftruncate(to, 0) == 0) return to;
    const int why = errno;
    ::close(to);
    errno = taken || renamed ? EBUSY : why;
    if (!taken && !renamed) break;
    if (taken) ::usleep(1000);
  }
  return -1;
}

}  // namespace

void write_tensors(const std::string& path, const tensor_file& file) {
  const std::vector<std::byte> bytes = tensor_bytes(file);
  const std::string beside = path + ".new";
  int why = 0;
  const auto succeeds = [&](bool good) {
    if (!good && why == 0) why = errno;
    return good;
  };
  const int to = open_alone(beside);
  bool written = succeeds(to >= 0);
  for (std::size_t done = 0; written && done < bytes.size();) {
    const ssize_t n = ::write(to, bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno == EINTR) continue;
    written = succeeds(n > 0);
    if (written) done += static_cast<std::size_t>(n);
  }
  written = written && succeeds(::fsync(to) == 0);
  written = written && succeeds(std::rename(beside.c_str(), path.c_str()) == 0);
  if (!written && to >= 0) ::unlink(beside.c_str());
  if (to >= 0) ::close(to);  // synced before: nothing is lost here
  if (!written) {
    refuse(path, "cannot be written (" + std::string(std::strerror(why)) +
                     ") is the folder there, and has the disk room?");
  }
  // The name is on the disk as well, where the file system lets a folder be synchronised.
  const std::string folder = std::filesystem::path(path).parent_path().string();
  const int at = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_CLOEXEC);
  if (at >= 0) {
    ::fsync(at);
    ::close(at);
  }
}

const tensor& find_tensor(const tensor_file& file, const std::string& name) {
  std::string names;
  for (const tensor& t : file.tensors) {
    if (t.name == name) return t;
    names += (names.empty() ? "" : ", ") + t.name;
  }
  throw std::runtime_error("tensor \"" + name + "\" (the file has " +
                           (names.empty() ? "none" : names) + ") read the file of this network?");
}

void expect_dtype(const tensor& given, const std::string& wanted) {
  if (given.dtype != wanted)
    throw std::runtime_error("tensor \"" + given.name + "\" of " + given.dtype +
                             " (the array is of " + wanted +
                             ", and nothing is converted unasked) store it in that type, or read "
                             "it into an array of its own?");
}

void expect_shape(const tensor& given, const std::vector<index>& wanted) {
  if (given.shape == wanted) return;
  const auto text = [](const std::vector<index>& shape) {
    std::string all;
    for (const index n : shape) all += (all.empty() ? "" : " x ") + std::to_string(n);
    return all.empty() ? std::string("one number") : all;
  };
  throw std::runtime_error("tensor \"" + given.name + "\" of " + text(given.shape) + " (" +
                           text(wanted) + " is wanted) read the file of a network of this shape?");
}

}  // namespace revode::nn
