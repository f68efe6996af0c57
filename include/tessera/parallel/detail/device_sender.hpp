// DeviceSender: packs the elements that a rank sends in memory that only its device reads.
#pragma once
#include <cstddef>
#include <memory>

#include <tessera/parallel/detail/exchange_plan.hpp>
#include <tessera/parallel/detail/part_rows.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Of one call: the elements that the rank moves by itself and those of its own values are copied to the host, the
/// others are not. StagedPart is one.
class DeviceSender {
 public:
  virtual ~DeviceSender() = default;
  /// Copies what the rank itself writes to the host, and allocates a block for messages, before the first one.
  virtual std::shared_ptr<std::byte> begin(ExchangePlan const& plan, std::size_t size) = 0;
  /// Packs elements of the rank's memory in C order, and waits until they are there. Throws: DeviceError.
  virtual void pack(RankPart const& part, std::byte* to) = 0;
};

}}}  // namespace tessera::v0::detail
