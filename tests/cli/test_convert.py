"""convert, killed at each step: before each call that adds or removes a name, and in the middle of each write to a
file. The remaining files open with the same values, whole in one format at least, and another call does the rest.
TESSERA_PRELOADED kills it."""
import json
import os
import shutil
import signal

from command import ENVIRONMENT, CommandTest, main, tessera

LIBRARY = os.environ["TESSERA_PRELOADED"]
OTHER = {"v2": "v3", "v3": "v2"}


def killed_at(step, *command):
    return tessera(*command, LD_PRELOAD=LIBRARY, TESSERA_KILLED_AT=str(step),
                   ASAN_OPTIONS=ENVIRONMENT["ASAN_OPTIONS"] + ":verify_asan_link_order=0")


def files(root):
    """The files of a hierarchy, without leftovers of a killed writer."""
    return {str(file.relative_to(root)): file.read_bytes() for file in root.rglob("*")
            if file.is_file() and not file.name.startswith(".tessera-")}


def is_document(key):
    return key.rsplit("/", 1)[-1] in ("zarr.json", ".zarray", ".zgroup", ".zattrs", ".zmetadata")


class Convert(CommandTest):
    def hierarchy(self):
        """In Zarr v2, as programs of its time wrote it: both separators, order F, big endian, zlib's chunks, strings,
        an empty group, attributes, consolidated."""
        def put(key, content):
            file = root / key
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())

        array = {"zarr_format": 2, "shape": [2, 4], "chunks": [2, 2], "dtype": ">u2", "compressor": None, "fill_value": 9,
                 "order": "F", "filters": None}
        root = self.folder / "v2"
        put(".zgroup", {"zarr_format": 2})
        put(".zattrs", {"title": "old"})
        put("a/.zarray", array)
        put("a/.zattrs", {"_ARRAY_DIMENSIONS": ["y", "x"], "unit": "mm"})
        put("a/0.0", bytes([0, 1, 0, 3, 0, 2, 0, 4]))
        put("g/.zgroup", {"zarr_format": 2})
        put("g/b/.zarray", array | {"dtype": "|u1", "order": "C", "dimension_separator": "/", "fill_value": None})
        put("g/b/0/1", b"abcd")
        put("g/s/.zarray", array | {"shape": [2], "chunks": [2], "dtype": "|O", "order": "C", "fill_value": "",
                                    "filters": [{"id": "vlen-utf8"}]})
        put("g/s/0", b"\2\0\0\0" b"\3\0\0\0one" b"\0\0\0\0")
        put("empty/.zgroup", {"zarr_format": 2})
        put("empty/.zattrs", {"also": [1, 2]})
        self.run_ok("consolidate", root)
        return root

    def both(self):
        """The same hierarchy in each format, both consolidated, in v3 with a stale copy of v2 beside."""
        old, new = self.hierarchy(), self.folder / "v3"
        shutil.copytree(old, new)
        tessera("convert", new, "--to", "v3")
        self.run_ok("consolidate", new)
        (new / ".zmetadata").write_text('{"zarr_consolidated_format": 1, "metadata": {".zgroup": {"zarr_format": 2}}}')
        return {"v2": old, "v3": new}

    def seen(self, root):
        """The command's output, without the format and the storage; empty, if there is no node."""
        result = tessera("info", root, "--json")
        if result.status != 0:
            return None
        nodes = json.loads(result.text)["nodes"]
        above = len(nodes[0]["path"])  # the first is the requested one
        found = {}
        for node in nodes:
            path = node["path"][above:].lstrip("/")
            about = [node.get(name) for name in ("node_type", "data_type", "shape", "dimension_names", "fill_value")]
            # Those two are elsewhere in each format.
            about.append({name: value for name, value in (node.get("attributes") or {}).items()
                          if name not in ("_ARRAY_DIMENSIONS", "_FillValue")})
            if node["node_type"] == "array":
                about.append(self.run_ok("read", root / path, "--output", "-", "--format", "json").text)
            found[path] = about
        return found

    def seen_in(self, root, zarr_format):
        """As a program that knows one format only."""
        alone = self.folder / "alone"
        shutil.copytree(root, alone, symlinks=True)
        for file in list(alone.rglob("*")):
            if is_document(str(file.name)) and (file.name == "zarr.json") != (zarr_format == "v3"):
                file.unlink()
        found = self.seen(alone)
        if found is not None:
            self.run_ok("validate", alone)  # copies are correct, too
        shutil.rmtree(alone)
        return found

    def assert_whole(self, root, expected, at):
        self.assertEqual(self.seen(root), expected, at)
        v2, v3 = self.seen_in(root, "v2"), self.seen_in(root, "v3")
        self.assertIn(expected, (v2, v3), at)
        if v3 is not None:  # for a program that knows both
            self.assertEqual(v3, expected, at)

    def each_step(self, start, path, to):
        """The result of a conversion that is killed at each step; at last one that is not."""
        root = self.folder / "left"
        for step in range(1000):
            shutil.rmtree(root, ignore_errors=True)
            shutil.copytree(start, root)
            result = killed_at(step, "convert", root / path, "--to", to)
            if result.status == 0:
                return
            self.assertEqual(result.status, -signal.SIGKILL, str(result))
            yield step, root
        self.fail("it does not end")

    def check(self, path, also=()):
        for start_format, start in self.both().items():
            to = OTHER[start_format]
            expected, steps = self.seen(start / path), 0
            self.assertIsNotNone(expected)
            end = self.folder / "end"
            shutil.copytree(start, end)
            self.assertEqual(tessera("convert", end / path, "--to", to).status, 0)
            for step, root in self.each_step(start, path, to):
                steps += 1
                self.assert_whole(root / path, expected, (to, step))
                back = self.folder / "back"
                shutil.copytree(root, back)
                self.assertEqual(tessera("convert", back / path, "--to", start_format).status, 0, (to, step))
                self.assertEqual(self.seen_in(back / path, start_format), expected, (to, step))
                self.assertIsNone(self.seen_in(back / path, to), (to, step))
                self.assertEqual(tessera("convert", root / path, "--to", to).status, 0, (to, step))
                self.assertEqual(files(root), files(end), (to, step))
                shutil.rmtree(back)
            self.assertEqual({key: value for key, value in files(end).items() if not is_document(key)},
                             {key: value for key, value in files(start).items() if not is_document(key)})
            print(f"{path or 'the root'} to {to}: killed at each of {steps} steps")
            self.assertGreater(steps, 4)
            shutil.rmtree(end)
            shutil.rmtree(self.folder / "left")

    def test_a_hierarchy(self):
        self.check("")

    def test_a_group(self):
        self.check("empty")

    def test_an_array(self):
        self.check("a")

    def test_it_ends_however_often_it_is_killed(self):
        for start_format, start in self.both().items():
            to, expected = OTHER[start_format], self.seen(start)
            for step in range(1000):
                if killed_at(step, "convert", start, "--to", to).status == 0:
                    break
                self.assertEqual(self.seen(start), expected, (to, step))
            self.assertEqual(self.seen_in(start, to), expected)
            self.assertIsNone(self.seen_in(start, start_format))
            self.assertGreater(step, 4)


main()
