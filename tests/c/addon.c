/* Columns of tessera in Node: `require("./tessera.node").attach(json)` returns an object with what tessera_column_info
   has, `values` and `mask` as ArrayBuffers, and close(). They are memory of another process, only to be read: a program
   that writes there is ended by the system. close() detaches them: they have no bytes afterwards. */
#include <stdlib.h>

#include <node_api.h>

#include <tessera/tessera.h>

typedef struct attached {
  tessera_column* column; /* NULL: closed */
  napi_ref values, mask;  /* weak ones, to the buffers; NULL: none */
} attached;

/* Returns false, and throws in JavaScript, if a call of N-API failed. */
static int is_ok(napi_env env, napi_status status) {
  if (status == napi_ok) return 1;
  napi_extended_error_info const* info;
  char const* message = "a call of N-API failed";
  bool is_pending = false;
  /* Before any other call, which replaces it. */
  if (napi_get_last_error_info(env, &info) == napi_ok && info->error_message) message = info->error_message;
  if (napi_is_exception_pending(env, &is_pending) == napi_ok && !is_pending) napi_throw_error(env, NULL, message);
  return 0;
}

/* The same for tessera. The code is the status. */
static int is_fine(napi_env env, int status, tessera_error const* error) {
  if (status == TESSERA_OK) return 1;
  char code[3] = {(char)('0' + status / 10), (char)('0' + status % 10), '\0'};
  napi_throw_error(env, status < 10 ? code + 1 : code, error->message);
  return 0;
}

static void detach(napi_env env, napi_ref* buffer) {
  napi_value value = NULL;
  if (*buffer && napi_get_reference_value(env, *buffer, &value) == napi_ok && value)
    napi_detach_arraybuffer(env, value);
  if (*buffer) napi_delete_reference(env, *buffer);
  *buffer = NULL;
}

static void close_attached(napi_env env, attached* one) {
  detach(env, &one->values);
  detach(env, &one->mask);
  tessera_close_column(one->column);
  one->column = NULL;
}

static void finalize(napi_env env, void* data, void* hint) {
  (void)hint;
  close_attached(env, data);
  free(data);
}

static void stop_consumer(napi_env env, void* data, void* hint) {
  (void)env, (void)hint;
  tessera_stop_consumer(data);
}

static napi_value close_column(napi_env env, napi_callback_info call) {
  napi_value self;
  void* data;
  if (is_ok(env, napi_get_cb_info(env, call, NULL, NULL, &self, NULL)) && is_ok(env, napi_unwrap(env, self, &data)))
    close_attached(env, data);
  return NULL;
}

static int set_text(napi_env env, napi_value object, char const* name, char const* text) {
  napi_value value;
  return is_ok(env, napi_create_string_utf8(env, text, NAPI_AUTO_LENGTH, &value)) &&
         is_ok(env, napi_set_named_property(env, object, name, value));
}
static int set_number(napi_env env, napi_value object, char const* name, int64_t number) {
  napi_value value;
  return is_ok(env, napi_create_int64(env, number, &value)) &&
         is_ok(env, napi_set_named_property(env, object, name, value));
}
static int set_bytes(napi_env env, napi_value object, char const* name, void const* data, size_t size,
                     napi_ref* buffer) {
  napi_value value;
  return is_ok(env, napi_create_external_arraybuffer(env, (void*)data, size, NULL, NULL, &value)) &&
         is_ok(env, napi_create_reference(env, value, 0, buffer)) &&
         is_ok(env, napi_set_named_property(env, object, name, value));
}

static int fill(napi_env env, napi_value object, attached* one) {
  static char const* const kinds[] = {"none", "bits", "bytes"};
  tessera_error error;
  tessera_column_info info;
  napi_value close;
  return is_fine(env, tessera_describe_column(one->column, &info, &error), &error) &&
         set_text(env, object, "name", info.name) && set_text(env, object, "dataType", info.data_type) &&
         set_text(env, object, "schema", info.schema) && set_number(env, object, "length", (int64_t)info.length) &&
         set_number(env, object, "offset", (int64_t)info.offset) &&
         set_number(env, object, "nullCount", info.null_count) &&
         set_text(env, object, "maskKind", kinds[info.mask_kind]) &&
         set_bytes(env, object, "values", info.values, info.values_size, &one->values) &&
         (!info.mask || set_bytes(env, object, "mask", info.mask, info.mask_size, &one->mask)) &&
         is_ok(env, napi_create_function(env, "close", NAPI_AUTO_LENGTH, close_column, NULL, &close)) &&
         is_ok(env, napi_set_named_property(env, object, "close", close));
}

static napi_value attach(napi_env env, napi_callback_info call) {
  size_t count = 1, size = 0;
  napi_value argument, object;
  void* consumer;
  if (!is_ok(env, napi_get_cb_info(env, call, &count, &argument, NULL, NULL)) ||
      !is_ok(env, napi_get_instance_data(env, &consumer)) ||
      !is_ok(env, napi_get_value_string_utf8(env, argument, NULL, 0, &size)))
    return NULL;
  char* const json = malloc(size + 1);
  attached* const one = calloc(1, sizeof *one);
  tessera_error error = {TESSERA_MEMORY, "too little memory is free"};
  int done = json && one ? 1 : is_fine(env, error.status, &error);
  done = done && is_ok(env, napi_get_value_string_utf8(env, argument, json, size + 1, &size)) &&
         is_fine(env, tessera_attach_column(consumer, json, &one->column, &error), &error);
  free(json);
  if (!done || !is_ok(env, napi_create_object(env, &object)) ||
      !is_ok(env, napi_wrap(env, object, one, finalize, NULL, NULL))) {
    if (one) tessera_close_column(one->column);
    free(one);
    return NULL;
  }
  if (fill(env, object, one)) return object; /* which owns `one` in any case */
  close_attached(env, one);
  return NULL;
}

NAPI_MODULE_INIT() {
  tessera_error error;
  tessera_consumer* consumer;
  napi_value function;
  if (!is_fine(env, tessera_start_consumer(&consumer, &error), &error)) return NULL;
  if (!is_ok(env, napi_set_instance_data(env, consumer, stop_consumer, NULL))) {
    tessera_stop_consumer(consumer);
    return NULL;
  }
  if (!is_ok(env, napi_create_function(env, "attach", NAPI_AUTO_LENGTH, attach, NULL, &function)) ||
      !is_ok(env, napi_set_named_property(env, exports, "attach", function)))
    return NULL;
  return exports;
}
