"""The command and shards: arrays converted to shards and back have the same elements; each damaged inner chunk is
named."""
import json
import struct

from command import BRAIN, CommandTest, document, main, read_npy, tessera, write_npy

CRC32C = json.dumps([{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "crc32c"}])


class Shards(CommandTest):
    def shards(self, *options):
        """An array of 8 x 12 elements in four shards of four inner chunks each, and its elements."""
        content = bytes(range(1, 97))
        file = write_npy(self.folder / "in.npy", descr="|u1", shape=(8, 12), content=content)
        path = self.folder / "a.zarr"
        self.run_ok("write", file, path, "--chunks", "2,3", "--shards", "4,6", "--codecs", CRC32C, *options)
        return path, content

    def read(self, path):
        self.run_ok("read", path, "--output", self.folder / "out.npy")
        return read_npy(self.folder / "out.npy")[2]

    def test_chunks_are_called_as_the_command_has_them(self):
        file = write_npy(self.folder / "in.npy", descr="|u1", shape=(8, 12), content=bytes(96))
        path = self.folder / "named.zarr"
        said = self.run_ok("write", file, path, "--chunks", "2,3", "--shards", "4,6").text
        self.assertIn("chunks [2, 3] in shards [4, 6]", said)
        self.assertIn("shards      4 x 6, 0 of 4 stored", self.run_ok("info", path).text)

    def test_write(self):
        path, content = self.shards()
        said = document(path)
        self.assertEqual(said["chunk_grid"]["configuration"]["chunk_shape"], [4, 6])
        (codec,) = said["codecs"]
        self.assertEqual((codec["name"], codec["configuration"]["chunk_shape"]), ("sharding_indexed", [2, 3]))
        self.assertEqual(sorted(p.name for p in (path / "c").rglob("*") if p.is_file()), ["0", "0", "1", "1"])
        self.assertEqual(self.read(path), content)
        self.assert_refused(tessera("write", self.folder / "in.npy", self.folder / "b.zarr", "--chunks", "2,3", "--shards",
                                    "4,7"), 2, "[2, 3]", "divisor of the shard's shape [4, 7]")
        self.assertFalse((self.folder / "b.zarr").exists())

    def test_copies_into_shards_and_out_of_them(self):
        t1, copies = self.read(BRAIN / "t1"), iter("abcdef")
        source = BRAIN / "t1"
        for options in (["--chunks", "16,16,16", "--shards", "64,64,128"], ["--shards", "48,64,32"], [],
                        ["--chunks", "20,20,20", "--shards", "100,100,100", "--threads", "1"], ["--chunks", "50,60,70"]):
            copy = self.folder / next(copies)
            self.run_ok("copy", source, copy, *options)
            self.assertEqual(self.read(copy), t1)
            is_sharded = document(copy)["codecs"][0]["name"] == "sharding_indexed"
            self.assertEqual(is_sharded, "--shards" in options or options == [])
            self.assertEqual(self.run_ok("validate", copy).text.split(": ")[-1], "0 failures, 0 stray keys\n")
            source = copy

    def test_the_sample_is_read_and_drawn(self):
        self.assertEqual(self.read(BRAIN / "t1_sharded"), self.read(BRAIN / "t1"))
        for name in ("t1", "t1_sharded"):
            self.run_ok("view", BRAIN / name, "--output", self.folder / f"{name}.png")
        self.assertEqual((self.folder / "t1.png").read_bytes(), (self.folder / "t1_sharded.png").read_bytes())

    def test_compact(self):
        path, content = self.shards()
        shard = path / "c/0/1"
        before = shard.read_bytes()
        shard.write_bytes(before + b"nobody's" + before[-68:])  # as an empty append leaves it
        self.assertEqual(self.read(path), content)
        self.assertIn(": 0 bytes fewer\n", self.run_ok("compact", path, "--region", "0:1,0:1").text)
        self.assert_refused(tessera("compact", path, "--region", "0:1"), 2, "--region")
        self.assertIn(f": {8 + 68} bytes fewer\n", self.run_ok("compact", path, "--threads", "2").text)
        self.assertEqual(shard.read_bytes(), before)
        self.assertIn(": 0 bytes fewer\n", self.run_ok("compact", path).text)
        self.assertEqual(self.read(path), content)
        shard.write_bytes(before[:-1])
        self.assert_refused(tessera("compact", path), 1, "c/0/1", "the shard's index")
        self.assert_refused(tessera("compact", path, "--recover"), 1, "c/0/1", "the shard's index")
        shard.write_bytes(before + before[:50])
        self.assert_refused(tessera("compact", path), 1, "c/0/1", "the shard's index")
        self.assertIn("c/0/1: its last append was cut off", self.run_ok("compact", path, "--recover").text)
        self.assertEqual(shard.read_bytes(), before)
        self.assertEqual(self.read(path), content)

    def test_each_damaged_inner_chunk_is_found(self):
        path, _ = self.shards()
        shard = path / "c/0/1"
        content = bytearray(shard.read_bytes())
        index = content[-68:-4]
        for entry in (0, 3):  # of the inner chunks [0, 2] and [1, 3]
            offset, size = struct.unpack_from("<2Q", index, 16 * entry)
            content[offset + size - 1] ^= 1
        shard.write_bytes(content)
        result = tessera("validate", path, "--json")
        found = json.loads(result.text)
        self.assertEqual((result.status, found["chunks"]), (1, 16))
        (failure,) = found["failures"]  # one cause, one line
        self.assertEqual((failure["key"], failure["inner_chunks"]), ("c/0/1", 2))
        self.assertIn("inner chunk [0, 2]: codec crc32c", failure["problem"])
        self.assertTrue(failure["problem"].endswith("; 1 more: [1, 3]"), failure["problem"])
        shard.write_bytes(content[:-1])  # no index
        result = tessera("validate", path, "--json")
        (failure,) = json.loads(result.text)["failures"]
        self.assertEqual((result.status, failure["key"]), (1, "c/0/1"))
        self.assertIn("the shard's index", failure["problem"])


main()
