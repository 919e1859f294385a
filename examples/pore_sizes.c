/* The sizes of the dark pores of a scan, and a map of them: pore_sizes SCAN MAP. */
#include <stdio.h>

#include <tamis/tamis.h>

static int show_progress(void* user, const char* stage, int64_t done, int64_t total) {
  (void)user;
  fprintf(stderr, "\r%s %lld of %lld ", stage, (long long)done, (long long)total);
  return 0; /* anything else ends the call */
}

static int fail(void) {
  fprintf(stderr, "%s\n", tamis_message());
  return 1;
}

static void print_table(const tamis_result* sizes) {
  const double* columns[3] = {NULL, NULL, NULL};
  const char* names[3] = {"", "", ""};
  size_t row, i;
  for (i = 0; i < 3; ++i) (void)tamis_result_column(sizes, i, &names[i], &columns[i]);
  printf("%s\t%s\t%s\n", names[0], names[1], names[2]);
  for (row = 0; row < tamis_result_rows(sizes); ++row) {
    printf("%g\t%g\t%g\n", columns[0][row], columns[1][row], columns[2][row]);
  }
}

int main(int count, char** arguments) {
  tamis_context* context = NULL;
  tamis_result* scan = NULL;
  tamis_result* sizes = NULL;
  tamis_view image, map;
  int failed = 1;
  if (count != 3) {
    fprintf(stderr, "usage: pore_sizes SCAN MAP\n");
    return 2;
  }
  if (tamis_context_new(&context) != TAMIS_OK) return fail();
  tamis_context_on_progress(context, show_progress, NULL);

  const char* const parameters[] = {"threshold", "otsu", "phase", "dark", "map", "size", NULL};
  if (tamis_read(context, arguments[1], NULL, &scan) == TAMIS_OK &&
      tamis_result_image(scan, 0, NULL, &image) == TAMIS_OK &&
      tamis_run(context, "granulometry", parameters, &image, 1, &sizes) == TAMIS_OK &&
      tamis_result_image(sizes, 0, NULL, &map) == TAMIS_OK &&
      tamis_write(context, &map, arguments[2], NULL) == TAMIS_OK) {
    print_table(sizes);
    failed = 0;
  } else {
    fail();
  }
  tamis_result_free(sizes);
  tamis_result_free(scan);
  tamis_context_free(context);
  return failed;
}
