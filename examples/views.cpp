// A picture that lies in memory of the program's own, in rows with a pitch as cameras and cv::Mat have them: filtered and
// thresholded where it lies. Prints the bright samples before and after the noise is gone.
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iostream>
#include <vector>

#include <tamis/image/view.hpp>
#include <tamis/threshold.hpp>

namespace {

constexpr tamis::Shape shape{.z = 1, .y = 480, .x = 640, .rank = 2};
constexpr std::int64_t pitch = 704;  // bytes from a row to the next one

std::int64_t bright_samples(const tamis::Context& context, const tamis::ConstImageView& picture) {
  const auto source = tamis::source_of(picture);
  return tamis::binarise(context, *source, {.method = tamis::ThresholdMethod::Value, .value = 100}).volume;
}

}  // namespace

int main() {
  try {
    std::vector<std::uint8_t> buffer(static_cast<std::size_t>(pitch * shape.y), 20);
    for (std::int64_t y = 100; y < 132; ++y) {
      for (std::int64_t x = 200; x < 232; ++x) buffer[static_cast<std::size_t>(y * pitch + x)] = 200;
    }
    buffer[50 * pitch + 10] = 255;  // noise
    const tamis::Context context = tamis::Context::best();
    // Of a cv::Mat: view_of<void>(mat.data, tamis::Type::U8, {1, mat.rows, mat.cols, 2}, mat.step[0]).
    const tamis::ImageView picture = tamis::view_of<void>(buffer.data(), tamis::Type::U8, shape, pitch);
    std::cout << bright_samples(context, tamis::as_input(picture)) << '\n';
    tamis::median(context, tamis::as_input(picture), picture, {.window = "square:3", .border = tamis::Border::nearest()});
    std::cout << bright_samples(context, tamis::as_input(picture)) << '\n';
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
