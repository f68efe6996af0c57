"""tessera bench: its counts, its parts, advice that follows from counts; never how long it took."""
import json
import os
import random
import time

from command import BRAIN, CommandTest, document, little_endian, main, make_array, tessera, write_npy

LITTLE = {"name": "bytes", "configuration": {"endian": "little"}}
ZSTD = {"name": "zstd", "configuration": {"level": 3, "checksum": False}}
PARTS = ("read", "fetch", "decode", "placement", "files_alone", "codec_alone", "copy_alone")


def stored(path):
    """Sizes of the files of chunks."""
    return [f.stat().st_size for f in (path / "c").rglob("*") if f.is_file()]


def as_found(folder):
    """All files below a folder, and when they were changed."""
    return {f: (f.stat().st_mtime_ns, f.is_dir() or f.read_bytes()) for f in [folder, *folder.rglob("*")]}


class Bench(CommandTest):
    def bench(self, path, *options, threads=2):
        """Its results, and the names of its advice. Its text for people has a line for each."""
        arguments = [path, "--repetitions", 2, "--threads", threads, *options]
        found = json.loads(self.run_ok("bench", *arguments, "--json").text)
        said = self.run_ok("bench", *arguments).text
        self.assertGreater(sum(line.startswith("- ") for line in said.splitlines()), 0, said)
        self.assertEqual((found["threads"], found["repetitions"]), (threads, 2))
        for part in PARTS:
            if found[part] is None:
                continue
            self.assertGreater(found[part]["least"], 0, part)
            self.assertLessEqual(found[part]["least"], found[part]["seconds"], part)
            self.assertLessEqual(found[part]["seconds"], found[part]["most"], part)
            self.assertAlmostEqual(found[part]["rate"], found["bytes"] / found[part]["seconds"] / 1e9)
        return found, [advice["name"] for advice in found["advice"]]

    def assert_counts(self, found, **counts):
        self.assertEqual({name: found[name] for name in counts}, counts)

    def assert_parts(self, found, *parts):
        self.assertEqual([part for part in PARTS if found[part] is not None], list(parts))

    def array(self, shape, chunks, *options, name="a", content=None):
        """An array of bytes made by the command."""
        size = shape[0] * shape[1]
        content = content or random.Random(1).randbytes(size)
        file = write_npy(self.folder / f"{name}.npy", "|u1", shape, content)
        self.run_ok("write", file, self.folder / name, "--chunks", chunks, *options)
        return self.folder / name

    def test_strings(self):
        """For strings and bytes, the bytes of the elements are counted; there is no best case of memory for them."""
        texts = [["a" * (i % 7) + "\u00e9" for i in range(j, j + 12)] for j in range(6)]
        (self.folder / "s.json").write_text(json.dumps(texts))
        size = sum(len(text.encode()) for row in texts for text in row)
        for name, options in (("s", []), ("t", ["--zarr-format", "2"]), ("u", ["--shards", "6,12"])):
            self.run_ok("write", self.folder / "s.json", self.folder / name, "--chunks", "2,4", *options)
            found, _ = self.bench(self.folder / name)
            self.assert_parts(found, "read", "fetch", "decode", "placement", "files_alone", "codec_alone")
            self.assert_counts(found, data_type="string", chunks=9, missing=0, bytes=size, placed_bytes=size)
        b = self.folder / "b"
        (self.folder / "b.json").write_text(json.dumps(["AP8=", "", "/w=="]))
        self.run_ok("write", self.folder / "b.json", b, "--data-type", "bytes")
        self.assert_counts(self.bench(b)[0], data_type="bytes", bytes=3)

    def test_raw(self):
        row = little_endian("H", range(1, 17))
        a = make_array(self.folder / "a", [8, 8], "uint16", [4, 4], {(i, j): row for i in range(2) for j in range(2)})
        found, advice = self.bench(a)
        self.assert_parts(found, "read", "fetch", "placement", "files_alone", "copy_alone")
        self.assert_counts(found, data_type="uint16", shape=[8, 8], chunk_shape=[4, 4], inner_chunk_shape=None,
                           codecs=["bytes"], first=[0, 0], count=[8, 8], step=[1, 1], is_all=True, cache="warm",
                           cold_refused=False, chunks=4, missing=0, files=4, requests=4, bytes=128, stored_bytes=128,
                           fetched_bytes=128, decoded_bytes=0, placed_bytes=128)
        self.assertIn(found["limit"], ("fetch", "placement", "rest"))
        self.assertGreater(found["roof_seconds"], 0)
        self.assertNotIn("larger-chunks-or-shards", advice)  # they are small, and four

    def test_chunks_that_lie_in_place_are_not_placed(self):
        a = make_array(self.folder / "a", [8], "uint8", [4], {(0,): b"1234", (1,): b"5678"})
        found, _ = self.bench(a)
        self.assert_counts(found, chunks=2, placed_bytes=0, fetched_bytes=8)
        self.assert_parts(found, "read", "fetch", "files_alone", "copy_alone")

    def test_compressed(self):
        a = self.array((64, 64), "32,32", "--codecs", json.dumps(["bytes", ZSTD]), content=bytes(range(1, 129)) * 32)
        found, _ = self.bench(a)
        self.assert_parts(found, *PARTS)
        self.assert_counts(found, codecs=["bytes", "zstd"], chunks=4, files=4, bytes=4096, decoded_bytes=4096,
                           placed_bytes=4096, stored_bytes=sum(stored(a)), fetched_bytes=sum(stored(a)))

    def test_the_sample(self):
        for name in ("t1", "t1_half"):
            found, _ = self.bench(BRAIN / name)
            sizes = stored(BRAIN / name)
            self.assert_parts(found, *PARTS)
            self.assert_counts(found, files=len(sizes), stored_bytes=sum(sizes), shape=document(BRAIN / name)["shape"])
            self.assertEqual(found["chunks"] - found["missing"], len(sizes))
        found, _ = self.bench(BRAIN / "t1_sharded")
        self.assert_parts(found, *PARTS)
        self.assert_counts(found, codecs=["bytes", "zstd"], chunk_shape=[128] * 3, inner_chunk_shape=[32] * 3,
                           chunks=7 * 8 * 6, bytes=197 * 233 * 189)

    def test_shards(self):
        codecs = json.dumps([LITTLE, "crc32c"])
        a = self.array((8, 12), "2,3", "--shards", "4,6", "--codecs", codecs, content=bytes(range(1, 97)))
        # An index of files that were just written is read anew for each mini-batch: their inode may be reused.
        newest = max(file.stat().st_ctime for file in a.rglob("*"))
        while time.time() < newest + 0.1:
            pass
        found, advice = self.bench(a)
        index = 4 * 16 + 4
        self.assert_counts(found, codecs=["bytes", "crc32c"], chunk_shape=[4, 6], inner_chunk_shape=[2, 3], chunks=16,
                           missing=0, files=4, bytes=96, stored_bytes=16 * (6 + 4), decoded_bytes=96,
                           fetched_bytes=16 * (6 + 4) + 4 * index)
        self.assert_parts(found, *PARTS)
        self.assertIn("larger-inner-chunks", advice)
        self.assertIn("shard-indexes", advice)
        found, advice = self.bench(a, "--region", "0:2,0:3")
        self.assert_counts(found, chunks=1, files=1, stored_bytes=10, fetched_bytes=10 + index, bytes=6)
        self.assertNotIn("larger-inner-chunks", advice)

    def test_codecs_behind_shards(self):
        shards = {"name": "sharding_indexed", "configuration": {
            "chunk_shape": [2, 3], "codecs": [LITTLE, "crc32c"], "index_codecs": [LITTLE], "index_location": "end"}}
        a = self.array((8, 12), "4,6", "--codecs", json.dumps([shards, ZSTD]), content=bytes(range(1, 97)))
        found, advice = self.bench(a)
        self.assert_counts(found, codecs=["bytes", "crc32c", "zstd"], chunks=16, missing=0, files=4, bytes=96,
                           stored_bytes=160, decoded_bytes=96, fetched_bytes=sum(stored(a)))
        self.assertIn("codecs-in-the-shards", advice)

    def test_tiny_chunks(self):
        def advice_of(name, edge, *options):
            return self.bench(self.array((64, 64), f"{edge},{edge}", *options, name=name))

        found, advice = advice_of("a", 16)
        self.assertEqual((found["chunks"], advice[0]), (16, "larger-chunks-or-shards"))
        self.assertIn("--chunks 64,64", found["advice"][0]["text"])
        self.assertIn("--chunks 16,16 --shards 64,64", found["advice"][0]["text"])
        for name, edge, options in (("b", 32, []), ("c", 16, ["--shards", "64,64"])):
            found, advice = advice_of(name, edge, *options)
            self.assertNotIn("larger-chunks-or-shards", advice)
        self.assertEqual(advice[0], "larger-inner-chunks")
        many = make_array(self.folder / "many", [100, 1000], "uint8", [1, 1], {(50, 500): b"1"})
        found, _ = self.bench(many, "--memory", 1)
        self.assertFalse(found["is_all"])
        self.assertEqual(found["missing"], found["chunks"] - 1)
        self.assertLessEqual(found["chunks"], 2**16)

    def test_one_large_chunk(self):
        a = self.array((4096, 4096), "4096,4096", content=b"\1" * 2**24)
        found, advice = self.bench(a, threads=3)
        self.assertEqual((found["chunks"], advice[0]), (1, "smaller-chunks"))
        self.assertNotIn("smaller-chunks", self.bench(a, threads=1)[1])
        self.assertIn("--chunks 1024,1024", found["advice"][0]["text"])

    def test_missing_chunks(self):
        a = make_array(self.folder / "a", [6], "int16", [2], {(1,): little_endian("h", [3, 4])}, fill_value=-2)
        found, _ = self.bench(a)
        self.assert_counts(found, chunks=3, missing=2, files=1, requests=3, stored_bytes=4, bytes=12)
        found, advice = self.bench(a, "--region", "4:")
        self.assert_counts(found, chunks=1, missing=1, files=0, stored_bytes=0, bytes=4)
        self.assertEqual(advice, ["nothing-stored"])
        self.assert_parts(found, "read", "fetch", "placement", "copy_alone")

    def test_part_of_a_chunk_that_memory_does_not_hold(self):
        a = make_array(self.folder / "a", [1 << 42], "uint8", [1 << 42], {(0,): b""})
        os.truncate(a / "c" / "0", 1 << 42)  # all of it a hole
        found, _ = self.bench(a, "--region", "5:1005:2")
        self.assert_counts(found, chunks=1, missing=0, bytes=500, placed_bytes=500, fetched_bytes=999)

    def test_chunks_that_share_their_bytes(self):
        shard = {"name": "sharding_indexed", "configuration": {
            "chunk_shape": [4], "codecs": [LITTLE], "index_codecs": [LITTLE]}}
        value = b"1234" + little_endian("Q", [0, 4] * 2)
        found, _ = self.bench(make_array(self.folder / "a", [8], "uint8", [8], {(0,): value}, codecs=[shard]))
        self.assert_counts(found, chunks=2, files=1)

    def test_nothing_to_read(self):
        a = make_array(self.folder / "a", [0, 5], "float32", [1, 5], {})
        b = make_array(self.folder / "b", [4], "uint8", [2], {})
        for path, options in ((a, []), (b, ["--region", "2:2"])):
            found, advice = self.bench(path, *options)
            self.assertEqual(advice, ["nothing-selected"])
            self.assert_counts(found, bytes=0, chunks=0, limit=None)
            self.assert_parts(found)

    def test_a_scalar(self):
        a = make_array(self.folder / "a", [], "float64", [], {(): little_endian("d", [1.5])})
        self.assert_counts(self.bench(a)[0], chunks=1, bytes=8, stored_bytes=8, count=[])

    def test_regions(self):
        a = self.array((64, 64), "16,16")
        found, advice = self.bench(a, "--region", "0:64:8,5")
        self.assert_counts(found, first=[0, 5], count=[8, 1], step=[8, 1], chunks=4, bytes=8, is_all=True)
        self.assertIn("chunks-like-the-region", advice)
        self.assertNotIn("chunks-like-the-region", self.bench(a)[1])

    def test_no_more_than_the_memory(self):
        a = self.array((2048, 2048), "256,256")
        found, _ = self.bench(a, "--memory", 1)
        self.assert_counts(found, is_all=False, bytes=2**20, chunks=16, count=[512, 2048], first=[768, 0])
        found, _ = self.bench(a, "--memory", 1, "--region", "100:1900:600,1::2")  # three rows of chunks
        self.assertLessEqual(found["chunks"], 16)
        self.assert_counts(found, step=[600, 2], bytes=found["count"][0] * found["count"][1], is_all=False)
        large = self.array((2048, 2048), "2048,2048", name="b")
        self.assert_counts(self.bench(large, "--memory", 1)[0], chunks=1, bytes=2**22, is_all=True)

    def test_nothing_is_written(self):
        a = self.array((64, 64), "16,16", "--shards", "32,32")
        before = as_found(a)
        self.bench(a)
        self.bench(a, "--cold")
        self.assertEqual(as_found(a), before)
        self.assertEqual(sorted(os.listdir(self.folder)), ["a", "a.npy"])

    def test_cold(self):
        found, _ = self.bench(self.array((64, 64), "16,16"), "--cold")
        self.assertEqual(found["cold_refused"], found["cache"] == "warm")
        self.assertEqual(found["files"], 16)

    def test_refused(self):
        (self.folder / "second").mkdir()
        (self.folder / "second/.zarray").write_text('{"zarr_format": 2}')
        (self.folder / "second/.zgroup").write_text('{"zarr_format": 2}')
        self.assert_refused(tessera("bench", self.folder / "nothing"), 1, 'key "zarr.json"', "no array or group")
        self.assert_refused(tessera("bench", self.folder / "second"), 1, 'key ".zarray"', "member shape is missing")
        self.assert_refused(tessera("bench", BRAIN), 1, 'key "zarr.json"', "this is a group")
        self.assert_refused(tessera("bench", BRAIN / "t1", "--region", "1,2"), 2, "--region", "[197, 233, 189]")
        self.assert_refused(tessera("bench", BRAIN / "t1", "--repetitions", "0"), 2, "--repetitions")
        a = make_array(self.folder / "a", [4], "uint8", [2], {(0,): b"12", (1,): b"3"})
        self.assert_refused(tessera("bench", a), 1, 'key "c/1"')


main()
