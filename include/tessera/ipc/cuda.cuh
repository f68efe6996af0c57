// Device memory between processes: publishing, attaching, and memory that can be exported.
#pragma once
#include <tessera/ipc/attach.cuh>
#include <tessera/ipc/ipc_pool.cuh>
#include <tessera/ipc/ipc_resource.cuh>
#include <tessera/ipc/publish.cuh>
