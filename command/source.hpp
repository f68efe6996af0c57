// Arrays of any type and rank, with every codec that tessera has.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <tessera/array/any_array.hpp>
#include <tessera/array/strings.hpp>
#include <tessera/metadata/document.hpp>
#include <tessera/with/all.hpp>
#include <tessera/with/zfp.hpp>

#include "node.hpp"

namespace cli {

using Codecs = tessera::WithStrings<tessera::WithZfp<tessera::AllCodecs>>;
using Pipeline = tessera::AnyPipeline<tessera::space::Host, tessera::space::Host, Codecs>;
using Array = tessera::AnyArray<Store, Pipeline>;

using Queue = tessera::Queue<tessera::space::Host>;

/// Throws: tessera::Error, naming the key.
Array open_array(std::string const& path, std::size_t threads, Files const& files);
Array open_array(Store store, std::string path, Queue on);

/// An array where the store has nothing yet.
Array make_array(Store const& store, std::string path, tessera::ArrayMetadata metadata, Queue on);

/// The codecs with everything said that may be left out. Throws: tessera::MetadataError, if they cannot take the
/// array's chunks.
std::vector<tessera::Specification> complete_codecs(tessera::ArrayMetadata const& array);

/// Reads a region into contiguous memory, in C order.
void read_elements(Array const& array, tessera::Region const& region, std::span<std::byte> to,
                   tessera::Traffic& traffic);

/// Writes a region from memory of any strides, in bytes. Shards under way take `memory` bytes at most; 0: no bound.
/// Throws: tessera::SelectionError too, if one of them takes more.
void write_elements(Array const& array, tessera::Region const& region, std::byte const* from,
                    tessera::Strides const& strides, std::uint64_t memory = 0);

/// The same of arrays whose elements vary in size, as texts: strings as they are, bytes in base64. Throws: UsageError
/// too, if a text is no base64.
std::vector<std::string> read_texts(Array const& array, tessera::Region const& region, tessera::Traffic& traffic);
void write_texts(Array const& array, tessera::Region const& region, std::vector<std::string> texts);
/// A region of one to another, unless all of its chunks are missing.
void copy_varying(Array const& from, Array const& to, tessera::Region const& region);

/// Appends a block from memory of any strides, in bytes. `done` counts the chunks that are written.
void append_elements(Array const& array, std::size_t axis, tessera::Extents const& block, std::byte const* from,
                     tessera::Strides const& strides, std::atomic<std::uint64_t>& done);
/// The same of arrays whose elements vary in size, as write_texts takes them, in C order.
void append_texts(Array const& array, std::size_t axis, tessera::Extents const& block, std::vector<std::string> texts,
                  std::atomic<std::uint64_t>& done);

void resize_array(Array const& array, tessera::Extents const& shape);

/// How many bytes its shards have fewer; of a region, those that are touched by it. Null: all of them.
std::uint64_t compact_array(Array const& array, tessera::Region const* region, tessera::CompactOptions const& options);

/// How many chunks a region touches: Traffic::chunks when it has been read.
std::uint64_t chunks_touched(tessera::Region const& region, tessera::Extents const& chunk_shape);

/// Runs f. An error that names no key is about the array as a whole, and then names its document.
template <class F>
decltype(auto) about(Array const& array, F&& f) try {
  return f();
} catch (tessera::Error& error) {
  error.in_key(array.document().path).in_store(array.store().name());
  throw;
}

inline std::size_t size_in_bytes(tessera::Extents const& shape, tessera::DataType type) {
  return tessera::checked_size(
      tessera::checked_product(tessera::element_count(shape, "the region"), type.size, "the region"), "the region");
}

}  // namespace cli
