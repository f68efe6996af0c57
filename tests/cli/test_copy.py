"""tessera copy: re-encoded trees have the same elements and metadata; memory is bounded; no half copy shows."""
import hashlib
import itertools
import json
import math
import os
import random
import resource
import shutil
import signal
import subprocess

from command import (BINARY, BRAIN, ENVIRONMENT, CommandTest, document, little_endian, main, make_array,
                     make_unsupported, peak_memory, sums, tessera)

BIG = {"name": "bytes", "configuration": {"endian": "big"}}
LITTLE = {"name": "bytes", "configuration": {"endian": "little"}}
ZSTD = {"name": "zstd", "configuration": {"level": 1, "checksum": True}}


class Copy(CommandTest):
    def test_it_is_said_what_was_done(self):
        copy, file = self.folder / "copy", self.folder / "t1.npy"
        self.assertRegex(self.run_ok("copy", BRAIN, copy).text, r"copy: 3 arrays, 1 group, 20\.6 MiB in [0-9.e-]+ s\n$")
        said = self.run_ok("read", copy / "t1", "--output", file).text
        self.assertRegex(said, r"t1\.npy: uint8 \[197, 233, 189\], 8\.3 MiB in [0-9.e-]+ s\n$")
        said = self.run_ok("write", file, copy / "new", "--chunks", "50,50,50", "--shards", "100,100,100").text
        self.assertRegex(said, r"new: uint8 .*chunks \[50, 50, 50\] in shards \[100, 100, 100\], 8\.3 MiB in [0-9.e-]+ s\n$")
        said = self.run_ok("append", file, copy / "new").text
        self.assertRegex(said, r"197 of dimension 0 are new, 8\.3 MiB in [0-9.e-]+ s\n$")

    def group(self, folder, **members):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "zarr.json").write_text(json.dumps({"zarr_format": 3, "node_type": "group"} | members))
        return folder

    def brain(self):
        """The sample without the array that has shards."""
        shutil.copytree(BRAIN, self.folder / "brain.zarr")
        shutil.rmtree(self.folder / "brain.zarr/t1_sharded")
        return self.folder / "brain.zarr"

    def digest(self, path):
        return hashlib.sha256(self.read_bin(path)).hexdigest()

    def test_a_tree_encoded_anew(self):
        brain = self.brain()
        for i, options in enumerate(([], ["--chunks", "40,50,60"], ["--codecs", json.dumps([BIG, ZSTD, "crc32c"])],
                                     ["--chunks", "197,1,64", "--codecs", json.dumps([LITTLE]), "--threads", "1"])):
            for memory in ("1", "256"):
                copy = self.folder / f"copy{i}-{memory}"
                result = self.run_ok("copy", brain, copy, "--memory", memory, *options)
                self.assertIn("2 arrays, 1 group", result.text)
                self.assertEqual(document(copy)["attributes"], document(brain)["attributes"])
                for name in ("t1", "t1_half"):
                    self.assertEqual(self.digest(copy / name), sums()[name], (options, memory, name))
                    same = ["shape", "data_type", "fill_value", "attributes", "dimension_names", "chunk_key_encoding"]
                    same += [] if "--chunks" in options else ["chunk_grid"]
                    for member in same:
                        self.assertEqual(document(copy / name)[member], document(brain / name)[member], member)
                    self.run_ok("validate", copy / name)
            if "--codecs" in options:
                wanted = [LITTLE] if i == 3 else [BIG, ZSTD, {"name": "crc32c"}]
                self.assertEqual(document(copy / "t1_half")["codecs"], wanted)
                wanted[0] = {"name": "bytes"}  # elements of one byte have no order
                self.assertEqual(document(copy / "t1")["codecs"], wanted)

    def test_what_is_kept(self):
        extra = {"must_understand": False, "answer": [42, None, 1e300, "\u00e9"]}
        names = ["y", None]
        a = make_array(self.folder / "g/deep/a", [3, 4], "float64", [2, 3], {(0, 1): little_endian("d", range(6))},
                       fill_value="0x7ff8000000000001", attributes={"big": 2**70, "text": "\u2028\n"}, extra=extra,
                       dimension_names=names, chunk_key_encoding={"name": "v2", "configuration": {"separator": "."}})
        (a / "0.1").write_bytes((a / "c/0/1").read_bytes())
        shutil.rmtree(a / "c")
        self.group(self.folder / "g", attributes={"a": {"b": [1, {}]}}, extra=extra, consolidated_metadata=None)
        self.group(self.folder / "g/deep")
        copy = self.folder / "h"
        self.run_ok("copy", self.folder / "g", copy, "--chunks", "1,4")
        for member in ("attributes", "extra"):
            self.assertEqual(document(copy)[member], document(self.folder / "g")[member])
        for member in ("attributes", "extra", "fill_value", "dimension_names", "chunk_key_encoding"):
            self.assertEqual(document(copy / "deep/a")[member], document(a)[member], member)
        self.assertEqual(self.read_bin(copy / "deep/a"), self.read_bin(a))
        self.assertEqual(sorted(os.listdir(copy / "deep/a")), ["0.0", "1.0", "zarr.json"])

    def test_shards(self):
        t1 = sums()["t1"]
        for i, options in enumerate(([], ["--chunks", "40,50,60"], ["--chunks", "64,64,64", "--codecs", json.dumps([LITTLE])])):
            copy = self.folder / f"copy{i}"
            self.run_ok("copy", BRAIN / "t1_sharded", copy, *options)
            self.assertEqual(self.digest(copy), t1, options)
        codecs = document(self.folder / "copy0")["codecs"]
        self.assertEqual([codec["name"] for codec in codecs], ["sharding_indexed"])
        self.assertEqual(codecs[0]["configuration"]["chunk_shape"], [32, 32, 32])

    def test_missing_stays_missing(self):
        chunks = {(0, 0): bytes(16), (1, 1): bytes(range(16)), (2, 2): b"\7" * 16}
        a = make_array(self.folder / "a", [16, 16], "uint8", [4, 4], chunks, fill_value=7)
        self.run_ok("copy", a, self.folder / "b")
        stored = sorted(str(p.relative_to(self.folder / "b")) for p in (self.folder / "b/c").rglob("*") if p.is_file())
        self.assertEqual(stored, ["c/0/0", "c/1/1"])  # chunks with only the fill value are not stored
        self.run_ok("copy", a, self.folder / "c", "--chunks", "2,16")
        stored = sorted(str(p.relative_to(self.folder / "c")) for p in (self.folder / "c/c").rglob("*") if p.is_file())
        self.assertEqual(stored, ["c/0/0", "c/1/0", "c/2/0", "c/3/0"])
        self.assertEqual(self.read_bin(self.folder / "c"), self.read_bin(a))
        huge = make_array(self.folder / "huge", [2**40, 2**20], "uint8", [2**30, 2**18], {})
        self.assert_refused(tessera("copy", huge, self.folder / "x", "--memory", 1), 1, "memory")
        sparse = make_array(self.folder / "sparse", [2**31], "uint8", [2**24], {(127,): b"\1" * 2**24})
        self.run_ok("copy", sparse, self.folder / "y", "--codecs", json.dumps([LITTLE, ZSTD]))
        self.assertEqual(self.read_bin(self.folder / "y", f"--region={2**31 - 5}:"), b"\1" * 5)

    def test_every_type_and_odd_shapes(self):
        for data_type, size, fill in (("bool", 1, False), ("float16", 2, "NaN"), ("int64", 8, -1), ("complex64", 8, [0, 1]),
                                      ("complex128", 16, [0, 1]), ("r24", 3, [1, 2, 3])):
            for shape in ((), (0,), (7,), (5, 6, 7)):
                count = math.prod(shape)
                content = bytes(random.Random(data_type).randrange(2) for _ in range(count * size))
                a = make_array(self.folder / "a", shape, data_type, [max(n, 1) for n in shape],
                               {(0,) * len(shape): content} if count else {}, fill_value=fill)
                options = ["--chunks", ",".join(["2"] * len(shape))] if shape else []
                self.run_ok("copy", a, self.folder / "b", *options, "--codecs", json.dumps([BIG, ZSTD]))
                self.run_ok("copy", self.folder / "b", self.folder / "b", "--overwrite", "--codecs", json.dumps([LITTLE]))
                self.assertEqual(self.read_bin(self.folder / "b"), content, (data_type, shape))
                shutil.rmtree(self.folder / "a")
                shutil.rmtree(self.folder / "b")

    def large(self, *shape):
        """Bytes of noise, uncompressed, in chunks of 64 x 64 x 64."""
        noise = random.Random(1)
        return make_array(self.folder / "large", shape, "uint8", [64] * 3,
                          {place: noise.randbytes(64**3) for place in itertools.product(*(range(n // 64) for n in shape))})

    def test_memory_is_bounded(self):
        large = self.large(256, 512, 512)  # 64 MiB
        small = make_array(self.folder / "small", [64], "uint8", [64], {(0,): bytes(range(64))})
        least, status, _ = peak_memory("copy", small, self.folder / "b", "--memory", 4, "--threads", 2)
        self.assertEqual(status, 0)
        for chunks in ("64,64,64", "100,100,100", "256,8,64", "1,512,512"):
            most, status, _ = peak_memory("copy", large, self.folder / "copy", "--memory", 8, "--threads", 2, "--overwrite",
                                       "--chunks", chunks, "--codecs", json.dumps([LITTLE, "crc32c"]))
            self.assertEqual(status, 0)
            print(f"{chunks}: {most} MiB, {least} MiB of them whatever is copied; the array has 64 MiB, --memory is 8")
            self.assertLess(most - least, 24)
            self.assertEqual(self.digest(self.folder / "copy"), self.digest(large))

    def test_nothing_stays_of_a_copy_that_fails(self):
        brain = self.brain()
        chunk = brain / "t1_half/c/1/1/1"
        chunk.write_bytes(chunk.read_bytes()[:-1])
        self.assert_refused(tessera("copy", brain, self.folder / "new/copy"), 1, 'key "t1_half/c/1/1/1"')
        old = make_array(self.folder / "old", [2], "uint8", [2], {(0,): b"ab"})
        self.assert_refused(tessera("copy", brain, old), 1, "--overwrite")
        self.assert_refused(tessera("copy", brain, old, "--overwrite"), 1, 'key "t1_half/c/1/1/1"')
        self.assertEqual(self.read_bin(old), b"ab")
        self.assertEqual(sorted(os.listdir(self.folder)), ["brain.zarr", "elements.bin", "old"])
        # Documents are checked before anything is written.
        (brain / "t1/zarr.json").write_text("{")
        self.assert_refused(tessera("copy", brain, self.folder / "copy"), 1, 'key "t1/zarr.json"')
        make_array(self.folder / "strange/a", [2], "uint8", [2], {(0,): b"ab"}, codecs=["bytes", {"name": "lz5"}])
        self.group(self.folder / "strange")
        self.assert_refused(tessera("copy", self.folder / "strange", self.folder / "copy"), 1, 'key "a/zarr.json"', '"lz5"')
        self.assert_refused(tessera("copy", self.folder / "nothing", self.folder / "copy"), 1, "nothing")
        self.assertEqual(sorted(os.listdir(self.folder)), ["brain.zarr", "elements.bin", "old", "strange"])

    def test_a_copy_that_is_ended_shows_nothing(self):
        large = self.large(256, 256, 256)  # some seconds' work at the highest level
        group = self.group(self.folder / "g")
        old = make_array(self.folder / "g/old", [2], "uint8", [2], {(0,): b"ab"})
        codecs = json.dumps([LITTLE, {"name": "zstd", "configuration": {"level": 22}}])
        for target, number in itertools.product((group / "new", old), (signal.SIGKILL, signal.SIGINT, signal.SIGTERM)):
            process = subprocess.Popen([BINARY, "copy", large, target, "--overwrite", "--threads", "1", "--memory", "1",
                                        "--chunks", "64,64,64", "--codecs", codecs], env=ENVIRONMENT,
                                       stderr=subprocess.PIPE, text=True)
            while not any(path.is_file() for path in group.glob(".tessera-*/new/c/0/0/*")):
                self.assertIsNone(process.poll(), "the copy was done before it could be killed")
            process.send_signal(number)
            errors = process.communicate()[1]
            nodes = json.loads(self.run_ok("info", group, "--json").text)["nodes"]
            self.assertEqual([node["path"] for node in nodes], ["", "old"])
            self.assertEqual(self.read_bin(old), b"ab")
            self.assertIn(" 0 failures, 0 stray keys", self.run_ok("validate", group).text)
            if number == signal.SIGKILL:
                for folder in group.glob(".tessera-*"):  # no other process was left to do it
                    shutil.rmtree(folder)
            else:
                self.assertEqual((process.returncode, errors.count("\n")), (128 + number, 1), errors)
                self.assertEqual(list(group.glob(".tessera-*")), [])

    def test_into_itself(self):
        group = self.group(self.folder / "g", attributes={"name": "g"})
        make_array(group / "a", [2], "uint8", [2], {(0,): b"ab"})
        self.run_ok("copy", group, group / "copy")
        self.assertEqual(document(group / "copy")["attributes"], {"name": "g"})
        self.assertEqual(self.read_bin(group / "copy/a"), b"ab")
        self.assertFalse((group / "copy/copy").exists())
        self.run_ok("copy", group / "a", group, "--overwrite")
        self.assertEqual(self.read_bin(group), b"ab")
        self.assertEqual(sorted(os.listdir(group)), ["c", "zarr.json"])
        self.assert_refused(tessera("copy", group, group / "below"), 1, "array above")

    def test_what_is_decoded_and_not_encoded_is_left_out(self):
        group, copy = self.folder / "group", self.folder / "copy"
        make_array(group / "plain", [2], "uint8", [2], {(0,): b"ab"})
        (group / "zarr.json").write_text(json.dumps({"zarr_format": 3, "node_type": "group"}))
        stored = bytes.fromhex("70636f21030082010401010500000010000800000018 0088c60200")
        make_array(group / "numbers", [6], "uint32", [6], {(0,): stored}, codecs=["numcodecs.pcodec"])
        result = tessera("copy", group, copy)
        self.assertEqual(result.status, 1)
        self.assertEqual(len(result.errors), 1)
        for word in ("left out", "numbers/zarr.json", "tessera decodes pcodec but does not encode it"):
            self.assertIn(word, result.errors[0])
        self.assertEqual(sorted(os.listdir(copy)), ["plain", "zarr.json"])
        self.run_ok("copy", group / "numbers", self.folder / "bytes", "--codecs", json.dumps([LITTLE]))
        self.assertEqual(self.read_bin(self.folder / "bytes"), b"".join(i.to_bytes(4, "little") for i in range(1, 7)))

    def test_what_is_not_supported_is_left_out(self):
        brain, copy = self.brain(), self.folder / "copy"
        unsupported = make_unsupported(brain)
        result = tessera("copy", brain, copy)
        self.assertEqual(result.status, 1)
        self.assertEqual(result.errors, [f'tessera: left out: {brain}: key "{name}/zarr.json": {unsupported[name]} is not '
                                         "supported" for name in sorted(unsupported)])
        self.assertIn("2 arrays, 1 group", result.text)
        self.assertEqual(sorted(os.listdir(copy)), ["t1", "t1_half", "zarr.json"])
        for name in ("t1", "t1_half"):
            self.assertEqual(self.digest(copy / name), sums()[name])
        for name, what in unsupported.items():
            self.assert_refused(tessera("copy", brain / name, self.folder / name), 1, f"{what} is not supported")
        (brain / "t1/zarr.json").write_text("{")  # broken data needs a look first
        shutil.rmtree(copy)
        self.assert_refused(tessera("copy", brain, copy), 1, 'key "t1/zarr.json"')
        self.assertFalse(copy.exists())

    def test_key_of_a_disk_that_is_full(self):
        # A file may have 64 kB: like a full disk, this shows while chunks are written.
        a = make_array(self.folder / "a", [2**20], "uint8", [2**18], {(0,): bytes(range(256)) * 2**10})
        limit = (2**16, 2**16)
        done = subprocess.run([BINARY, "copy", a, self.folder / "b"], capture_output=True, env=ENVIRONMENT, text=True,
                              preexec_fn=lambda: (resource.setrlimit(resource.RLIMIT_FSIZE, limit),
                                                  signal.signal(signal.SIGXFSZ, signal.SIG_IGN)))
        self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1), done.stderr)
        self.assertIn('key "c/0"', done.stderr)
        self.assertEqual(os.listdir(self.folder), ["a"])


main()
