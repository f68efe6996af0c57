"""Documents that claim more than is stored: memory and work follow the stored bytes, and --memory is kept or refused.

Bounds are of memory, with a wide margin; a command that does not end is ended.
"""
import json
import math
import os
import random
import shutil
import struct

from command import CommandTest, main, make_array, peak_memory, tessera

LITTLE = {"name": "bytes", "configuration": {"endian": "little"}}

def sharded(inner, codecs):
    return [{"name": "sharding_indexed", "configuration": {"chunk_shape": inner, "codecs": codecs,
                                                           "index_codecs": [LITTLE]}}]


def nested(levels, entries, chunk):
    """Shards in shards, where every entry is the whole of the next."""
    for _ in range(levels):
        chunk += struct.pack("<2Q", 0, len(chunk)) * entries
    return chunk


class Bombs(CommandTest):
    def validate(self, path, most):
        """Failures and all findings, with that many MiB."""
        memory, status, said = peak_memory("validate", path, "--json", "--threads", 2)
        found = json.loads("\n".join(said))
        self.assertEqual(status, 1 if found["failures"] else 0)
        print(f"validate {path.name}: {memory} MiB")
        self.assertLess(memory, most)
        return found["failures"], found

    def test_an_index_that_is_not_there(self):
        codecs = sharded([1], [LITTLE])
        nothing = make_array(self.folder / "nothing", [2**26], "uint8", [2**26], {}, codecs=codecs)
        failures, found = self.validate(nothing, 128)
        self.assertEqual((failures, found["chunks"]), ([], 0))
        short = make_array(self.folder / "short", [2**26], "uint8", [2**26], {(0,): bytes(100)}, codecs=codecs)
        (failure,), _ = self.validate(short, 128)
        self.assertEqual(failure["key"], "c/0")
        for word in ("the shard's index", "100 bytes", str(2**30)):
            self.assertIn(word, failure["problem"])

    def test_shards_that_overlap(self):
        codecs = sharded([2**16], sharded([2**8], sharded([1], [LITTLE])))
        for name, chunk in (("damaged", b"12345"), ("whole", b"1")):
            a = make_array(self.folder / name, [2**24], "uint8", [2**24], {(0,): nested(3, 2**8, chunk)}, codecs=codecs)
            failures, found = self.validate(a, 512)
            if name == "whole":
                self.assertEqual((failures, found["chunks"]), ([], 2**24))
                continue
            (failure,) = failures
            self.assertEqual((failure["key"], failure["inner_chunks"]), ("c/0", 1000))
            self.assertIn("inner chunk [0]: ", failure["problem"])
            self.assertIn("; 999 more: [1], [2], ", failure["problem"])
            self.assertLess(len(failure["problem"]), 1000)

    def test_a_line_for_each_cause(self):
        codecs = sharded([2], [LITTLE, {"name": "crc32c"}])
        noise = random.Random(5)
        chunks = [noise.randbytes(6) for _ in range(64)]  # checksums of other bytes
        chunks[3] = b"1"
        index = b"".join(struct.pack("<2Q", sum(map(len, chunks[:i])), len(chunk)) for i, chunk in enumerate(chunks))
        a = make_array(self.folder / "a", [128], "uint8", [128], {(0,): b"".join(chunks) + index}, codecs=codecs)
        failures, found = self.validate(a, 128)
        self.assertEqual([(one["key"], one["inner_chunks"]) for one in failures], [("c/0", 63), ("c/0", 1)])
        self.assertEqual(found["chunks"], 64)
        self.assertIn("inner chunk [0]: codec crc32c", failures[0]["problem"])
        self.assertIn("; 62 more: [1], [2], [4], ", failures[0]["problem"])
        self.assertIn("inner chunk [3]: codec crc32c", failures[1]["problem"])

    def test_chunks_that_are_missing_are_not_looked_for(self):
        a = make_array(self.folder / "a", [2**40], "uint8", [1], {(5,): b"1", (2**39,): b"2", (2**40 - 1,): b"3"})
        self.assertEqual(self.validate(a, 128)[1]["chunks"], 3)
        for i, options in enumerate(([], ["--chunks", "3"], ["--chunks", "1024", "--shards", str(2**20)])):
            copy = self.folder / f"copy{i}"
            memory, status, said = peak_memory("copy", a, copy, "--threads", 2, *options, timeout=60)
            self.assertEqual(status, 0, said)
            self.assertLess(memory, 400)
            files = sum(len(files) for _, _, files in os.walk(copy / "c"))
            self.assertEqual(files, 3, options)
            for at, byte in ((5, b"1"), (6, b"\0"), (2**39, b"2"), (2**40 - 1, b"3")):
                self.assertEqual(self.read_bin(copy, "--region", f"{at}:{at + 1}"), byte, (options, at))

    def test_few_chunks_of_many(self):
        noise = random.Random(7)
        shape, chunk = (300, 90, 70), (7, 5, 9)
        grid = [-(-n // c) for n, c in zip(shape, chunk)]
        places = {tuple(noise.randrange(n) for n in grid) for _ in range(40)} | {tuple(n - 1 for n in grid), (0, 0, 0)}
        a = make_array(self.folder / "a", shape, "uint8", chunk,
                       {place: noise.randbytes(math.prod(chunk)) for place in places}, fill_value=9)
        for options in ([], ["--chunks", "11,4,16"], ["--chunks", "300,1,1"], ["--chunks", "2,2,2", "--shards", "20,20,20"]):
            for memory in (1, 256):
                self.run_ok("copy", a, self.folder / "copy", "--overwrite", "--memory", memory, *options)
                self.assertEqual(self.read_bin(self.folder / "copy"), self.read_bin(a), (options, memory))

    def test_shards_that_memory_does_not_hold(self):
        size = 2**20
        noise = random.Random(3)
        a = make_array(self.folder / "a", [128 * size], "uint8", [size], {(i,): noise.randbytes(size) for i in range(128)})
        options = ["--threads", 2, "--shards", 128 * size]
        self.run_ok("copy", a, self.folder / "at_once", "--memory", 2048, "--chunks", size, *options)
        memory, status, said = peak_memory("copy", a, self.folder / "copy", "--memory", 32, "--chunks", size, *options)
        self.assertEqual(status, 0, said)
        print(f"copy into a shard of 128 MiB: {memory} MiB, --memory 32")
        self.assertLess(memory, 32 + 64)
        value = (self.folder / "copy/c/0").read_bytes()
        self.assertEqual(value, (self.folder / "at_once/c/0").read_bytes())
        again, status, said = peak_memory("copy", self.folder / "copy", self.folder / "again", "--memory", 32)
        self.assertEqual(status, 0, said)
        print(f"copy of that shard: {again} MiB")
        self.assertLess(again, 32 + 64)
        self.assertEqual((self.folder / "again/c/0").read_bytes(), value)
        # One inner chunk is held.
        large = ["--chunks", 32 * size, *options]
        refused = tessera("copy", a, self.folder / "x", "--memory", 64, *large)
        self.assert_refused(refused, 1, "zarr.json", "MiB of memory", "--memory 64")
        self.assertFalse((self.folder / "x").exists())
        least = int(refused.errors[0].split(" MiB of memory")[0].split()[-1])
        self.assert_refused(tessera("copy", a, self.folder / "x", "--memory", least - 1, *large), 1, f" {least} MiB")
        memory, status, said = peak_memory("copy", a, self.folder / "x", "--memory", least, *large)
        self.assertEqual(status, 0, said)
        self.assertLess(memory, least + 64)

    def test_large_shards_are_written_part_by_part(self):
        rows, length = 256, 2**20
        noise = random.Random(5)
        some = [noise.randbytes(length) for _ in range(8)]
        file = self.folder / "a.npy"
        header = f"{{'descr': '>u2', 'fortran_order': False, 'shape': ({rows}, {length // 2}), }}"
        with file.open("wb") as out:
            out.write(b"\x93NUMPY\1\0" + struct.pack("<H", 118) + header.ljust(117).encode() + b"\n")
            for row in range(rows):
                out.write(some[row % 8])
        options = ["--chunks", f"4,{length // 8}", "--shards", f"{rows},{length // 2}", "--codecs", '["bytes"]']
        peak, status, said = peak_memory("write", file, self.folder / "a", "--threads", 2, *options)
        self.assertEqual(status, 0, said)
        print(f"write of a shard of {rows} MiB: {peak} MiB")
        self.assertLess(peak, 400)
        for row in (0, 77, rows - 1):
            found = self.read_bin(self.folder / "a", "--region", f"{row}:{row + 1},:")
            swapped = bytearray(some[row % 8])
            swapped[0::2], swapped[1::2] = swapped[1::2], swapped[0::2]
            self.assertTrue(found == swapped, row)
        self.run_ok("validate", self.folder / "a")

    def put_shard(self, array, place, chunks, count):
        """`chunks` of `count`, by their numbers."""
        file = array.joinpath("c", *map(str, place))
        file.parent.mkdir(parents=True, exist_ok=True)
        index = bytearray(b"\xff" * 16 * count)
        at = 0
        with file.open("wb") as out:
            for number, chunk in chunks.items():
                struct.pack_into("<QQ", index, 16 * number, at, len(chunk))
                at += out.write(chunk)
            out.write(index)

    def test_a_large_shard_that_is_nearly_empty(self):
        a = make_array(self.folder / "a", [1024] * 3, "uint8", [1024] * 3, {}, codecs=sharded([32] * 3, [LITTLE]))
        some = {number: bytes([number % 255 + 1]) * 32**3 for number in (0, 1, 32, 33, 1024, 1025, 1056, 1057)}
        self.put_shard(a, (0, 0, 0), some, 32**3)
        for i, (memory, options) in enumerate((("16", []), ("16", ["--codecs", '["bytes", "zstd"]', "--chunks", "32,32,32",
                                                                      "--shards", "1024,1024,1024"]))):
            copy = self.folder / f"copy{i}"
            peak, status, said = peak_memory("copy", a, copy, "--memory", memory, "--threads", 2, *options)
            self.assertEqual(status, 0, said)
            print(f"copy of a shard of a GiB that is nearly empty: {peak} MiB")
            self.assertLess(peak, 80)
            self.assertEqual(self.read_bin(copy, "--region", "0:64,0:64,0:64"),
                             self.read_bin(a, "--region", "0:64,0:64,0:64"))
            self.run_ok("validate", copy)
        self.assertEqual((self.folder / "copy0/c/0/0/0").read_bytes(), (a / "c/0/0/0").read_bytes())

    def test_a_shard_of_a_million_inner_chunks(self):
        count = 10**6
        a = make_array(self.folder / "a", [count], "uint8", [count], {}, codecs=sharded([1], [LITTLE]))
        self.put_shard(a, (0,), {i: bytes([i % 251]) for i in range(count)}, count)
        elements = bytes(i % 251 for i in range(count))
        output = self.folder / "elements.bin"
        for region, memory, most in ((":", "32", 96), ("5:6", "32", 64), (":", "256", 128)):
            peak, status, said = peak_memory("read", a, "--region", region, "--output", output, "--memory", memory,
                                             "--threads", 2)
            self.assertEqual(status, 0, said)
            print(f"read of {region} of a shard of {count} inner chunks: {peak} MiB, --memory {memory}")
            self.assertLess(peak, most)
            self.assertEqual(output.read_bytes(), elements if region == ":" else elements[5:6])
        b = make_array(self.folder / "b", [2 * count], "uint8", [2 * count], {}, codecs=sharded([1], [LITTLE]))
        self.assert_refused(tessera("read", b, "--region", "5:6", "--output", output, "--memory", "16"), 1,
                            "a chunk, or a shard's index, takes 31 MiB", "--memory 16")

    def test_read_obeys_memory_where_rows_of_chunks_are_long(self):
        size = 2**20
        a = make_array(self.folder / "a", [8, 16 * size], "uint8", [8, size],
                       {(0, i): bytes([i]) * 8 * size for i in range(16)})
        output = self.folder / "elements.bin"
        peak, status, said = peak_memory("read", a, "--output", output, "--memory", "32", "--threads", 2)
        self.assertEqual(status, 0, said)
        self.assertLess(peak, 80)
        row = b"".join(bytes([i]) * size for i in range(16))
        self.assertTrue(output.read_bytes() == 8 * row)

    def test_shapes_that_64_bits_do_not_count(self):
        for name, shape, chunk in (("a", [2**62], [4]), ("b", [2**62, 2**62], [2, 2]), ("c", [2**63 - 1] * 3, [2, 2, 2])):
            last = [(n - 1) // c for n, c in zip(shape, chunk)]
            content = bytes(range(1, 4 * math.prod(chunk) + 1))
            a = make_array(self.folder / name, shape, "int32", chunk, {(0,) * len(shape): content, tuple(last): content})
            region = ",".join(f"{c * i}:{min(c * i + c, n)}" for n, c, i in zip(shape, chunk, last))
            found = self.read_bin(a, "--region", region)
            self.assertEqual(found[:4], content[:4])
            node = json.loads(self.run_ok("info", a, "--json").text)["nodes"][0]
            self.assertEqual((node["shape"], node["stored_chunks"]), (shape, 2))
            self.assertEqual(node["chunks"], 2**60 if name == "a" else None)
            self.assertEqual((node["bytes"], node["ratio"]), (None, None))
            self.assertIn(" stored", self.run_ok("info", a).text)
            self.run_ok("show", a, "--region", region)
            self.run_ok("validate", a)
            self.run_ok("copy", a, self.folder / (name + "2"))
            self.assertEqual(self.read_bin(self.folder / (name + "2"), "--region", region), found)
            self.assert_refused(tessera("read", a, "--output", self.folder / "all.bin"), 1, "64 bits")


main()
