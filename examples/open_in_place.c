/* Opens the middle of a page where it lies: open_in_place HEIGHT WIDTH <page >opened, of bytes. */
#include <stdio.h>
#include <stdlib.h>

#include <tamis/tamis.h>

static tamis_status open_middle(unsigned char* page, int64_t height, int64_t width) {
  const int64_t margin = 16;
  const char* const parameters[] = {"element", "disk:3", NULL};
  tamis_view middle = {0};
  middle.data = page + margin * width + margin;
  middle.size[0] = 1;
  middle.size[1] = height - 2 * margin;
  middle.size[2] = width - 2 * margin;
  middle.stride[1] = width;
  middle.stride[2] = 1;
  middle.type = TAMIS_U8;
  middle.rank = 2;
  return tamis_run_into(NULL, "open", parameters, &middle, 1, &middle, 1, NULL);
}

int main(int count, char** arguments) {
  const long height = count == 3 ? atol(arguments[1]) : 0;
  const long width = count == 3 ? atol(arguments[2]) : 0;
  const size_t bytes = (size_t)height * (size_t)width;
  unsigned char* page = NULL;
  int failed = 1;
  if (height < 33 || height > 32768 || width < 33 || width > 32768) {
    fprintf(stderr, "usage: open_in_place HEIGHT WIDTH <page >opened, both from 33 to 32768\n");
    return 2;
  }
  page = malloc(bytes);
  if (page == NULL || fread(page, 1, bytes, stdin) != bytes) {
    fprintf(stderr, "wanted %lu bytes\n", (unsigned long)bytes);
  } else if (open_middle(page, height, width) != TAMIS_OK) {
    fprintf(stderr, "%s\n", tamis_message());
  } else {
    failed = fwrite(page, 1, bytes, stdout) != bytes;
  }
  free(page);
  return failed;
}
