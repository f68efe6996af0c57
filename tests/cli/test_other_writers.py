"""Documents and chunks of other writers: read, shown, checked and copied with the same verdict."""
import gzip
import json
import struct

from command import CommandTest, main, tessera

LITTLE = {"name": "bytes", "configuration": {"endian": "little"}}
ELEMENTS = struct.pack("<4i", 1, 2, 3, 4)


def v3(**changes):
    document = {"zarr_format": 3, "node_type": "array", "shape": [4], "data_type": "int32", "fill_value": 0,
                "codecs": [LITTLE], "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [4]}},
                "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}}} | changes
    return {name: value for name, value in document.items() if value != "left out"}


def v2(**changes):
    return {"zarr_format": 2, "shape": [4], "chunks": [4], "dtype": "<i4", "compressor": None, "fill_value": 0,
            "order": "C", "filters": None} | changes


class OtherWriters(CommandTest):
    def array(self, name, document, chunk=ELEMENTS, encoding="utf-8"):
        path = self.folder / name
        is_v3 = document["zarr_format"] in (3, "3")
        key = path / ("c/0" if is_v3 else "0")
        key.parent.mkdir(parents=True)
        (path / ("zarr.json" if is_v3 else ".zarray")).write_text(json.dumps(document), encoding=encoding)
        key.write_bytes(chunk)
        return path

    def test_info_read_and_validate_say_the_same(self):
        packed = gzip.compress(ELEMENTS)
        codec = lambda **configuration: {"name": "gzip", "configuration": configuration}
        sound = {
            "gdal-none": (v3(codecs="left out", fill_value=None), ELEMENTS),
            "gdal-gzip": (v3(codecs=[codec(level=6)]), packed),
            "gdal-F": (v3(codecs=[{"name": "transpose", "configuration": {"order": "F"}}]), ELEMENTS),
            "numcodecs": (v3(codecs=[LITTLE, {"name": "numcodecs.gzip", "configuration": {}}]), packed),
            "names": (v3(dimension_names=None, consolidated_metadata=None), ELEMENTS),
            "fill": (v3(fill_value=1.0), ELEMENTS),
            "quotes": (v2(zarr_format="2"), ELEMENTS),
        }
        for name, (document, chunk) in sound.items():
            with self.subTest(name):
                path = self.array(name, document, chunk)
                self.assertEqual(self.read_bin(path), ELEMENTS)
                self.run_ok("info", path)
                self.run_ok("validate", path)
        wrong = {
            "level": v3(codecs=[LITTLE, codec(level=10)]),
            "order": v3(codecs=[{"name": "transpose", "configuration": {"order": "A"}}]),
            "no-bytes": v3(codecs=[]),
            "shuffle": v2(compressor={"id": "blosc", "shuffle": "SOME"}),
            "lzma": v2(compressor={"id": "lzma", "preset": 6, "delta": 0}),
        }
        for name, document in wrong.items():
            with self.subTest(name):
                path = self.array(name, document)
                for command in (["read", "--output", "-"], ["info"], ["validate"]):
                    self.assertEqual(tessera(command[0], path, *command[1:]).status, 1, command)

    def test_an_array_with_an_unknown_member_of_a_codec_is_left_out(self):
        (self.folder / "zarr.json").write_text('{"zarr_format": 3, "node_type": "group"}')
        self.array("sound", v3())
        gzip_with = {"name": "gzip", "configuration": {"level": 1, "fast": True}}
        self.array("other", v3(codecs=[LITTLE, gzip_with]), gzip.compress(ELEMENTS))
        self.array("old", v2(compressor={"id": "zlib", "level": 1, "fast": True}))
        copy = self.folder.with_name(self.folder.name + "-copy")
        self.addCleanup(lambda: tessera("rm", copy))
        done = tessera("copy", self.folder, copy)
        self.assertEqual(done.status, 1)
        self.assertIn('codec "gzip" with member "fast" is not supported', " ".join(done.errors))
        self.assertEqual(self.read_bin(copy / "sound"), ELEMENTS)
        self.assertEqual(sorted(path.name for path in copy.iterdir() if path.is_dir()), ["sound"])
        said = self.run_ok("validate", self.folder).text
        self.assertIn("2 arrays not supported", said)

    def test_a_byte_order_mark_is_passed_over_and_named(self):
        for name, document, key in (("a", v3(), "zarr.json"), ("b", v2(), ".zarray")):
            path = self.array(name, document, encoding="utf-8-sig")
            self.assertEqual(self.read_bin(path), ELEMENTS)
            self.assertIn(f'key "{key}": begins with a byte order mark', self.run_ok("validate", path).text)
            self.assertEqual(json.loads(self.run_ok("validate", path, "--json").text)["byte_order_marks"], [key])
        path = self.array("c", v3(), encoding="utf-16")
        self.assert_refused(tessera("show", path), 1, "UTF-16", "write it again as UTF-8")

    def test_broken_attributes_hide_no_elements(self):
        path = self.array("a", v2())
        (path / ".zattrs").write_text("{")
        self.assertEqual(self.read_bin(path), ELEMENTS)
        for command in ("info", "attrs"):
            self.assert_refused(tessera(command, path), 1, ".zattrs", "not JSON")
        self.assert_refused(tessera("copy", path, self.folder / "b"), 1, ".zattrs", "not JSON")
        self.assertFalse((self.folder / "b").exists())
        checked = tessera("validate", path)
        self.assertEqual(checked.status, 1)
        self.assertIn('key ".zattrs": not JSON', checked.text)
        self.assertIn("1 chunk decoded: 1 failure", checked.text)

    def test_other_formats_are_recognised(self):
        file = self.folder / "a.h5"
        file.write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(100))
        self.assert_refused(tessera("info", file), 1, "found an HDF5 file", "to_zarr")
        n5 = self.folder / "b.n5"
        n5.mkdir()
        (n5 / "attributes.json").write_text("{}")
        self.assert_refused(tessera("info", n5), 1, "found attributes.json of N5")

    def test_an_unknown_codec_is_named_first_with_those_that_are_like_it(self):
        path = self.array("a", v3(codecs=[LITTLE, {"name": "lz5"}]))
        (line,) = tessera("read", path, "--output", "-").errors
        self.assertIn('member codecs: "lz5" is not among the command\'s codecs (nearest of ', line)
        self.assertIn("numcodecs.lz4", line)
        self.assertLess(len(line) - len(str(path)), 250)

    def test_numbers_of_four_bits_are_a_byte_each(self):
        path = self.array("a", v3(data_type="int4", codecs=["bytes"]), bytes([0xFF, 0x07, 0xF8, 0x01]))
        self.assertEqual(self.read_bin(path), bytes([0xFF, 0x07, 0xF8, 0x01]))
        self.assertEqual(self.run_ok("show", path).text.split()[-4:], ["[-1", "7", "-8", "1]"])


main()
