// Kokkos's mdspan, which is the reference implementation of the standard's: an array is read into it and written from
// it. Compiled once as Kokkos::mdspan and once as std::mdspan, by -D MDSPAN_IMPL_STANDARD_NAMESPACE.
#include <array>
#include <numeric>
#include <vector>

#include <basix/mdspan.hpp>

#include <resources/seen.hpp>
#include <tessera/tessera.hpp>

using namespace tessera;
namespace md = MDSPAN_IMPL_STANDARD_NAMESPACE;
using Extents2 = md::dextents<int, 2>;

/// Refers to another memory, without telling which.
template <class T>
struct Own : md::default_accessor<T> {
  using offset_policy = Own;
};

#if WRONG == 1  // expect: this memory is in a different memory space from the array's elements
static_assert(is_read<float, space::Device, md::mdspan<float, Extents2>, 2>);
#elif WRONG == 2  // expect: this memory is in a different memory space from the array's elements
static_assert(is_written<float, space::Device, md::mdspan<float const, Extents2>, 2>);
#elif WRONG == 3  // expect: this mdspan does not declare its memory space
static_assert(is_read<float, space::Host, md::mdspan<float, Extents2, md::layout_right, Own<float>>, 2>);
#elif WRONG == 4  // expect: the number of dimensions of this memory differs from the array's
static_assert(is_read<float, space::Host, md::mdspan<float, Extents2>, 3>);
#elif WRONG == 5  // expect: the destination's elements are const
static_assert(is_read<float, space::Host, md::mdspan<float const, Extents2>, 2>);
#else
static_assert(is_seen<md::mdspan<float, Extents2>, space::Host, float, float>);
static_assert(is_seen<md::mdspan<float const, Extents2, md::layout_left>, space::Host, float const>);
static_assert(is_seen<md::mdspan<float, md::extents<int, 2, 3>, md::layout_stride>, space::Host, float, float>);
static_assert(is_seen<md::mdspan<float, md::extents<int> >, space::Host, float, float>);

int main() {
  auto const array = create_array<int, 2>(MemoryStore<HostBuffer>{}, "a", {.shape = {2, 3}, .chunks = {2, 2}});
  array.write(all, std::vector{1, 2, 3, 4, 5, 6});
  std::vector<int> memory(6);
  array.read(all, md::mdspan<int, Extents2, md::layout_left>{memory.data(), 2, 3});
  if (memory != std::vector{1, 4, 2, 5, 3, 6}) return 1;
  array.write(all, md::mdspan<int const, md::extents<int, 2, 3> >{memory.data()});
  std::vector<int> all_of_it(6);
  array.read(all, all_of_it);
  if (all_of_it != memory) return 2;
  std::vector<int> sparse(12, -1);  // each second element of a row of six
  md::layout_stride::mapping<Extents2> const mapping{Extents2{2, 3}, std::array{6, 2}};
  array.read(all, md::mdspan<int, Extents2, md::layout_stride>{sparse.data(), mapping});
  if (sparse != std::vector{1, -1, 4, -1, 2, -1, 5, -1, 3, -1, 6, -1}) return 3;
  int one = 0;
  auto const scalar = create_array<int, 0>(MemoryStore<HostBuffer>{}, "a", {.shape = {}, .fill = 7});
  scalar.read(all, md::mdspan<int, md::extents<int> >{&one});
  return one == 7 ? 0 : 4;
}
#endif
