// The only file that compiles reading and writing of arrays.
#include "source.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <string>

#include <tessera/array/strings.hpp>
#include <tessera/buffer/detail/scratch.hpp>
#include <tessera/metadata/detail/base64.hpp>
#include <tessera/node/create.hpp>
#include <tessera/node/open.hpp>
#include <tessera/transfer/detail/shard_parts.hpp>

#include "address.hpp"
#include "interruption.hpp"
#include "objects.hpp"
#include "space.hpp"

namespace cli {
namespace {

// Waits in its calls end when a signal comes.
Array stopping(Array const& array) {
  auto const stop = Interruption::stop();
  return array.with(tessera::ReadOptions{.stop = stop}).with(tessera::WriteOptions{.stop = stop});
}

}  // namespace

Array open_array(std::string const& path, std::size_t threads, Files const& files) {
  auto node = find_node(path, files);
  return open_array(std::move(node.store), std::move(node.path), Queue{threads});
}

Array open_source(std::string const& path, std::size_t threads, Files const& files) {
  auto node = find_source(path, files);
  return open_array(std::move(node.store), std::move(node.path), Queue{threads});
}

Array open_array(Store store, std::string path, Queue on) {
  return stopping(tessera::open_any<Codecs>(std::move(store), std::move(path), std::move(on)));
}

Array make_array(Store const& store, std::string path, tessera::ArrayMetadata metadata, Queue on) {
  return stopping(tessera::create_any<Codecs>(store, std::move(path), std::move(metadata), {}, std::move(on)));
}

std::vector<tessera::Specification> complete_codecs(tessera::ArrayMetadata const& array) {
  auto const pipeline = Pipeline::from(array.codecs);
  (void)pipeline.resolve(chunk_of(array));
  return pipeline.specifications(chunk_of(array));
}

void expect_readable(Store const& store, std::string const& path, tessera::ArrayMetadata const& array) {
  (void)Array{store, path, array, Queue{1}};
}

void read_elements(Array const& array, tessera::Region const& region, std::span<std::byte> to,
                   tessera::Traffic& traffic) {
  auto const layout = tessera::Layout::c_order(region.count, array.type().size);
  about(array, [&] { array.read(region, {to.data(), layout.strides}, {.traffic = &traffic}); });
}

void write_elements(Array const& array, tessera::Region const& region, std::byte const* from,
                    tessera::Strides const& strides, std::uint64_t memory) {
  if (array.inner_chunk_shape() == array.chunk_shape()) memory = 0;  // the threads bound the work in progress
  about(array, [&] { array.write(region, {from, strides}, {.memory = memory}); });
}

namespace {

// Elements of an array that vary in size, in C order.
template <class T>
std::vector<T> read_varying(Array const& array, tessera::Region const& region, tessera::Traffic& traffic) {
  return about(array, [&] {
    std::vector<T> elements(tessera::checked_size(tessera::element_count(region.count, "the region"), "the region"));
    auto const strides = tessera::Layout::c_order(region.count, sizeof(T)).strides;
    tessera::StridedSpan<tessera::space::Host> const to{reinterpret_cast<std::byte*>(elements.data()), strides};
    array.read_into(region, tessera::detail::ElementsOf<T>::placed(to), {.traffic = &traffic});
    return elements;
  });
}
template <class T>
void write_varying(Array const& array, tessera::Region const& region, std::vector<T> const& elements) {
  auto const strides = tessera::Layout::c_order(region.count, sizeof(T)).strides;
  tessera::StridedView<tessera::space::Host> const from{reinterpret_cast<std::byte const*>(elements.data()), strides};
  about(array, [&] { array.write_from(region, tessera::detail::ElementsOf<T>::placed(from), {}); });
}
template <class T>
void append_varying(Array const& array, std::size_t axis, tessera::Extents const& block, std::vector<T> const& elements,
                    std::atomic<std::uint64_t>& done) {
  auto const strides = tessera::Layout::c_order(block, sizeof(T)).strides;
  tessera::StridedView<tessera::space::Host> const from{reinterpret_cast<std::byte const*>(elements.data()), strides};
  about(array, [&] {
    array.append_from(axis, block, tessera::detail::ElementsOf<T>::placed(from),
                      {.progress = [&](std::uint64_t chunks, std::uint64_t) { done = chunks; }});
  });
}
std::vector<std::vector<std::byte>> decoded(std::vector<std::string> const& texts) {
  std::vector<std::vector<std::byte>> elements;
  for (auto const& text : texts) {
    auto bytes = tessera::detail::decode_base64(text);
    if (!bytes) throw UsageError{"found " + tessera::describe(text) + ", expected bytes in base64"};
    elements.push_back(*std::move(bytes));
  }
  return elements;
}
// Calls f with an empty element of the array's type.
template <class F>
decltype(auto) with_varying(tessera::DataType type, F&& f) {
  return type == tessera::string_type ? f(std::string{}) : f(std::vector<std::byte>{});
}

}  // namespace

Objects read_objects(Array const& array, tessera::Region const& region, tessera::Traffic& traffic) {
  return with_varying(array.type(),
                      [&]<class T>(T const&) -> Objects { return read_varying<T>(array, region, traffic); });
}

std::vector<std::string> read_texts(Array const& array, tessera::Region const& region, tessera::Traffic& traffic) {
  if (array.type() == tessera::string_type) return read_varying<std::string>(array, region, traffic);
  std::vector<std::string> texts;
  for (auto const& element : read_varying<std::vector<std::byte>>(array, region, traffic))
    texts.push_back(tessera::detail::encode_base64(element));
  return texts;
}

void write_texts(Array const& array, tessera::Region const& region, std::vector<std::string> texts) {
  if (array.type() == tessera::string_type) return write_varying(array, region, texts);
  write_varying(array, region, decoded(texts));
}

void copy_varying(Array const& from, Array const& to, tessera::Region const& region) {
  with_varying(to.type(), [&]<class T>(T const&) {
    tessera::Traffic traffic;
    auto const elements = read_varying<T>(from, region, traffic);
    if (traffic.missing != traffic.chunks) write_varying(to, region, elements);
  });
}

void append_elements(Array const& array, std::size_t axis, tessera::Extents const& block, std::byte const* from,
                     tessera::Strides const& strides, std::atomic<std::uint64_t>& done) {
  about(array, [&] {
    array.append(axis, block, {from, strides},
                 {.progress = [&](std::uint64_t chunks, std::uint64_t) { done = chunks; }});
  });
}

void append_texts(Array const& array, std::size_t axis, tessera::Extents const& block, std::vector<std::string> texts,
                  std::atomic<std::uint64_t>& done) {
  if (array.type() == tessera::string_type) return append_varying(array, axis, block, texts, done);
  append_varying(array, axis, block, decoded(texts), done);
}

bool takes_parts(Array const& array) {
  bool takes = false;
  if (!array.edges().empty() || !array.store().is_folder()) return false;  // other stores do not append
  array.for_written_chunks([&](auto const& chunks, auto const&) { takes = tessera::takes_parts(chunks); });
  return takes;
}

void copy_shards(Array const& from, Array const& to, tessera::detail::Places const& places, std::uint64_t part,
                 tessera::FunctionRef<void(tessera::Extents const&)> begin, std::atomic<std::uint64_t>& done) {
  auto const rank = from.chunk_shape().rank();
  auto const none = tessera::Extents::filled(rank, 0);
  auto& on = to.queue();
  to.for_written_chunks([&](auto const& written, tessera::Extents const& shape) {
    tessera::Region const nothing{none, none, tessera::Extents::filled(rank, 1)};
    from.on(on).for_chunks(nothing, tessera::Strides::filled(rank, 0), [&](auto const& read) {
      for (std::size_t i = 0; i < places.size(); ++i) {
        auto const place = places[i];
        begin(place);
        tessera::copy_encoded_shard(read, written, place, part, on, Interruption::stop());
        done += tessera::detail::elements_of_chunk(from.chunk_shape(), shape, place);
      }
    });
  });
}

void write_shard(Array const& array, tessera::Extents const& place, tessera::FunctionRef<void(WritePart)> make) {
  auto& on = array.queue();
  array.for_written_chunks([&](auto const& chunks, tessera::Extents const& shape) {
    tessera::ShardParts parts{chunks, shape, place};
    auto const write = [&](tessera::Region const& part, std::byte const* from) {
      auto const strides = tessera::Layout::c_order(part.count, array.type().size).strides;
      parts.write(part, tessera::StridedView<tessera::space::Host>{from, strides}, on);
    };
    make(write);
    parts.finish(on);
  });
}

void resize_array(Array const& array, tessera::Extents const& shape) {
  about(array, [&] { array.resize(shape); });
}

std::uint64_t compact_array(Array const& array, tessera::Region const* region, tessera::CompactOptions const& options) {
  return about(array, [&] { return region ? array.compact(*region, options) : array.compact(options); });
}

std::uint64_t chunks_touched(tessera::Region const& region, tessera::Extents const& chunk_shape) {
  tessera::Extents along;
  for (std::size_t d = 0; d < chunk_shape.rank(); ++d) {
    auto const first = region.first[d], step = region.step[d], count = region.count[d], length = chunk_shape[d];
    if (step >= length || count == 0)  // no two of them share a chunk
      along.push_back(count);
    else
      along.push_back((first + (count - 1) * step) / length - first / length + 1);
  }
  return tessera::count_or_most(along);
}

namespace {

using Scratch = tessera::Scratch<tessera::space::Host>;

class HostReader final : public Reader {
 public:
  explicit HostReader(Array const& array) : array_{array} {}

  std::span<std::byte> read(tessera::Region const& region, tessera::Traffic& traffic) override {
    return about(array_, [&] { return read_into(room_, region, traffic); });
  }
  void check(tessera::Region const& region, tessera::Traffic& traffic) const override {
    if (array_.type().varies())
      return with_varying(array_.type(), [&]<class T>(T const&) { (void)read_varying<T>(array_, region, traffic); });
    read_into(*array_.queue().lease<Scratch>(), region, traffic);
  }
  void keep_shard_indexes(std::uint64_t most) const override { array_.keep_shard_indexes(most); }

 private:
  std::span<std::byte> read_into(Scratch& room, tessera::Region const& region, tessera::Traffic& traffic) const {
    auto const bytes = room.take(size_in_bytes(region.count, array_.type()), array_.queue());
    auto const strides = tessera::Layout::c_order(region.count, array_.type().size).strides;
    array_.read(region, {bytes.data, strides}, {.traffic = &traffic});
    return {bytes.data, bytes.size};
  }

  Array const& array_;
  Scratch room_{};
};

class HostSpace final : public Space {
 public:
  std::unique_ptr<Reader> reader(Array const& array) const override { return std::make_unique<HostReader>(array); }
};

}  // namespace

std::unique_ptr<Space> space_named(std::string const& name, Queue const& on) {
  if (name == "device") return device_space(on);
  return std::make_unique<HostSpace>();
}

}  // namespace cli
