// BatchConverter: what makes the elements of a loader's batches of those of the array.
#pragma once
#include <cstddef>

#include <tessera/loader/detail/batch_reader.hpp>
#include <tessera/loader/detail/planned_batch.hpp>
#include <tessera/transfer/options.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// For one thread at a time. A loader of the array's own elements has none.
template <class S, class P>
struct BatchConverter {
  using Reader = BatchReader<S, P>;

  virtual ~BatchConverter() = default;
  /// The bytes of an element of the batches.
  virtual std::size_t item_size() const = 0;
  /// As Reader::read. Throws: as that; what the conversion throws; of several batches any ConversionError.
  virtual std::size_t read(Reader& reader, PlannedBatch& batch, typename Reader::Later later,
                           typename Reader::Targets const& to, ReadOptions const& options) = 0;
};

}}}  // namespace tessera::v0::detail
