// The calls of calls.py from C++, on cv::Mat: by tamis through ImageView, where the matrix lies, and by OpenCV. Both write
// into a matrix that is there. Volumes, which OpenCV has no filters for, are in volumes.cpp. Answers are compared first, all but `margin` samples at the sides, where borders differ.
// Prints a line of JSON for each row; bench/everyday/run.py --views shows them.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <opencv2/imgproc.hpp>
#include <tamis/convert.hpp>
#include <tamis/image/view.hpp>
#include <tamis/threshold.hpp>

#include "everyday/views.hpp"

namespace {

using tamis::Context;
using tamis::Type;

constexpr int threads = 2;
constexpr double angle = 7;

Type type_of(const cv::Mat& matrix) {
  return matrix.depth() == CV_8U ? Type::U8 : matrix.depth() == CV_16U ? Type::U16 : Type::F32;
}

tamis::ConstImageView seen(const cv::Mat& matrix, Type type) {
  return tamis::view_of<const void>(matrix.data, type, {1, matrix.rows, matrix.cols, 2}, static_cast<std::int64_t>(matrix.step[0]));
}
tamis::ImageView written(cv::Mat& matrix, Type type) {
  return tamis::view_of<void>(matrix.data, type, {1, matrix.rows, matrix.cols, 2}, static_cast<std::int64_t>(matrix.step[0]));
}

/// Smooth shapes with noise.
cv::Mat grey(int edge, int depth) {
  std::mt19937 random(7);
  std::normal_distribution<float> noise;
  cv::Mat rough(edge, edge, CV_32F), smooth, result;
  for (float& sample : cv::Mat_<float>(rough)) sample = noise(random);
  cv::GaussianBlur(rough, smooth, {0, 0}, 3);
  smooth = smooth * 2 + rough * 0.03 + 0.5;
  cv::Mat bounded = cv::max(cv::min(smooth, 1), 0);
  bounded.convertTo(result, depth, depth == CV_8U ? 255 : depth == CV_16U ? 65535 : 1);
  return result;
}

struct Row {
  std::string name;
  int margin;
  double apart;  // by how much answers may differ,
  double share;  // in how large a share of the samples
  cv::Mat ours, theirs;
  std::function<void(cv::Mat&)> tamis, opencv;
};

/// Compares the answers, then measures.
void measure(Row& row, int edge) {
  row.tamis(row.ours);
  row.opencv(row.theirs);
  const cv::Rect inner(row.margin, row.margin, edge - 2 * row.margin, edge - 2 * row.margin);
  cv::Mat away;
  cv::absdiff(row.ours(inner), row.theirs(inner), away);
  const double share = cv::countNonZero(away > row.apart) / static_cast<double>(away.total());
  if (share > row.share) {
    std::fprintf(stderr, "%s of %d^2: %g of the samples differ by more than %g\n", row.name.c_str(), edge, share, row.apart);
    std::exit(1);
  }
  everyday::measure(fmt::format("{}^2", edge), row.name, [&] { row.tamis(row.ours); }, "OpenCV", [&] { row.opencv(row.theirs); });
}

std::vector<Row> rows(const Context& context, int edge) {
  const cv::Mat u8 = grey(edge, CV_8U), u16 = grey(edge, CV_16U), f32 = grey(edge, CV_32F);
  cv::Mat bits;
  cv::threshold(u8, bits, 127, 1, cv::THRESH_BINARY);
  const cv::Mat three = cv::Mat::ones(3, 3, CV_8U), fifteen = cv::Mat::ones(15, 15, CV_8U);
  cv::Mat disk(11, 11, CV_8U);
  for (int y = 0; y < 11; ++y) {
    for (int x = 0; x < 11; ++x) disk.at<std::uint8_t>(y, x) = (y - 5) * (y - 5) + (x - 5) * (x - 5) <= 25 ? 1 : 0;
  }
  const auto morphology = [&context](tamis::Operation operation, const cv::Mat& image, Type type, std::string_view element) {
    const tamis::MorphologyOptions options{.element = element};
    return [=, &context](cv::Mat& out) { tamis::morphology(context, operation, seen(image, type), written(out, type), options); };
  };
  const auto median = [&context](const cv::Mat& image, int edge_of_window) {
    const tamis::MedianOptions options{.window = tamis::StructuringElement::square(edge_of_window),
                                       .border = tamis::Border::nearest()};
    return [=, &context](cv::Mat& out) { tamis::median(context, seen(image, type_of(image)), written(out, type_of(image)), options); };
  };
  const auto cut = [&context](const cv::Mat& image, tamis::ThresholdMethod method) {
    return [=, &context](cv::Mat& out) {
      const auto source = tamis::source_of(seen(image, Type::U8));
      static_cast<void>(tamis::binarise(context, *source, {.method = method, .value = 127}, {},
                                        {reinterpret_cast<std::byte*>(out.data), static_cast<std::int64_t>(out.step[0]), 0}));
    };
  };
  const auto convert = [&context](const cv::Mat& image, double most) {
    return [=, &context](cv::Mat& out) {
      const tamis::Layout layout{type_of(image), {1, image.rows, image.cols, 2}, 1, {}};
      tamis::convert(context, {reinterpret_cast<const std::byte*>(image.data), static_cast<std::int64_t>(image.step[0]), 0},
                     layout, Type::U8, tamis::Window{0, most},
                     {reinterpret_cast<std::byte*>(out.data), static_cast<std::int64_t>(out.step[0]), 0});
    };
  };
  std::vector<Row> all;
  const auto add = [&](std::string name, int margin, int depth, auto tamis, auto opencv, double apart = 0, double share = 0) {
    all.push_back({std::move(name), margin, apart, share, cv::Mat(edge, edge, depth), cv::Mat(edge, edge, depth), tamis, opencv});
  };
  using tamis::Operation;
  add("erode u8 3x3", 1, CV_8U, morphology(Operation::Erode, u8, Type::U8, "square:3"), [=](cv::Mat& out) { cv::erode(u8, out, three); });
  add("dilate f32 3x3", 1, CV_32F, morphology(Operation::Dilate, f32, Type::F32, "square:3"), [=](cv::Mat& out) { cv::dilate(f32, out, three); });
  add("open u8 15x15", 15, CV_8U, morphology(Operation::Open, u8, Type::U8, "square:15"), [=](cv::Mat& out) { cv::morphologyEx(u8, out, cv::MORPH_OPEN, fifteen); });
  add("close u8 disk:5", 10, CV_8U, morphology(Operation::Close, u8, Type::U8, "disk:5"), [=](cv::Mat& out) { cv::morphologyEx(u8, out, cv::MORPH_CLOSE, disk); });
  add("open bits 3x3", 2, CV_8U, morphology(Operation::Open, bits, Type::Bool, "square:3"), [=](cv::Mat& out) { cv::morphologyEx(bits, out, cv::MORPH_OPEN, three); });
  add("median u8 5x5", 2, CV_8U, median(u8, 5), [=](cv::Mat& out) { cv::medianBlur(u8, out, 5); });
  add("median f32 3x3", 1, CV_32F, median(f32, 3), [=](cv::Mat& out) { cv::medianBlur(f32, out, 3); });
  add("threshold u8", 0, CV_8U, cut(u8, tamis::ThresholdMethod::Value), [=](cv::Mat& out) { cv::threshold(u8, out, 127, 1, cv::THRESH_BINARY); });
  add("threshold u8 otsu", 0, CV_8U, cut(u8, tamis::ThresholdMethod::Otsu), [=](cv::Mat& out) { cv::threshold(u8, out, 0, 1, cv::THRESH_OTSU); });
  add("convert u16 u8", 0, CV_8U, convert(u16, 65535), [=](cv::Mat& out) { u16.convertTo(out, CV_8U, 1 / 257.0); }, 1);
  add("convert f32 u8", 0, CV_8U, convert(f32, 1), [=](cv::Mat& out) { f32.convertTo(out, CV_8U, 255); }, 1);
  // OpenCV turns with 5 bits of a place and another cubic.
  const cv::Mat turn = cv::getRotationMatrix2D({(edge - 1) / 2.F, (edge - 1) / 2.F}, angle, 1);
  add("rotate u8", 0, CV_8U, [&context, u8](cv::Mat& out) { tamis::rotate(context, seen(u8, Type::U8), angle, {}, written(out, Type::U8)); },
      [=](cv::Mat& out) { cv::warpAffine(u8, out, turn, u8.size(), cv::INTER_CUBIC); }, 12, 0.02);
  return all;
}

}  // namespace

int main() {
  cv::setNumThreads(threads);
  Context context;
  context.threads = threads;
  for (const int edge : {64, 512, 2048}) {
    for (Row& row : rows(context, edge)) measure(row, edge);
  }
  everyday::measure_volumes(threads);
}
