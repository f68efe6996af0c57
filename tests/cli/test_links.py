"""Symbolic links below a hierarchy's root: refused, or followed with --follow-links, by every command alike, and never
erased through."""
import json
import os

from command import CommandTest, little_endian, main, make_array, tessera, write_npy

REFUSED = ("symbolic link", "--follow-links")


class Links(CommandTest):
    def setUp(self):
        super().setUp()
        self.root = self.folder / "h.zarr"
        self.make_group(self.root)
        self.make_group(self.root / "g")
        make_array(self.root / "g/near", [4], "uint8", [2], {(0,): b"ab", (1,): b"cd"})
        self.outside = self.folder / "outside"
        make_array(self.outside / "far", [4], "uint8", [2], {(0,): b"AB", (1,): b"CD"})
        make_array(self.outside / "parts", [4], "uint8", [2], {(0,): b"pq", (1,): b"rs"})
        self.before = self.outside_files()

    def make_group(self, path):
        path.mkdir()
        (path / "zarr.json").write_text(json.dumps({"zarr_format": 3, "node_type": "group"}))

    def link_member(self):
        (self.root / "g/far").symlink_to(self.outside / "far")

    def link_chunks(self):
        """h.zarr/a, whose chunks are elsewhere."""
        make_array(self.root / "a", [4], "uint8", [2], {})
        (self.root / "a/c").symlink_to(self.outside / "parts/c")

    def outside_files(self):
        return {path.relative_to(self.outside): path.read_bytes() for path in self.outside.rglob("*") if path.is_file()}

    def check_outside(self):
        self.assertEqual(self.outside_files(), self.before)

    def test_a_member_that_is_a_link_is_refused_by_all_who_look(self):
        self.link_member()
        for path in (self.root, self.root / "g", self.root / "g/far"):
            for command in ("info", "validate", "copy"):
                result = tessera(command, path, *([self.folder / "copy"] if command == "copy" else []))
                text = "\n".join(result.errors) + result.text
                self.assertEqual(result.status, 1, (command, path, str(result)))
                self.assertIn('key "g/far', text)
                for word in REFUSED:
                    self.assertIn(word, text)
        self.assertFalse((self.folder / "copy").exists())
        for command in (("read", self.root / "g/far", "--output", self.folder / "x.npy"), ("resize", self.root / "g/far", "1"),
                        ("view", self.root / "g/far"), ("bench", self.root / "g/far"), ("compact", self.root / "g/far"),
                        ("mv", self.root / "g/far", self.root / "far"),
                        ("append", write_npy(self.folder / "in.npy", "|u1", (1,), b"x"), self.root / "g/far")):
            self.assert_refused(tessera(*command), 1, "g/far/zarr.json", *REFUSED)
        self.check_outside()

    def test_a_member_that_is_a_link_is_followed(self):
        self.link_member()
        paths = [node["path"] for node in json.loads(self.run_ok("info", self.root, "--json", "--follow-links").text)["nodes"]]
        self.assertEqual(paths, ["", "g", "g/far", "g/near"])
        self.assertEqual(self.read_bin(self.root / "g/far", "--follow-links"), b"ABCD")
        self.assertIn("2 arrays, 2 groups, 4 chunks", self.run_ok("validate", self.root, "--follow-links").text)
        self.run_ok("copy", self.root, self.folder / "copy", "--follow-links")
        self.assertEqual(self.read_bin(self.folder / "copy/g/far"), b"ABCD")
        self.run_ok("validate", self.folder / "copy")
        self.check_outside()
        self.run_ok("mv", self.root / "g/far", self.root / "far", "--follow-links")
        self.assertTrue((self.root / "far").is_symlink())
        self.run_ok("resize", self.root / "far", "1", "--follow-links")
        self.run_ok("resize", self.root / "far", "4", "--follow-links")
        self.assertEqual(self.read_bin(self.outside / "far"), b"A\0\0\0")

    def test_rm_of_a_link_leaves_what_it_leads_to(self):
        for options in ((), ("--follow-links",)):
            self.link_member()
            result = self.run_ok("rm", self.root / "g/far", *options)
            self.assertIn("the link is erased", result.text)
            self.assertFalse((self.root / "g/far").is_symlink())
            self.check_outside()
            self.assertEqual(self.read_bin(self.root / "g/near"), b"abcd")

    def test_rm_of_what_has_links_below_it_leaves_what_they_lead_to(self):
        for options in ((), ("--follow-links",)):
            for path in ("a", "", "g"):
                with self.subTest(path=path, options=options):
                    if not self.root.exists():
                        self.make_group(self.root)
                    if not (self.root / "g").exists():
                        self.make_group(self.root / "g")
                    self.link_member()
                    self.link_chunks() if not (self.root / "a").exists() else None
                    (self.root / "g/up").symlink_to("..")
                    (self.root / "g/none").symlink_to("nowhere")
                    self.run_ok("rm", self.root / path, *options)
                    self.assertFalse((self.root / path / "zarr.json").exists())
                    self.check_outside()
                    for name in ("far", "up", "none"):
                        (self.root / "g" / name).unlink(missing_ok=True)
                    self.assertFalse(path == "" and self.root.exists())

    def test_rm_of_links_that_lead_nowhere_or_to_a_hierarchy(self):
        (self.root / "g/none").symlink_to("nowhere")
        self.assertEqual(tessera("validate", self.root).status, 1)
        self.run_ok("rm", self.root / "g/none")
        self.run_ok("validate", self.root)
        (self.folder / "alias").symlink_to("h.zarr")
        self.assertEqual(self.read_bin(self.folder / "alias/g/near"), b"abcd")  # the root may be reached by links
        self.run_ok("rm", self.folder / "alias")
        self.assertEqual(self.read_bin(self.root / "g/near"), b"abcd")

    def test_chunks_behind_a_link(self):
        self.link_chunks()
        array = self.root / "a"
        for command in (("read", array, "--output", self.folder / "x.npy"), ("copy", array, self.folder / "copy"),
                        ("resize", array, "2")):
            self.assert_refused(tessera(*command), 1, "a/c", *REFUSED)
        self.assertFalse((self.folder / "copy").exists())
        (array / "zarr.json").write_text((self.outside / "parts/zarr.json").read_text())  # its document is restored
        result = tessera("info", array)
        self.assertEqual((result.status, len(result.errors)), (1, 1), str(result))
        result = tessera("validate", array)
        self.assertEqual(result.status, 1)
        self.assertIn("1 failure, 0 stray keys", result.text)  # one, not one for each chunk
        self.assertIn('key "a/c"', result.text)
        self.check_outside()
        self.assertEqual(self.read_bin(array, "--follow-links"), b"pqrs")
        self.assertIn("2 of 2 stored", self.run_ok("info", array, "--follow-links").text)
        self.run_ok("copy", array, self.folder / "copy", "--follow-links")
        self.assertEqual(self.read_bin(self.folder / "copy"), b"pqrs")
        self.run_ok("mv", array, self.root / "b")
        self.assertEqual(self.read_bin(self.root / "b", "--follow-links"), b"pqrs")
        self.run_ok("resize", self.root / "b", "1", "--follow-links")
        self.run_ok("resize", self.root / "b", "4", "--follow-links")
        self.assertEqual(self.read_bin(self.root / "b", "--follow-links"), b"p\0\0\0")

    def test_a_link_is_replaced_not_what_it_leads_to(self):
        file = write_npy(self.folder / "in.npy", "|u1", (3,), b"123")
        for options in ((), ("--follow-links",)):
            self.link_member()
            self.assert_refused(tessera("write", file, self.root / "g/far", *options), 1, "symbolic link", "--overwrite")
            self.run_ok("write", file, self.root / "g/far", "--overwrite", *options)
            self.assertEqual(self.read_bin(self.root / "g/far"), b"123")
            self.check_outside()
            self.run_ok("rm", self.root / "g/far")
        self.link_member()
        os.rename(self.outside / "far", self.outside / "group")
        (self.root / "g/far").unlink()
        self.make_group(self.outside / "far")
        self.link_member()
        self.assert_refused(tessera("write", file, self.root / "g/far/new"), 1, "g/far/zarr.json", *REFUSED)
        self.run_ok("write", file, self.root / "g/far/new", "--follow-links")
        self.assertEqual(self.read_bin(self.outside / "far/new"), b"123")


main()
