"""Zarr v2 through the command: shown, read, checked, changed and made; one format copied into the other."""
import gzip
import hashlib
import json
import shutil
import struct
import zlib

from command import BRAIN, CommandTest, document, main, sums, tessera


class ZarrV2(CommandTest):
    def group(self):
        """A group with an array of order F, of one present chunk and one missing."""
        root = self.folder / "g"
        (root / "a").mkdir(parents=True)
        (root / ".zgroup").write_text('{"zarr_format": 2}')
        (root / ".zattrs").write_text('{"title": "old"}')
        (root / "a/.zarray").write_text(json.dumps({
            "zarr_format": 2, "shape": [2, 4], "chunks": [2, 2], "dtype": ">u2", "compressor": None, "fill_value": 9,
            "order": "F", "filters": None}))
        (root / "a/.zattrs").write_text('{"_ARRAY_DIMENSIONS": ["y", "x"]}')
        (root / "a/0.0").write_bytes(bytes([0, 1, 0, 3, 0, 2, 0, 4]))
        return root

    elements = bytes([1, 0, 2, 0, 9, 0, 9, 0, 3, 0, 4, 0, 9, 0, 9, 0])

    def test_it_is_shown_and_read(self):
        root = self.group()
        text = self.run_ok("info", root).text
        for words in ("group  (Zarr v2)", "uint16 [y 2, x 4]  (Zarr v2)", "1 of 2 stored", "title", "stored      8 B of 16 B"):
            self.assertIn(words, text)
        nodes = json.loads(self.run_ok("info", root, "--json").text)["nodes"]
        self.assertEqual([node["zarr_format"] for node in nodes], [2, 2])
        self.assertEqual(self.read_bin(root / "a"), self.elements)
        self.assertEqual(self.read_bin(root / "a", "--region", "x=1"), bytes([2, 0, 4, 0]))

    def test_it_is_checked(self):
        root = self.group()
        said = self.run_ok("validate", root).text
        self.assertIn("1 array, 1 group, 1 chunk decoded: 0 failures, 0 stray keys", said)
        (root / "a/1.0").write_bytes(b"stray")
        (root / "a/0.1").write_bytes(b"short")
        result = tessera("validate", root)
        self.assertEqual(result.status, 1)
        for words in ('key "a/0.1"', 'key "a/1.0": no chunk', "1 failure, 1 stray key"):
            self.assertIn(words, result.text)
        (root / "a/.zarray").write_text('{"zarr_format": 2, "shape": [2, 4], "chunks": [2, 2], "dtype": "|O", "order": "C"}')
        self.assertIn('data type "|O" is not supported', tessera("info", root).text.replace("cannot be read: ", ""))

    def test_documents_of_both_formats_are_said(self):
        root = self.group()
        self.run_ok("copy", root, self.folder / "new", "--zarr-format", "3")
        for name in ("zarr.json", "a/zarr.json"):
            shutil.copy(self.folder / "new" / name, root / name)
        said = tessera("validate", root).text
        for key in (".zgroup", "a/.zarray"):
            self.assertIn(f'key "{key}": a document of the other format', said)

    def test_it_is_changed(self):
        root = self.group()
        self.run_ok("attrs", root / "a", "--set", "unit=\"mm\"")
        self.assertEqual(json.loads((root / "a/.zattrs").read_text()), {"_ARRAY_DIMENSIONS": ["y", "x"], "unit": "mm"})
        self.run_ok("resize", root / "a", "2,2")
        self.assertEqual(json.loads((root / "a/.zarray").read_text())["shape"], [2, 2])
        self.run_ok("mv", root / "a", root / "b")
        self.assertEqual(self.read_bin(root / "b"), bytes([1, 0, 2, 0, 3, 0, 4, 0]))
        self.run_ok("rm", root / "b")
        self.assertFalse((root / "b").exists())

    def test_one_format_becomes_the_other_and_back(self):
        old, new, again = (self.folder / name for name in ("old", "new", "again"))
        self.run_ok("copy", BRAIN, old, "--zarr-format", "2")
        self.assertFalse(list(old.rglob("zarr.json")))
        self.assertEqual(json.loads((old / ".zattrs").read_text()), document(BRAIN)["attributes"])
        self.assertEqual(json.loads((old / ".zgroup").read_text()), {"zarr_format": 2})
        self.run_ok("copy", old, again)
        self.assertFalse(list(again.rglob("zarr.json")))
        self.run_ok("copy", old, new, "--zarr-format", "3")
        self.assertFalse(list(new.rglob(".z*")))
        for name, expected in sums().items():
            for tree in (old, again, new):
                self.assertEqual(hashlib.sha256(self.read_bin(tree / name)).hexdigest(), expected, (tree, name))

    def test_documents_are_converted_in_place(self):
        root = self.group()
        (root / ".zmetadata").write_text('{"zarr_consolidated_format": 1, "metadata": {}}')
        result = tessera("convert", root, "--to", "v3")
        self.assert_refused(result, 0, str(root), "consolidated metadata was removed")
        self.assertEqual(result.text, f"{root}: 2 nodes are Zarr v3 now\n")
        self.assertEqual(sorted(str(file.relative_to(root)) for file in root.rglob("*") if file.is_file()),
                         ["a/0.0", "a/zarr.json", "zarr.json"])
        self.assertEqual(self.read_bin(root / "a"), self.elements)
        self.assertEqual(document(root / "a")["dimension_names"], ["y", "x"])
        self.assertEqual(document(root / "a")["attributes"], {"_FillValue": 9})  # if xarray has both
        self.run_ok("validate", root)
        self.assertEqual(self.run_ok("convert", root / "a", "--to", "v2").text, f"{root}/a: 1 node is Zarr v2 now\n")
        self.assertEqual(self.run_ok("convert", root, "--to", "v2").text, f"{root}: 1 node is Zarr v2 now\n")
        self.assertEqual(self.run_ok("convert", root, "--to", "v2").text, f"{root}: all of it is Zarr v2\n")
        self.assertFalse(list(root.rglob("zarr.json")))
        self.assertEqual(self.read_bin(root / "a"), self.elements)
        self.run_ok("copy", BRAIN / "t1", root / "b", "--zarr-format", "3")
        self.assert_refused(tessera("convert", root, "--to", "v2"), 1, 'key "b/zarr.json"', "member chunk_key_encoding",
                            "tessera copy --zarr-format")
        self.assert_refused(tessera("convert", root, "--to", "v4"), 2, "--to")

    def test_arrays_of_other_programs(self):
        """Spelled as the sources of these programs spell them; the second of the two chunks is missing."""
        numbers = [1, 2, 3, 4]
        shuffled = b"".join(bytes(struct.pack("<i", n)[i] for n in numbers) for i in range(4))
        written = {
            "netCDF-c 4.9.2": ({"dtype": "<i4", "fill_value": -2147483647, "order": "C",
                                "filters": [{"id": "shuffle", "elementsize": "4"}],
                                "compressor": {"id": "zlib", "level": "9"},
                                "_nczarr_array": {"dimrefs": ["/x"], "storage": "chunked"}},
                               zlib.compress(shuffled), -2147483647),
            "n5-zarr 1.2": ({"dtype": ">u2", "fill_value": "7", "order": "C", "filters": [],
                             "compressor": {"id": "gzip", "level": -1}, "dimension_separator": "/"},
                            gzip.compress(struct.pack(">4H", *numbers)), 7),
            "z5": ({"dtype": "<u8", "fill_value": 7.0, "order": "C", "filters": None, "compressor": None},
                   struct.pack("<4Q", *numbers), 7),
            "Zarr.jl 0.9.5": ({"node_type": "array", "dtype": "<u1", "fill_value": None, "order": "C", "filters": None,
                               "compressor": {"id": "zlib", "level": 6}}, zlib.compress(bytes(numbers)), 0),
            "jzarr": ({"dtype": ">u1", "fill_value": 7, "order": "C", "filters": None, "dimension_separator": "/",
                       "compressor": {"id": "zlib", "level": 1}}, zlib.compress(bytes(numbers)), 7),
            "zarr 2.1": ({"dtype": "|b1", "fill_value": 0, "order": "F", "filters": None, "compressor": None},
                         bytes([1, 0, 1, 1]), False),
        }
        for program, (members, chunk, fill) in written.items():
            path = self.folder / program
            path.mkdir()
            (path / ".zarray").write_text(json.dumps({"zarr_format": 2, "shape": [8], "chunks": [4]} | members))
            (path / "0").write_bytes(chunk)
            stored = numbers if program != "zarr 2.1" else [True, False, True, True]
            values = json.loads(self.run_ok("read", path, "--output", "-", "--format", "json").text)
            self.assertEqual(values, stored + 4 * [fill], program)
            self.assertIn("1 chunk decoded: 0 failures", self.run_ok("validate", path).text)
            self.run_ok("attrs", path, "--set", "changed=true")
            self.run_ok("resize", path, "6")
            self.run_ok("convert", path, "--to", "v3")
            values = json.loads(self.run_ok("read", path, "--output", "-", "--format", "json").text)
            self.assertEqual(values, stored + 2 * [fill], program)

    def test_a_file_becomes_an_array_of_it(self):
        file = self.folder / "t1.npy"
        self.run_ok("read", BRAIN / "t1_half", "--output", file)
        self.run_ok("write", file, self.folder / "g/a", "--zarr-format", "2")
        self.assertTrue((self.folder / "g/a/.zarray").exists())
        self.assertEqual(self.read_bin(self.folder / "g/a"), self.read_bin(BRAIN / "t1_half"))
        result = tessera("write", file, self.folder / "g/b", "--zarr-format", "2", "--chunks", "10,10,10", "--shards", "20,20,20")
        self.assert_refused(result, 1, "Zarr v2 has no codec \"sharding_indexed\"")
        self.assertFalse((self.folder / "g/b").exists())


main()
