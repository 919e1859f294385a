// What the automatic methods ask of samples of 4 and 8 bytes, wherever these lie: whole numbers, each in one pass.
// Parts of an image are put together by adding.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <tamis/threshold.hpp>

#include "threshold/device.hpp"
#include "threshold/keys.hpp"
#include "threshold/slabs.hpp"

namespace tamis::threshold_detail {

class Samples {
 public:
  /// `what` they are in messages: an image or an array.
  Samples(Type type, std::int64_t count, const char* what) : type_(type), count_(count), what_(what) {}
  virtual ~Samples() = default;
  Samples(const Samples&) = delete;
  Samples& operator=(const Samples&) = delete;

  [[nodiscard]] Type type() const { return type_; }
  /// Samples that count; 1 or more.
  [[nodiscard]] std::int64_t count() const { return count_; }

  /// Throws InputError for NaN.
  [[nodiscard]] KeyRange keys();
  /// The same. Throws InputError for infinite samples, too.
  [[nodiscard]] KeyRange range();
  [[nodiscard]] std::vector<CellCount> cells(const CellRule& rule);
  [[nodiscard]] std::vector<std::int64_t> bins(const BinRule& rule) { return answer(rule); }

 protected:
  void set_count(std::int64_t count) { count_ = count; }

 private:
  virtual std::vector<std::int64_t> answer(const Question& question) = 0;
  /// Throws InputError that says where the first one is, if that can be said.
  virtual void refuse_nan() = 0;

  Type type_;
  std::int64_t count_;
  const char* what_;
};

/// Samples of more than 2 bytes of a source, counted on `device`, unless that is null. Everything has to outlive it.
[[nodiscard]] std::unique_ptr<Samples> samples_of(const Context& context, SliceSource& source, const Domain& domain,
                                                  DeviceSamples* device);

/// What the public histogram() says.
[[nodiscard]] Histogram histogram_of(Samples& samples);
/// What the public threshold_value() says of a source.
[[nodiscard]] double value_of(Samples& samples, ThresholdMethod method, const std::stop_token& cancel = {});
[[nodiscard]] double value_of(Histogram histogram, ThresholdMethod method, const std::stop_token& cancel = {});

/// Otsu, Li, Isodata and Mean of the samples themselves, which are not all equal.
[[nodiscard]] double exact_value(Samples& samples, const KeyRange& range, ThresholdMethod method);

}  // namespace tamis::threshold_detail
