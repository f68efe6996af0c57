"""tessera read: sums of whole arrays, regions against slices, the headers of .npy files, memory, errors."""
import hashlib
import itertools
import json
import math
import os

from command import BRAIN, CommandTest, little_endian, main, make_array, read_npy, sums, tessera

SHAPES = {"t1": (197, 233, 189), "t1_half": (98, 116, 94)}
SIZES = {"t1": 1, "t1_half": 4}


def cut(elements, shape, size, slices):
    """NumPy's elements[slices], as bytes in C order."""
    view = memoryview(elements).cast({1: "B", 2: "H", 4: "I", 8: "Q"}[size])
    rows = []
    for outer in itertools.product(*(range(*s.indices(n)) for s, n in zip(slices[:-1], shape[:-1]))):
        start = 0
        for i, n in zip(outer, shape[:-1]):
            start = start * n + i
        start *= shape[-1]
        rows.append(view[start:start + shape[-1]][slices[-1]].tobytes())
    return b"".join(rows)


class Read(CommandTest):
    def test_sums(self):
        for name in ("t1", "t1_half"):
            for options in ([], ["--threads", "1"], ["--memory", "1"]):
                elements = self.read_bin(BRAIN / name, *options)
                self.assertEqual(hashlib.sha256(elements).hexdigest(), sums()[name], (name, options))

    def test_regions(self):
        cases = {"0:64,:,10:20:2": (slice(0, 64), slice(None), slice(10, 20, 2)),
                 "5,:7,90:": (slice(5, 6), slice(0, 7), slice(90, None)),
                 "::13,60:70,::2": (slice(None, None, 13), slice(60, 70), slice(None, None, 2)),
                 "3:97:80,::115,0:93:92": (slice(3, 97, 80), slice(None, None, 115), slice(0, 93, 92)),
                 "97:98,0:1,93:94": (slice(97, 98), slice(0, 1), slice(93, 94)),
                 "4:4,:,:": (slice(4, 4), slice(None), slice(None))}
        for name, shape in SHAPES.items():
            elements = self.read_bin(BRAIN / name)
            for text, slices in cases.items():
                expected = cut(elements, shape, SIZES[name], slices)
                self.assertEqual(self.read_bin(BRAIN / name, "--region", text), expected, (name, text))
                output = self.folder / "part.npy"
                self.run_ok("read", BRAIN / name, "--region", text, "--output", output, "--memory", "1")
                counts = tuple(len(range(*s.indices(n))) for s, n in zip(slices, shape))
                self.assertEqual(read_npy(output), ({1: "|u1", 4: "<f4"}[SIZES[name]], counts, expected), (name, text))

    def test_slabs_of_every_size(self):
        # 700 kB a row, so that one, two or three of the seven rows make a slab of a few MiB.
        shape, row = [7, 350, 1000], 350 * 1000 * 2
        rows = [bytes([i]) * row for i in range(7)]
        a = make_array(self.folder / "a", shape, "uint16", [2, 350, 1000],
                       {(i, 0, 0): (rows + [bytes(row)])[2 * i] + (rows + [bytes(row)])[2 * i + 1] for i in range(4)})
        for memory in (1, 2, 3, 256):
            for first, step in ((0, 1), (1, 1), (0, 2), (1, 3), (0, 6)):
                self.assertEqual(self.read_bin(a, "--memory", memory, "--region", f"{first}::{step},:,:"),
                                 b"".join(rows[first::step]), (memory, first, step))

    def test_types_and_shapes(self):
        codes = {"bool": ("|b1", "B"), "int8": ("|i1", "b"), "int16": ("<i2", "h"), "int32": ("<i4", "i"),
                 "int64": ("<i8", "q"), "uint8": ("|u1", "B"), "uint16": ("<u2", "H"), "uint32": ("<u4", "I"),
                 "uint64": ("<u8", "Q"), "float32": ("<f4", "f"), "float64": ("<f8", "d"), "float16": ("<f2", "H"),
                 "complex64": ("<c8", "ff"), "complex128": ("<c16", "dd"), "r24": ("|V3", "BBB")}
        shapes = [(), (3,), (1,), (0,), (2, 3), (2, 1, 3), (1,) * 32]
        for i, ((data_type, (descr, code)), shape) in enumerate(itertools.product(codes.items(), shapes)):
            count = math.prod(shape)
            content = little_endian(code[0], [n % 2 for n in range(count * len(code))])
            fill = {"bool": False, "r24": [0] * 3}.get(data_type, [0] * 2 if len(code) == 2 else 0)
            a = make_array(self.folder / f"a{i}", shape, data_type, [max(n, 1) for n in shape],
                           {(0,) * len(shape): content} if count else {}, fill_value=fill)
            output = self.folder / "out.npy"
            self.run_ok("read", a, "--output", output)
            self.assertEqual(read_npy(output), (descr, shape, content), (data_type, shape))

    def test_missing_chunks_are_the_fill_value(self):
        a = make_array(self.folder / "a", [5], "int16", [2], {(1,): little_endian("h", [3, 4])}, fill_value=-2)
        self.assertEqual(self.read_bin(a), little_endian("h", [-2, -2, 3, 4, -2]))

    def test_shards_hold_the_same_volume(self):
        self.assertEqual(self.read_bin(BRAIN / "t1_sharded"), self.read_bin(BRAIN / "t1"))
        part = ["--region", "20:150:3,127:129,::40"]
        self.assertEqual(self.read_bin(BRAIN / "t1_sharded", *part), self.read_bin(BRAIN / "t1", *part))

    def test_an_unknown_codec_is_refused(self):
        a = make_array(self.folder / "a", [4], "uint8", [2], {}, codecs=["bytes", {"name": "lz5"}])
        output = self.folder / "out.npy"
        self.assert_refused(tessera("read", a, "--output", output), 1, '"lz5"', 'key "zarr.json"')
        self.assertFalse(output.exists())

    def test_a_group_is_no_array(self):
        self.assert_refused(tessera("read", BRAIN, "--output", self.folder / "x.npy"), 1, 'key "zarr.json"', "this is a group, an array is expected")

    def test_no_half_file_stays(self):
        a = make_array(self.folder / "a", [4], "uint8", [2], {(0,): b"12", (1,): b"3"})
        output = self.folder / "out.bin"
        output.write_bytes(b"old")
        self.assert_refused(tessera("read", a, "--output", output), 1, 'key "c/1"')
        self.assertEqual(output.read_bytes(), b"old")
        self.assertEqual(sorted(os.listdir(self.folder)), ["a", "out.bin"])

    def test_output_that_cannot_be_written(self):
        (self.folder / "folder.npy").mkdir()
        for output in (self.folder / "nothing" / "x.npy", self.folder / "folder.npy"):
            self.assert_refused(tessera("read", BRAIN / "t1", "--output", output), 1, str(output))
        self.assertEqual(os.listdir(self.folder), ["folder.npy"])

    def test_no_memory_for_that(self):
        shape = [1, 2**60]
        a = make_array(self.folder / "a", shape, "uint8", [1, 2**20], {})
        self.assert_refused(tessera("read", a, "--output", self.folder / "x.bin"), 1, str(2**60), 'key "zarr.json"')
        self.assertEqual(self.read_bin(a, "--region", f":,{2**60 - 3}:"), bytes(3))
        self.assertEqual(json.loads(self.run_ok("info", a, "--json").text)["nodes"][0]["chunks"], 2**40)


main()
