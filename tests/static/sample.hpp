// A small array, written by hand into any host store: 5 x 6 floats in chunks of 2 x 3, one of them missing.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/any_spaces.hpp>
#include <tessera/tessera.hpp>

#include "stub_device.hpp"

namespace sample {

namespace space = tessera::space;
using Host = tessera::HostBuffer;
using HostStore = tessera::MemoryStore<Host>;
using DeviceStore = tessera::MemoryStore<stub::DeviceBuffer>;

inline constexpr std::uint64_t rows = 5, columns = 6, chunk_rows = 2, chunk_columns = 3;
inline constexpr float fill = -1.5f;

inline float element(std::uint64_t i, std::uint64_t j) {
  bool const missing = i / chunk_rows == 1 && j / chunk_columns == 0;
  return missing ? fill : static_cast<float>(100 * i + j);
}

// The result of reading everything.
inline std::vector<float> elements() {
  std::vector<float> all;
  for (std::uint64_t i = 0; i < rows; ++i)
    for (std::uint64_t j = 0; j < columns; ++j) all.push_back(element(i, j));
  return all;
}

inline bool failed = false;
inline void check(bool holds, char const* what) {
  if (holds) return;
  std::printf("not so: %s\n", what);
  failed = true;
}

template <class Store>
void write_text(Store const& store, std::string key, std::string_view text) {
  tessera::Queue<space::Host> on;
  store.write({std::move(key)}, {reinterpret_cast<std::byte const*>(text.data()), text.size()}, on);
}

inline std::string document(std::string_view codecs) {
  return R"({"zarr_format": 3, "node_type": "array", "data_type": "float32", "shape": [5, 6], "fill_value": -1.5,
    "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2, 3]}},
    "chunk_key_encoding": {"name": "default"}, "codecs": )" +
         std::string{codecs} + "}";
}

// The bytes of one chunk, its elements laid out and encoded by a pipeline on the host.
template <class P>
Host encoded(P const& pipeline, std::uint64_t first_row, std::uint64_t first_column) {
  tessera::Queue<space::Host> on;
  auto const form =
      pipeline.resolve({{chunk_rows, chunk_columns}, tessera::data_type_of<float>(), std::vector<std::byte>(4)});
  Host plain{form.decoded_size}, bytes{form.encoded_bound()};
  for (std::uint64_t i = 0; i < chunk_rows; ++i)
    for (std::uint64_t j = 0; j < chunk_columns; ++j) {
      auto const value = static_cast<float>(100 * (first_row + i) + first_column + j);
      auto const at =
          static_cast<std::int64_t>(i) * form.layout.strides[0] + static_cast<std::int64_t>(j) * form.layout.strides[1];
      auto* to = plain.span().data + at;
      std::memcpy(to, &value, sizeof value);
      if (form.layout.swapped != 1) std::reverse(to, to + sizeof value);
    }
  tessera::EncodeTask<space::Host, space::Host> task{plain.view(), bytes.span()};
  pipeline.encode(form, {&task, 1}, on);
  Host result{task.encoded.size};
  std::memcpy(result.span().data, task.encoded.data, task.encoded.size);
  return result;
}

// The array at `path`: its document in one store, its chunks in another, which may be the same.
template <class P, class Documents, class Chunks>
void write_array(Documents const& documents, Chunks const& chunks, std::string const& path, std::string_view codecs,
                 P const& pipeline) {
  tessera::Queue<space::Host> on;
  write_text(documents, path + "/zarr.json", document(codecs));
  for (std::uint64_t r = 0; r < 3; ++r)
    for (std::uint64_t c = 0; c < 2; ++c)
      if (r != 1 || c != 0)
        chunks.write({path + "/c/" + std::to_string(r) + "/" + std::to_string(c)},
                     encoded(pipeline, r * chunk_rows, c * chunk_columns).view(), on);
}

// Every value of a host store, in a store of another space.
template <class To>
To upload(HostStore const& from, tessera::Queue<space::Device>& on) {
  To to;
  from.list("", [&](tessera::Listed const& entry) {
    auto value = tessera::get_value(from, {std::string{entry.path}}, on.host());
    to.write({std::string{entry.path}}, tessera::copy_to<tessera::buffer_of<To>>(*std::move(value), on).view(), on);
  });
  return to;
}

template <class T>
std::vector<T> on_host(tessera::ByteView<space::Device> bytes, tessera::Queue<space::Device>& on) {
  std::vector<T> result(bytes.size / sizeof(T));
  tessera::crossing<space::Host, space::Device>::copy(bytes, {reinterpret_cast<std::byte*>(result.data()), bytes.size},
                                                      on);
  on.wait();
  return result;
}

// All elements of an array in device memory, read into the caller's memory.
template <class Array>
std::vector<float> read_on_device(Array const& array, tessera::Queue<space::Device>& on) {
  stub::DeviceBuffer memory{rows * columns * sizeof(float), on};
  auto* data = reinterpret_cast<float*>(memory.span().data);
  array.read(tessera::all, tessera::ArrayView<float, 2, space::Device>::c_order(data, {rows, columns})).wait();
  return on_host<float>(memory.view(), on);
}

// The host's codec of the stubs, in the shape of one chunk; its twins are in other files.
struct Invert {
  using kind = tessera::bytes_to_bytes;
  static constexpr std::string_view name = "invert";
  template <class S>
  static constexpr bool runs_in = S::host_accessible;

  static Invert from(tessera::ObjectReader&) { return {}; }
  tessera::Value configuration() const { return tessera::Members{}; }
  std::size_t encoded_bound(std::size_t size) const { return size; }
  std::size_t decode(tessera::ByteView<space::Host> from, tessera::ByteSpan<space::Host> to,
                     tessera::Queue<space::Host>&) const {
    if (from.size > to.size) throw tessera::CodecError{"too long"};
    for (std::size_t i = 0; i < from.size; ++i) to.data[i] = ~from.data[i];
    return from.size;
  }
  std::size_t encode(tessera::ByteView<space::Host> from, tessera::ByteSpan<space::Host> to,
                     tessera::Queue<space::Host>& on) const {
    return decode(from, to, on);
  }
};

// The device's: one launch for a batch.
struct DeviceInvert {
  using kind = tessera::bytes_to_bytes;
  static constexpr std::string_view name = "invert";
  template <class S>
  static constexpr bool runs_in = std::is_same_v<S, space::Device>;

  static DeviceInvert from(tessera::ObjectReader&) { return {}; }
  tessera::Value configuration() const { return tessera::Members{}; }
  std::size_t encoded_bound(std::size_t size) const { return size; }
  void decode(std::span<tessera::CodecTask<space::Device>> batch, tessera::Queue<space::Device>& on) const {
    ++stub::counts.launches;
    for (auto& task : batch) {
      task.size = task.from.size;
      on.stream()->push([task] {
        for (std::size_t i = 0; i < task.size; ++i) stub::to_host(task.to.data)[i] = ~stub::to_host(task.from.data)[i];
      });
    }
  }
  void encode(std::span<tessera::CodecTask<space::Device>> batch, tessera::Queue<space::Device>& on) const {
    decode(batch, on);
  }
};

// The codecs of most arrays here.
inline constexpr std::string_view bytes_invert =
    R"([{"name": "bytes", "configuration": {"endian": "little"}}, "invert"])";
using HostPipeline = tessera::Pipeline<space::Host, tessera::codec::Bytes, Invert>;

}  // namespace sample
