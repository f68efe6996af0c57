// All of tessera that needs no library but a JSON parser, in the order of the data path: key, store, buffer, cast,
// codec pipeline, array, the user's view.
#pragma once
#include <tessera/array/array.hpp>
#include <tessera/array/create.hpp>
#include <tessera/array/open.hpp>
#include <tessera/buffer/host_buffer.hpp>
#include <tessera/cast/concept.hpp>
#include <tessera/codec/array_to_array/transpose.hpp>
#include <tessera/codec/array_to_bytes/bytes.hpp>
#include <tessera/core/config.hpp>
#include <tessera/core/error.hpp>
#include <tessera/key/byte_range.hpp>
#include <tessera/key/key.hpp>
#include <tessera/memory/queue.hpp>
#include <tessera/memory/space.hpp>
#include <tessera/pipeline/any_pipeline.hpp>
#include <tessera/pipeline/pipeline.hpp>
#include <tessera/store/cast_store.hpp>
#include <tessera/store/concept.hpp>
#include <tessera/store/get.hpp>
#include <tessera/store/local_store.hpp>
#include <tessera/store/memory_store.hpp>
#include <tessera/store/split_store.hpp>
#include <tessera/view/array_view.hpp>
#include <tessera/view/box.hpp>
