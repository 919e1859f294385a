// Reads an image or a volume, takes its noise away, and writes it.
#include <exception>
#include <iostream>

#include <tamis/tamis.hpp>

int main(int count, char** arguments) {
  if (count != 3) {
    std::cerr << "usage: median IN OUT\n";
    return 2;
  }
  try {
    const tamis::Context context = tamis::Context::best();
    const tamis::Image image = tamis::read(arguments[1]);
    const tamis::Image clean = tamis::median(context, image, {.window = "square:5"});
    tamis::write(clean, arguments[2]);
  } catch (const tamis::InputError& error) {  // a file or a parameter that cannot be used
    std::cerr << error.what() << '\n';
    return 2;
  } catch (const tamis::Error& error) {  // a full disk, too little memory, no GPU
    std::cerr << error.what() << '\n';
    return 1;
  }
}
