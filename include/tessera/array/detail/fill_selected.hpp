// fill_selected: one value in every element of a selection.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstring>
#include <utility>

#include <tessera/array/any_array.hpp>
#include <tessera/array/detail/elements.hpp>
#include <tessera/buffer/host_buffer.hpp>
#include <tessera/cast/cast.hpp>
#include <tessera/memory/space.hpp>
#include <tessera/transfer/options.hpp>
#include <tessera/view/detail/resolved_selection.hpp>
#include <tessera/view/detail/strided_span.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Array::fill.
template <class T, class S, class P>
auto fill_selected(AnyArray<S, P> const& array, ResolvedSelection const& selected, T const& value,
                   WriteOptions const& options) {
  using Space = typename P::array_space;
  StridedView<Space> same{nullptr, Strides::filled(selected.shape.rank(), 0)};  // the same element at every index
  if constexpr (std::same_as<Space, space::Host>) {
    same.data = reinterpret_cast<std::byte const*>(&value);
    return array.write_from(selected, ElementsOf<T>::placed(same), options);
  } else {
    auto& on = array.queue();
    HostBuffer here{sizeof(T)};
    std::memcpy(here.span().data, &value, sizeof(T));
    auto there = copy_to<buffer_in_t<Space>>(std::move(here), on);
    same.data = there.view().data;
    auto pending = array.write_from(selected, ElementsOf<T>::placed(same), options);
    on.keep(std::move(there));
    return pending;
  }
}

}}}  // namespace tessera::v0::detail
