/* A plug-in of two codecs: "test.invert" inverts each byte and has a configuration, "test.last_first" stores elements
   backwards and only decodes. */
#include <stdlib.h>
#include <string.h>
#include <tessera/plug_in/codec.h>

static void* open_invert(char const* configuration, char* message) {
  unsigned char* const mask = malloc(1);
  if (!mask) return NULL;
  if (!strstr(configuration, "\"mask\"")) {
    *mask = 0xff;
  } else if (strstr(configuration, "15")) {
    *mask = 0x0f;
  } else {
    strcpy(message, "mask: expected 15");
    free(mask);
    return NULL;
  }
  return mask;
}

static size_t same_size(void const* codec, size_t size) {
  (void)codec;
  return size;
}

static int invert(void const* codec, tessera_chunk const* chunk, void const* from, size_t size, void* to, size_t room,
                  size_t* written, char* message) {
  unsigned char const mask = *(unsigned char const*)codec;
  unsigned char const* const read = from;
  unsigned char* const write = to;
  size_t i;
  (void)chunk;
  if (size > room) {
    strcpy(message, "too many bytes");
    return 1;
  }
  for (i = 0; i < size; ++i) write[i] = (unsigned char)(read[i] ^ mask);
  *written = size;
  return 0;
}

static void* open_backwards(char const* configuration, char* message) {
  (void)configuration, (void)message;
  return malloc(1);
}

/* Refuses what is no chunk of two dimensions of 16-bit integers. */
static int decode_backwards(void const* codec, tessera_chunk const* chunk, void const* from, size_t size, void* to,
                            size_t room, size_t* written, char* message) {
  size_t i;
  (void)codec;
  if (chunk->rank != 2 || chunk->item_size != 2 || strcmp(chunk->data_type, "int16") != 0) {
    strcpy(message, "expected two dimensions of int16");
    return 1;
  }
  if (size != room || size != 2 * chunk->shape[0] * chunk->shape[1]) return 2; /* without a message */
  for (i = 0; i < size; i += 2) memcpy((char*)to + i, (char const*)from + size - 2 - i, 2);
  *written = size;
  return 0;
}

static tessera_codec const codecs[] = {
    {"test.invert", TESSERA_BYTES_TO_BYTES, open_invert, free, same_size, invert, invert},
    {"test.backwards", TESSERA_ARRAY_TO_BYTES, open_backwards, free, same_size, decode_backwards, NULL}};

#if defined(WITHOUT_CODECS)
static tessera_plug_in const plug_in = {TESSERA_PLUG_IN_VERSION, sizeof codecs / sizeof *codecs, NULL};
#elif defined(NEWER)
static tessera_plug_in const plug_in = {TESSERA_PLUG_IN_VERSION + 1, 2, codecs};
#else
static tessera_plug_in const plug_in = {TESSERA_PLUG_IN_VERSION, 2, codecs};
#endif

tessera_plug_in const* tessera_codec_plug_in(void);
tessera_plug_in const* tessera_codec_plug_in(void) { return &plug_in; }
