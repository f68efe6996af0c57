// publish: copies of elements in device memory, for a part of a large allocation or memory that cannot be exported.
#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include <tessera/core/detail/checked.hpp>
#include <tessera/core/detail/cuda_context.cuh>
#include <tessera/ipc/cuda.cuh>
#include <tessera/ipc/ipc_resource.cuh>
#include <tessera/place/detail/placer.cuh>
#include <tessera/view/array_view.hpp>

namespace tessera { inline namespace v0 { namespace ipc {
namespace detail {

/// Memory of an IpcResource for one array.
class ExportedBlock {
 public:
  ExportedBlock(std::size_t size, std::shared_ptr<tessera::detail::Stream> stream)
      : stream_{std::move(stream)}, data_{static_cast<std::byte*>(IpcResource{}.allocate(size, 0))} {}
  ExportedBlock(ExportedBlock const&) = delete;
  ExportedBlock& operator=(ExportedBlock const&) = delete;
  ~ExportedBlock() {
    tessera::detail::InContext::call(stream_->context(), [&] { IpcResource{}.deallocate(data_, 0, 0); });
  }

  std::byte* data() const { return data_; }

 private:
  std::shared_ptr<tessera::detail::Stream> stream_;
  std::byte* data_;
};

}  // namespace detail

/// Publishes a copy of the elements, in exportable memory (of an IpcResource) and in C order, made in the order of
/// `on`: thus a part of a large array, `publish(producer, array.sub(box), on)`, keeps only its own memory. Throws:
/// IpcError, if the view is empty; OutOfMemory; DeviceError.
template <class T, std::size_t Rank>
Published publish(Producer& producer, ArrayView<T, Rank, space::Device> view, Queue<space::Device>& on) {
  auto const layout = view.layout();
  auto const bytes = checked_product(element_count(layout.shape, "the shape"), layout.item_size, "the array");
  if (bytes == 0) throw IpcError{"an array without elements has no device memory to publish"};
  tessera::detail::InContext const here{on.shared_stream()->context()};
  auto const copy = std::make_shared<detail::ExportedBlock>(checked_size(bytes, "the array"), on.shared_stream());
  Placement<space::Device> const whole{reinterpret_cast<std::byte const*>(view.data), copy->data(), layout.shape};
  auto const packed = Layout::c_order(layout.shape, layout.item_size);
  PlacementForm const form{layout.item_size, 1, {}, layout.strides, packed.strides};
  placer<space::Device>::place(std::span{&whole, 1}, form, on);
  Descriptor described;
  described.type = data_type_of<std::remove_const_t<T>>(), described.shape = layout.shape;
  described.strides = Layout::c_order(layout.shape, 1).strides;
  return detail::publish_device(producer, std::move(described), copy->data(), copy, on);
}

}}}  // namespace tessera::v0::ipc
