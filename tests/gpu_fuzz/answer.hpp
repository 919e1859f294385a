// What a call came to: every byte of its results, or its error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include <tamis/granulometry.hpp>
#include <tamis/image.hpp>

namespace tamis::gpu_fuzz {

class Answer {
 public:
  /// Samples and type; of F32 all NaN are the same one.
  void add(const std::string& name, const Image& image);
  void add(const std::string& name, Type type, std::vector<std::byte> samples);
  void add(const std::string& name, const Sizes& sizes);
  template <class T>
  void add(const std::string& name, const std::vector<T>& values) {
    static_assert(std::is_arithmetic_v<T>);
    std::vector<std::byte> bytes(values.size() * sizeof(T));
    if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
    parts_.push_back({name, std::move(bytes)});
  }
  template <class T>
  void add(const std::string& name, T value) requires std::is_arithmetic_v<T> {
    add(name, std::vector<T>{value});
  }

  /// "input: ...", "environment: ..." or "other: ...".
  void fail(std::string error) {
    parts_.clear();
    error_ = std::move(error);
  }
  [[nodiscard]] const std::string& error() const { return error_; }

  /// Where two answers differ, in words; empty where they do not. Of errors only the kind is compared, since a call on
  /// arrays words its own.
  [[nodiscard]] std::string difference(const Answer& other) const;

 private:
  struct Part {
    std::string name;
    std::vector<std::byte> bytes;
  };
  std::vector<Part> parts_;
  std::string error_;
};

}  // namespace tamis::gpu_fuzz
