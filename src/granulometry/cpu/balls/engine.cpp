#include "granulometry/cpu/balls/engine.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>


#include "core/cpu/parallel.hpp"
#include "core/stage.hpp"
#include "core/visit_type.hpp"
#include "granulometry/balls/measure.hpp"
#include "granulometry/cpu/balls/size_map.hpp"
#include "granulometry/plan.hpp"

namespace tamis::granulometry_detail::cpu::balls {
namespace {

/// Slices [from, to) of an image of bits; those of one slice serve for all.
Image slices_of(const Image& bits, std::int64_t from, std::int64_t to) {
  const Shape& shape = bits.shape();
  if (shape.z == 1 && to - from >= 1 && from >= 0) from = 0, to = 1;
  Image part(Type::Bool, {to - from, shape.y, shape.x, shape.rank}, bits.spacing);
  std::memcpy(part.data(), bits.row<std::byte>(from, 0), static_cast<std::size_t>(part.bytes()));
  return part;
}

template <class Lane>
View<Lane> view_of(Image& squares, std::int64_t begin, std::int64_t end) {
  return {squares.row<Lane>(begin, 0), end - begin, squares.shape().y, squares.shape().x};
}

class Engine final : public BallEngine {
 public:
  Engine(const Context& context, const BallRequest& request, const Image& object, const Image* domain,
         const MapSink& sink)
      : context_(context),
        request_(request),
        shape_(request.shape),
        object_(object),
        domain_(domain),
        sink_(sink),
        budget_(memory_budget(context) - (context.memory_bytes > 0 ? bytes_of_bits() : 0)) {}

  [[nodiscard]] std::int64_t budget() const override { return budget_; }
  [[nodiscard]] const char* memory() const override { return "memory"; }

  /// Beside the bits of the whole: the slab's bits, squares, lists, the program itself.
  [[nodiscard]] std::int64_t slab_bytes(std::int64_t slices, std::int64_t lane_bytes) const override {
    constexpr std::int64_t reserve = std::int64_t{8} << 20;
    const std::int64_t plane = shape_.y * shape_.x;
    const std::int64_t bits = slices < shape_.z ? 2 * slices * ((shape_.x + 63) / 64 * 8) * shape_.y : 0;
    return reserve + bits + slices * plane * lane_bytes + list_bytes(shape_.x, shape_.y, slices, lane_bytes);
  }

  BallSquares distances(std::int64_t from, std::int64_t to, const Faces& open) override {
    const DistanceOptions options{request_.options.border, open, request_.flat};
    squares_ = {};  // the last slab's go first
    first_slice_ = from;
    Context context = context_;
    context.device = Device::Cpu;
    if (from == 0 && to == shape_.z) {
      squares_ = squared_distance(context, object_, options, domain_ ? *domain_ : no_domain_);
    } else {
      const Image domain = domain_ ? slices_of(*domain_, from, to) : Image();
      squares_ = squared_distance(context, slices_of(object_, from, to), options, domain);
    }
    return {squares_.squares.type(), squares_.largest, squares_.unbounded};
  }

  std::uint64_t largest(std::int64_t begin, std::int64_t end) override {
    std::uint64_t largest = 0;
    visit_square_type(squares_.squares.type(), [&](auto lane) {
      using Lane = decltype(lane);
      const View<Lane> view = view_of<Lane>(squares_.squares, begin, end);
      for (std::int64_t z = 0; z < view.z; ++z) {
        const Lane* const first = view.row(z, 0);
        largest = std::max(largest, std::uint64_t{*std::max_element(first, first + view.y * view.x)});
      }
    });
    return largest;
  }

  BallTally paint(std::int64_t begin, std::int64_t end, std::uint64_t of_distances) override {
    return visit_square_type(squares_.squares.type(), [&](auto lane) {
      using Lane = decltype(lane);
      const View<Lane> view = view_of<Lane>(squares_.squares, begin, end);
      const std::vector<std::int64_t> infinite = squares_.unbounded ? hide_infinite(view) : std::vector<std::int64_t>();
      auto largest = static_cast<Lane>(of_distances);
      if (!request_.listed.empty()) largest = into_listed(context_, view, request_.listed, largest);
      const BallConvention convention = request_.options.convention;
      largest = into_convention(context_, view, convention, largest, request_.rule.least_square > no_ball);
      {
        Stage stage(context_, "balls", size_map_tasks(view.z));
        size_map(context_, view, request_.sides, request_.flat, largest, stage);
      }
      out_of_convention(context_, view, convention);
      for (const std::int64_t z : infinite) show_infinite(view, z, begin);
      Stage stage(context_, "counting");
      return tally_of(context_, view, request_.rule);
    });
  }

  BallTally tally(std::int64_t begin, std::int64_t end) override {
    return visit_square_type(squares_.squares.type(), [&](auto lane) {
      return tally_of(context_, view_of<decltype(lane)>(squares_.squares, begin, end), request_.rule);
    });
  }

  void deliver(std::int64_t begin, std::int64_t end, std::int64_t z0, const BallDelivery& delivery) override {
    Stage stage(context_, "size map", end - begin);
    if (delivery.measure) return deliver_measured(begin, end, z0, delivery, stage);
    for (std::int64_t z = begin; z < end; ++z, stage.advance()) {
      if (squares_.squares.type() == delivery.type) {
        sink_(squares_.squares.row<std::byte>(z, 0), z0 + z - begin, 1);
      } else {
        widen(z, delivery.type);
        sink_(samples_.data(), z0 + z - begin, 1);
      }
    }
  }

 private:
  [[nodiscard]] std::int64_t bytes_of_bits() const { return object_.bytes() + (domain_ ? domain_->bytes() : 0); }

  /// Slices without background take no part in painting. Returns which they are.
  template <class Lane>
  std::vector<std::int64_t> hide_infinite(const View<Lane>& view) {
    std::vector<std::int64_t> found;
    constexpr Lane infinite = std::numeric_limits<Lane>::max();
    for (std::int64_t z = 0; z < view.z; ++z) {
      Lane* const first = view.row(z, 0);
      if (std::find(first, first + view.y * view.x, infinite) == first + view.y * view.x) continue;
      std::replace(first, first + view.y * view.x, infinite, Lane{0});
      found.push_back(z);
    }
    return found;
  }
  template <class Lane>
  void show_infinite(const View<Lane>& view, std::int64_t z, std::int64_t begin) {
    for (std::int64_t y = 0; y < view.y; ++y) {
      for (std::int64_t x = 0; x < view.x; ++x) {
        if (object_.bit(first_slice_ + begin + z, y, x)) view.row(z, y)[x] = std::numeric_limits<Lane>::max();
      }
    }
  }

  /// Some slices at a time, each by a thread.
  void deliver_measured(std::int64_t begin, std::int64_t end, std::int64_t z0, const BallDelivery& delivery,
                        Stage& stage) {
    constexpr std::int64_t bytes_at_once = std::int64_t{16} << 20;
    const std::int64_t plane = shape_.y * shape_.x;
    const std::int64_t slice_bytes = plane * sample_bytes(delivery.type);
    const std::int64_t at_once = std::clamp<std::int64_t>(bytes_at_once / slice_bytes, 1, end - begin);
    const Measuring measuring(*delivery.sizes, *delivery.measure, squares_.squares.type());
    samples_.resize(static_cast<std::size_t>(at_once * slice_bytes));
    for (std::int64_t z = begin; z < end; z += at_once) {
      const std::int64_t slices = std::min(at_once, end - z);
      parallel_for(context_, slices, [&](std::int64_t i) {
        measuring.run(squares_.squares.row<std::byte>(z + i, 0), plane, samples_.data() + i * slice_bytes);
      });
      sink_(samples_.data(), z0 + z - begin, slices);
      stage.advance(slices);
    }
  }

  /// Squares of a slab may be narrower than those of others.
  void widen(std::int64_t z, Type type) {
    const std::int64_t count = shape_.y * shape_.x;
    samples_.resize(static_cast<std::size_t>(count * sample_bytes(type)));
    visit_square_type(type, [&](auto wide) {
      using Wide = decltype(wide);
      auto* const to = reinterpret_cast<Wide*>(samples_.data());
      visit_square_type(squares_.squares.type(), [&](auto narrow) {
        using Narrow = decltype(narrow);
        const Narrow* const from = squares_.squares.row<Narrow>(z, 0);
        std::transform(from, from + count, to, [](Narrow value) {
          const bool infinite = value == std::numeric_limits<Narrow>::max();
          return infinite ? std::numeric_limits<Wide>::max() : static_cast<Wide>(value);
        });
      });
    });
  }

  const Context& context_;
  const BallRequest& request_;
  const Shape& shape_;
  const Image& object_;
  const Image* domain_;
  const MapSink& sink_;
  Image no_domain_;
  std::int64_t budget_;
  SquaredDistances squares_;  ///< of the slab
  std::int64_t first_slice_ = 0;
  std::vector<std::byte> samples_;
};

}  // namespace

std::unique_ptr<BallEngine> make_engine(const Context& context, const BallRequest& request, const Image& object,
                                        const Image* domain, const MapSink& sink) {
  return std::make_unique<Engine>(context, request, object, domain, sink);
}

}  // namespace tamis::granulometry_detail::cpu::balls
