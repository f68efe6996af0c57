/* tessera in C (C99), for programs in C and for languages that call C: arrays in folders, and columns of tables shared
   between processes. CMake: tessera::c, a shared library. C++ programs include tessera/tessera.hpp instead.

   Every function that can fail returns a tessera_status, and describes a failure in the caller's tessera_error, which
   may be NULL: the library keeps no error, and no C++ exception leaves it. A handle that a function makes belongs to
   the caller, who closes it; after a failure it is NULL. Closing NULL does nothing.

   Threads: different handles are independent. One handle may be used by several threads at once; closing it requires
   that no other call uses it. Text is UTF-8 and ends with a zero byte. */
#ifndef TESSERA_H
#define TESSERA_H

#include <stddef.h>
#include <stdint.h>

#define TESSERA_VERSION_MAJOR 0
#define TESSERA_VERSION_MINOR 2
#define TESSERA_VERSION_PATCH 0

#if defined(__GNUC__)
#define TESSERA_C_API __attribute__((visibility("default")))
#else
#define TESSERA_C_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** "major.minor.patch" of the library, which may be newer than this header. */
TESSERA_C_API char const* tessera_version(void);

/* ------------------------------------------------------------------------------------------------------- errors -- */

/** Functions return these as int, so that later versions may add some. */
typedef enum tessera_status {
  TESSERA_OK = 0,
  TESSERA_ARGUMENT = 1,       /**< a pointer is NULL, or a number is no member of its enum */
  TESSERA_NOT_FOUND = 2,      /**< there is no array at the path */
  TESSERA_STORE = 3,          /**< the folder cannot be read or written */
  TESSERA_METADATA = 4,       /**< JSON is invalid, or needs an extension that tessera lacks */
  TESSERA_CODEC = 5,          /**< a chunk is damaged */
  TESSERA_SELECTION = 6,      /**< a box or the caller's memory does not fit the array or column */
  TESSERA_MEMORY = 7,         /**< too little memory */
  TESSERA_IPC = 8,            /**< memory cannot be published, attached or used */
  TESSERA_PRODUCER_GONE = 9,  /**< the process that published the memory has ended, or has stopped publishing */
  TESSERA_LEASE_REFUSED = 10, /**< another process has a lease to write */
  TESSERA_OTHER = 11          /**< the message says what */
} tessera_status;

/** The caller's memory. Every call that gets it replaces it: after success with TESSERA_OK and "". */
typedef struct tessera_error {
  int status;         /**< a tessera_status */
  char message[1020]; /**< one line that names store and key; truncated if longer */
} tessera_error;

/* ------------------------------------------------------------------------------------------------------- arrays -- */

/** An open array. */
typedef struct tessera_array tessera_array;

/** What an array is. The pointers are valid until the array is closed. */
typedef struct tessera_array_info {
  size_t rank;                 /**< number of dimensions */
  uint64_t const* shape;       /**< elements along each dimension: `rank` numbers */
  uint64_t const* chunk_shape; /**< elements of a chunk, or of a shard of chunks */
  char const* data_type;       /**< as in zarr.json: "float32" */
  size_t item_size;            /**< bytes of an element */
} tessera_array_info;

/** Opens the array at `path` in a folder ("": the folder itself), with every codec but zfp. Elements have one size:
    arrays of strings and of bytes are refused. The handle keeps the shape that the array has now. */
TESSERA_C_API int tessera_open_array(char const* folder, char const* path, tessera_array** array, tessera_error* error);

/** Makes an array and the missing groups above it. `document`: the text of its zarr.json, of Zarr v3. `overwrite`: not
    0 to erase what is at the path; with 0 an existing node is an error. */
TESSERA_C_API int tessera_create_array(char const* folder, char const* path, char const* document, int overwrite,
                                       tessera_array** array, tessera_error* error);

/** Closes the handle; its info and attributes are no longer valid. */
TESSERA_C_API void tessera_close_array(tessera_array* array);

/** Fills `info`. */
TESSERA_C_API int tessera_describe_array(tessera_array const* array, tessera_array_info* info, tessera_error* error);

/** The attributes as they were when the array was opened: JSON text, an object. Valid until the array is closed. */
TESSERA_C_API int tessera_get_attributes(tessera_array const* array, char const** json, tessera_error* error);

/** Reads a box: in dimension d `count[d]` elements from `start[d]` on, `step[d]` apart. Each of the three has a number
    for each dimension. `start` NULL: from 0; `count` NULL: as many as there are; `step` NULL: 1. The elements are
    written to `memory` in C order and the machine's byte order. `size`: its bytes, at least count[0] * count[1] * ... *
    item_size. After a failure any of them may have been written. */
TESSERA_C_API int tessera_read_array(tessera_array const* array, uint64_t const* start, uint64_t const* count,
                                     uint64_t const* step, void* memory, size_t size, tessera_error* error);

/** Writes a box; the arguments are those of tessera_read_array. A partly written chunk keeps the rest. */
TESSERA_C_API int tessera_write_array(tessera_array const* array, uint64_t const* start, uint64_t const* count,
                                      uint64_t const* step, void const* memory, size_t size, tessera_error* error);

/* ----------------------------------------------------------------- columns of tables, shared between processes -- */

/** How a column's mask marks elements that are not null. */
typedef enum tessera_mask {
  TESSERA_MASK_NONE = 0, /**< no element is null */
  TESSERA_MASK_BITS = 1, /**< element i is not null if bit i % 8 of byte i / 8 is 1, as in Arrow */
  TESSERA_MASK_BYTES = 2 /**< element i is not null if byte i is not 0 */
} tessera_mask;

/** A column, or a slice of one. `values` and `mask` are those of the whole column: element i of the slice is element
    offset + i of both. */
typedef struct tessera_column_info {
  char const* name;
  char const* data_type; /**< of `values`, as in zarr.json: "float32" */
  char const* schema;    /**< a format string of Arrow's C data interface, "f"; ignored when publishing. "b" with values
                              of uint8: bools packed into bits, as in a mask */
  uint64_t length;       /**< elements of the slice */
  uint64_t offset;       /**< elements before it */
  int64_t null_count;    /**< nulls in the slice; -1: not counted */
  void const* values;
  size_t values_size; /**< bytes */
  int mask_kind;      /**< a tessera_mask */
  void const* mask;   /**< NULL if there is none */
  size_t mask_size;   /**< bytes */
} tessera_column_info;

/** Publishes columns to other processes of the same user and host, with a thread of its own. A child made by fork()
    must not use it, nor other handles of columns. */
typedef struct tessera_producer tessera_producer;
TESSERA_C_API int tessera_start_producer(tessera_producer** producer, tessera_error* error);
/** Stops publishing: its columns can no longer be attached, and attached ones report TESSERA_PRODUCER_GONE. */
TESSERA_C_API void tessera_stop_producer(tessera_producer* producer);

/** A published column. */
typedef struct tessera_published tessera_published;
/** Copies values and mask into shared memory, where others can attach them until the result is closed. The type of the
    values has a size of 1, 2, 4 or 8 bytes and is a bool, an integer or a floating-point number, or it is "r*". */
TESSERA_C_API int tessera_publish_column(tessera_producer* producer, tessera_column_info const* column,
                                         tessera_published** published, tessera_error* error);
/** The JSON text that tessera_attach_column takes: give it to other processes in any way. Valid until the column is
    closed. */
TESSERA_C_API int tessera_get_json(tessera_published const* published, char const** json, tessera_error* error);
/** Stops publishing the column. Its memory stays until the last process has closed it. */
TESSERA_C_API void tessera_close_published(tessera_published* published);

/** Keeps a connection to each producer. Use one for a process. */
typedef struct tessera_consumer tessera_consumer;
TESSERA_C_API int tessera_start_consumer(tessera_consumer** consumer, tessera_error* error);
/** Closes the connections; attached columns stay attached. */
TESSERA_C_API void tessera_stop_consumer(tessera_consumer* consumer);

/** An attached column. */
typedef struct tessera_column tessera_column;
/** Attaches a column in host memory with one value for each element, published from any language, without a copy. A
    column with a dictionary is refused. `json` is not trusted. */
TESSERA_C_API int tessera_attach_column(tessera_consumer* consumer, char const* json, tessera_column** column,
                                        tessera_error* error);
/** The pointers are valid until the column is closed; values and mask are memory of another process, only to be read.
    Fails with TESSERA_PRODUCER_GONE if that process has ended; earlier pointers stay valid. */
TESSERA_C_API int tessera_describe_column(tessera_column const* column, tessera_column_info* info,
                                          tessera_error* error);
/** Returns the lease; the column's pointers are no longer valid. */
TESSERA_C_API void tessera_close_column(tessera_column* column);

#ifdef __cplusplus
}
#endif

#endif
