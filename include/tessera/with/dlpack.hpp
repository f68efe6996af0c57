// DLPack 1.1 for host memory: hand_over gives elements to other libraries as tensors. Device memory: dlpack.cuh.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <tessera/buffer/host_buffer.hpp>
#include <tessera/core/detail/checked.hpp>
#include <tessera/place/detail/placer.hpp>
#include <tessera/with/detail/dlpack/dlpack_shared.hpp>
#include <tessera/with/detail/dlpack/dlpack_tensor.hpp>

namespace tessera { inline namespace v0 { namespace dlpack {

/// Whether a tensor may, must or must not have a copy of the elements: `copy` of `__dlpack__`.
enum class Copying { if_needed, always, never };

/// A consumer's request: the arguments of `__dlpack__` (array API 2024.12).
struct Request {
  std::optional<DLPackVersion> max_version = DLPackVersion{DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};  ///< none: old
  std::optional<DLDevice> device{};  ///< none: where the elements are
  Copying copy = Copying::if_needed;      ///< whether the elements may or must be copied
  std::optional<std::intptr_t> stream{};  ///< the consumer's, on its device: 1 legacy, 2 per-thread, -1 no order
};

namespace detail {

inline bool wants_old(Request const& wanted) { return !wanted.max_version || wanted.max_version->major < 1; }

// Why the elements' own memory cannot be used; empty, if it can.
template <MemorySpace S>
std::string obstacle(Shared<S> const& from, Request const& wanted) {
  if (from.layout.swapped != 1) return "the elements are not in native byte order";
  for (auto stride : from.layout.strides)
    if (stride % static_cast<std::int64_t>(from.layout.item_size) != 0)
      return to_text({"a stride of ", stride, " bytes is not a multiple of the element size, ", from.layout.item_size});
  if (from.read_only && wants_old(wanted)) return "the array is read-only, which unversioned DLPack cannot express";
  return {};
}

template <class Managed>
struct Holder {
  Managed managed{};
  std::shared_ptr<void const> owner{};
  std::int64_t shape[max_rank]{}, strides[max_rank]{};
};

template <class Managed, MemorySpace S>
Managed* managed_of(Shared<S> const& from, DLDevice device) {
  auto const type = type_of(from.type);
  auto holder = std::make_unique<Holder<Managed>>();
  auto const rank = from.layout.shape.rank();
  bool is_empty = false;
  for (std::size_t d = 0; d < rank; ++d) {
    holder->shape[d] = static_cast<std::int64_t>(checked_size(from.layout.shape[d], "the shape"));
    holder->strides[d] = from.layout.strides[d] / static_cast<std::int64_t>(from.layout.item_size);
    is_empty = is_empty || from.layout.shape[d] == 0;
  }
  holder->owner = from.owner;
  auto& managed = holder->managed;
  managed.dl_tensor = {
      is_empty ? nullptr : from.data, device, static_cast<std::int32_t>(rank), type, holder->shape, holder->strides, 0};
  managed.manager_ctx = holder.get();
  managed.deleter = [](Managed* self) { delete static_cast<Holder<Managed>*>(self->manager_ctx); };
  return &holder.release()->managed;
}

template <MemorySpace S>
Tensor tensor_of(Shared<S> const& from, DLDevice device, Request const& wanted, bool is_copied) {
  bool const is_padded = dlpack::is_padded(from.type);
  if (is_padded && (wants_old(wanted) || (wanted.max_version->major == 1 && wanted.max_version->minor == 0)))
    throw ExchangeError{to_text({"DLPack has tensors of ", from.type.name(),
                                 " with one number in each byte from version 1.1 on"})};
  if (wants_old(wanted)) return Tensor{managed_of<DLManagedTensor>(from, device)};
  auto* const managed = managed_of<DLManagedTensorVersioned>(from, device);
  managed->version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
  if (from.read_only) managed->flags |= DLPACK_FLAG_BITMASK_READ_ONLY;
  if (is_copied) managed->flags |= DLPACK_FLAG_BITMASK_IS_COPIED;
  if (is_padded) managed->flags |= DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED;
  return Tensor{managed};
}

// Copies the elements to a new buffer, in C order and native byte order.
template <class B, MemorySpace S, class AnyQueue>
B dense(Shared<S> const& from, AnyQueue& on) {
  auto const& [shape, strides, item_size, swapped, runs] = from.layout;
  auto const size = checked_size(checked_product(element_count(shape, "the shape"), item_size, "the copy"), "the copy");
  B result(size, on);
  if (size == 0) return result;
  Placement<S> const whole{from.data, result.span().data, shape};
  placer<S>::place({&whole, 1}, {item_size, swapped, {}, strides, Layout::c_order(shape, item_size).strides}, on);
  return result;
}
template <class B, MemorySpace S>
auto shared_copy(Shared<S> const& from, B buffer) {
  auto result = share(std::move(buffer));
  result.type = from.type;
  result.layout = Layout::c_order(from.layout.shape, from.layout.item_size);
  return result;
}

inline void expect_copy_allowed(Request const& wanted, std::string const& why) {
  if (wanted.copy == Copying::never) throw ExchangeError{to_text({"the consumer allows no copy, but ", why})};
}

}  // namespace detail

/// The elements as a tensor: their own memory if possible, otherwise a copy, which the tensor's flags report. Throws:
/// ExchangeError, if the consumer forbids a copy that is needed, names a stream, which host tensors do not have, or
/// asks for a device.
inline Tensor hand_over(Shared<space::Host> const& from, Request const& wanted = {}) {
  auto const here = device_of<space::Host>();
  if (wanted.stream) throw ExchangeError{"found a stream, expected none: host tensors have no stream"};
  if (wanted.device && !is_same(*wanted.device, here))
    throw ExchangeError{
        to_text({"the consumer asks for ", name_of(*wanted.device), ", but the elements are in host memory"})};
  auto const why = detail::obstacle(from, wanted);
  if (why.empty() && wanted.copy != Copying::always) return detail::tensor_of(from, here, wanted, false);
  detail::expect_copy_allowed(wanted, why);
  Queue<space::Host> on;
  return detail::tensor_of(detail::shared_copy(from, detail::dense<HostBuffer>(from, on)), here, wanted, true);
}

}}}  // namespace tessera::v0::dlpack
