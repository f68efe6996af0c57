#!/usr/bin/env python3
"""No function makes a node in a store of device bytes: every function that makes, opens or changes a node refuses every
such store, with one error, which says that documents must be in host memory.

    doors.py COMPILER [OPTIONS...]
"""
import pathlib
import re
import subprocess
import sys
import tempfile

functions = {
    "create_array": '(void)create_array<float, 1, Stored>(store, "a", {.shape = {4}, .chunks = {2}})',
    "create_array, pipeline": '(void)create_array<float, 1>(store, "a", {.shape = {4}, .chunks = {2}}, Stored{}, on)',
    "create_any": '(void)create_any<Stored>(store, "a", ArrayMetadata{})',
    "create_group": '(void)create_group(store, "a")',
    "create_group, options": '(void)create_group(store, "a", {}, GroupOptions{})',
    "open_array": '(void)open_array<float, 1, Stored>(store, "a")',
    "open_any": '(void)open_any<Stored>(store, "a")',
    "open_group": '(void)open_group(store, "a")',
    "merge_attributes": 'merge_attributes(store, "a", {{"unit", "K"}})',
    "set_attributes": 'set_attributes(store, "a", {{"unit", "K"}})',
    "consolidate": 'consolidate(store, "a")',
    "stale_copies": '(void)stale_copies(store, "a")',
    "convert_node": '(void)convert_node(store, "a", ZarrFormat::v2)',
    "move_node": 'move_node(store, "a", "b", on)',
    "erase_node": '(void)erase_node(store, "a", on)',
}
stores = (
    "LocalStore<DeviceBuffer>",
    "MemoryStore<DeviceBuffer>",
    "MemoryStore<PinnedBuffer>",
    "MemoryStore<ManagedBuffer>",
    "DirectStore<DeviceBuffer>",
    "AnyStore<DeviceBuffer>",
    "PrefixStore<LocalStore<DeviceBuffer>>",
    "WrapperStore<LocalStore<DeviceBuffer>>",
    "CachedStore<LocalStore<DeviceBuffer>>",
    "CastStore<DeviceBuffer, LocalStore<HostBuffer>>",
    "RoutedStore<MemoryStore<DeviceBuffer>, LocalStore<DeviceBuffer>, KeysBelow>",
    "RoutedStore<MemoryStore<DeviceBuffer>, LocalStore<DeviceBuffer>, ChunksWhere>",
    "PrefixStore<RoutedStore<MemoryStore<DeviceBuffer>, DirectStore<DeviceBuffer>, KeysBelow>>",
)
headers = """#include <tessera/node/consolidate.hpp>
#include <tessera/node/consolidate.hpp>
#include <tessera/node/convert_node.hpp>
#include <tessera/node/nodes.hpp>
#include <tessera/store/cached_store.hpp>
#include <tessera/tessera.cuh>
#include <tessera/with/cufile.cuh>
using namespace tessera;
using Stored = Pipeline<space::Host, codec::Bytes, CastTo<space::Device>>;
"""
command = sys.argv[1:]
if "clang" in command[0]:
    command.append("-ferror-limit=0")

problems = []
with tempfile.TemporaryDirectory() as folder:
    first, unit = pathlib.Path(folder, "headers.hpp"), pathlib.Path(folder, "unit.cpp")
    first.write_text(headers)
    subprocess.run([*command, "-x", "c++-header", first, "-o", f"{first}.gch"], check=True)
    for name, call in functions.items():
        unit.write_text("".join(f"void with(std::integral_constant<int, {i}>, {store} const& store, Queue<space::Device>& on)"
                                f" {{ (void)on; {call}; }}\n" for i, store in enumerate(stores)))
        done = subprocess.run([*command, "-include", first, "-fsyntax-only", unit], text=True, capture_output=True)
        errors = [line for line in (done.stdout + done.stderr).splitlines() if re.search(r"\berror: ", line)]
        expected = [line for line in errors if "tessera: metadata must be in host memory: " in line]
        print(f"{name}: {len(expected)} of {len(stores)} stores are refused", flush=True)
        if len(errors) != len(stores) or errors != expected:
            problems.append(f"{name}: expected one error for each of {len(stores)} stores, found\n" + "\n".join(errors))
if problems:
    sys.exit("\n".join(problems))
