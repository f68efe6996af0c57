// Device memory between processes: what publishes it and what attaches it.
#pragma once
#include <tessera/ipc/attach.cuh>
#include <tessera/ipc/ipc_pool.cuh>
#include <tessera/ipc/ipc_resource.cuh>
#include <tessera/ipc/publish.cuh>
