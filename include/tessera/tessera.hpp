// All of tessera that needs no other library. The data path passes through its folders: key, store, buffer, cast,
// codec, pipeline, array, view.
#pragma once
#include <tessera/array/array.hpp>
#include <tessera/buffer/host_buffer.hpp>
#include <tessera/cast/cast.hpp>
#include <tessera/codec/array_to_array/transpose.hpp>
#include <tessera/codec/array_to_bytes/bytes.hpp>
#include <tessera/codec/bytes_to_bytes/crc32c.hpp>
#include <tessera/core/config.hpp>
#include <tessera/core/error.hpp>
#include <tessera/key/key.hpp>
#include <tessera/memory/pending.hpp>
#include <tessera/memory/queue.hpp>
#include <tessera/memory/space.hpp>
#include <tessera/metadata/json.hpp>
#include <tessera/node/create.hpp>
#include <tessera/node/group.hpp>
#include <tessera/node/nodes.hpp>
#include <tessera/node/open.hpp>
#include <tessera/node/open_or_create.hpp>
#include <tessera/pipeline/any_pipeline.hpp>
#include <tessera/pipeline/pipeline.hpp>
#include <tessera/pipeline/sharding.hpp>
#include <tessera/store/any_store.hpp>
#include <tessera/store/cast_store.hpp>
#include <tessera/store/concept.hpp>
#include <tessera/store/detail/host_side.hpp>  // IWYU pragma: export
#include <tessera/store/detail/lend.hpp>
#include <tessera/store/detail/write_many.hpp>
#include <tessera/store/get.hpp>
#include <tessera/store/local_store.hpp>
#include <tessera/store/memory_store.hpp>
#include <tessera/store/routed_store.hpp>
#include <tessera/store/split_store.hpp>
#include <tessera/store/wrapper_store.hpp>
#include <tessera/view/array_view.hpp>
#include <tessera/view/box.hpp>
#include <tessera/view/contiguous_memory.hpp>
#include <tessera/view/selections.hpp>

#if defined(TESSERA_SEPARATE)
#define TESSERA_INSTANCE extern
#include <tessera/detail/instances.ipp>
#undef TESSERA_INSTANCE
#endif
