/* The C interface, used by a program in C:

     test-c FOLDER       checks every function; FOLDER is an empty folder for arrays that it makes
     test-c publish      publishes a column, prints its JSON on one line, and waits for the end of its input */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <sys/wait.h>
#include <unistd.h>

#include <tessera/tessera.h>

static int failures = 0;

static void check(int holds, char const* what, int line, tessera_error const* error) {
  if (holds) return;
  ++failures;
  printf("interface.c:%d: not so: %s (status %d, \"%s\")\n", line, what, error->status, error->message);
}
#define CHECK(what) check((what), #what, __LINE__, &error)
/* A call fails with a status, and its message has each of two texts. */
#define CHECK_FAILS(call, expected, first, second)                                                \
  do {                                                                                            \
    int const found = (call);                                                                     \
    CHECK(found == (expected) && error.status == found && !strchr(error.message, '\n'));          \
    CHECK(error.message[0] && strstr(error.message, (first)) && strstr(error.message, (second))); \
  } while (0)

static char const document[] =
    "{\"zarr_format\": 3, \"node_type\": \"array\", \"shape\": [4, 6], \"data_type\": \"int16\","
    " \"chunk_grid\": {\"name\": \"regular\", \"configuration\": {\"chunk_shape\": [2, 6]}},"
    " \"chunk_key_encoding\": {\"name\": \"default\", \"configuration\": {\"separator\": \"/\"}},"
    " \"fill_value\": -1, \"codecs\": [{\"name\": \"sharding_indexed\", \"configuration\": {\"chunk_shape\": [2, 3],"
    " \"codecs\": [{\"name\": \"bytes\", \"configuration\": {\"endian\": \"little\"}},"
    " {\"name\": \"zstd\", \"configuration\": {\"level\": 1, \"checksum\": true}}],"
    " \"index_codecs\": [{\"name\": \"bytes\", \"configuration\": {\"endian\": \"little\"}}, {\"name\": "
    "\"crc32c\"}]}}],"
    " \"attributes\": {\"unit\": \"mm\"}}";

static void check_brain(void) {
  tessera_error error = {0};
  tessera_array* t1 = NULL;
  tessera_array_info info;
  char const* attributes;
  CHECK(tessera_open_array("examples/data/brain.zarr", "t1", &t1, &error) == TESSERA_OK && error.message[0] == '\0');
  CHECK(tessera_describe_array(t1, &info, &error) == TESSERA_OK);
  CHECK(info.rank == 3 && info.shape[0] == 197 && info.shape[1] == 233 && info.shape[2] == 189);
  CHECK(info.chunk_shape[0] == 64 && info.item_size == 1 && strcmp(info.data_type, "uint8") == 0);
  CHECK(tessera_get_attributes(t1, &attributes, &error) == TESSERA_OK && attributes[0] == '{');

  uint64_t const one[3] = {98, 116, 94}, counts[3] = {1, 1, 1};
  uint8_t voxel = 0;
  CHECK(tessera_read_array(t1, one, counts, NULL, &voxel, 1, &error) == TESSERA_OK && voxel == 198);
  size_t const size = 197 * 233 * 189;
  uint8_t* const volume = malloc(size);
  CHECK(tessera_read_array(t1, NULL, NULL, NULL, volume, size, &error) == TESSERA_OK);
  CHECK(volume[(98 * 233 + 116) * 189 + 94] == 198);
  double sum = 0;
  for (size_t i = 0; i < size; ++i) sum += volume[i];
  CHECK((int)(sum / (double)size * 1e4) == 384389);
  /* Every 40th plane, row and column, from the 18th on. */
  uint64_t const start[3] = {18, 18, 18}, step[3] = {40, 40, 40}, few[3] = {5, 6, 5};
  uint8_t coarse[5 * 6 * 5];
  CHECK(tessera_read_array(t1, start, few, step, coarse, sizeof coarse, &error) == TESSERA_OK);
  int differ = 0;
  for (size_t z = 0; z < 5; ++z)
    for (size_t y = 0; y < 6; ++y)
      for (size_t x = 0; x < 5; ++x)
        differ += coarse[(z * 6 + y) * 5 + x] != volume[((18 + 40 * z) * 233 + 18 + 40 * y) * 189 + 18 + 40 * x];
  CHECK(differ == 0);
  memset(coarse, 1, sizeof coarse);
  CHECK(tessera_read_array(t1, start, NULL, step, coarse, sizeof coarse, NULL) == TESSERA_OK && coarse[0] != 1);

  char const store[] = "examples/data/brain.zarr", key[] = "t1/zarr.json";
  uint64_t const beyond[3] = {0, 0, 180}, too_many[3] = {1, 1, 10}, huge[3] = {UINT64_MAX, 1, 1}, none[3] = {0, 0, 0};
  CHECK_FAILS(tessera_read_array(t1, beyond, too_many, NULL, volume, size, &error), TESSERA_SELECTION,
              "dimension 2: found start 180, count 10", store);
  CHECK_FAILS(tessera_read_array(t1, huge, counts, NULL, volume, size, &error), TESSERA_SELECTION, "dimension 0", key);
  CHECK_FAILS(tessera_read_array(t1, NULL, huge, NULL, volume, size, &error), TESSERA_SELECTION, "dimension 0", key);
  CHECK_FAILS(tessera_read_array(t1, NULL, few, huge, volume, size, &error), TESSERA_SELECTION, "dimension 0", key);
  CHECK_FAILS(tessera_read_array(t1, NULL, NULL, none, volume, size, &error), TESSERA_SELECTION, "step 0", key);
  CHECK_FAILS(tessera_read_array(t1, NULL, NULL, NULL, volume, size - 1, &error), TESSERA_SELECTION,
              "the memory has 8675288 bytes, expected at least 8675289", key);
  CHECK_FAILS(tessera_read_array(t1, NULL, NULL, NULL, NULL, size, &error), TESSERA_ARGUMENT, "memory is NULL", "");
  CHECK(tessera_read_array(t1, NULL, none, NULL, NULL, 0, &error) == TESSERA_OK && error.status == TESSERA_OK);
  CHECK(tessera_read_array(t1, NULL, NULL, NULL, NULL, 0, NULL) == TESSERA_SELECTION);
  free(volume);
  tessera_close_array(t1);
}

static void check_writing(char const* folder) {
  tessera_error error = {0};
  tessera_array* array = NULL;
  int16_t all[4][6], part[2][3] = {{1, 2, 3}, {4, 5, 6}};
  uint64_t const start[2] = {1, 0}, count[2] = {2, 3}, step[2] = {2, 2};
  CHECK(tessera_create_array(folder, "a", document, 0, &array, &error) == TESSERA_OK);
  CHECK(tessera_write_array(array, start, count, step, part, sizeof part, &error) == TESSERA_OK);
  CHECK_FAILS(tessera_write_array(array, NULL, NULL, NULL, part, sizeof part, &error), TESSERA_SELECTION,
              "the memory has 12 bytes, expected at least 48", "a/zarr.json");
  CHECK(tessera_read_array(array, NULL, NULL, NULL, all, sizeof all, &error) == TESSERA_OK);
  CHECK(all[0][0] == -1 && all[1][0] == 1 && all[1][1] == -1 && all[1][4] == 3 && all[3][2] == 5 && all[3][5] == -1);
  tessera_close_array(array);

  CHECK_FAILS(tessera_create_array(folder, "a", document, 0, &array, &error), TESSERA_METADATA, folder, "a/zarr.json");
  CHECK(array == NULL);
  CHECK_FAILS(tessera_create_array(folder, "b", "{\"zarr_format\": 3", 0, &array, &error), TESSERA_METADATA, folder,
              "b/zarr.json");
  CHECK_FAILS(tessera_create_array(folder, "b", "{\"zarr_format\": 2}", 0, &array, &error), TESSERA_METADATA,
              "zarr_format", "b/zarr.json");
  CHECK(tessera_create_array(folder, "a", document, 1, &array, &error) == TESSERA_OK);
  CHECK(tessera_write_array(array, start, count, step, part, sizeof part, &error) == TESSERA_OK);

  char name[1000];
  snprintf(name, sizeof name, "%s/a/c/1/0", folder);
  FILE* const shard = fopen(name, "r+b");
  CHECK(shard && fseek(shard, -6, SEEK_END) == 0 && fputs("damage", shard) >= 0 && fclose(shard) == 0);
  CHECK_FAILS(tessera_read_array(array, NULL, NULL, NULL, all, sizeof all, &error), TESSERA_CODEC, folder, "a/c/1/0");
  tessera_close_array(array);
}

static char const vast[] =
    "{\"zarr_format\": 3, \"node_type\": \"array\", \"shape\": [4294967296, 4294967296, 4294967296],"
    " \"data_type\": \"int8\", \"chunk_grid\": {\"name\": \"regular\", \"configuration\": {\"chunk_shape\":"
    " [1, 1, 1125899906842624]}}, \"chunk_key_encoding\": {\"name\": \"default\", \"configuration\":"
    " {\"separator\": \"/\"}}, \"fill_value\": 0, \"codecs\": [{\"name\": \"bytes\"}]}";

static void check_vast(char const* folder) {
  tessera_error error = {0};
  tessera_array* array = NULL;
  int8_t one[1] = {1};
  uint64_t const count[3] = {1, 1, 1};
  CHECK(tessera_create_array(folder, "vast", vast, 0, &array, &error) == TESSERA_OK);
  CHECK_FAILS(tessera_read_array(array, NULL, NULL, NULL, one, 1, &error), TESSERA_SELECTION, "the memory has 1 bytes",
              "vast/zarr.json");
  CHECK_FAILS(tessera_read_array(array, NULL, NULL, NULL, one, SIZE_MAX, &error), TESSERA_SELECTION,
              "but the box has 2^64 or more", "vast/zarr.json");
  CHECK(tessera_read_array(array, NULL, count, NULL, one, 1, &error) == TESSERA_OK && one[0] == 0);
  tessera_close_array(array);
}

static void put(char const* folder, char const* name, char const* text) {
  tessera_error const error = {0};
  char path[1000];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE* const file = fopen(path, "w");
  CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

/* Strings are refused; attributes may be broken while elements are not. */
static void check_documents(char const* folder) {
  tessera_error error = {0};
  tessera_array* array;
  char const* attributes = NULL;
  char const strings[] =
      "{\"zarr_format\": 3, \"node_type\": \"array\", \"shape\": [2], \"data_type\": \"string\","
      " \"chunk_grid\": {\"name\": \"regular\", \"configuration\": {\"chunk_shape\": [2]}},"
      " \"chunk_key_encoding\": {\"name\": \"default\"}, \"fill_value\": \"\", \"codecs\": [{\"name\": "
      "\"vlen-utf8\"}]}";
  CHECK_FAILS(tessera_create_array(folder, "text", strings, 0, &array, &error), TESSERA_METADATA,
              "elements of string differ in size", "text/zarr.json");

  /* One of Zarr v2, whose attributes are broken; its elements are not. */
  CHECK(tessera_create_array(folder, "old", document, 0, &array, &error) == TESSERA_OK);
  CHECK(tessera_get_attributes(array, &attributes, &error) == TESSERA_OK && strstr(attributes, "\"unit\": \"mm\""));
  tessera_close_array(array);
  put(folder, "old/zarr.json", strings);
  CHECK_FAILS(tessera_open_array(folder, "old", &array, &error), TESSERA_METADATA, "elements of string differ in size",
              "old/zarr.json");
  char path[1000];
  snprintf(path, sizeof path, "%s/old/zarr.json", folder);
  CHECK(remove(path) == 0);
  put(folder, "old/.zarray",
      "{\"zarr_format\": 2, \"shape\": [2], \"chunks\": [2], \"dtype\": \"|u1\", \"compressor\": null,"
      " \"fill_value\": 7, \"order\": \"C\", \"filters\": null}");
  put(folder, "old/.zattrs", "{\"unit\": ");
  uint8_t elements[2];
  CHECK(tessera_open_array(folder, "old", &array, &error) == TESSERA_OK);
  CHECK(tessera_read_array(array, NULL, NULL, NULL, elements, 2, &error) == TESSERA_OK && elements[1] == 7);
  CHECK_FAILS(tessera_get_attributes(array, &attributes, &error), TESSERA_METADATA, "old/.zattrs", "JSON");
  tessera_close_array(array);
}

static void check_opening(char const* folder) {
  tessera_error error = {0};
  tessera_array* array = (tessera_array*)&error;
  CHECK_FAILS(tessera_open_array("examples/data/brain.zarr", "t9", &array, &error), TESSERA_NOT_FOUND,
              "examples/data/brain.zarr", "t9");
  CHECK(array == NULL);
  CHECK_FAILS(tessera_open_array("/missing", "", &array, &error), TESSERA_NOT_FOUND, "/missing", "zarr.json");
  CHECK_FAILS(tessera_open_array("examples/data/brain.zarr", "../t1", &array, &error), TESSERA_STORE, "../t1",
              "examples/data/brain.zarr");
  /* A message longer than the caller's memory is cut, not within a character. */
  char path[3002];
  for (size_t i = 0; i < 3000; i += 2) memcpy(path + i, "\xc3\xa4", 2);
  path[3000] = '\0';
  CHECK(tessera_open_array(folder, path, &array, &error) != TESSERA_OK);
  size_t const length = strlen(error.message);
  CHECK(length >= sizeof error.message - 2 && length < sizeof error.message &&
        (error.message[length - 1] & 0xff) == 0xa4);

  tessera_array_info info;
  char const* text;
  CHECK_FAILS(tessera_open_array(NULL, "", &array, &error), TESSERA_ARGUMENT, "folder is NULL", "");
  CHECK_FAILS(tessera_open_array(folder, NULL, &array, &error), TESSERA_ARGUMENT, "path is NULL", "");
  CHECK_FAILS(tessera_open_array(folder, "", NULL, &error), TESSERA_ARGUMENT, "array is NULL", "");
  CHECK_FAILS(tessera_create_array(folder, "", NULL, 0, &array, &error), TESSERA_ARGUMENT, "document is NULL", "");
  CHECK_FAILS(tessera_describe_array(NULL, &info, &error), TESSERA_ARGUMENT, "array is NULL", "");
  CHECK_FAILS(tessera_get_attributes(NULL, &text, &error), TESSERA_ARGUMENT, "array is NULL", "");
  CHECK_FAILS(tessera_read_array(NULL, NULL, NULL, NULL, NULL, 0, &error), TESSERA_ARGUMENT, "array is NULL", "");
  CHECK_FAILS(tessera_write_array(NULL, NULL, NULL, NULL, NULL, 0, &error), TESSERA_ARGUMENT, "array is NULL", "");
  CHECK(tessera_open_array(NULL, NULL, NULL, NULL) == TESSERA_ARGUMENT);
  tessera_close_array(NULL);
}

/* A slice, elements 3 to 10, of twelve values i / 2, of which those that 3 divides are null: 3, 6 and 9. */
static float const values[12] = {0, 0.5F, 1, 1.5F, 2, 2.5F, 3, 3.5F, 4, 4.5F, 5, 5.5F};
static uint8_t const mask[2] = {0xb6, 0x0d};
static tessera_column_info weight(void) {
  tessera_column_info column = {0};
  column.name = "weight", column.data_type = "float32";
  column.length = 8, column.offset = 3, column.null_count = 3;
  column.values = values, column.values_size = sizeof values;
  column.mask_kind = TESSERA_MASK_BITS, column.mask = mask, column.mask_size = sizeof mask;
  return column;
}

static int publish(void) {
  tessera_error error = {0};
  tessera_producer* producer;
  tessera_published* published = NULL;
  tessera_column_info const column = weight();
  char const* json;
  if (tessera_start_producer(&producer, &error) || tessera_publish_column(producer, &column, &published, &error) ||
      tessera_get_json(published, &json, &error)) {
    fprintf(stderr, "%s\n", error.message);
    return 1;
  }
  for (; *json; ++json)
    if (*json != '\n') putchar(*json);
  putchar('\n');
  fflush(stdout);
  while (getchar() != EOF) continue;
  tessera_close_published(published);
  tessera_stop_producer(producer);
  return 0;
}

static void check_refused_columns(void) {
  tessera_error error = {0};
  tessera_producer* producer;
  tessera_consumer* consumer;
  tessera_published* published;
  tessera_column* column = NULL;
  char const* json;
  CHECK(tessera_start_producer(&producer, &error) == TESSERA_OK);
  CHECK(tessera_start_consumer(&consumer, &error) == TESSERA_OK);
#define CHECK_REFUSED(change, expected, first)                                                     \
  do {                                                                                             \
    tessera_column_info what = weight();                                                           \
    change;                                                                                        \
    CHECK_FAILS(tessera_publish_column(producer, &what, &published, &error), expected, first, ""); \
  } while (0)
  CHECK_REFUSED(what.data_type = NULL, TESSERA_ARGUMENT, "column->data_type is NULL");
  CHECK_REFUSED(what.data_type = "float31", TESSERA_METADATA, "found the data type \"float31\"");
  CHECK_REFUSED(what.data_type = "complex64", TESSERA_IPC, "complex64");
  CHECK_REFUSED(what.data_type = "string", TESSERA_IPC, "string");
  CHECK_REFUSED(what.values = NULL, TESSERA_ARGUMENT, "column->values is NULL");
  CHECK_REFUSED(what.values_size = 47, TESSERA_SELECTION, "47 bytes, expected a multiple of 4");
  CHECK_REFUSED(what.values_size = (size_t)1 << 61, TESSERA_OTHER, "2305843009213693952 bytes of shared memory");
  CHECK_REFUSED(what.length = 10, TESSERA_SELECTION, "elements 3 to 13 do not lie in a column of 12");
  CHECK_REFUSED(what.mask_kind = 3, TESSERA_ARGUMENT, "found 3 in column->mask_kind");
  CHECK_REFUSED(what.mask_size = 1, TESSERA_IPC, "it has 1 bytes of a mask, expected 2");
  CHECK_REFUSED(what.mask = NULL, TESSERA_ARGUMENT, "column->mask is NULL");
  CHECK_REFUSED(what.mask_kind = TESSERA_MASK_NONE, TESSERA_IPC, "it has nulls but no mask");
  CHECK_REFUSED(what.null_count = 9, TESSERA_IPC, "its null count is invalid");
  CHECK_FAILS(tessera_publish_column(NULL, NULL, &published, &error), TESSERA_ARGUMENT, "producer is NULL", "");
  CHECK_FAILS(tessera_publish_column(producer, NULL, &published, &error), TESSERA_ARGUMENT, "column is NULL", "");
  CHECK_FAILS(tessera_get_json(NULL, &json, &error), TESSERA_ARGUMENT, "published is NULL", "");
  CHECK_FAILS(tessera_attach_column(consumer, NULL, &column, &error), TESSERA_ARGUMENT, "json is NULL", "");
  CHECK_FAILS(tessera_attach_column(NULL, "{}", &column, &error), TESSERA_ARGUMENT, "consumer is NULL", "");
  CHECK_FAILS(tessera_describe_column(NULL, NULL, &error), TESSERA_ARGUMENT, "column is NULL", "");
  CHECK_FAILS(tessera_start_producer(NULL, &error), TESSERA_ARGUMENT, "producer is NULL", "");
  CHECK_FAILS(tessera_start_consumer(NULL, &error), TESSERA_ARGUMENT, "consumer is NULL", "");
  CHECK_FAILS(tessera_attach_column(consumer, "{\"format\": ", &column, &error), TESSERA_METADATA, "JSON", "");
  CHECK_FAILS(tessera_attach_column(consumer, "{}", &column, &error), TESSERA_METADATA, "member format", "");

  /* In one process; then withdrawn. Without nulls and a name; and without elements. */
  tessera_column_info what = {0}, info;
  what.data_type = "uint16", what.length = 3, what.null_count = -1;
  uint16_t const numbers[3] = {7, 8, 9};
  what.values = numbers, what.values_size = sizeof numbers;
  uint8_t const bytes[3] = {1, 0, 1};
  CHECK(tessera_publish_column(producer, &what, &published, &error) == TESSERA_OK);
  CHECK(tessera_get_json(published, &json, &error) == TESSERA_OK);
  CHECK(tessera_attach_column(consumer, json, &column, &error) == TESSERA_OK);
  CHECK(tessera_describe_column(column, &info, &error) == TESSERA_OK);
  CHECK(info.name[0] == '\0' && strcmp(info.schema, "S") == 0 && info.length == 3 && info.offset == 0);
  CHECK(info.null_count == -1 && info.mask_kind == TESSERA_MASK_NONE && info.mask == NULL && info.mask_size == 0);
  CHECK(info.values_size == 6 && memcmp(info.values, numbers, 6) == 0);
  tessera_close_column(column);
  /* The same as indices into a dictionary, which nothing in C would say. */
  char indices[4096];
  char const* const nulls = strstr(json, "\"null_count\"");
  snprintf(indices, sizeof indices, "%.*s\"dictionary\": {\"name\": \"\", \"schema\": \"n\", \"length\": 10, "
           "\"offset\": 0, \"null_count\": 10}, %s", (int)(nulls - json), json, nulls);
  CHECK_FAILS(tessera_attach_column(consumer, indices, &column, &error), TESSERA_IPC, "indices into a dictionary", "");
  char* const old = strdup(json);
  tessera_close_published(published);
  CHECK_FAILS(tessera_attach_column(consumer, old, &column, &error), TESSERA_IPC, "", "");
  free(old);
  what.mask_kind = TESSERA_MASK_BYTES, what.mask = bytes, what.mask_size = 3;
  CHECK(tessera_publish_column(producer, &what, &published, &error) == TESSERA_OK);
  CHECK(tessera_get_json(published, &json, &error) == TESSERA_OK);
  CHECK(tessera_attach_column(consumer, json, &column, &error) == TESSERA_OK);
  CHECK(tessera_describe_column(column, &info, &error) == TESSERA_OK);
  CHECK(info.mask_kind == TESSERA_MASK_BYTES && info.mask_size == 3 && memcmp(info.mask, bytes, 3) == 0);
  tessera_close_column(column);
  tessera_close_published(published);
  what.mask_kind = TESSERA_MASK_NONE;
  what.length = 0, what.values = NULL, what.values_size = 0;
  CHECK(tessera_publish_column(producer, &what, &published, &error) == TESSERA_OK);
  CHECK(tessera_get_json(published, &json, &error) == TESSERA_OK);
  CHECK(tessera_attach_column(consumer, json, &column, &error) == TESSERA_OK);
  CHECK(tessera_describe_column(column, &info, &error) == TESSERA_OK && info.length == 0 && info.values_size == 0);
  tessera_close_column(column);
  tessera_close_published(published);
  tessera_stop_consumer(consumer);
  tessera_stop_producer(producer);
  tessera_close_published(NULL), tessera_close_column(NULL);
  tessera_stop_consumer(NULL), tessera_stop_producer(NULL);
}

static void check_attaching(char const* program) {
  tessera_error error = {0};
  int to_child[2], from_child[2], status = -1;
  CHECK(pipe(to_child) == 0 && pipe(from_child) == 0);
  pid_t const child = fork();
  if (child == 0) {
    dup2(to_child[0], 0), dup2(from_child[1], 1);
    close(to_child[0]), close(to_child[1]), close(from_child[0]), close(from_child[1]);
    execl(program, program, "publish", (char*)NULL);
    _exit(1);
  }
  close(to_child[0]), close(from_child[1]);
  static char json[1 << 16];
  FILE* const input = fdopen(from_child[0], "r");
  CHECK(input && fgets(json, sizeof json, input));

  tessera_consumer* consumer;
  tessera_column* column;
  tessera_column_info info;
  CHECK(tessera_start_consumer(&consumer, &error) == TESSERA_OK);
  CHECK(tessera_attach_column(consumer, json, &column, &error) == TESSERA_OK);
  CHECK(tessera_describe_column(column, &info, &error) == TESSERA_OK);
  CHECK(strcmp(info.name, "weight") == 0 && strcmp(info.data_type, "float32") == 0 && strcmp(info.schema, "f") == 0);
  CHECK(info.length == 8 && info.offset == 3 && info.null_count == 3);
  CHECK(info.values_size == sizeof values && memcmp(info.values, values, sizeof values) == 0);
  CHECK(info.mask_kind == TESSERA_MASK_BITS && info.mask_size == 2 && memcmp(info.mask, mask, 2) == 0);

  /* The producer ends. */
  close(to_child[1]);
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
  struct timespec const moment = {0, 10000000};
  for (int i = 0; i < 1000 && tessera_describe_column(column, &info, &error) == TESSERA_OK; ++i)
    nanosleep(&moment, NULL);
  CHECK(error.status == TESSERA_PRODUCER_GONE && error.message[0] != '\0');
  CHECK(memcmp(info.values, values, sizeof values) == 0);
  tessera_stop_consumer(consumer);
  tessera_close_column(column);
  fclose(input);
}

int main(int count, char** arguments) {
  if (count != 2) return 2;
  if (strcmp(arguments[1], "publish") == 0) return publish();
  tessera_error const error = {0};
  CHECK(strcmp(tessera_version(), "0.2.0") == 0);
  check_attaching(arguments[0]);
  check_brain();
  check_writing(arguments[1]);
  check_vast(arguments[1]);
  check_documents(arguments[1]);
  check_opening(arguments[1]);
  check_refused_columns();
  printf("%d checks failed\n", failures);
  return failures != 0;
}
