// Columns of tables between processes by Arrow's C data interface: share makes attached columns Arrow's, publish takes
// arrays of other libraries. Link tessera::ipc. Device memory: with device.cuh.
#pragma once
#include <memory>
#include <utility>

#include <tessera/ipc/attached_column.hpp>
#include <tessera/ipc/producer.hpp>
#include <tessera/ipc/published_column.hpp>
#include <tessera/with/arrow/c_data.hpp>
#include <tessera/with/detail/arrow_columns/arrow_attached.hpp>
#include <tessera/with/detail/arrow_columns/arrow_publish.hpp>

namespace tessera { inline namespace v0 { namespace arrow_c {

/// An attached column, or a struct of columns, which consumers import as a table; its leases are returned when the last
/// consumer is done. Values, offsets and masks of bits are used in place; masks and bools of one byte for each element
/// become bits, which only host memory allows. In host memory, offsets and indices into dictionaries are checked once:
/// consumers trust them, so attach columns of producers that you trust not to change them. A published column is
/// attached first, `attach(consumer, published.descriptor())`, also in its own process. Throws: ProducerGone; IpcError,
/// if offsets or indices lead outside; ExchangeError, if a device has bytes for bits, or memory is not aligned.
template <MemorySpace S>
Column<S> share(ipc::AttachedColumn<S> column) {
  auto const leases = std::make_shared<detail::Leases<S>>(detail::Leases<S>{std::move(column)});
  return detail::column_of(leases->column, leases);
}

/// Publishes a copy of another library's array, or of a table as a struct, in shared memory: all elements up to the end
/// of a slice. The structs stay the caller's. Reads what the array's lengths and offsets say: the library that made it
/// is trusted. Throws: ExchangeError, if the structs contradict each other, or for views, unions, maps and run-end
/// encoding; MetadataError, if an element or the whole is larger than an array may be; IpcError.
inline ipc::PublishedColumn publish(ipc::Producer& producer, ArrowSchema const& schema, ArrowArray const& array) {
  return detail::published(producer, schema, array);
}

}}}  // namespace tessera::v0::arrow_c
