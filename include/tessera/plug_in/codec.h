/* Codecs in a shared library that programs load when they run, in C (C99). The library exports one function,
   tessera_codec_plug_in; codec::load_plug_in of <tessera/plug_in/load.hpp> loads it, as does the option --plug-in
   of the command. It needs nothing of tessera but this header.

   Codecs run in host memory. Text is UTF-8 and ends with a zero byte. Functions may be called by several threads at
   once, also with one codec. A function that fails writes a line of text into `message`, which has room for
   TESSERA_MESSAGE bytes, the zero byte included. No C++ exception may leave a function. */
#ifndef TESSERA_CODEC_PLUG_IN_H
#define TESSERA_CODEC_PLUG_IN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  TESSERA_PLUG_IN_VERSION = 1, /**< of this interface; a program refuses others */
  TESSERA_MESSAGE = 512
};

/** The kinds of codecs of the Zarr v3 core specification ("Codecs"), but array to array. */
enum { TESSERA_ARRAY_TO_BYTES = 1, TESSERA_BYTES_TO_BYTES = 2 };

/** A chunk of an array. The pointers are valid during the call. */
typedef struct tessera_chunk {
  char const* data_type; /**< as in zarr.json: "float32" */
  size_t item_size;      /**< bytes of an element */
  size_t rank;           /**< number of dimensions */
  uint64_t const* shape; /**< elements along each dimension: `rank` numbers */
} tessera_chunk;

typedef struct tessera_codec {
  char const* name; /**< in zarr.json */
  int kind;
  /** Makes a codec from its configuration in zarr.json, JSON text of an object. NULL: it refuses it. */
  void* (*open)(char const* configuration, char* message);
  void (*close)(void* codec);
  /** The largest encoded size of `size` bytes. */
  size_t (*encoded_bound)(void const* codec, size_t size);
  /** Decodes `size` bytes at `from` into at most `room` bytes at `to`, and sets `written`. They may be damaged. The
      decoded bytes of an array-to-bytes codec are the chunk's elements in C order and native byte order. Returns 0,
      or another number after a failure. */
  int (*decode)(void const* codec, tessera_chunk const* chunk, void const* from, size_t size, void* to, size_t room,
                size_t* written, char* message);
  /** The reverse. NULL: the codec only decodes. */
  int (*encode)(void const* codec, tessera_chunk const* chunk, void const* from, size_t size, void* to, size_t room,
                size_t* written, char* message);
} tessera_codec;

typedef struct tessera_plug_in {
  uint32_t version; /**< TESSERA_PLUG_IN_VERSION */
  uint32_t count;   /**< of codecs */
  tessera_codec const* codecs;
} tessera_plug_in;

/** What the library exports. The result is valid until the process ends. */
typedef tessera_plug_in const* tessera_codec_plug_in_function(void);

#ifdef __cplusplus
}
#endif

#endif
