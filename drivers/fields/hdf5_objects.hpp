// HDF5's C calls, checked, with identifiers that close themselves. Internal to the field file.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace quadrille::hdf5 {

struct Hdf5Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// "what: HDF5's innermost message".
[[noreturn]] void fail(const char* what);

// What every HDF5 call returns is checked here: negative is a failure.
template <class Status>
Status check(Status status, const char* what) {
  if (status < 0) fail(what);
  return status;
}

// HDF5 prints its error stack by default; not while one of these lives.
class SilentErrors {
 public:
  SilentErrors();
  ~SilentErrors();
  SilentErrors(const SilentErrors&) = delete;
  SilentErrors& operator=(const SilentErrors&) = delete;

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

// Owns one HDF5 identifier.
class Handle {
 public:
  using Close = herr_t (*)(hid_t);
  Handle(hid_t id, Close close, const char* what) : id_(check(id, what)), close_(close) {}
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  operator hid_t() const { return id_; }

  // Closing writes what is still in memory, and can fail.
  void close(const char* what) { check(close_(std::exchange(id_, -1)), what); }

 private:
  hid_t id_;
  Close close_;
};

// `in_place`: beside its name, and not in a heap of the file's, where HDF5 1.10 follows damage for ever.
void write_attribute(hid_t object, const std::string& name, const std::string& text, bool in_place = false);
// `count` numbers, or a scalar for count 0.
void write_attribute(hid_t object, const char* name, hid_t file_type, hid_t memory_type, const void* data,
                     hsize_t count);

// Dataset creation without time stamps, so that equal content gives equal bytes.
Handle creation_list();

// A dimension scale: the coordinates along an axis.
void write_scale(hid_t file, const char* name, const std::vector<double>& values, const char* long_name,
                 const char* units);
// The same, without coordinates yet, of an axis that grows.
void write_growing_scale(hid_t file, const char* name, const char* long_name, const char* units);
// 0, 1, ..., count - 1, without units.
void write_counting_scale(hid_t file, const char* name, std::int64_t count, const char* long_name);

// Gives the axes of a dataset their scales, by name, and those names.
void attach_scales(hid_t file, hid_t dataset, const std::vector<const char*>& names);

}  // namespace quadrille::hdf5
