/* The C interface: every operation by its name, with parameters as text, on images in the caller's memory.
 *
 * C99, and what every language that can call C can call: Java, Julia, Fortran, Python's ctypes. docs/c.md goes through
 * it. What operations there are, what they take and give, and which texts their parameters take is in
 * tamis_operations(); they are the same as on the command line.
 *
 * Functions that may fail return a tamis_status: TAMIS_OK, or what was at fault, and then tamis_message() says in one
 * line what was wrong, what was got and what was wanted. Nothing is written through a pointer where a call fails.
 *
 * Any number of threads may call at once, with one context or several. What must not happen at once: changing a context
 * (tamis_context_set, tamis_context_on_progress) or freeing something, and using it. tamis_context_stop may come at any
 * time. */
#ifndef TAMIS_TAMIS_H
#define TAMIS_TAMIS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TAMIS_API __attribute__((visibility("default")))

/* What compiled programs rely on: the functions below and the members of tamis_view. A program that loads the library
 * at run time compares this with tamis_abi(); one that is linked gets the right one by its name, libtamis.so.0.1. */
#define TAMIS_ABI 3
TAMIS_API int tamis_abi(void);
/* "0.1.0" */
TAMIS_API const char* tamis_version(void);

/* Who is at fault, if anybody is. */
typedef enum tamis_status {
  TAMIS_OK = 0,
  TAMIS_INPUT = 1,       /* the caller: a parameter, an image, a null pointer */
  TAMIS_ENVIRONMENT = 2, /* the machine: memory is short, no such GPU, a disk is full */
  TAMIS_CANCELLED = 3,   /* nobody: the caller asked for an end */
  TAMIS_INTERNAL = 4     /* tamis itself: please report it */
} tamis_status;

/* What the last call that failed in this thread says of it; "" where none has. Until the next call of this thread. */
TAMIS_API const char* tamis_message(void);

/* ---- Where and how operations run ------------------------------------------------------------------------------ */

typedef struct tamis_context tamis_context;

/* The best device for each operation, all cores. A null context means the same wherever one is taken. */
TAMIS_API tamis_status tamis_context_new(tamis_context** context);
TAMIS_API void tamis_context_free(tamis_context* context); /* null is allowed */
/* "device", "threads", "memory", "device_memory" or "simd" with a text: what tamis_operations() lists as "running". */
TAMIS_API tamis_status tamis_context_set(tamis_context* context, const char* name, const char* value);

/* How far a stage of the work has come; `total` is 0 where that is not known. Not 0: the call is to end, and returns
 * TAMIS_CANCELLED. Called by threads of the library, by one at a time in each call of tamis_run(); must not throw or
 * jump. */
typedef int (*tamis_progress)(void* user, const char* stage, int64_t done, int64_t total);
/* Null: none. */
TAMIS_API tamis_status tamis_context_on_progress(tamis_context* context, tamis_progress progress, void* user);

/* Not 0: all calls with this context end soon with TAMIS_CANCELLED, those that run and those that begin later, until
 * this is called with 0. From any thread at any time, but not from a signal handler. */
TAMIS_API tamis_status tamis_context_stop(tamis_context* context, int stop);

/* A cudaStream_t for images in the memory of a GPU, which calls are queued on, after what the caller has queued there
 * before: results are ready for what is queued there next, and a call returns as soon as nothing is left to wait for.
 * Null, as in the beginning: a call has a stream of its own, and all is done when it returns. CUDA's default stream is
 * (void*)1, cudaStreamLegacy. */
TAMIS_API tamis_status tamis_context_on_stream(tamis_context* context, void* stream);

/* ---- Images ---------------------------------------------------------------------------------------------------- */

/* Sample types. Filters compute with the first five. In the memory of the host they take the others, too: f64 is rounded
 * to f32, which is what they give, or f64 where `outputs` say so; other whole numbers are taken where f32 has them all,
 * and a filter that chooses samples gives their type back, one of differences f32. */
typedef enum tamis_type {
  TAMIS_BOOL = 0, /* a byte a sample, 0 or not */
  TAMIS_U8 = 1,
  TAMIS_U16 = 2,
  TAMIS_I16 = 3,
  TAMIS_F32 = 4,
  TAMIS_I8 = 5,
  TAMIS_U32 = 6,
  TAMIS_I32 = 7,
  TAMIS_U64 = 8,
  TAMIS_I64 = 9,
  TAMIS_F64 = 10
} tamis_type;

/* Where samples lie. Work on images of the host may be done on a GPU too; the library copies what it sends there. */
typedef enum tamis_memory {
  TAMIS_HOST = 0,
  TAMIS_GPU = 1 /* an NVIDIA GPU: cudaMalloc, CuPy, PyTorch. The work is done there, and no image leaves it */
} tamis_memory;

/* Where an image lies, as medical files say it. Those of people have the axes of DICOM: x to the left, y to the back, z to
 * the head. */
typedef struct tamis_placement {
  double origin[3];  /* x, y, z of the centre of the first voxel, in the unit of the spacing */
  double axes[3][3]; /* where the axes of the image run, x first: unit vectors, but where a file has shears */
  int32_t world;     /* whose coordinates: 0 of the file alone, 1 of the scanner, 2 of another image, 3 Talairach, 4 MNI */
} tamis_placement;

/* Samples in memory of this machine, of its byte order. Axes are z, y, x. The library keeps no view longer than a
 * call. */
typedef struct tamis_view {
  void* data;        /* the sample at (0, 0, 0) */
  int64_t size[3];   /* samples along z, y, x; of an image z is 1 */
  int64_t stride[3]; /* bytes from a sample to the next along z, y, x; may be negative, in inputs 0 too; all 0: dense */
  int32_t type;      /* a tamis_type */
  int32_t rank;      /* 3: a volume. 2: an image, or where z is above 1 a stack of images, each for itself */
  double spacing[3]; /* sides of a voxel along z, y, x; all 0: not known */
  const char* unit;  /* of the spacing: "um", "mm"; null or "": not known */
  const char* name;  /* which of the operation's images it is; null: the next in their order */
  int32_t memory;    /* a tamis_memory */
  int32_t gpu;       /* which one, as cudaSetDevice counts them, where the memory is that of a GPU */
  const tamis_placement* placement; /* null: not known; results that lie where their image lies have it too */
} tamis_view;

/* ---- Operations ------------------------------------------------------------------------------------------------ */

/* What there is, as JSON: {"operations": [...], "running": [...], "reading": [...], "writing": [...]}, as
 * `tamis operations --json` prints it. Beside an operation's own parameters it lists those that the C interface adds
 * ("map", "voxel"), and beside its images those that may be given by name only ("roi", "mask", "inlet"), and which images
 * a result has. Null where memory is short; never freed. */
TAMIS_API const char* tamis_operations(void);

/* What an operation gives: images, a table, and figures as JSON. Owned by the caller. */
typedef struct tamis_result tamis_result;

/* Runs an operation. `parameters` is an array of texts, name after value after name, that a null pointer ends:
 *   (const char*[]){"element", "disk:5", "border", "reflect", NULL}
 * or null for none. Images come in the order in which the operation takes them, or by their names. `result` is made
 * where all went well, and is then to be freed. */
TAMIS_API tamis_status tamis_run(const tamis_context* context, const char* operation, const char* const* parameters,
                                 const tamis_view* images, size_t image_count, tamis_result** result);

/* The same with memory for its images: those that `outputs` name, or the next in their order ("out"; "map";
 * "orientation", "enhanced", "contrast"), are written there, wherever their samples lie, and are no images of the
 * result then. A view has the size, rank and type of the result's; maps of sizes may have a wider unsigned type, but
 * not those of balls on a GPU. It may be an input, or overlap one. Where the call fails it may hold anything; but an
 * input that a filter was to write over (an operation that gives one image, of the size of the last one that it takes) is
 * as it was where what is asked for is refused, TAMIS_INPUT, on a GPU too, unless "mask" is given. On TAMIS_CANCELLED and
 * TAMIS_ENVIRONMENT it is so, too, unless the output is that input exactly, at the same address with the same strides and
 * the type: then it may have samples of before and after. Where the end was asked for too late, TAMIS_CANCELLED, it may be
 * the whole result. `result` may be null: nobody wants the table and the figures. */
TAMIS_API tamis_status tamis_run_into(const tamis_context* context, const char* operation,
                                      const char* const* parameters, const tamis_view* images, size_t image_count,
                                      const tamis_view* outputs, size_t output_count, tamis_result** result);

/* Null is allowed. Images in the memory of a GPU wait for all that it does. */
TAMIS_API void tamis_result_free(tamis_result* result);

/* The images of a result, dense, in the memory of the host, or of the GPU where the operation's images are. Their
 * memory is that of the result, and is read only; they can be inputs of other calls as they are. `name` ("out", "map")
 * and `image` may be null. */
TAMIS_API size_t tamis_result_images(const tamis_result* result);
TAMIS_API tamis_status tamis_result_image(const tamis_result* result, size_t index, const char** name,
                                          tamis_view* image);
/* The same samples to memory of the caller, on the same GPU if they lie there: a view of the same type, size and rank,
 * whose samples lie apart. */
TAMIS_API tamis_status tamis_result_copy(const tamis_result* result, size_t index, const tamis_view* to);

/* The columns of its table. A cell without a number is NaN. `name` ("width [um]") and `values` may be null. */
TAMIS_API size_t tamis_result_columns(const tamis_result* result);
TAMIS_API size_t tamis_result_rows(const tamis_result* result);
TAMIS_API tamis_status tamis_result_column(const tamis_result* result, size_t index, const char** name,
                                           const double** values);

/* Its figures: a JSON object, "{}" of a null pointer. Of a filter it has "parameters", names and texts that tamis_run()
 * takes again for the same. Memory of the result. */
TAMIS_API const char* tamis_result_json(const tamis_result* result);

/* ---- Files ----------------------------------------------------------------------------------------------------- */

/* Reads an image of any format that the program reads, into a result with the image "out". `parameters` as for
 * tamis_run(): what tamis_operations() lists as "reading". */
TAMIS_API tamis_status tamis_read(const tamis_context* context, const char* path, const char* const* parameters,
                                  tamis_result** result);
/* Writes an image; the ending of the name says the format. The file appears whole or not at all. `parameters` as for
 * tamis_run(): what tamis_operations() lists as "writing". */
TAMIS_API tamis_status tamis_write(const tamis_context* context, const tamis_view* image, const char* path,
                                   const char* const* parameters);

#ifdef __cplusplus
}
#endif
#endif
