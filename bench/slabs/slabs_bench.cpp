// One filter from file to file, in one piece in memory and in slabs under a limit of memory, in turn. Prints a line of
// JSON for each run; the two files are compared by bench/slabs/run.py.
#include <chrono>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <sys/resource.h>
#include <tamis/image/channels.hpp>
#include <tamis/io.hpp>
#include <tamis/operations/slabs.hpp>

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// What a program does that has memory for everything: read, filter, write.
void in_memory(const tamis::OperationDescription& operation, const tamis::Arguments& arguments, const std::string& in,
               const std::string& out) {
  const tamis::Context context;
  const std::unique_ptr<tamis::FileSource> source = tamis::open_file(in);
  const std::vector<tamis::Image> image = tamis::read_channels(context, *source, false);
  std::vector<tamis::Image> result(1);
  const tamis::Image* const images[] = {image.data()};
  operation.filter.run(context, images, arguments, result.front());
  const std::unique_ptr<tamis::SliceSink> sink = tamis::create(out, source->layout());
  tamis::copy_slices(context, *tamis::joined(result, source->layout()), *sink);
  sink->finish();
}

tamis::SlabReport in_slabs(const tamis::OperationDescription& operation, const tamis::Arguments& arguments,
                           const std::string& in, const std::string& out, std::int64_t bytes) {
  tamis::Context context;
  context.memory_bytes = bytes;
  const std::unique_ptr<tamis::FileSource> source = tamis::open_file(in);
  const std::unique_ptr<tamis::SliceSink> sink = tamis::create(out, source->layout());
  tamis::SliceSource* const sources[] = {source.get()};
  return tamis::filter_slabs(context, operation, arguments, sources, *sink);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 7) {
    std::fprintf(stderr, "slabs_bench memory|slabs FILTER ELEMENT_OR_SIZE IN OUT MIB\n");
    return 2;
  }
  const std::string way = argv[1], filter = argv[2];
  const tamis::OperationDescription& operation = tamis::operation(filter);
  tamis::Arguments arguments = operation.defaults;
  try {
    arguments.set(filter == "median" ? "size" : "element", argv[3]);
    const Clock::time_point start = Clock::now();
    std::int64_t slabs = 1;
    if (way == "memory") {
      in_memory(operation, arguments, argv[4], argv[5]);
    } else {
      slabs = in_slabs(operation, arguments, argv[4], argv[5], std::stoll(argv[6]) << 20).plan.count();
    }
    const double seconds = seconds_since(start);
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    fmt::print("{{\"way\": \"{}\", \"seconds\": {:.4f}, \"slabs\": {}, \"peak_mib\": {}}}\n", way, seconds, slabs,
               used.ru_maxrss >> 10);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "slabs_bench: %s\n", error.what());
    return 2;
  }
}
