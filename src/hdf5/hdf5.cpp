// SPDX-License-Identifier: Apache-2.0
#include <revode/io/hdf5.hpp>

#include <hdf5.h>

#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <revode/loop/tiers.hpp>

namespace revode {
namespace {

[[noreturn]] void failed(const char* what) {
  throw std::runtime_error("HDF5 cannot " + std::string(what) +
                           " (its library reports an error) is there memory enough?");
}

/// Behind the file's own end, where no reader of HDF5 looks: this, and the checksum of all before. The
/// library crashes on damaged files.
constexpr std::string_view mark = "by revode, sum: ";

std::string seal_of(std::string_view bytes) {
  const std::uint64_t sum = checksum(std::as_bytes(std::span(bytes.data(), bytes.size())));
  return std::string(mark).append(reinterpret_cast<const char*>(&sum), sizeof sum);
}

/// What the library hands out, closed by its function.
class handle {
 public:
  handle(hid_t id, herr_t (*close)(hid_t), const char* what) : id_(id), close_(close) {
    if (id < 0) failed(what);
  }
  handle(const handle&) = delete;
  handle& operator=(const handle&) = delete;
  ~handle() { close_(id_); }
  operator hid_t() const { return id_; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

/// The library prints its errors unless it is told not to; as it was, behind this.
class silence {
 public:
  silence() {
    H5Eget_auto2(H5E_DEFAULT, &print_, &where_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  silence(const silence&) = delete;
  silence& operator=(const silence&) = delete;
  ~silence() { H5Eset_auto2(H5E_DEFAULT, print_, where_); }

 private:
  H5E_auto2_t print_ = nullptr;
  void* where_ = nullptr;
};

void expect(herr_t result, const char* what) {
  if (result < 0) failed(what);
}

/// How a file that lies in memory is opened.
class in_memory : public handle {
 public:
  in_memory() : handle(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "open a file") {
    expect(H5Pset_fapl_core(*this, 1 << 16, false), "open a file");
  }
};

void write_elements(hid_t file, const std::string& name, hid_t space, hid_t kept, hid_t stored,
                    hid_t given, const void* elements) {
  handle set(H5Dcreate2(file, name.c_str(), stored, space, H5P_DEFAULT, kept, H5P_DEFAULT),
             H5Dclose, "make a dataset");
  if (elements != nullptr)
    expect(H5Dwrite(set, given, H5S_ALL, H5S_ALL, H5P_DEFAULT, elements), "write a dataset");
}

void write(hid_t file, const std::string& name, const npy_array& array) {
  const std::vector<hsize_t> shape(array.shape.begin(), array.shape.end());
  handle space(shape.empty()
                   ? H5Screate(H5S_SCALAR)
                   : H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr),
               H5Sclose, "make a shape");
  handle kept(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "make a dataset");
  expect(H5Pset_obj_track_times(kept, false), "make a dataset");
  if (const auto* reals = std::get_if<std::vector<double>>(&array.elements)) {
    write_elements(file, name, space, kept, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, reals->data());
  } else if (const auto* integers = std::get_if<std::vector<index>>(&array.elements)) {
    write_elements(file, name, space, kept, H5T_STD_I64LE, H5T_NATIVE_INT64, integers->data());
  } else {
    const handle type(H5Tcopy(H5T_C_S1), H5Tclose, "make a type");
    expect(H5Tset_size(type, H5T_VARIABLE), "make a type");
    expect(H5Tset_cset(type, H5T_CSET_UTF8), "make a type");
    std::vector<const char*> texts;
    for (const std::string& text : std::get<std::vector<std::string>>(array.elements))
      texts.push_back(text.c_str());
    write_elements(file, name, space, kept, type, type, texts.data());
  }
}

void expect_writable(const named_arrays& arrays) {
  for (std::size_t k = 0; k < arrays.size(); ++k) {
    const auto& [name, array] = arrays[k];
    if (name.empty() || name.find('/') != std::string::npos || find_array(arrays, name) != &array)
      throw std::invalid_argument(
          "no dataset of an HDF5 file can be called '" + name +
          "' (it is empty, has a '/', or is there twice) give another name?");
    index size = 1;
    for (const index n : array.shape) size *= n;
    if (size != array.size())
      throw std::invalid_argument("the array '" + name + "' has " + std::to_string(array.size()) +
                                  " elements (its shape is of " + std::to_string(size) +
                                  ") give a shape of that size?");
    if (const auto* texts = std::get_if<std::vector<std::string>>(&array.elements))
      for (const std::string& text : *texts)
        if (text.find('\0') != std::string::npos)
          throw std::invalid_argument("the array '" + name +
                                      "' has a text with a byte 0 (texts of HDF5 end at one) give "
                                      "texts without?");
  }
}

/// Reads what an HDF5 file says; whatever it is, errors are those of read_hdf5.
class reader {
 public:
  explicit reader(const std::string& name) : name_(name) {}

  named_arrays all(std::string_view bytes) const {
    constexpr std::size_t sealed = mark.size() + sizeof(std::uint64_t);
    if (bytes.size() > sealed && bytes.substr(bytes.size() - sealed).starts_with(mark) &&
        !bytes.ends_with(seal_of(bytes.substr(0, bytes.size() - sealed))))
      refuse("it is damaged: its checksum is not that of its bytes");
    const in_memory access;
    // The library takes no const bytes, and copies them.
    if (bytes.empty() ||
        H5Pset_file_image(access, const_cast<char*>(bytes.data()), bytes.size()) < 0)
      refuse("it is empty");
    const hid_t opened = H5Fopen("a file in memory", H5F_ACC_RDONLY, access);
    if (opened < 0) refuse("it is no HDF5 file, or cut off");
    const handle file(opened, H5Fclose, "open a file");
    H5G_info_t group;
    if (H5Gget_info(file, &group) < 0) refuse("it is damaged");
    named_arrays found;
    const H5_index_t order = order_of(file);
    for (hsize_t k = 0; k < group.nlinks; ++k) add(file, order, k, found);
    return found;
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw std::invalid_argument("cannot read " + name_ + " (" + why +
                                ") give an HDF5 file of arrays?");
  }

  /// In the order of writing, where the file knows it.
  static H5_index_t order_of(hid_t file) {
    const handle root(H5Gopen2(file, "/", H5P_DEFAULT), H5Gclose, "look into a file");
    const handle made(H5Gget_create_plist(root), H5Pclose, "look into a file");
    unsigned flags = 0;
    H5Pget_link_creation_order(made, &flags);
    return (flags & H5P_CRT_ORDER_INDEXED) != 0 ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME;
  }

  void add(hid_t file, H5_index_t order, hsize_t k, named_arrays& found) const {
    const ssize_t length =
        H5Lget_name_by_idx(file, ".", order, H5_ITER_INC, k, nullptr, 0, H5P_DEFAULT);
    if (length <= 0) refuse("it is damaged");
    std::string name(static_cast<std::size_t>(length), '\0');
    H5Lget_name_by_idx(file, ".", order, H5_ITER_INC, k, name.data(), name.size() + 1, H5P_DEFAULT);
    const hid_t opened = H5Oopen(file, name.c_str(), H5P_DEFAULT);
    if (opened < 0) refuse("its " + name + " is damaged");
    const handle object(opened, H5Oclose, "open a dataset");
    if (H5Iget_type(object) == H5I_DATASET) found.emplace_back(name, array_of(object, name));
  }

  npy_array array_of(hid_t set, const std::string& name) const {
    const handle space(H5Dget_space(set), H5Sclose, "read a shape"),
        type(H5Dget_type(set), H5Tclose, "read a type");
    npy_array array;
    const int rank = H5Sget_simple_extent_ndims(space);
    const hssize_t size = H5Sget_simple_extent_npoints(space);
    // What is compressed or filled may be longer than the file, so that its length tells nothing.
    if (rank < 0 || size < 0 || size > std::numeric_limits<std::int32_t>::max())
      refuse("the shape of its " + name + " is damaged, or too large");
    std::vector<hsize_t> shape(static_cast<std::size_t>(rank));
    if (rank > 0) H5Sget_simple_extent_dims(space, shape.data(), nullptr);
    for (const hsize_t n : shape) array.shape.push_back(static_cast<index>(n));
    const auto n = static_cast<std::size_t>(size);
    switch (H5Tget_class(type)) {
      case H5T_FLOAT: array.elements = numbers<double>(set, H5T_NATIVE_DOUBLE, n, name); break;
      case H5T_INTEGER: array.elements = integers(set, type, n, name); break;
      case H5T_STRING: array.elements = texts(set, type, space, n, name); break;
      default: refuse("its " + name + " is neither numbers nor texts");
    }
    return array;
  }

  template <class T>
  std::vector<T> numbers(hid_t set, hid_t as, std::size_t n, const std::string& name) const {
    std::vector<T> read(n);
    if (n > 0 && H5Dread(set, as, H5S_ALL, H5S_ALL, H5P_DEFAULT, read.data()) < 0)
      refuse("its " + name + " is damaged");
    return read;
  }

  std::vector<index> integers(hid_t set, hid_t type, std::size_t n, const std::string& name) const {
    if (H5Tget_size(type) < sizeof(index) || H5Tget_sign(type) != H5T_SGN_NONE)
      return numbers<index>(set, H5T_NATIVE_INT64, n, name);
    const auto wide = numbers<std::uint64_t>(set, H5T_NATIVE_UINT64, n, name);
    for (const std::uint64_t x : wide)
      if (x > static_cast<std::uint64_t>(std::numeric_limits<index>::max()))
        refuse("its " + name + " has an integer beyond 9.2e18");
    return {wide.begin(), wide.end()};
  }

  std::vector<std::string> texts(hid_t set, hid_t type, hid_t space, std::size_t n,
                                 const std::string& name) const {
    std::vector<std::string> read(n);
    if (n == 0) return read;
    if (H5Tis_variable_str(type) > 0) {
      std::vector<char*> pointers(n, nullptr);
      if (H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, pointers.data()) < 0)
        refuse("its " + name + " is damaged");
      for (std::size_t i = 0; i < n; ++i) read[i] = pointers[i] != nullptr ? pointers[i] : "";
      H5Dvlen_reclaim(type, space, H5P_DEFAULT, pointers.data());
    } else {
      const std::size_t each = H5Tget_size(type);
      if (each == 0 || each > (std::size_t{1} << 31) / n) refuse("its " + name + " is too large");
      std::string all(n * each, '\0');
      if (H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data()) < 0)
        refuse("its " + name + " is damaged");
      for (std::size_t i = 0; i < n; ++i) {
        read[i] = all.substr(i * each, each);
        read[i].resize(read[i].find_last_not_of('\0') + 1);
      }
    }
    return read;
  }

  const std::string& name_;
};

}  // namespace

std::string hdf5_bytes(const named_arrays& arrays) {
  expect_writable(arrays);
  const silence quiet;
  const in_memory access;
  const handle made(H5Pcreate(H5P_FILE_CREATE), H5Pclose, "make a file");
  expect(H5Pset_link_creation_order(made, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED),
         "make a file");
  const handle file(H5Fcreate("a file in memory", H5F_ACC_TRUNC, made, access), H5Fclose,
                    "make a file");
  for (const auto& [name, array] : arrays) write(file, name, array);
  expect(H5Fflush(file, H5F_SCOPE_LOCAL), "write a file");
  const ssize_t size = H5Fget_file_image(file, nullptr, 0);
  if (size <= 0) failed("write a file");
  std::string bytes(static_cast<std::size_t>(size), '\0');
  if (H5Fget_file_image(file, bytes.data(), bytes.size()) < 0) failed("write a file");
  return bytes + seal_of(bytes);
}

named_arrays read_hdf5(std::string_view bytes, const std::string& name) {
  const silence quiet;
  return reader(name).all(bytes);
}

}  // namespace revode
