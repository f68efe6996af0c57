"""Documents that ask for more than there is: memory and work follow what is stored, and --memory holds or is refused.

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
    """Shards in shards, of which every entry is the whole of the next."""
    for _ in range(levels):
        chunk += struct.pack("<2Q", 0, len(chunk)) * entries
    return chunk


class Bombs(CommandTest):
    def validate(self, path, most):
        """Failures and all that is found, with so many MiB."""
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
        options = ["--threads", 2, "--chunks", size, "--shards", 128 * size]
        refused = tessera("copy", a, self.folder / "copy", "--memory", 64, *options)
        self.assert_refused(refused, 1, "zarr.json", "MiB of memory", "--memory 64")
        self.assertEqual(os.listdir(self.folder), ["a"])
        least = int(refused.errors[0].split(" MiB of memory")[0].split()[-1])
        self.assert_refused(tessera("copy", a, self.folder / "copy", "--memory", least - 1, *options), 1, f" {least} MiB")
        memory, status, said = peak_memory("copy", a, self.folder / "copy", "--memory", least, *options)
        self.assertEqual(status, 0, said)
        print(f"copy into a shard of 128 MiB: {memory} MiB, --memory {least}")
        self.assertLess(memory, least + 64)
        self.assertEqual(self.read_bin(self.folder / "copy"), self.read_bin(a))
        shutil.rmtree(self.folder / "copy")


main()
