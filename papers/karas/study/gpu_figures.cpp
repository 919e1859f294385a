#include <cmath>
#include <utility>
#include <vector>

#include "bench/gpu_timer.hpp"
#include "papers/karas/study/gpu_ours.hpp"
#include "papers/karas/study/gpu_study.hpp"

namespace tamis::karas {
namespace {

using namespace gpu;

using bench::figures;
using bench::Json;
using bench::print;
using bench::Timer;

/// One image, by the paper's versions and by tamis.
class Study {
 public:
  Study(const cuda::Stream& stream, const Image& image, int repetitions)
      : image_(image), timer_(stream), repetitions_(repetitions), paper_(stream, image), ours_(stream, image) {
    cuda::check(cudaDeviceGetAttribute(&multiprocessors_, cudaDevAttrMultiProcessorCount, stream.device()),
                "ask the device");
  }

  /// A row; `tuned`: the best of many configurations instead of the given one.
  Json row(Version version, const Task& task, Configuration configuration, bool tuned) {
    if (tuned) configuration = best(version, task);
    paper_.prepare(version, task, configuration);
    paper_.run();
    require(paper_.result(0), task, std::string(name(version)));
    Json row = begin(std::string(name(version)), task);
    row.update(figures(timer_.batches(repetitions_, [&] { paper_.run(); }), samples(task)));
    row["block"] = configuration.block;
    if (!is_optimised(version)) return row;
    row["zones"] = configuration.zones;
    row["near"] = configuration.near_capacity;
    return row;
  }
  Json our_row(const Task& task) {
    ours_.prepare(task);
    ours_.run();
    require(ours_.result(0), task, "tamis");
    Json row = begin("tamis", task);
    row.update(figures(timer_.batches(repetitions_, [&] { ours_.run(); }), samples(task)));
    return row;
  }
  /// Rules of section 5.4, table 1 (compute capability 2.x).
  [[nodiscard]] Configuration by_table(const Task& task) const {
    const bool steep = is_steep(task);
    return table_1(steep ? image_.shape().x : image_.shape().y, along(task), task.length, multiprocessors_);
  }
  [[nodiscard]] std::int64_t along(const Task& task) const {
    return is_steep(task) ? image_.shape().y : image_.shape().x;
  }

 private:
  static bool is_steep(const Task& task) { return task.angles.front() >= 45 && task.angles.front() < 135; }
  [[nodiscard]] double samples(const Task& task) const {
    return static_cast<double>(image_.shape().count()) * static_cast<double>(task.angles.size());
  }
  [[nodiscard]] Json begin(const std::string& version, const Task& task) const {
    return {{"version", version},
            {"width", image_.shape().x},
            {"height", image_.shape().y},
            {"angle", task.angles.front()},
            {"length", task.length}};
  }

  double once(Version version, const Task& task, const Configuration& configuration) {
    paper_.prepare(version, task, configuration);
    static_cast<void>(timer_.milliseconds(1, [&] { paper_.run(); }));
    return timer_.milliseconds(2, [&] { paper_.run(); });
  }

  /// Block and zones first, then the shared memory that goes with them: table 1 is that of another GPU.
  Configuration best(Version version, const Task& task) {
    Configuration found = by_table(task);
    double least = once(version, task, found);
    const auto consider = [&](const Configuration& other) {
      const double time = once(version, task, other);
      if (time >= least) return;
      least = time;
      found = other;
    };
    if (!is_optimised(version)) {
      for (const int block : {32, 64, 128}) consider({block, 1, 1});
      return found;
    }
    for (const int block : {32, 96}) {
      for (int zones = 1; zones <= std::min(most_zones(along(task), task.length), 32); zones *= 2) {
        consider({block, zones, 16});
      }
    }
    for (const int near : {8, 32}) consider({found.block, found.zones, near});
    return found;
  }

  void require(const Image& got, const Task& task, const std::string& version) {
    if (expected_task_.length != task.length || expected_task_.angles != task.angles || expected_.empty()) {
      expected_ = std::move(answers(image_, task).front());
      expected_task_ = task;
    }
    require_same(got, expected_, version);
  }

  const Image& image_;
  Timer timer_;
  int repetitions_;
  int multiprocessors_ = 1;
  Paper paper_;
  GpuOurs ours_;
  Image expected_;
  Task expected_task_;
};

void put(const char* figure, Json row) {
  Json line = {{"figure", figure}};
  line.update(row);
  print(line);
}

std::int64_t length_of(std::int64_t edge) { return std::lround(0.05 * static_cast<double>(edge)); }

Task opening(std::int64_t length, double angle) { return {length, {angle}}; }

/// Basic and optimised versions, horizontal and vertical, segments of 5 % of the width.
void figures_5_and_8(Study& study, std::int64_t edge, const Arguments& arguments) {
  const bool basic = wants(arguments, "figure 5"), optimised = wants(arguments, "figure 8");
  for (const double angle : {0.0, 90.0}) {
    const Task task = opening(length_of(edge), angle);
    for (const Version version : {Version::BasicMorard, Version::BasicBartovsky}) {
      if (basic) put("5", study.row(version, task, {}, true));
    }
    for (const Version version : {Version::Morard, Version::Bartovsky}) {
      if (!optimised) continue;
      put("8", study.row(version, task, {}, true));
      Json by_table = study.row(version, task, study.by_table(task), false);
      by_table["configuration"] = "table 1";
      put("8", by_table);
    }
    if (basic) put("5", study.our_row(task));
    if (optimised) put("8", study.our_row(task));
  }
}

/// Three orientations.
void one_case(const char* figure, Study& study, std::int64_t length) {
  for (const double angle : {0.0, 45.0, 90.0}) {
    put(figure, study.row(Version::Bartovsky, opening(length, angle), {}, true));
    put(figure, study.our_row(opening(length, angle)));
  }
}

/// Vertical segments of 5 % of the height in 1, 2 and 4 zones, and what formula 5 makes of it.
void figure_11(Study& study, std::int64_t edge) {
  const Task task = opening(length_of(edge), 90);
  double whole = 0;
  for (const int zones : {1, 2, 4}) {
    Json row = study.row(Version::Bartovsky, task, {32, zones, 16}, false);
    if (zones == 1) whole = row["median_ms"];
    row["speedup"] = whole / row["median_ms"].get<double>();
    row["formula_5"] =
        zones * (1 - (zones - 1) * (2.0 * static_cast<double>(task.length) - 1) / static_cast<double>(edge));
    put("11", row);
  }
}

}  // namespace

void measure_figures(const cuda::Stream& stream, const Arguments& arguments) {
  constexpr std::int64_t fixed_length = 41;
  for (const std::int64_t edge : {512, 1024, 2048, 4096, 8192}) {
    if (edge > arguments.largest) continue;
    const Image image = texture(edge, edge);
    Study study(stream, image, arguments.repetitions);
    figures_5_and_8(study, edge, arguments);
    if (wants(arguments, "figure 9")) one_case("9", study, fixed_length);
    if (wants(arguments, "figure 10") && (edge == 1024 || edge == 4096)) {
      for (const std::int64_t length : {5, 11, 21, 41, 101, 201, 350, 500}) one_case("10", study, length);
    }
    if (wants(arguments, "figure 11")) figure_11(study, edge);
  }
}

}  // namespace tamis::karas
