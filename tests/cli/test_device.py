"""--space device: the same elements and the same findings as on the host, and one line if there is no device.

On the emulated CUDA runtime (TESSERA_IS_EMULATED), under seeds; otherwise on a GPU, if there is one.
"""
import hashlib
import json
import os
import re
import shutil
import sys
import unittest

import command
from command import BRAIN, CommandTest, little_endian, main, make_array, read_npy, sums, swapped, tessera

IS_EMULATED = "TESSERA_IS_EMULATED" in os.environ
SEEDS = range(4) if IS_EMULATED else range(1)
LANES = ["fetch", "decode", "copy", "placement"]


class Device(CommandTest):
    def read_in(self, space, path, *options, seed=0):
        output = self.folder / f"{space}.bin"
        self.run_ok("read", path, "--output", output, "--space", space, *options, TESSERA_EMULATION_SEED=str(seed))
        return output.read_bytes()

    def assert_same(self, path, *options, seeds=SEEDS):
        expected = self.read_in("host", path, *options)
        for seed in seeds:
            found = self.read_in("device", path, *options, seed=seed)
            self.assertTrue(found == expected, f"{path} {options}, seed {seed}: {len(found)} bytes, {len(expected)} expected")
        return expected

    def test_whole_arrays(self):
        for name, expected in sums().items():
            elements = self.read_in("device", BRAIN / name)
            self.assertEqual(hashlib.sha256(elements).hexdigest(), expected, name)

    def test_parts(self):
        for name in sums():
            self.assert_same(BRAIN / name, "--region", "40:66:3,:,30:70:7")
        self.assert_same(BRAIN / "t1", "--index", "z=94", "--threads", "1")
        self.assert_same(BRAIN / "t1", "--region", "0:80,0:100,:", "--memory", "1", seeds=[0])  # in several slabs
        self.assert_same(BRAIN / "t1", "--region", "0:2,0:3,0:4", "--format", "csv", seeds=[0])

    def test_header_of_npy(self):
        output = self.folder / "x.npy"
        self.run_ok("read", BRAIN / "t1_half", "--index", "0=49", "--output", output, "--space", "device")
        descr, shape, elements = read_npy(output)
        self.assertEqual((descr, shape), ("<f4", (116, 94)))
        self.assertEqual(elements, self.read_bin(BRAIN / "t1_half", "--index", "0=49"))

    def test_stored_as_they_are(self):
        """Without codecs; the other byte order, missing chunks, a border, no elements, no dimensions."""
        row = little_endian("h", range(-8, 8))
        big = [{"name": "bytes", "configuration": {"endian": "big"}}]
        a = make_array(self.folder / "a", [7, 6], "int16", [4, 4], {(0, 0): swapped(row, 2), (1, 1): swapped(row, 2)},
                       codecs=big, fill_value=-3)
        elements = self.assert_same(a)
        self.assertEqual(elements[:8], row[:8])
        self.assertEqual(elements[8:12], little_endian("h", [-3, -3]))
        self.assertEqual(self.assert_same(a, "--region", "3:3,:"), b"")
        scalar = make_array(self.folder / "scalar", [], "int16", [], {})
        (scalar / "c").write_bytes(row[:2])
        self.assertEqual(self.assert_same(scalar), row[:2])

    def test_damage_ends_a_read(self):
        brain = self.folder / "brain.zarr"
        shutil.copytree(BRAIN, brain)
        chunk = brain / "t1/c/1/2/1"
        chunk.write_bytes(chunk.read_bytes()[:-9])
        output = self.folder / "x.npy"
        result = tessera("read", brain / "t1", "--output", output, "--space", "device")
        self.assert_refused(result, 1, 'key "t1/c/1/2/1"', "zstd")
        self.assertFalse(output.exists())

    def findings(self, space, path, *options, **environment):
        result = tessera("validate", path, "--json", "--space", space, *options, **environment)
        self.assertEqual(result.errors, [])
        return result.status, json.loads(result.text)

    def test_validate(self):
        expected = self.findings("host", BRAIN)
        self.assertEqual(self.findings("device", BRAIN), expected)
        self.assertEqual(expected[0], 0)

    def test_validate_damaged(self):
        brain = self.folder / "brain.zarr"
        shutil.copytree(BRAIN, brain)
        cut = brain / "t1/c/1/2/1"
        cut.write_bytes(cut.read_bytes()[:-9])
        (brain / "t1_half/c/0/0/0").write_bytes(b"not blosc")
        shard = brain / "t1_sharded/c/0/0/0"
        content = bytearray(shard.read_bytes())
        content[:4] = b"\0\0\0\0"  # the frame of the first inner chunk in it
        shard.write_bytes(content)
        expected = self.findings("host", brain)
        self.assertEqual(expected[0], 1)
        self.assertEqual([failure["key"] for failure in expected[1]["failures"]],
                         ["t1/c/1/2/1", "t1_half/c/0/0/0", "t1_sharded/c/0/0/0"])
        for seed in SEEDS:
            for threads in ("1", "4"):
                found = self.findings("device", brain, "--threads", threads, TESSERA_EMULATION_SEED=str(seed))
                self.assertEqual(found, expected, (seed, threads))

    def test_booleans_are_looked_at_by_the_host_alone(self):
        a = make_array(self.folder / "a", [4], "bool", [4], {(0,): b"\0\1\2\1"}, fill_value=False)
        status, found = self.findings("host", a)
        self.assertEqual((status, [failure["key"] for failure in found["failures"]]), (1, ["c/0"]))
        self.assertEqual(self.findings("device", a)[0], 0)

    def bench(self, path, *options, seed=0):
        """Its findings on the device, compared with its text for people and with the findings on the host."""
        arguments = ["bench", path, "--repetitions", 1, *options]
        found = json.loads(self.run_ok(*arguments, "--space", "device", "--json", TESSERA_EMULATION_SEED=str(seed)).text)
        host = json.loads(self.run_ok(*arguments, "--json").text)
        same = ("shape", "chunk_shape", "inner_chunk_shape", "codecs", "first", "count", "chunks", "missing", "files",
                "bytes", "stored_bytes", "decoded_bytes")
        self.assertEqual({name: found[name] for name in same}, {name: host[name] for name in same})
        self.assertEqual((found["space"], host["space"]), ("device", "host"))
        self.assertIn("compute capability", found["device"])
        self.assert_consistent(found)
        said = self.run_ok(*arguments, "--space", "device", TESSERA_EMULATION_SEED=str(seed)).text
        lanes = re.findall(r"^(\w+) *\|([ #-]{66})\|$", said, re.MULTILINE)
        self.assertEqual([name for name, _ in lanes], LANES, said)
        for name, line in lanes:
            self.assertEqual(line.strip() != "", any(batch[name] for batch in found["timeline"]["mini_batches"]), said)
        self.assertIn(f"clocks beside it: {len(found['timeline']['mini_batches'])} mini-batch", said)
        return found

    def assert_consistent(self, found):
        """Times are in order, and the totals agree with the mini-batches."""
        timeline = found["timeline"]
        batches, seconds = timeline["mini_batches"], timeline["seconds"]
        self.assertGreater(found["read"]["least"], 0)
        self.assertEqual(sum(batch["fetched_bytes"] for batch in batches), found["fetched_bytes"])
        for batch in batches:
            self.assertLess(batch["thread"], found["threads"])
            host = [*batch["fetch"], *([batch["decode"]] if batch["decode"] else [])]
            device = [*([batch["copy"]] if batch["copy"] else []), *batch["placement"]]
            for spans in (host, batch["placement"]):
                flat = [time for span in spans for time in span]
                self.assertEqual(flat, sorted(flat))
            for begin, end in host + device:
                self.assertLessEqual(begin, end)
                self.assertGreaterEqual(begin, 0)
                self.assertLessEqual(end, seconds)
            self.assertEqual(batch["copy"] is None, batch["crossed_bytes"] == 0)
            self.assertGreater(len(batch["placement"]), 0)
        spans = {name: [span for batch in batches for span in
                        (batch[name] if name in ("fetch", "placement") else [batch[name]] if batch[name] else [])]
                 for name in LANES}
        # Between two moments at which anything begins or ends, each lane is busy or not.
        times = sorted({0, seconds, *(time for lane in spans.values() for span in lane for time in span)})
        busy, overlapped, together, idle = dict.fromkeys(LANES, 0.0), dict.fromkeys(LANES, 0.0), 0.0, 0.0
        for begin, end in zip(times, times[1:]):
            at_work = [name for name in LANES if any(b <= begin and end <= e for b, e in spans[name])]
            together += (end - begin) * (len(at_work) > 1)
            idle += (end - begin) * (not at_work)
            for name in at_work:
                busy[name] += end - begin
                overlapped[name] += (end - begin) * (len(at_work) > 1)
        for name in LANES:
            self.assertAlmostEqual(timeline["busy"][name]["seconds"], busy[name])
            self.assertAlmostEqual(timeline["busy"][name]["overlapped_seconds"], overlapped[name])
        self.assertAlmostEqual(timeline["overlapped_seconds"], together)
        self.assertAlmostEqual(timeline["idle_seconds"], idle)

    def test_bench(self):
        for seed in SEEDS:
            found = self.bench(BRAIN / "t1", "--threads", "2", seed=seed)
            batches = found["timeline"]["mini_batches"]
            self.assertGreater(len(batches), 1)
            self.assertEqual(sum(batch["crossed_bytes"] for batch in batches), found["decoded_bytes"])
            self.assertTrue(all(batch["decode"] for batch in batches))
        found = self.bench(BRAIN / "t1_sharded", "--threads", "1", "--region", "0:64,:,:")
        self.assertEqual({batch["thread"] for batch in found["timeline"]["mini_batches"]}, {0})

    def test_bench_of_elements_as_they_are(self):
        row = little_endian("h", range(16))
        a = make_array(self.folder / "a", [8, 8], "int16", [4, 4], {(0, 0): row, (1, 1): row})
        found = self.bench(a)
        batches = found["timeline"]["mini_batches"]
        self.assertFalse(any(batch["decode"] for batch in batches))
        self.assertEqual((found["missing"], sum(batch["crossed_bytes"] for batch in batches)), (2, 64))
        none = make_array(self.folder / "none", [8, 8], "int16", [4, 4], {})
        self.assertFalse(any(batch["copy"] for batch in self.bench(none)["timeline"]["mini_batches"]))

    def test_bench_of_nothing(self):
        found = json.loads(self.run_ok("bench", BRAIN / "t1", "--region", "0:0,:,:", "--space", "device", "--json").text)
        self.assertEqual((found["read"], found["timeline"]), (None, None))
        said = self.run_ok("bench", BRAIN / "t1", "--region", "0:0,:,:", "--space", "device").text
        self.assertIn("no elements", said)

    @unittest.skipUnless(IS_EMULATED, "a GPU is there")
    def test_no_device(self):
        output = self.folder / "x.npy"
        for arguments in (("read", BRAIN / "t1", "--output", output), ("validate", BRAIN),
                          ("bench", BRAIN / "t1", "--repetitions", "1")):
            result = tessera(*arguments, "--space", "device", TESSERA_EMULATED_DEVICES="0")
            self.assert_refused(result, 2, "--space device: there is no GPU here that CUDA can use",
                                "no CUDA-capable device is detected (cudaErrorNoDevice)")
            self.assertFalse(output.exists())
            self.run_ok(*arguments, TESSERA_EMULATED_DEVICES="0")  # the host always exists
            output.unlink(missing_ok=True)

    @unittest.skipUnless("TESSERA_WITHOUT_CUDA" in os.environ, "this build has CUDA")
    def test_built_without_cuda(self):
        command.BINARY, binary = os.environ["TESSERA_WITHOUT_CUDA"], command.BINARY
        self.addCleanup(setattr, command, "BINARY", binary)
        for arguments in (("read", BRAIN / "t1", "--output", self.folder / "x.npy"), ("validate", BRAIN),
                          ("validate", self.folder / "nothing"), ("bench", BRAIN / "t1")):
            self.assert_refused(tessera(*arguments, "--space", "device"), 2, "--space device: this tessera was built "
                                "without CUDA: build it with -DTESSERA_CUDA=ON")
            self.assertFalse((self.folder / "x.npy").exists())
        self.assertIn("--space", self.run_ok("read", "--help").text)

    def test_other_spaces(self):
        self.assert_refused(tessera("validate", BRAIN, "--space", "gpu"), 2, "--space", "gpu", "host", "device")


if __name__ == "__main__":
    if not IS_EMULATED and "cudaError" in "".join(tessera("validate", BRAIN / "t1", "--space", "device").errors):
        sys.exit(77)  # which CTest treats as skipped
    main()
