"""Strings through the command: made from JSON and read to it, shown, copied, checked, changed, and refusals."""
import json

from command import CommandTest, main, tessera

LISTS = [["a", "\u00e9\n\"", "", "long " * 20], ["x", "y", "\U0001f600", "z"]]


class Strings(CommandTest):
    def array(self, *options):
        (self.folder / "a.json").write_text(json.dumps(LISTS))
        self.run_ok("write", self.folder / "a.json", self.folder / "a.zarr", "--chunks", "1,3", *options)
        return self.folder / "a.zarr"

    def lists(self, path, *options):
        self.run_ok("read", path, "--output", self.folder / "out.json", *options)
        return json.loads((self.folder / "out.json").read_text())

    def test_lists_come_back(self):
        for options in ([], ["--zarr-format", "2"], ["--shards", "2,6"], ["--codecs", '["vlen-utf8", "gzip"]']):
            a = self.array("--overwrite", *options)
            self.assertEqual(self.lists(a), LISTS, options)
            self.assertEqual(self.lists(a, "--region", "1,1:3"), [LISTS[1][1:3]])
            self.assertEqual(json.loads(self.run_ok("read", a, "--output", "-", "--format", "json").text), LISTS)
            self.assertIn("0 failures", self.run_ok("validate", a).text)
        self.assertEqual(self.lists(a, "--region", "0:0,:"), [])

    def test_they_are_shown_copied_and_changed(self):
        a = self.array("--fill", "none")
        text = self.run_ok("info", a).text
        self.assertIn("string [2, 4]", text)
        self.assertNotIn("ratio", text)
        facts = json.loads(self.run_ok("info", a, "--json").text)["nodes"][0]
        self.assertEqual((facts["bytes"], facts["ratio"]), (None, None))
        self.assertIn(" 'é\\n\"' ", self.run_ok("show", a).text)  # as in Python
        self.run_ok("copy", a, self.folder / "b.zarr", "--zarr-format", "2", "--chunks", "2,2")
        self.assertEqual(self.lists(self.folder / "b.zarr"), LISTS)
        self.assertEqual(json.loads((self.folder / "b.zarr/.zarray").read_text())["fill_value"], "none")
        self.run_ok("resize", a, "3,1")
        self.assertEqual(self.lists(a), [["a"], ["x"], ["none"]])

    def test_bytes_are_base64(self):
        b = self.folder / "b"
        b.mkdir()
        (b / ".zarray").write_text(json.dumps({
            "zarr_format": 2, "shape": [3], "chunks": [2], "dtype": "|O", "compressor": None, "fill_value": "AP8=",
            "order": "C", "filters": [{"id": "vlen-bytes"}]}))
        (b / "0").write_bytes(bytes.fromhex("02000000 01000000 ff 00000000"))
        self.assertEqual(self.lists(b), ["/w==", "", "AP8="])
        self.run_ok("copy", b, self.folder / "c", "--zarr-format", "3")
        self.assertEqual(self.lists(self.folder / "c"), ["/w==", "", "AP8="])
        self.run_ok("write", self.folder / "out.json", self.folder / "d", "--data-type", "bytes")
        self.assertEqual(self.lists(self.folder / "d"), ["/w==", "", "AP8="])
        (self.folder / "bad.json").write_text('["?"]')
        self.assert_refused(tessera("write", self.folder / "bad.json", self.folder / "e", "--data-type", "bytes"), 2, "base64")

    def test_what_is_refused(self):
        a = self.array()
        for arguments, words in ((("read", a, "--output", self.folder / "x.npy"), "written as JSON"),
                                 (("view", a), "elements of string have no greys")):
            self.assertIn(words, str(tessera(*arguments)))
        for text, words in (('[["a"], "b"]', "a list of 1"), ('["a", 1]', "expected a string"), ('["a"', "bad.json")):
            (self.folder / "bad.json").write_text(text)
            result = tessera("write", self.folder / "bad.json", self.folder / "bad.zarr")
            self.assertNotEqual(result.status, 0)
            self.assertIn(words, str(result))
        chunk = a / "c/0/0"
        chunk.write_bytes(chunk.read_bytes()[:-3])
        result = tessera("validate", a)
        self.assertEqual(result.status, 1)
        self.assertIn('key "c/0/0"', result.text)


main()
