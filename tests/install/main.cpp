// A program that uses an installed tamis: the predominant size of the bright phase of an image file.
#include <exception>
#include <iostream>

#include <tamis/tamis.hpp>

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: pore_size FILE\n";
    return 2;
  }
  try {
    const tamis::Context context = tamis::Context::best();
    const auto source = tamis::open_file(arguments[1]);
    const tamis::Binary pores = tamis::binarise(context, *source, {.method = tamis::ThresholdMethod::Otsu});
    const tamis::Sizes sizes = tamis::granulometry(context, pores.object, {}, pores.domain);
    std::cout << "threshold " << pores.threshold << ", " << pores.volume << " voxels, predominant size "
              << sizes.predominant().value_or(0) << '\n';
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
