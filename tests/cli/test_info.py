"""tessera info: the facts of the sample volume, as a tree and as JSON."""
import json
import os
import pathlib
import shutil
import sys
import unicodedata

from command import BRAIN, CommandTest, document, main, make_array, make_unsupported, tessera


def stored_bytes(name):
    return sum(f.stat().st_size for f in (BRAIN / name / "c").rglob("*") if f.is_file())


class Info(CommandTest):
    def nodes(self, path):
        document = json.loads(self.run_ok("info", path, "--json").text)
        return document, {node["path"]: node for node in document["nodes"]}

    def test_json_has_the_facts(self):
        document, nodes = self.nodes(BRAIN)
        self.assertEqual(document["store"], str(BRAIN))
        self.assertEqual(list(nodes), ["", "t1", "t1_half", "t1_sharded"])
        self.assertEqual(nodes[""]["node_type"], "group")
        self.assertEqual(nodes[""]["attributes"]["voxel_size_mm"], [1.0, 1.0, 1.0])
        for name in ("t1", "t1_half", "t1_sharded"):
            facts, truth = nodes[name], json.loads((BRAIN / name / "zarr.json").read_text())
            for member in ("node_type", "shape", "data_type", "fill_value", "attributes", "dimension_names"):
                self.assertEqual(facts[member], truth[member], (name, member))
            self.assertEqual(facts["chunk_shape"], truth["chunk_grid"]["configuration"]["chunk_shape"])
            self.assertEqual(facts["codecs"], [{"configuration": {}} | codec for codec in truth["codecs"]])
            self.assertEqual(facts["stored_bytes"], stored_bytes(name))
            self.assertAlmostEqual(facts["ratio"], facts["bytes"] / facts["stored_bytes"])
            self.assertEqual(facts["stored_chunks"],
                             sum(f.is_file() for f in (BRAIN / name / "c").rglob("*")))
        self.assertEqual(nodes["t1"]["bytes"], 197 * 233 * 189)
        self.assertEqual(nodes["t1"]["chunks"], 4 * 4 * 3)
        self.assertEqual(nodes["t1_half"]["bytes"], 98 * 116 * 94 * 4)
        for name in ("t1", "t1_half", "t1_sharded"):
            self.assertIsNone(nodes[name]["problem"])

    def test_what_this_program_cannot_decode_is_shown(self):
        a = make_array(self.folder / "a", [4], "uint8", [2], {}, codecs=["bytes", {"name": "lz5"}])
        self.assertIn('"lz5"', self.nodes(a)[0]["nodes"][0]["problem"])
        self.assertIn('cannot be read: codec "lz5"', self.run_ok("info", a).text)

    def test_what_is_not_supported_is_named(self):
        (self.folder / "zarr.json").write_text('{"zarr_format": 3, "node_type": "group"}')
        make_array(self.folder / "whole", [4], "uint8", [2], {})
        unsupported = make_unsupported(self.folder)
        nodes, text = self.nodes(self.folder)[1], self.run_ok("info", self.folder).text
        for name, what in unsupported.items():
            self.assertEqual((nodes[name]["node_type"], nodes[name]["problem"]), ("array", f"{what} is not supported"))
            self.assertIn(f"cannot be read: {what} is not supported", text)
            self.assertIn(f"cannot be read: {what} is not supported", self.run_ok("info", self.folder / name).text)
        self.assertIn("strings  array (not supported)", text)
        self.assertNotIn("broken", text)
        self.assertIsNone(nodes["whole"]["problem"])

    def test_tree(self):
        text = self.run_ok("info", BRAIN).text
        for words in ("t1  uint8 [x 197, y 233, z 189]", "64 x 64 x 64, 33 of 48 stored", "zstd (level 19",
                      "t1_half  float32 [x 98, y 116, z 94]", "transpose (order [2, 1, 0]), bytes (endian big), blosc (",
                      "ratio 7.70", "sharding_indexed (chunk_shape [32, 32, 32], codecs [bytes, zstd]", "MNI ICBM 152"):
            self.assertIn(words, text)

    def test_nested_attributes(self):
        axes = [{"name": name, "type": "space", "unit": "micrometer"} for name in "zyx"]
        attributes = {"ome": {"version": "0.5", "multiscales": [{"axes": axes, "datasets": [{"path": "0", "scale": [1, 0.5]}]}]},
                      "list": list(range(20)), "text": "x" * 80, "short": {"a": [1, None]}, "empty": {}}
        a = make_array(self.folder / "a", [2], "uint8", [2], {}, attributes=attributes)
        lines = [line.strip() for line in self.run_ok("info", a).text.splitlines()]
        start = lines.index("attributes  ome")
        self.assertEqual(lines[start + 1:start + 11],
                         ['version "0.5"', "multiscales", "-", "axes",
                          *(f'- {{name "{name}", type "space", unit "micrometer"}}' for name in "zyx"),
                          'datasets [{path "0", scale [1, 0.5]}]',
                          f"list [{', '.join(map(str, range(18)))}, ...] of 20", f'text "{"x" * 60}..."'])
        self.assertEqual(lines[start + 11:], ["short {a [1, null]}", "empty {}"])
        a = make_array(self.folder / "b", [2], "uint8", [2], {},
                       attributes={f"a{i}": [[[[[i]] * 9] * 9]] for i in range(200)} | {"deep": json.loads("[" * 90 + "]" * 90)})
        text = self.run_ok("info", a).text
        self.assertLess(len(text.splitlines()), 50)
        self.assertIn("tessera attrs has the rest", text)

    def test_paths(self):
        self.assertEqual(list(self.nodes(BRAIN / "t1")[1]), ["t1"])
        self.assertEqual(list(self.nodes(str(BRAIN / "t1") + "/")[1]), ["t1"])
        for path, cwd in (("brain.zarr/t1", BRAIN.parent), ("t1", BRAIN), (".", BRAIN / "t1"), ("../t1", BRAIN / "t1")):
            text = self.run_ok("info", path, cwd=cwd).text
            self.assertTrue(text.split("  ")[0].endswith("t1"), text)

    def test_nothing_there(self):
        self.assert_refused(tessera("info", self.folder), 1, 'key "zarr.json"', str(self.folder))
        self.assert_refused(tessera("info", self.folder / "nothing"), 1, 'key "zarr.json"', "the folder is missing")
        output = self.folder / "x.npy"
        self.assert_refused(tessera("read", self.folder / "no/t1", "--output", output), 1, "the folder is missing")

    def test_what_is_no_zarr_v3_is_named(self):
        (self.folder / "v2/a").mkdir(parents=True)
        (self.folder / "v2/.zgroup").write_text('{"zarr_format": 2}')
        (self.folder / "v2/a/.zarray").write_text('{"zarr_format": 2}')
        self.assert_refused(tessera("info", self.folder / "v2"), 1, 'key "a/.zarray"', "member shape is missing")
        self.assert_refused(tessera("view", self.folder / "v2"), 1, "found .zgroup of Zarr v2")
        (self.folder / "a.zarr").write_bytes(b"PK\3\4 and more")
        (self.folder / "empty.zip").write_bytes(b"")
        (self.folder / "file").write_bytes(b"text")
        for path, *words in (("a.zarr", "a.zarr: ", "libzip"), ("a.zarr/t1/c", "a.zarr: ", "libzip"),
                             ("empty.zip", "empty.zip: ", "found a zip file")):
            for command in (("info",), ("view",), ("read", "--output", "x.npy")):
                self.assert_refused(tessera(*command, path, cwd=self.folder), 1, *words)
        self.assert_refused(tessera("info", self.folder / "file"), 1, "found a file, expected a folder")
        for arguments in (("copy", BRAIN / "t1", "a.zarr/t1"), ("rm", "a.zarr/b")):
            self.assert_refused(tessera(*arguments, cwd=self.folder), 1, "a.zarr: ", "found a zip file")
        self.assert_refused(tessera("copy", BRAIN / "t1", "file/x/y", cwd=self.folder), 1, "file: found a file")
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.zarr", "empty.zip", "file", "v2"])

    def test_a_codec_that_is_unknown_is_said_to_people(self):
        a = make_array(self.folder / "a", [4], "uint8", [2], {}, codecs=["bytes", {"name": "lz5"}])
        for arguments in (("read", a, "--output", self.folder / "x.npy"), ("bench", a), ("view", a)):
            result = tessera(*arguments)
            self.assert_refused(result, 1, '"lz5"', "(nearest of ")
            self.assertNotIn("Codecs<", str(result))
        self.assert_refused(tessera("copy", BRAIN / "t1", a / "b", "--codecs", '["bytes", "lz5"]'), 2, "(nearest of ")

    def test_records_are_not_broken(self):
        a = make_array(self.folder / "a", [4], [["a", "<i4"], ["b", "<f8"]], [2], {})
        self.assertIn("array (not supported)", self.run_ok("info", a).text)
        self.run_ok("validate", a)

    def test_rest_is_shown_beside_a_broken_document(self):
        shutil.copytree(BRAIN, self.folder / "copy")
        (self.folder / "copy/t1/zarr.json").write_text("{")
        result = tessera("info", self.folder / "copy")
        self.assert_refused(result, 1, 'key "t1/zarr.json"')
        self.assertIn("t1_half  float32", result.text)
        result = tessera("info", self.folder / "copy", "--json")
        self.assertEqual([node["node_type"] for node in json.loads(result.text)["nodes"]],
                         ["group", None, "array", "array"])
        (self.folder / "copy/zarr.json").write_text('{"zarr_format": 4}')
        result = tessera("info", self.folder / "copy")
        self.assertEqual((result.status, len(result.errors)), (1, 2), str(result))
        self.assertIn("t1_half  float32", result.text)

    def test_wrong_configuration_is_wrong_data(self):
        make_array(self.folder / "a", [4], "uint8", [4], {}, codecs=["bytes", {"name": "zstd", "configuration": {}}])
        self.assert_refused(tessera("info", self.folder / "a"), 1, 'key "zarr.json"', "zstd", "level")

    def test_chunks_are_told_from_other_keys(self):
        a = make_array(self.folder / "a", [4, 4], "int16", [2, 2], {(0, 0): bytes(8), (1, 1): bytes(8)}, fill_value=-7)
        for stray in ("c/2/0", "c/00/1", "c/0", "note"):  # outside the grid, misspelt, too short, none
            if not (a / stray).exists():
                (a / stray).parent.mkdir(parents=True, exist_ok=True)
                (a / stray).write_bytes(b"1234")
        facts = self.nodes(a)[1][""]
        self.assertEqual((facts["chunks"], facts["stored_chunks"], facts["fill_value"]), (4, 2, -7))
        self.assertEqual(facts["bytes"], 32)

    def test_fill_values(self):
        cases = {"float16": (1.5, 1.5), "float32": ("0x7fc00001", "0x7fc00001"), "float64": (1e300, 1e300),
                 "int64": (-2**63, -2**63), "uint64": (2**64 - 1, 2**64 - 1), "bool": (True, True),
                 "complex64": ([0.5, "NaN"], [0.5, "NaN"]), "complex128": (["-Infinity", 2], ["-Infinity", 2.0]),
                 "r24": ([1, 2, 255], [1, 2, 255])}
        for data_type, (fill, shown) in cases.items():
            a = make_array(self.folder / data_type, [2], data_type, [2], {}, fill_value=fill)
            self.assertEqual(self.nodes(a)[1][""]["fill_value"], shown, data_type)
            self.run_ok("info", a)

    def test_names_that_are_no_text(self):
        parent = bytes(self.folder) + b"/g\xff"
        os.makedirs(parent + b"/\xe2\x82")
        for folder in (parent, parent + b"/\xe2\x82"):
            pathlib.Path(os.fsdecode(folder), "zarr.json").write_text('{"zarr_format": 3, "node_type": "group"}')
        document, nodes = self.nodes(os.fsdecode(parent))
        self.assertEqual(document["store"], str(self.folder) + "/g\ufffd")
        self.assertEqual(list(nodes), ["", "\ufffd\ufffd"])
        self.assertIn("g\\x{ff}  group", self.run_ok("info", os.fsdecode(parent)).text)
        steering = "\x1b[31m\udc9b31m\u0085\x7f"
        self.assert_refused(tessera("info", steering), 1, r"\u{1b}[31m\x{9b}31m\u{85}\u{7f}")
        self.assert_refused(tessera(steering), 2, r"\u{1b}[31m\x{9b}31m\u{85}\u{7f}")

    def test_names_that_steer_or_hide(self):
        unseen = [chr(code) for code in range(1, sys.maxunicode + 1)
                  if unicodedata.category(chr(code)) in ("Cc", "Cf", "Zl", "Zp")]
        self.assertGreater(len(unseen), 200)
        text = "x".join(unseen)
        name = "a\u202e\u2067\u2028\u200b\U000e0041gpj"
        group = self.folder / name
        group.mkdir()
        (group / "zarr.json").write_text(json.dumps({"zarr_format": 3, "node_type": "group", "attributes": {text: [text]}}))
        a = make_array(group / name, [4], "uint8", [2], {(0,): b"123"}, attributes={name: {text: text}, "text": text},
                       dimension_names=[text], codecs=["bytes", {"name": text}])
        (a / name).write_bytes(b"")
        b = make_array(group / "b", [4], "uint8", [2], {(0,): b"123"})
        (b / name).write_bytes(b"")
        make_array(group / "c", [4], text, [2], {}, fill_value=text, **{text: text})
        escapes = {character: f"\\u{{{ord(character):x}}}" for character in unseen}
        for arguments in (("info", group), ("validate", group), ("info", a), ("read", a, "--output", group / "x.npy"),
                          ("read", b, "--output", group / (text[:9] + ".npy")), ("copy", group, group / text[:5]),
                          ("info", self.folder / text[:40].replace("/", "")), ("write", group / name, text[:20]),
                          ("info", group, "--" + text), ("read", b, "--region", text, "--output", "x.npy")):
            result = tessera(*arguments)
            said = "\n".join([result.text, *result.errors])
            self.assertEqual({character for character in said if character in escapes} - {"\n"}, set(), arguments)
        said = tessera("info", group).text
        for character in ("\u202e", "\u2067", "\u2028", "\u200b", "\U000e0041"):
            self.assertIn(escapes[character], said)

    def test_key_encodings(self):
        for name, separator, key in (("v2", ".", "1.0"), ("v2", "/", "1/0"), ("default", ".", "c.1.0")):
            a = make_array(self.folder / (name + str(ord(separator))), [4, 4], "uint8", [2, 2], {},
                           chunk_key_encoding={"name": name, "configuration": {"separator": separator}})
            (a / key).parent.mkdir(exist_ok=True)
            (a / key).write_bytes(bytes(4))
            self.assertEqual(self.nodes(a)[1][""]["stored_chunks"], 1, key)

    def test_odd_arrays(self):
        make_array(self.folder / "scalar", [], "float64", [], {(): bytes(8)}, fill_value="NaN")
        facts = self.nodes(self.folder / "scalar")[1][""]
        self.assertEqual((facts["chunks"], facts["stored_chunks"], facts["fill_value"]), (1, 1, "NaN"))
        make_array(self.folder / "empty", [0, 5], "bool", [1, 5], {}, fill_value=True,
                   attributes={"a\u001b[31m": "\u001b", "big": 2**64 - 1, "list": [{"x": None}, {}]})
        facts = self.nodes(self.folder / "empty")[1][""]
        self.assertEqual((facts["chunks"], facts["fill_value"], facts["ratio"]), (0, True, None))
        self.assertEqual(facts["attributes"], {"a\u001b[31m": "\u001b", "big": 2**64 - 1, "list": [{"x": None}, {}]})
        self.assertNotIn("\x1b", self.run_ok("info", self.folder / "empty").text)

    def test_conventions(self):
        """Pyramids of OME-Zarr, in both forms, and CF's attributes of an array."""
        image = {"name": "cells", "version": "0.4", "axes": [{"name": "c", "type": "channel"}, {"name": "x", "unit": "micrometer"}],
                 "datasets": [{"path": "0", "coordinateTransformations": [{"type": "scale", "scale": [1, 0.5]}]}, {"path": "1"}]}
        said = "OME-Zarr    0.4 multiscale image cells, axes c, x (micrometer), levels 0 (scale 1, 0.5), 1\n"
        for attributes in ({"multiscales": [image]}, {"ome": {"version": "0.4", "multiscales": [image]}},
                           {"multiscales": [image, 3]}, {"multiscales": 3, "ome": 1}):
            root = self.folder / "g"
            root.mkdir(exist_ok=True)
            (root / "zarr.json").write_text(json.dumps({"zarr_format": 3, "node_type": "group", "attributes": attributes}))
            self.assertEqual(said in self.run_ok("info", root).text, "ome" not in attributes or attributes["ome"] != 1)
        path = make_array(self.folder / "time", [4], "int64", [4], {})
        text = json.loads((path / "zarr.json").read_text())
        text |= {"dimension_names": ["time"], "attributes": {"units": "days since 2000-01-01", "calendar": "noleap",
                                                             "scale_factor": 0.1, "add_offset": 273}}
        (path / "zarr.json").write_text(json.dumps(text))
        root = self.folder / "d"
        root.mkdir()
        (root / "zarr.json").write_text(json.dumps({"zarr_format": 3, "node_type": "group"}))
        path.rename(root / "time")
        self.assertIn("CF          coordinate of dimension time, times in days since 2000-01-01, calendar noleap, "
                      "packed: stored * 0.1 + 273\n", self.run_ok("info", root).text)

    def test_rectilinear_grids(self):
        """Chunks of different lengths are shown, read, checked and copied."""
        path = make_array(self.folder / "a", [10], "uint8", [4], {})
        text = json.loads((path / "zarr.json").read_text())
        text["codecs"] = [{"name": "bytes"}]
        text["chunk_grid"] = {"name": "rectilinear", "configuration": {"kind": "inline", "chunk_shapes": [[3, 1, [4, 2]]]}}
        (path / "zarr.json").write_text(json.dumps(text))
        (path / "c").mkdir(exist_ok=True)
        for old in (path / "c").iterdir():
            old.unlink()
        for name, values in (("0", [1, 2, 3]), ("1", [4]), ("2", [5, 6, 7, 8]), ("3", [9, 10, 0, 0])):
            (path / "c" / name).write_bytes(bytes(values))
        self.assertIn("rectilinear [[3, 1, [4, 2]]], 4 of 4 stored", self.run_ok("info", path).text)
        node, = json.loads(self.run_ok("info", path, "--json").text)["nodes"]
        self.assertEqual((node["chunks"], node["chunk_grid"]), (4, text["chunk_grid"]))
        self.assertIn("4 chunks decoded: 0 failures", self.run_ok("validate", path).text)
        self.run_ok("copy", path, self.folder / "b")
        self.run_ok("copy", path, self.folder / "r", "--chunks", "5")
        self.assertEqual(document(self.folder / "b")["chunk_grid"], text["chunk_grid"])
        for name in "a", "b", "r":
            self.assertEqual(self.read_bin(self.folder / name), bytes(range(1, 11)))
        (path / "c" / "1").write_bytes(b"ab")
        (path / "c" / "4").write_bytes(b"ab")
        result = tessera("validate", path)
        for words in ('key "c/1"', 'key "c/4": no chunk', "1 failure, 1 stray key"):
            self.assertIn(words, result.text)


main()
