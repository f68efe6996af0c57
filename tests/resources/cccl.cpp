// The toolkit's own cuda::mr, of CCCL 3.0, whose references to resources are resources.
#include <cuda/memory_resource>

#include <tessera/memory/resource.cuh>

using namespace tessera;

static_assert(detail::AsyncResource<cuda::mr::async_resource_ref<cuda::mr::device_accessible>>);
static_assert(detail::PlainResource<cuda::mr::resource_ref<cuda::mr::device_accessible>>);

MemoryResource made_of(cuda::mr::async_resource_ref<cuda::mr::device_accessible>& resource) { return resource; }
