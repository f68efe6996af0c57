// fill_selected and fill_by: one value in every element of a selection.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstring>
#include <utility>

#include <tessera/array/any_array.hpp>
#include <tessera/array/detail/elements.hpp>
#include <tessera/array/detail/run_call.hpp>
#include <tessera/buffer/host_buffer.hpp>
#include <tessera/cast/cast.hpp>
#include <tessera/memory/space.hpp>
#include <tessera/transfer/options.hpp>
#include <tessera/view/detail/resolved_selection.hpp>
#include <tessera/view/detail/strided_span.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Calls write(memory) once. The memory has that many dimensions, and the value at every index.
template <class T, class S, class P, class Write>
auto fill_by(AnyArray<S, P> const& array, std::size_t rank, T const& value, Write const& write) {
  using Space = typename P::array_space;
  StridedView<Space> same{nullptr, Strides::filled(rank, 0)};
  if constexpr (std::same_as<Space, space::Host>) {
    same.data = reinterpret_cast<std::byte const*>(&value);
    return write(ElementsOf<T>::placed(same));
  } else {
    auto& on = array.queue();
    auto there = in_work_of(array, "a fill", [&] {
      HostBuffer here{sizeof(T)};
      std::memcpy(here.span().data, &value, sizeof(T));
      return copy_to<buffer_in_t<Space>>(std::move(here), on);
    });
    same.data = there.view().data;
    auto pending = write(ElementsOf<T>::placed(same));
    in_work_of(array, "a fill", [&] { on.keep(std::move(there)); });
    return pending;
  }
}

/// Array::fill.
template <class T, class S, class P>
auto fill_selected(AnyArray<S, P> const& array, ResolvedSelection const& selected, T const& value,
                   WriteOptions const& options) {
  return fill_by(array, selected.shape.rank(), value,
                 [&](StridedView<typename P::array_space> const& same) {
                   return array.write_from(selected, same, options);
                 });
}

}}}  // namespace tessera::v0::detail
