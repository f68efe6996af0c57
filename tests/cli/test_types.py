"""Times, text, structs and small numbers through the command: .npy files and back, JSON and text, refusals."""
import json
import os
import struct
import unittest

from command import CommandTest, document, main, read_npy, swapped, tessera, write_npy

NAT = -(2**63)
POINTS = "[('id', '{0}i4'), ('flags', '|u1'), ('at', [('x', '{0}f4'), ('t', '{0}M8[ms]')])]"
ROWS = [(1, 2, 0.5, 3), (-1, 255, -2.0, NAT)]
BIG = ("--codecs", '[{"name": "bytes", "configuration": {"endian": "big"}}, "zstd"]')
# Type, elements in little endian, the number of bytes swapped together, JSON, text, as NumPy prints them.
TYPES = (
    ("<M8[10us]", struct.pack("<2q", 7, NAT), 8, [7, "NaT"], ["1970-01-01T00:00:00.000070", "NaT"],
     "['1970-01-01T00:00:00.000070'                        'NaT']"),
    ("<m8[D]", struct.pack("<2q", -7, 0), 8, [-7, 0], ["-7", "0"], "[-7  0]"),
    ("<U2", "a\0é\"".encode("utf-32-le"), 4, ["a", "é\""], ['"a"', '"\\u00e9\\""'], "['a' 'é\"']"),
    ("|S3", b"ab\0xyz", 1, ["YWI=", "eHl6"], ['"ab"', '"xyz"'], "[b'ab' b'xyz']"),
    ("|V2", b"\0\1\2\3", 1, ["AAE=", "AgM="], ["0001", "0203"], "[0001 0203]"),
)


class Types(CommandTest):
    def written(self, header, content, *options, shape=(2,)):
        file = write_npy(self.folder / "x.npy", "", shape, content,
                         header=f"{{'descr': {header}, 'fortran_order': False, 'shape': {shape}, }}")
        self.run_ok("write", file, self.folder / "a", "--overwrite", *options)
        return self.folder / "a"

    def said(self, path, form):
        return self.run_ok("read", path, "--output", "-", "--format", form).text

    def test_npy_files_come_back_and_are_json(self):
        for descr, content, size, values, lines, shown in TYPES:
            for options in ((), ("--zarr-format", "2"), ("--codecs", '["bytes"]')):
                for order in "<>":
                    given = descr.replace("<", order)
                    a = self.written(f"'{given}'", content if order == "<" else swapped(content, size), *options)
                    self.run_ok("read", a, "--output", self.folder / "y.npy")
                    self.assertEqual(read_npy(self.folder / "y.npy"), (descr, (2,), content), (given, options))
                    self.assertEqual(json.loads(self.said(a, "json")), values)
                    self.assertEqual(self.said(a, "txt").splitlines(), lines)
                    self.assertEqual(self.run_ok("show", a).text.splitlines()[1], shown)

    def test_structs_come_back_and_are_json(self):
        expected = [{"id": 1, "flags": 2, "at": {"x": 0.5, "t": 3}}, {"id": -1, "flags": 255, "at": {"x": -2.0, "t": "NaT"}}]
        little = b"".join(struct.pack("<iBfq", *row) for row in ROWS)
        for order in "<>":
            for options in ((), ("--zarr-format", "2"), BIG):
                a = self.written(POINTS.format(order), b"".join(struct.pack(order + "iBfq", *row) for row in ROWS), *options)
                self.run_ok("read", a, "--output", self.folder / "y.npy")
                self.assertEqual(read_npy(self.folder / "y.npy"),
                                 ([("id", "<i4"), ("flags", "|u1"), ("at", [("x", "<f4"), ("t", "<M8[ms]")])], (2,), little))
                self.assertEqual(json.loads(self.said(a, "json")), expected)
                self.assertIn("(1, 2, (0.5, '1970-01-01T00:00:00.003'))", self.run_ok("show", a).text)
                self.assertIn("{1;2;{0.5;1970-01-01T00:00:00.003}}", self.said(a, "txt"))
                self.run_ok("bench", a, "--repetitions", "1")
                self.run_ok("append", self.folder / "x.npy", a)
                self.assertEqual(json.loads(self.said(a, "json")), expected * 2)

    def test_json_is_lists_in_lists(self):
        a = self.written("'<i2'", struct.pack("<6h", *range(6)), shape=(2, 3))
        self.assertEqual(self.said(a, "json"), "[[0, 1, 2],\n[3, 4, 5]]\n")
        self.run_ok("read", a, "--region", "0:2,1:1", "--output", self.folder / "none.json")
        self.assertEqual(json.loads((self.folder / "none.json").read_text()), [[], []])

    def test_json_comes_back(self):
        struct_type = {"name": "struct", "configuration": {"fields": [
            {"name": "a", "data_type": "int16"},
            {"name": "t", "data_type": {"name": "numpy.datetime64", "configuration": {"unit": "s", "scale_factor": 1}}}]}}
        for data_type, elements in (
            ("bool", [[True], [False]]), ("int64", [2**63 - 1, -1]), ("bfloat16", [1.5, "NaN"]), ("r16", ["AAE="]),
            ("complex64", [[0.5, "Infinity"], [1.0, -2.0]]), ("complex128", [1.0, 2.0]), ("uint4", [15, 0]), ("float32", 0.5), ("float64", [[], []]),
            ({"name": "fixed_length_utf32", "configuration": {"length_bytes": 8}}, ["a\u00e9"]),
            (struct_type, [{"a": 1, "t": 7}, {"a": -1, "t": "NaT"}])):
            (self.folder / "x.json").write_text(json.dumps(elements))
            said = data_type if isinstance(data_type, str) else json.dumps(data_type)
            self.run_ok("write", self.folder / "x.json", self.folder / "a", "--overwrite", "--data-type", said)
            self.assertEqual(json.loads(self.said(self.folder / "a", "json")), elements, data_type)
            if document(self.folder / "a")["shape"]:
                self.run_ok("append", self.folder / "x.json", self.folder / "a")
                self.assertEqual(json.loads(self.said(self.folder / "a", "json")), elements * 2, data_type)
        for data_type, elements, status, words in (
                ("int8", [200], 1, "from -128 to 127"), ("int8", [1.5], 1, "x.json"), ("int99", [1], 2, "int99"), ("{", [1], 2, "--data-type")):
            (self.folder / "x.json").write_text(json.dumps(elements))
            self.assert_refused(tessera("write", self.folder / "x.json", self.folder / "b", "--data-type", data_type), status,
                                words)
        self.assertFalse((self.folder / "b").exists())
        self.written("'<i2'", bytes(4))
        self.assert_refused(tessera("write", self.folder / "x.npy", self.folder / "b", "--data-type", "int16"), 2, ".json")

    def test_strings_and_bytes_are_appended_along_any_dimension(self):
        for data_type, elements, more in (("string", [["a", ""], ["b\u00e9", "c" * 99]], [["new"], ["er"]]),
                                          ("bytes", [["AAE=", ""], ["", "Zg=="]], [["AA=="], [""]])):
            for options in ((), ("--zarr-format", "2")):
                a = self.folder / "a"
                (self.folder / "x.json").write_text(json.dumps(elements))
                (self.folder / "y.json").write_text(json.dumps(more))
                self.run_ok("write", self.folder / "x.json", a, "--overwrite", "--data-type", data_type, "--chunks", "3,3", *options)
                said = self.run_ok("append", self.folder / "y.json", a, "--axis", "1").text
                self.assertIn(f"{data_type} [2, 3], 1 of dimension 1 are new", said)
                self.assertEqual(json.loads(self.said(a, "json")), [row + added for row, added in zip(elements, more)])
        for wrong, status, words in (('["AA=="]', 2, "the shape is [1]"), ('[["?", "", ""]]', 2, "base64"),
                                     ("[[1, 2, 3]]", 1, "y.json")):
            (self.folder / "y.json").write_text(wrong)
            self.assert_refused(tessera("append", self.folder / "y.json", a), status, words)
        self.assertEqual(json.loads((a / ".zarray").read_text())["shape"], [2, 3])

    def test_what_is_refused(self):
        aligned = "[('a', '|u1'), ('', '|V3'), ('b', '<i4')]"
        a = self.written(aligned, bytes(range(16)), "--zarr-format", "2")
        self.assertEqual(json.loads(self.said(a, "json")), [{"a": 0, "b": 0x07060504}, {"a": 8, "b": 0x0f0e0d0c}])
        self.assert_refused(tessera("write", self.folder / "x.npy", self.folder / "b"), 1, "no gaps", "Zarr v3")
        self.assert_refused(tessera("view", a), 2, "struct[8]", "no greys")
        b = self.written("'<i2'", bytes(4))
        (b / "zarr.json").write_text(json.dumps(document(b) | {"data_type": "bfloat16", "fill_value": "NaN"}))
        self.assert_refused(tessera("read", b, "--output", self.folder / "z.npy"), 2, "bfloat16", "NumPy has no")
        self.run_ok("read", b, "--output", self.folder / "z.json")

    @unittest.skipUnless("TESSERA_PLUG_IN" in os.environ, "needs TESSERA_PLUG_IN, a file made of tests/c/plug_in.c")
    def test_codecs_of_plug_ins(self):
        plug_in = ("--plug-in", os.environ["TESSERA_PLUG_IN"])
        file = write_npy(self.folder / "x.npy", "<i2", (4,), struct.pack("<4h", 1, 2, 3, 4))
        codecs = ("--codecs", '[{"name": "bytes", "configuration": {"endian": "little"}}, "test.invert"]')
        a = self.folder / "a"
        self.assert_refused(tessera("write", file, a, *codecs), 2, "test.invert", "not among")
        self.run_ok(*plug_in, "write", file, a, *codecs)
        self.assertEqual((a / "c" / "0").read_bytes(), struct.pack("<4h", ~1, ~2, ~3, ~4))
        self.assertEqual(json.loads(self.run_ok(*plug_in, "read", a, "--output", "-", "--format", "json").text), [1, 2, 3, 4])
        self.run_ok(*plug_in, "copy", a, self.folder / "b")
        self.run_ok(*plug_in, "validate", a)
        self.assert_refused(tessera("read", a, "--output", "-"), 1, "test.invert")
        self.assert_refused(tessera("--plug-in", self.folder / "no.so", "info", a), 1, "no.so")


main()
