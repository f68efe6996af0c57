// LocalWriteOptions and LocalReadOptions: how ranks write and read together. Exchanged: counters of what they send.
#pragma once
#include <cstddef>
#include <cstdint>

#include <tessera/core/dimensions.hpp>
#include <tessera/transfer/options.hpp>

namespace tessera { inline namespace v0 {

/// Counters of one rank, for one or several calls. They count messages with elements; those by which ranks agree have a
/// fixed number and size.
struct Exchanged {
  std::uint64_t messages = 0;  ///< sent to other ranks, including those that request elements for a round
  std::uint64_t bytes = 0;     ///< in these messages
  std::uint64_t rounds = 0;    ///< of messages, in which this rank took part
  std::uint64_t memory = 0;    ///< bytes that one call had at most, besides the caller's memory and the codecs'
};

/// Options of write_local. All but `write`, `exchanged` and `device_messages` are the same on all ranks.
struct LocalWriteOptions {
  Extents origin{};            ///< where the partition begins in the array; empty: at its first element
  std::uint64_t memory = 0;    ///< bytes of elements being sent, at most; 0: 256 MiB, or what one value needs
  WriteOptions write{};        ///< of this rank's writes; progress counts in each box of them
  Exchanged* exchanged = nullptr;  ///< added to, if given
  /// Elements in device memory are sent from there, if the communicator reads device memory.
  bool device_messages = false;
};

/// Options of a LocalWriter. All but `write`, `exchanged` and `device_messages` are the same on all ranks.
struct LocalWriterOptions {
  std::size_t in_flight = 2;  ///< calls whose elements are not yet in the store, at most; 1 or more
  /// The caller's memory is copied: it is free when the call returns. Memory for copies is kept until the writer ends.
  bool copies = false;
  /// Most bytes of a call in flight, besides the caller's memory and its copy; 0: what it needs.
  std::uint64_t memory = 0;
  WriteOptions write{};      ///< of this rank's writes; progress counts in each box of them
  Exchanged* exchanged = nullptr;  ///< added to, if given
  bool device_messages = false;    ///< as in LocalWriteOptions
};

/// Who fetches a stored value that several ranks read.
enum class ReadSharing {
  none,  ///< each of them, without a message
  node,  ///< one of each node, which sends the others their elements
  all,   ///< one of all ranks
};

/// Options of read_local. All but `read` and `exchanged` are the same on all ranks.
struct LocalReadOptions {
  Extents origin{};                        ///< as in LocalWriteOptions
  std::uint64_t memory = 0;                ///< as in LocalWriteOptions
  ReadSharing sharing = ReadSharing::none; ///< who fetches a value that several ranks read
  ReadOptions read{};                      ///< of this rank's reads; progress counts in each box of them
  Exchanged* exchanged = nullptr;          ///< added to, if given
};

}}  // namespace tessera::v0
