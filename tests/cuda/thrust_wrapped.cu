// with/thrust.cuh in a program that has Thrust in a namespace of its own, like libraries that include their own Thrust:
// compiled with THRUST_CUB_WRAPPED_NAMESPACE, and nothing else.
#include <type_traits>

#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/universal_vector.h>

#include <tessera/with/thrust.cuh>

using namespace tessera;
namespace wrapped = THRUST_CUB_WRAPPED_NAMESPACE::thrust;

template <class M, class Space>
constexpr bool is_seen_in = ContiguousMemory<M>&& std::is_same_v<typename contiguous_memory<M>::space, Space>;
static_assert(is_seen_in<wrapped::device_vector<float>, space::Device>);
static_assert(is_seen_in<wrapped::device_vector<float> const, space::Device>);
static_assert(is_seen_in<wrapped::host_vector<float>, space::Host>);
static_assert(is_seen_in<wrapped::universal_vector<float>, space::Managed>);
