// What is done with one slab of a filtered volume, whoever carries slabs: a pipeline in this process (run.cpp), or
// several processes (bindings/mpi).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <tamis/context.hpp>
#include <tamis/image.hpp>
#include <tamis/operations.hpp>
#include <tamis/operations/slabs.hpp>

namespace tamis {

/// Results for the slices [begin, end), from those of [from, to).
struct FilterSlab {
  std::int64_t from = 0, begin = 0, end = 0, to = 0;
};

/// The slab with results for [begin, end) of a plan.
[[nodiscard]] FilterSlab slab_between(const SlabPlan& plan, std::int64_t begin, std::int64_t end);

/// Some slices of a source, as a source.
class SomeSlices final : public SliceSource {
 public:
  SomeSlices(SliceSource& source, std::int64_t from, std::int64_t to)
      : source_(source), from_(from), layout_(source.layout()) {
    layout_.shape.z = to - from;
  }
  [[nodiscard]] const Layout& layout() const override { return layout_; }
  void read(std::int64_t z0, std::int64_t count, std::byte* out) override { source_.read(from_ + z0, count, out); }

 private:
  SliceSource& source_;
  std::int64_t from_;
  Layout layout_;
};

/// For each source the images of its channels.
using SlabImages = std::vector<std::vector<Image>>;

/// A filter and the sources of its images, of which it reads, filters and writes any slab. Reading, filtering and
/// writing may go on side by side, each in one thread.
class SlabFilter {
 public:
  /// `batch`: the slices are images of their own. All but the context is kept by reference.
  SlabFilter(const Context& context, const OperationDescription& operation, const Arguments& arguments,
             std::span<SliceSource* const> sources, bool batch);

  /// Of the last source, in the type that the filter computes with.
  [[nodiscard]] const Layout& layout() const { return layout_; }
  /// Of the results as they are written.
  [[nodiscard]] Type result() const { return result_; }
  /// The context without reports, for readers and writers: one thread reports.
  [[nodiscard]] const Context& quiet() const { return quiet_; }
  /// The same with the memory that a plan leaves beside the images.
  [[nodiscard]] Context beside_images(const SlabPlan& plan) const;

  [[nodiscard]] SlabImages read(const Context& context, const FilterSlab& slab) const;
  /// The results of all slices of the slab; the images go one after the other as theirs come. Where a NaN is refused,
  /// the error says where in the volume it is.
  [[nodiscard]] std::vector<Image> filtered(const Context& context, const FilterSlab& slab, SlabImages images,
                                            FilterDone& done) const;
  /// Those of its slices [begin, end).
  void write(const Context& context, const FilterSlab& slab, const std::vector<Image>& results, SliceSink& sink) const;

 private:
  Context quiet_;
  const OperationDescription& operation_;
  const Arguments& arguments_;
  bool batch_;
  std::vector<std::unique_ptr<SliceSource>> sources_;  ///< of types that filters compute with
  Layout layout_;
  Type result_ = Type::U8;
};

}  // namespace tamis
