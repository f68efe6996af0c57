"""tessera ls and tessera tree: the members of a group, from its documents alone."""
import json
import os
import shutil

from command import BRAIN, CommandTest, main, make_array, make_unsupported, tessera

GROUP = '{"zarr_format": 3, "node_type": "group"}'


class List(CommandTest):
    def make_tree(self):
        tree = self.folder / "t.zarr"
        for group in ("", "g", "g/deep"):
            (tree / group).mkdir(parents=True)
            (tree / group / "zarr.json").write_text(GROUP)
        make_array(tree / "a", [4], "uint8", [2], {})
        make_array(tree / "g/b", [2, 3], "int16", [2, 2], {}, dimension_names=["y", None])
        make_array(tree / "g/deep/c", [], "float64", [], {})
        (tree / "no-node").mkdir()
        return tree

    def test_ls(self):
        tree = self.make_tree()
        self.assertEqual(self.run_ok("ls", tree).text, "a\ng/\n")
        self.assertEqual(self.run_ok("ls", tree / "g").text, "b\ndeep/\n")
        self.assertEqual(self.run_ok("ls", "-l", tree).text, "a   uint8 [4]\ng/  group\n")
        self.assertEqual(self.run_ok("ls", "--long", tree / "g").text, "b      int16 [y 2, 3]\ndeep/  group\n")
        self.assertEqual(self.run_ok("ls", tree / "a").text, f"{tree / 'a'}\n")  # as for a file
        self.assertEqual(self.run_ok("ls", "-l", "a", cwd=tree).text, "a  uint8 [4]\n")
        self.assertEqual(self.run_ok("ls", cwd=tree).text, "a\ng/\n")  # here
        self.assertEqual(self.run_ok("ls", tree / "g/deep", cwd=tree).text, "c\n")
        self.assert_refused(tessera("ls", tree / "no-node"), 1, "no array or group")

    def test_tree(self):
        tree = self.make_tree()
        lines = ["t.zarr  group", "├── a  uint8 [4]", "└── g  group", "    ├── b  int16 [y 2, 3]", "    └── deep  group",
                 "        └── c  float64 []"]
        self.assertEqual(self.run_ok("tree", "t.zarr", cwd=self.folder).text.splitlines(), lines)
        self.assertEqual(self.run_ok("tree", cwd=tree).text.splitlines()[1:], lines[1:])
        for depth in range(4):
            shown = [line for line in lines if (len(line) - len(line.lstrip(" │├└─"))) // 4 <= depth]
            self.assertEqual(self.run_ok("tree", "-L", depth, "t.zarr", cwd=self.folder).text.splitlines(), shown)
            self.assertEqual(self.run_ok("tree", f"--depth={depth}", "t.zarr", cwd=self.folder).text.splitlines(), shown)

    def test_no_chunk_is_looked_at(self):
        shutil.copytree(BRAIN, self.folder / "b")
        shutil.rmtree(self.folder / "b/t1/c")
        os.symlink("nowhere", self.folder / "b/t1/c")  # which counting chunks rejects
        self.assertEqual(self.run_ok("ls", self.folder / "b").text, "t1\nt1_half\nt1_sharded\n")
        self.assertIn("t1  uint8 [x 197, y 233, z 189]", self.run_ok("tree", self.folder / "b").text)

    def test_what_is_broken_or_not_supported(self):
        tree = self.make_tree()
        (tree / "a/zarr.json").write_text("{")
        for command, line in ((["ls"], "a"), (["ls", "-l"], "a   (broken)"), (["tree"], "├── a  (broken)")):
            result = tessera(*command, tree)
            self.assert_refused(result, 1, 'key "a/zarr.json"')
            self.assertIn(line, result.text.splitlines())
        kinds = make_unsupported(tree / "g")
        shown = self.run_ok("ls", "-l", tree / "g").text
        self.assertEqual(shown.count(" (not supported)"), len(kinds))

    def test_names_do_not_steer_the_terminal(self):
        tree = self.make_tree()
        make_array(tree / "g/\x1b[31mred", [4], "uint8", [2], {})
        for command in ("ls", "tree"):
            self.assertNotIn("\x1b", self.run_ok(command, tree / "g").text)


main()
