"""tessera attrs: attributes are shown, set and deleted as JSON; the rest of the document and the chunks stay."""
import json
import os
import shutil
import subprocess

from command import BINARY, BRAIN, CommandTest, document, main, make_array, tessera


class Attrs(CommandTest):
    def setUp(self):
        super().setUp()
        self.brain = self.folder / "brain.zarr"
        shutil.copytree(BRAIN, self.brain)

    def shown(self, path, *name):
        return json.loads(self.run_ok("attrs", path, *name).text)

    def test_shown_as_the_document_has_them(self):
        for path in (self.brain, self.brain / "t1", self.brain / "t1_sharded"):
            self.assertEqual(self.shown(path), document(path)["attributes"])
        self.assertEqual(self.shown(self.brain, "voxel_size_mm"), [1, 1, 1])
        self.assertEqual(self.shown(make_array(self.folder / "a", [1], "uint8", [1], {})), {})
        self.assert_refused(tessera("attrs", self.brain, "nope"), 1, 'attribute "nope"', 'key "zarr.json"')

    def test_set_and_deleted(self):
        path = self.brain / "t1"
        before = document(path)
        values = {"text": "µm \"=\"", "big": 2**70, "real": 0.1, "flag": True, "nothing": None,
                  "nested": {"axes": [{"name": "t", "type": "time"}, {"scale": [1, 0.5]}]}, "a=": 1}
        settings = [f"--set={name}={json.dumps(value)}" for name, value in values.items() if name != "a="]
        result = self.run_ok("attrs", path, *settings)
        self.assertIn("t1: 6 attributes set, 0 deleted", result.text)
        del values["a="]
        self.assertEqual(document(path), before | {"attributes": before["attributes"] | values})
        self.assertEqual(list(self.shown(path)), [*before["attributes"], *values])  # in that order
        self.assertEqual(self.shown(path, "nested"), values["nested"])
        self.run_ok("attrs", path, "--set", "flag=[false]", "--delete", "big", "--delete", "text", "--set", "new=1e400")
        self.assertIn('"new": 1e400', self.run_ok("attrs", path).text)
        changed = before["attributes"] | {"real": 0.1, "flag": [False], "nothing": None, "nested": values["nested"]}
        self.assertEqual(self.shown(path) | {"new": 0}, changed | {"new": 0})
        self.run_ok("attrs", self.brain, "--delete", "voxel_size_mm", "--sync")
        self.assertNotIn("voxel_size_mm", document(self.brain)["attributes"])
        self.run_ok("validate", self.brain)

    def test_what_others_set_at_the_same_time_stays(self):
        a = make_array(self.folder / "a", [1], "uint8", [1], {}, attributes={f"d{i}": i for i in range(20)})
        at_once = [subprocess.Popen([BINARY, "attrs", a, *change], stdout=subprocess.DEVNULL)
                   for i in range(20) for change in (["--set", f"s{i}={i}"], ["--delete", f"d{i}"])]
        self.assertEqual([process.wait() for process in at_once], [0] * 40)
        self.assertEqual(self.shown(a), {f"s{i}": i for i in range(20)})

    def test_text_that_is_no_utf8_or_steers(self):
        self.run_ok("attrs", self.brain, "--set", 'x="\\u001b[31m"')
        self.assertNotIn("\x1b", self.run_ok("attrs", self.brain).text)
        self.assert_refused(tessera("attrs", self.brain, "--set", 'x="\udcff"'), 2, "--set")

    def test_what_is_asked_wrongly_changes_nothing(self):
        before = (self.brain / "zarr.json").read_bytes()
        for arguments, words in ((["--set", "x"], ["NAME=JSON"]), (["--set", "=1"], ["NAME=JSON"]),
                                 (["--set", "x=text"], ["not JSON", 'x="..."']), (["--set", "x="], ["--set"]),
                                 (["--set", "x=1", "--set", "x=2"], ["twice"]), (["--set", "x=1", "--set"], ["--set"]),
                                 (["--set", 'x={"a": 1, "a": 2}'], ["--set"]), (["x", "--set", "x=1"], ["NAME"])):
            self.assert_refused(tessera("attrs", self.brain, *arguments), 2, *words)
        self.assert_refused(tessera("attrs", self.brain, "--set", "x=1", "--delete", "nope"), 1, '"nope"')
        self.assertEqual((self.brain / "zarr.json").read_bytes(), before)
        self.assert_refused(tessera("attrs", self.folder / "none", "--set", "x=1"), 1, "the folder is missing")
        self.assertEqual(sorted(os.listdir(self.folder)), ["brain.zarr"])


main()
