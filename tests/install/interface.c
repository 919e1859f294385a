/* A program of C that uses an installed tamis; every line is an answer that tests/install/test_c.py knows. */
#include <stdio.h>
#include <string.h>

#include <tamis/tamis.h>

static int end_at_once(void* user, const char* stage, int64_t done, int64_t total) {
  (void)stage;
  (void)done;
  (void)total;
  ++*(int*)user;
  return 1;
}

/* A dilation of the middle columns of rows with a pitch, from the last row up. */
static int dilate_a_part(void) {
  unsigned char samples[4][8] = {{0}};
  unsigned char out[4][4] = {{0}};
  tamis_view image = {0};
  tamis_view to = {0};
  tamis_result* result = NULL;
  const char* const parameters[] = {"element", "rect:3x1", NULL};
  int y, x;
  samples[3][4] = 9;
  image.data = &samples[3][2];
  image.type = TAMIS_U8;
  image.rank = 2;
  image.size[0] = 1;
  image.size[1] = 4;
  image.size[2] = 4;
  image.stride[1] = -8;
  image.stride[2] = 1;
  if (tamis_run(NULL, "dilate", parameters, &image, 1, &result) != TAMIS_OK) return 1;
  to = image;
  to.data = out;
  to.stride[1] = 4;
  if (tamis_result_copy(result, 0, &to) != TAMIS_OK) return 1;
  tamis_result_free(result);
  for (y = 0; y < 4; ++y) {
    for (x = 0; x < 4; ++x) printf("%d", out[y][x]);
    printf(y < 3 ? " " : "\n");
  }
  return 0;
}

/* The same in place: nothing but the part is written. */
static int dilate_in_place(void) {
  unsigned char samples[4][8] = {{0}};
  tamis_view part = {0};
  const char* const parameters[] = {"element", "rect:5x1", NULL};
  int y, x, sum = 0;
  samples[3][4] = 9;
  part.data = &samples[0][3];
  part.type = TAMIS_U8;
  part.rank = 2;
  part.size[0] = 1;
  part.size[1] = 4;
  part.size[2] = 4;
  part.stride[1] = 8;
  part.stride[2] = 1;
  if (tamis_run_into(NULL, "dilate", parameters, &part, 1, &part, 1, NULL) != TAMIS_OK) return 1;
  for (x = 0; x < 8; ++x) printf("%d", samples[3][x]);
  for (y = 0; y < 3; ++y) {
    for (x = 0; x < 8; ++x) sum += samples[y][x];
  }
  printf(" %d\n", sum);
  return 0;
}

static int sieve_a_square(void) {
  static unsigned char samples[9][9];
  tamis_view image = {0};
  tamis_result* result = NULL;
  const char* name = NULL;
  const double* values = NULL;
  const char* const parameters[] = {"element", "square", "map", "size", NULL};
  size_t column, row;
  memset(samples, 0, sizeof samples);
  for (row = 2; row < 7; ++row) memset(&samples[row][2], 1, 5);
  image.data = samples;
  image.type = TAMIS_BOOL;
  image.rank = 2;
  image.size[0] = 1;
  image.size[1] = image.size[2] = 9;
  image.spacing[1] = image.spacing[2] = 2;
  image.unit = "um";
  if (tamis_run(NULL, "granulometry", parameters, &image, 1, &result) != TAMIS_OK) return 1;
  for (column = 0; column < tamis_result_columns(result); ++column) {
    if (tamis_result_column(result, column, &name, &values) != TAMIS_OK) return 1;
    printf("%s:", name);
    for (row = 0; row < tamis_result_rows(result); ++row) printf(" %g", values[row]);
    printf("\n");
  }
  if (tamis_result_image(result, 0, &name, &image) != TAMIS_OK) return 1;
  printf("%s %d %d\n", name, (int)image.type, ((const unsigned char*)image.data)[4 * 9 + 4]);
  printf("%d\n", strstr(tamis_result_json(result), "\"predominant_size\": 2") != NULL);
  tamis_result_free(result);
  return 0;
}

static int be_refused(void) {
  static unsigned char samples[200][300];
  int told = 0;
  tamis_context* context = NULL;
  tamis_result* result = NULL;
  tamis_view image = {0};
  image.data = samples;
  image.rank = 2;
  image.type = TAMIS_U8;
  image.size[0] = 1;
  image.size[1] = 200;
  image.size[2] = 300;
  printf("%d: ", (int)tamis_run(NULL, "opne", NULL, &image, 1, &result));
  printf("%s\n", tamis_message());
  if (tamis_context_new(&context) != TAMIS_OK) return 1;
  printf("%d: ", (int)tamis_context_set(context, "memory", "a little"));
  printf("%s\n", tamis_message());
  if (tamis_context_set(context, "threads", "1") != TAMIS_OK) return 1;
  if (tamis_context_on_progress(context, end_at_once, &told) != TAMIS_OK) return 1;
  printf("%d: ", (int)tamis_run(context, "median", NULL, &image, 1, &result));
  printf("%s, %d\n", tamis_message(), told > 0);
  tamis_context_free(context);
  return result != NULL;
}

int main(void) {
  printf("%s, ABI %d and %d\n", tamis_version(), TAMIS_ABI, tamis_abi());
  return dilate_a_part() || dilate_in_place() || sieve_a_square() || be_refused();
}
