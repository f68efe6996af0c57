// RMM's containers, and the mdspans and buffers of RMM's CCCL: how tessera classifies them.
#include <cuda/buffer>
#include <cuda/mdspan>
#include <rmm/device_buffer.hpp>
#include <rmm/device_scalar.hpp>
#include <rmm/device_uvector.hpp>

#include <resources/seen.hpp>
#if WRONG != 1
#include <tessera/with/cccl.cuh>
#include <tessera/with/rmm.cuh>
#if defined(__CUDACC__)
#include <thrust/host_vector.h>

#include <rmm/device_vector.hpp>
#include <tessera/with/thrust.cuh>
#endif
#endif

using namespace tessera;
using Extents2 = cuda::std::dextents<int, 2>;
using Either = cuda::std::mdspan<float, Extents2>;
using Reached = cuda::buffer<float, cuda::mr::host_accessible, cuda::mr::device_accessible>;

#if WRONG == 1  // expect: this memory does not say where it is: give std::span{memory} if it is the host's
static_assert(is_read<float, space::Host, rmm::device_uvector<float>>);
#elif WRONG == 2  // expect: this memory is in a different memory space from the array's elements
static_assert(is_read<float, space::Host, rmm::device_uvector<float>>);
#elif WRONG == 3  // expect: this memory is in a different memory space from the array's elements
static_assert(is_written<float, space::Host, rmm::device_scalar<float>>);
#elif WRONG == 4  // expect: the element type of this memory differs from the array's
static_assert(is_read<float, space::Device, rmm::device_buffer>);
#elif WRONG == 5  // expect: this mdspan does not declare its memory space
static_assert(is_read<float, space::Host, Either, 2>);
#elif WRONG == 6  // expect: this mdspan does not declare its memory space
static_assert(is_written<float, space::Device, Either, 2>);
#elif WRONG == 7  // expect: this memory is in a different memory space from the array's elements
static_assert(is_read<float, space::Host, cuda::device_mdspan<float, Extents2>, 2>);
#elif WRONG == 8  // expect: this memory is in a different memory space from the array's elements
static_assert(is_written<float, space::Device, cuda::host_mdspan<float const, Extents2>, 2>);
#elif WRONG == 9  // expect: this memory is in a different memory space from the array's elements
static_assert(is_written<float, space::Host, cuda::device_buffer<float>>);
#elif WRONG == 10  // expect: the destination's elements are const
static_assert(is_read<float, space::Device, rmm::device_uvector<float> const>);
#elif WRONG == 11  // expect: this memory is in a different memory space from the array's elements
static_assert(is_read<float, space::Device, cuda::host_buffer<float>>);
#elif WRONG == 12  // expect: this memory is in a different memory space from the array's elements
static_assert(is_read<float, space::Host, cuda::managed_mdspan<float, Extents2>, 2>);
#elif WRONG == 13  // expect: this memory is in a different memory space from the array's elements
static_assert(is_written<float, space::Host, Reached>);
#elif WRONG == 14  // expect of nvcc: this memory is in a different memory space from the array's elements
static_assert(is_read<float, space::Host, rmm::device_vector<float>>);
#else
static_assert(is_seen<rmm::device_uvector<float>, space::Device, float>);
static_assert(is_seen<rmm::device_scalar<float>, space::Device, float>);
static_assert(is_seen<rmm::device_buffer, space::Device, std::byte>);
static_assert(is_seen<cuda::device_buffer<float>, space::Device, float>);
static_assert(is_seen<cuda::host_buffer<float>, space::Host, float>);
static_assert(is_seen<Reached, space::Managed, float>);
static_assert(is_seen<cuda::device_mdspan<float, Extents2>, space::Device, float, float>);
static_assert(is_seen<cuda::device_mdspan<float const, Extents2>, space::Device, float const>);
static_assert(is_seen<cuda::managed_mdspan<float, Extents2, cuda::std::layout_left>, space::Managed, float, float>);
static_assert(is_seen<cuda::host_mdspan<float, Extents2, cuda::std::layout_stride>, space::Host, float, float>);
static_assert(Mdspan<Either> && !MdspanOfASpace<Either>);
static_assert(is_seen<decltype(array_view<space::Device>(std::declval<Either>())), space::Device, float, float>);

#if defined(__CUDACC__)
static_assert(is_seen<rmm::device_vector<float>, space::Device, float>);
static_assert(is_seen<thrust::host_vector<float>, space::Host, float>);
#endif

static_assert(is_read<float, space::Device, rmm::device_uvector<float>>);
static_assert(is_written<float, space::Device, rmm::device_uvector<float>>);
static_assert(is_read<float, space::Device, rmm::device_scalar<float>>);
static_assert(is_written<std::byte, space::Device, rmm::device_buffer>);
static_assert(is_read<float, space::Device, cuda::device_mdspan<float, Extents2>, 2>);
static_assert(is_written<float, space::Device, cuda::device_mdspan<float const, Extents2>, 2>);
static_assert(is_read<float, space::Device, cuda::managed_mdspan<float, Extents2>, 2>);
static_assert(is_read<float, space::Host, cuda::host_mdspan<float, Extents2>, 2>);
static_assert(is_read<float, space::Device, cuda::device_buffer<float>>);
static_assert(is_written<float, space::Host, cuda::host_buffer<float>>);
#endif
