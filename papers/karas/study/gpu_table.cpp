#include <vector>

#include "bench/gpu_timer.hpp"
#include "papers/karas/study/gpu_ours.hpp"
#include "papers/karas/study/gpu_study.hpp"

namespace tamis::karas {

using bench::figures;
using bench::Json;
using bench::print;
using bench::Timer;

namespace {

struct Row {
  const char* name;
  std::int64_t nx, ny;
  gpu::Task task;
};

std::vector<double> angles(double first, double step, int count) {
  std::vector<double> all;
  for (int i = 0; i < count; ++i) all.push_back(first + step * i);
  return all;
}

/// The paper's images are not public; these have their sizes and look like them.
std::vector<Row> rows() {
  return {{"Fingerprint", 784, 1133, {41, angles(0, 1, 180)}},
          {"D15", 640, 640, {41, angles(0, 1, 180)}},
          {"D47", 640, 640, {21, angles(0, 1, 180)}},
          {"Music1", 1000, 1411, {250, angles(-10, 0.25, 81), true}},
          {"Music2", 1000, 1301, {250, angles(-10, 0.25, 81), true}}};
}

void put(const Row& row, const std::string& version, const std::vector<double>& times) {
  Json line = {{"table", "2"},
               {"image", row.name},
               {"width", row.nx},
               {"height", row.ny},
               {"angles", row.task.angles.size()},
               {"length", row.task.length},
               {"version", version}};
  line.update(figures(times, static_cast<double>(row.nx * row.ny) * static_cast<double>(row.task.angles.size())));
  print(line);
}

/// All directions at once, as in the paper: enough threads without zones.
void measure_row(const cuda::Stream& stream, const Row& row, const Timer& timer, int repetitions) {
  const Image image = row.task.dark ? music(row.nx, row.ny) : texture(row.nx, row.ny);
  const std::vector<Image> wanted = answers(image, row.task);
  gpu::Paper paper(stream, image);
  for (const gpu::Version version : gpu::all_versions) {
    const std::string what = std::string(name(version));
    paper.prepare(version, row.task, {96, 1, 16});
    paper.run();
    for (std::size_t i = 0; i < wanted.size(); ++i) require_same(paper.result(i), wanted[i], what);
    put(row, what, timer.batches(repetitions, [&] { paper.run(); }));
  }
  GpuOurs ours(stream, image);
  ours.prepare(row.task);
  ours.run();
  for (std::size_t i = 0; i < wanted.size(); ++i) require_same(ours.result(i), wanted[i], "tamis");
  put(row, "tamis", timer.batches(repetitions, [&] { ours.run(); }));
  put(row, "tamis_sums", timer.batches(repetitions, [&] { ours.run_sums(); }));
}

}  // namespace

void measure_table(const cuda::Stream& stream, const Arguments& arguments) {
  const Timer timer(stream);
  for (const Row& row : rows()) measure_row(stream, row, timer, arguments.repetitions);
}

}  // namespace tamis::karas
