#include "tests/gpu_fuzz/answer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tamis::gpu_fuzz {
namespace {

void make_nan_one(std::vector<std::byte>& samples) {
  for (std::size_t i = 0; i + sizeof(float) <= samples.size(); i += sizeof(float)) {
    float value = 0;
    std::memcpy(&value, &samples[i], sizeof(value));
    if (!std::isnan(value)) continue;
    value = std::numeric_limits<float>::quiet_NaN();
    std::memcpy(&samples[i], &value, sizeof(value));
  }
}

std::string kind_of(const std::string& error) { return error.substr(0, error.find(':')); }

}  // namespace

void Answer::add(const std::string& name, const Image& image) {
  add(name, image.type(), {image.data(), image.data() + image.bytes()});
}

void Answer::add(const std::string& name, Type type, std::vector<std::byte> samples) {
  if (type == Type::F32) make_nan_one(samples);
  add(name + " type", static_cast<int>(type));
  parts_.push_back({name, std::move(samples)});
}

void Answer::add(const std::string& name, const Sizes& sizes) {
  add(name + " volume", sizes.volume);
  add(name + " border", sizes.border_voxels);
  add(name + " limited", static_cast<int>(sizes.limited));
  add(name + " never empties", static_cast<int>(sizes.never_empties));
  add(name + " rank", sizes.rank);
}

std::string Answer::difference(const Answer& other) const {
  if (kind_of(error_) != kind_of(other.error_)) {
    const auto told = [](const Answer& answer) { return answer.error_.empty() ? "an answer" : answer.error_; };
    return "CPU: " + told(*this) + "; GPU: " + told(other);
  }
  if (parts_.size() != other.parts_.size()) return "another number of results";
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const std::vector<std::byte>& a = parts_[i].bytes;
    const std::vector<std::byte>& b = other.parts_[i].bytes;
    if (a == b) continue;
    const auto at = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin();
    std::size_t count = 0;
    for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k) count += a[k] != b[k] ? 1 : 0;
    const auto byte = [&](const std::vector<std::byte>& bytes) {
      return static_cast<std::size_t>(at) < bytes.size() ? std::to_string(std::to_integer<int>(bytes[at])) : "none";
    };
    return parts_[i].name + ": " + std::to_string(count) + " of " + std::to_string(a.size()) + " and " +
           std::to_string(b.size()) + " bytes differ, the first at " + std::to_string(at) + ": CPU " + byte(a) +
           ", GPU " + byte(b);
  }
  return {};
}

}  // namespace tamis::gpu_fuzz
