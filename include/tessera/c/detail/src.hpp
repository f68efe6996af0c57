// The functions of tessera/tessera.h. Exactly one unit includes it: that of CMake's tessera::c.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include <tessera/tessera.h>
#include <tessera/c/detail/array.hpp>
#include <tessera/c/detail/column.hpp>
#include <tessera/c/detail/guarded.hpp>
#include <tessera/core/config.hpp>

extern "C" {

char const* tessera_version() { return tessera::version; }

int tessera_open_array(char const* folder, char const* path, tessera_array** array, tessera_error* error) {
  using namespace tessera::c::detail;
  return guarded_make(array, "array", error, [&] {
    Store const store{std::string{given_text(folder, "folder")}};
    return new tessera_array{open(store, given_text(path, "path"))};
  });
}

int tessera_create_array(char const* folder, char const* path, char const* document, int overwrite,
                         tessera_array** array, tessera_error* error) {
  using namespace tessera::c::detail;
  return guarded_make(array, "array", error, [&] {
    Store const store{std::string{given_text(folder, "folder")}};
    auto const* const node = given_text(path, "path");
    return new tessera_array{create(store, node, given_text(document, "document"), overwrite != 0)};
  });
}

void tessera_close_array(tessera_array* array) { delete array; }

int tessera_describe_array(tessera_array const* array, tessera_array_info* info, tessera_error* error) {
  using namespace tessera::c::detail;
  return guarded(error, [&] {
    auto const& of = given(array, "array");
    given(info, "info") = {of.shape.rank(), of.shape.begin(), of.chunk_shape.begin(), of.data_type.c_str(),
                           of.array.type().size};
  });
}

int tessera_get_attributes(tessera_array const* array, char const** json, tessera_error* error) {
  using namespace tessera::c::detail;
  return guarded(error, [&] {
    auto const& of = given(array, "array");
    if (of.broken_attributes) throw *of.broken_attributes;
    given(json, "json") = of.attributes.c_str();
  });
}

int tessera_read_array(tessera_array const* array, uint64_t const* start, uint64_t const* count, uint64_t const* step,
                       void* memory, size_t size, tessera_error* error) {
  using namespace tessera::c::detail;
  return guarded(error, [&] {
    auto const box = box_in_memory(given(array, "array"), start, count, step, size);
    auto* const to = size == 0 ? nullptr : &given(static_cast<std::byte*>(memory), "memory");
    array->array.read(box.region, {to, box.strides});
  });
}

int tessera_write_array(tessera_array const* array, uint64_t const* start, uint64_t const* count, uint64_t const* step,
                        void const* memory, size_t size, tessera_error* error) {
  using namespace tessera::c::detail;
  return guarded(error, [&] {
    auto const box = box_in_memory(given(array, "array"), start, count, step, size);
    auto* const from = size == 0 ? nullptr : &given(static_cast<std::byte const*>(memory), "memory");
    array->array.write(box.region, {from, box.strides});
  });
}

int tessera_start_producer(tessera_producer** producer, tessera_error* error) {
  using namespace tessera::c::detail;
  return guarded_make(producer, "producer", error, [] { return new tessera_producer; });
}

void tessera_stop_producer(tessera_producer* producer) { delete producer; }

int tessera_publish_column(tessera_producer* producer, tessera_column_info const* column, tessera_published** published,
                           tessera_error* error) {
  using namespace tessera::c::detail;
  return guarded_make(published, "published", error, [&] {
    auto& with = given(producer, "producer");
    return new tessera_published{publish(with.producer, given(column, "column"))};
  });
}

int tessera_get_json(tessera_published const* published, char const** json, tessera_error* error) {
  using namespace tessera::c::detail;
  return guarded(error, [&] { given(json, "json") = given(published, "published").json.c_str(); });
}

void tessera_close_published(tessera_published* published) { delete published; }

int tessera_start_consumer(tessera_consumer** consumer, tessera_error* error) {
  using namespace tessera::c::detail;
  return guarded_make(consumer, "consumer", error, [] { return new tessera_consumer; });
}

void tessera_stop_consumer(tessera_consumer* consumer) { delete consumer; }

int tessera_attach_column(tessera_consumer* consumer, char const* json, tessera_column** column, tessera_error* error) {
  using namespace tessera::c::detail;
  return guarded_make(column, "column", error, [&] {
    auto& with = given(consumer, "consumer");
    return new tessera_column{attach(with.consumer, given_text(json, "json"))};
  });
}

int tessera_describe_column(tessera_column const* column, tessera_column_info* info, tessera_error* error) {
  using namespace tessera::c::detail;
  return guarded(error, [&] { given(info, "info") = describe(given(column, "column")); });
}

void tessera_close_column(tessera_column* column) { delete column; }

}  // extern "C"
