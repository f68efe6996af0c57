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
#include <tessera/core/detail/function_ref.hpp>
#include <tessera/metadata/detail/document.hpp>
#include <tessera/pipeline/run_time_codecs.hpp>
#include <tessera/plan/detail/places.hpp>
#include <tessera/with/all.hpp>
#include <tessera/with/zfp.hpp>

#include "node.hpp"

namespace cli {

/// Every codec that tessera has, and those of --plug-in.
using Codecs = tessera::WithStrings<tessera::WithRunTime<tessera::WithZfp<tessera::AllCodecs>>>;
using Pipeline = tessera::AnyPipeline<tessera::space::Host, tessera::space::Host, Codecs>;
using Array = tessera::AnyArray<Store, Pipeline>;

using Queue = tessera::Queue<tessera::space::Host>;

/// In a folder, for changes or reading; in a source that find_source finds, for reading. Throw: tessera::Error, naming
/// the key.
Array open_array(std::string const& path, std::size_t threads, Files const& files);
Array open_source(std::string const& path, std::size_t threads, Files const& files);
Array open_array(Store store, std::string path, Queue on);

/// A new array at a free place in the store.
Array make_array(Store const& store, std::string path, tessera::ArrayMetadata metadata, Queue on);

/// The codecs with all optional settings. Throws: tessera::MetadataError, if they do not fit the array's chunks.
std::vector<tessera::Specification> complete_codecs(tessera::ArrayMetadata const& array);

/// Throws: tessera::Error, if the array cannot be opened to be read.
void expect_readable(Store const& store, std::string const& path, tessera::ArrayMetadata const& array);

/// Reads a region into contiguous memory, in C order.
void read_elements(Array const& array, tessera::Region const& region, std::span<std::byte> to,
                   tessera::Traffic& traffic);

/// Writes a region from memory of any strides, in bytes. Shards in progress use at most `memory` bytes; 0: no bound.
/// Throws: tessera::BudgetError too, if one of them needs more.
void write_elements(Array const& array, tessera::Region const& region, std::byte const* from,
                    tessera::Strides const& strides, std::uint64_t memory = 0);

/// The same for arrays whose elements vary in size, as texts: strings unchanged, bytes in base64. Throws: UsageError
/// too, if a text is not base64.
std::vector<std::string> read_texts(Array const& array, tessera::Region const& region, tessera::Traffic& traffic);
void write_texts(Array const& array, tessera::Region const& region, std::vector<std::string> texts);
/// Copies a region, unless all of its chunks are missing.
void copy_varying(Array const& from, Array const& to, tessera::Region const& region);

/// Appends a block from memory of any strides, in bytes. `done` counts the written chunks.
void append_elements(Array const& array, std::size_t axis, tessera::Extents const& block, std::byte const* from,
                     tessera::Strides const& strides, std::atomic<std::uint64_t>& done);
/// The same for arrays whose elements vary in size, with texts as for write_texts, in C order.
void append_texts(Array const& array, std::size_t axis, tessera::Extents const& block, std::vector<std::string> texts,
                  std::atomic<std::uint64_t>& done);

/// Whether shards can be written part by part, by the two functions that follow.
bool takes_parts(Array const& array);
/// The encoded shards at these places of another array with the same grids and codecs: about `part` bytes at a time.
/// `begin` is called before each; `done` counts elements.
void copy_shards(Array const& from, Array const& to, tessera::detail::Places const& places, std::uint64_t part,
                 tessera::FunctionRef<void(tessera::Extents const&)> begin, std::atomic<std::uint64_t>& done);
/// A shard of elements that come in parts, each of inner chunks, in C order: `make` calls its argument with each part
/// and its contiguous memory.
using WritePart = tessera::FunctionRef<void(tessera::Region const&, std::byte const*)>;
void write_shard(Array const& array, tessera::Extents const& place, tessera::FunctionRef<void(WritePart)> make);

void resize_array(Array const& array, tessera::Extents const& shape);

/// How many bytes smaller its shards become; for a region, those that it touches. Null: all of them.
std::uint64_t compact_array(Array const& array, tessera::Region const* region, tessera::CompactOptions const& options);

/// How many chunks a region touches: Traffic::chunks when it has been read.
std::uint64_t chunks_touched(tessera::Region const& region, tessera::Extents const& chunk_shape);

/// Runs f. An error that names no key is about the array as a whole, and gets its document's key.
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
