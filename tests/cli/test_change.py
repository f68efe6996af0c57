"""tessera resize, append, rm and mv: arrays change their shape and nodes their path, wholly or not at all."""
import itertools
import json
import math
import os
import pathlib
import pty
import random
import shutil
import signal
import subprocess

from command import (BINARY, BRAIN, ENVIRONMENT, CommandTest, document, in_fortran_order, main, make_array, read_npy,
                     swapped, tessera, write_npy)

CLIMATE = pathlib.Path(__file__).resolve().parents[1] / "data" / "climate.zarr"


def numbers(first, count):
    return b"".join(n.to_bytes(2, "little") for n in range(first, first + count))


class Change(CommandTest):
    def make(self, name, shape=(4, 6), chunks="3,4", content=None, descr="<u2", fill="7"):
        content = numbers(1, math.prod(shape)) if content is None else content
        path = self.folder / name
        self.run_ok("write", write_npy(self.folder / "in.npy", descr, shape, content), path, "--chunks", chunks, "--fill", fill)
        return path

    def read(self, path):
        self.run_ok("read", path, "--output", self.folder / "out.npy")
        _, shape, content = read_npy(self.folder / "out.npy")
        return shape, content

    def keys(self, path):
        return sorted(os.path.relpath(os.path.join(folder, name), path) for folder, _, names in os.walk(path)
                      for name in names)

    def test_resize(self):
        path = self.make("a.zarr")
        before = document(path)
        result = self.run_ok("resize", path, "2,5")
        self.assertIn("uint16 [2, 5], was [4, 6]", result.text)
        self.assertEqual(document(path), before | {"shape": [2, 5]})
        rows = [numbers(1, 5), numbers(7, 5)]
        self.assertEqual(self.read(path), ((2, 5), b"".join(rows)))
        self.run_ok("resize", path, "4,6", "--threads", "2")
        fill = b"\7\0"
        self.assertEqual(self.read(path), ((4, 6), rows[0] + fill + rows[1] + fill + fill * 12))
        self.run_ok("resize", path, "0,6")
        self.assertEqual(self.keys(path), ["zarr.json"])
        self.run_ok("validate", path)

    def test_resize_the_brain(self):
        brain = self.folder / "brain.zarr"
        self.run_ok("copy", BRAIN / "t1", brain / "t1")
        whole, part = self.read_bin(BRAIN / "t1", "--region=:100,:,:"), brain / "t1"
        self.run_ok("resize", part, "100,233,189")
        self.assertEqual(self.read_bin(part), whole)
        self.run_ok("resize", part, "197,233,189")
        self.assertEqual(self.read_bin(part), whole + bytes(97 * 233 * 189))

    def test_consolidated_metadata(self):
        """A data set of xarray's, NaN in its attributes and their copies: each command that makes the copies wrong
        reports it."""
        new = write_npy(self.folder / "new.npy", "<i8", (1,), (12).to_bytes(8, "little"))
        climate = self.folder / "climate.zarr"
        for *command, path in (["append", new, climate / "time"], ["resize", climate / "y"], ["rm", climate / "t2m"],
                               ["attrs", "--set", "units=NaN", climate / "y"], ["attrs", "--delete", "units", climate / "t2m"],
                               ["write", new, climate / "g" / "new"], ["copy", climate / "y", climate / "new"],
                               ["mv", climate / "y", climate / "g" / "z"], ["write", "--overwrite", new, climate / "y"]):
            with self.subTest(command[0]):
                shutil.rmtree(climate, ignore_errors=True)
                shutil.copytree(CLIMATE, climate)
                self.assertIn("consolidated_metadata", document(climate))
                result = tessera(*command, path, *(["2"] if command[0] == "resize" else []))
                self.assert_refused(result, 0, str(climate), "consolidated metadata was removed", "tessera consolidate")
                self.assertEqual(document(climate).keys(), {"attributes", "zarr_format", "node_type"})
                self.run_ok("info", climate)
        shutil.rmtree(climate)
        shutil.copytree(CLIMATE, climate)
        self.run_ok("resize", climate / "y", "3")  # unchanged
        self.run_ok("validate", climate)
        self.assertEqual(document(climate).keys(), document(CLIMATE).keys())
        result = tessera("copy", climate, self.folder / "copy.zarr")
        self.assert_refused(result, 0, str(climate), "consolidated metadata is not in the copy")

    def test_consolidate(self):
        """Copies are made in either format; validate finds those that became wrong, and none before."""
        climate = self.folder / "climate.zarr"
        shutil.copytree(CLIMATE, climate)
        self.run_ok("validate", climate)
        tessera("attrs", "--set", "units=1", climate / "y")
        self.assertEqual(self.run_ok("consolidate", climate).text, f"{climate}: consolidated\n")
        self.assertEqual(document(climate)["consolidated_metadata"]["metadata"]["y"], document(climate / "y"))
        self.run_ok("validate", climate)
        old = self.folder / "old.zarr"
        self.run_ok("copy", climate / "y", old / "y", "--zarr-format", "2")
        self.run_ok("consolidate", old)
        self.assertEqual(set(json.loads((old / ".zmetadata").read_text())["metadata"]),
                         {".zgroup", ".zattrs", "y/.zarray", "y/.zattrs"})
        self.run_ok("validate", old)
        for root, changed, where in ((climate, "y/zarr.json", "zarr.json"), (old, "y/.zattrs", ".zmetadata")):
            text = (root / changed).read_text()
            (root / changed).write_text(text.replace('"units"', '"unit"'))
            result = tessera("validate", root)
            self.assertEqual(result.status, 1)
            self.assertIn(f'error: {root}: key "{where}": the copy of "{changed}" differs from that document', result.text)
        self.assert_refused(tessera("consolidate", climate / "y"), 1, "y/zarr.json", "node_type")
        self.assert_refused(tessera("consolidate", self.folder / "none"), 1, "no array or group")

    def test_shapes_that_cannot_be(self):
        path = self.make("a.zarr")
        for shape in ("", "4", "1,2,3", "4,-6", "4,", "a,b", "1.5,1", f"{2**63},1"):
            self.assert_refused(tessera("resize", path, "--", shape), 2, "SHAPE")
        self.assert_refused(tessera("resize", path), 2, "SHAPE")
        self.assert_refused(tessera("resize", self.folder / "none", "1"), 1, "none", "no array or group")
        self.assert_refused(tessera("resize", BRAIN, "1"), 1, "this is a group")
        self.assertEqual(self.read(path), ((4, 6), numbers(1, 24)))

    def test_append(self):
        for axis, order, fortran in itertools.product((0, 1), "<>", (False, True)):
            path = self.make(f"a{axis}{order == '<'}{fortran}.zarr")
            shape = (3, 6) if axis == 0 else (4, 5)
            count = math.prod(shape)
            content = numbers(100, count)
            stored = swapped(content, 2) if order == ">" else content
            stored = in_fortran_order(stored, shape, 2) if fortran else stored
            file = write_npy(self.folder / "more.npy", order + "u2", shape, stored, fortran)
            result = self.run_ok("append", file, path, *(["--axis", "1"] if axis else []))
            self.assertIn(f"{shape[axis]} of dimension {axis} are new", result.text)
            if axis == 0:
                self.assertEqual(self.read(path), ((7, 6), numbers(1, 24) + content))
            else:
                rows = (numbers(1 + 6 * row, 6) + content[10 * row:10 * row + 10] for row in range(4))
                self.assertEqual(self.read(path), ((4, 11), b"".join(rows)))
            self.run_ok("validate", path)

    def test_append_again_and_again(self):
        path = self.make("a.zarr", shape=(0, 6), content=b"")
        for i in range(5):
            self.run_ok("append", write_npy(self.folder / "row.npy", "<u2", (1, 6), numbers(6 * i, 6)), path)
        self.assertEqual(self.read(path), ((5, 6), numbers(0, 30)))
        self.run_ok("append", write_npy(self.folder / "row.npy", "<u2", (0, 6), b""), path)
        self.assertEqual(document(path)["shape"], [5, 6])

    def test_what_does_not_fit_is_not_appended(self):
        path = self.make("a.zarr")
        more = self.folder / "more.npy"
        for descr, shape in (("<i2", (1, 6)), ("<u2", (1, 5)), ("<u2", (6,)), ("<u2", (1, 1, 6))):
            write_npy(more, descr, shape, bytes(2 * math.prod(shape)))
            self.assert_refused(tessera("append", more, path), 2, "more.npy", "uint16 [4, 6]")
        write_npy(more, "<u2", (1, 6), bytes(12))
        self.assert_refused(tessera("append", more, path, "--axis", "2"), 2, '--axis: there is no dimension "2"', "[4, 6]")
        self.assert_refused(tessera("append", more, path, "--axis=-3"), 2, "--axis")
        self.assert_refused(tessera("append", more), 2, "PATH")
        self.assert_refused(tessera("append", more, self.folder / "none"), 1, "none")
        bools = self.make("b.zarr", shape=(2,), chunks="2", content=b"\0\1", descr="|b1", fill="false")
        self.assert_refused(tessera("append", write_npy(more, "|b1", (2,), b"\1\2"), bools), 1, "more.npy", "element 2")
        self.assertEqual(self.read(bools), ((2,), b"\0\1"))
        self.run_ok("append", write_npy(more, "|b1", (2,), b"\1\0"), bools)
        self.assertEqual(self.read(bools), ((4,), b"\0\1\1\0"))
        self.assertEqual(self.read(path), ((4, 6), numbers(1, 24)))

    def test_several_append_at_once(self):
        """All rows of each are present, contiguous, and none of the refused ones."""
        path = self.make("a.zarr")  # its chunks of three rows are shared
        blocks = [numbers(1000 * i, 30) for i in range(1, 9)]
        files = [write_npy(self.folder / f"{i}.npy", "<u2", (5, 6), block) for i, block in enumerate(blocks)]
        wrong = write_npy(self.folder / "wrong.npy", "<u2", (5, 5), numbers(9000, 25))
        at_once = [subprocess.Popen([BINARY, "append", file, path], env=ENVIRONMENT, stdout=subprocess.DEVNULL,
                                    stderr=subprocess.DEVNULL) for file in (*files, *[wrong] * 4)]
        self.assertEqual([process.wait() for process in at_once], [0] * 8 + [2] * 4)
        shape, content = self.read(path)
        self.assertEqual((shape, content[:48]), ((44, 6), numbers(1, 24)))
        self.assertEqual(sorted(content[at:at + 60] for at in range(48, len(content), 60)), sorted(blocks))
        self.run_ok("validate", path)
        self.run_ok("resize", path, "60,6")
        self.assertEqual(self.read(path)[1], content + b"\7\0" * 6 * 16)  # no row after the last

    def test_an_append_that_ends_half_way(self):
        path = self.make("a.zarr", shape=(1, 1000), chunks="1,1", content=bytes(2000))
        file = write_npy(self.folder / "more.npy", "<u2", (3, 1000), numbers(1, 3000))
        old, new = bytes(2000), bytes(2000) + numbers(1, 3000)
        for number in (signal.SIGTERM, signal.SIGKILL):
            process = subprocess.Popen([BINARY, "append", file, path], env=ENVIRONMENT, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
            while process.poll() is None and not os.path.exists(path / "c/1"):
                pass
            process.send_signal(number)
            process.wait()
            shape, content = self.read(path)
            self.assertIn((shape, content), (((1, 1000), old), ((4, 1000), new)))
            self.run_ok("resize", path, "1,1000")
            self.run_ok("resize", path, "6,1000")
            self.assertEqual(self.read(path), ((6, 1000), old + b"\7\0" * 5000))
            self.run_ok("resize", path, "1,1000")

    def test_rm(self):
        for name in ("t.zarr/g/a", "t.zarr/g/b", "t.zarr/c"):
            self.make(name)
        tree = self.folder / "t.zarr"
        self.assertIn("erased", self.run_ok("rm", tree / "g/a").text)
        self.assertEqual(sorted(os.listdir(tree / "g")), ["b", "zarr.json"])
        self.run_ok("rm", tree / "g")
        self.assertEqual(sorted(os.listdir(tree)), ["c", "zarr.json"])
        self.assert_refused(tessera("rm", tree / "g"), 1, "no array or group")
        self.assert_refused(tessera("rm", self.folder), 1, "no array or group")
        self.assert_refused(tessera("rm"), 2, "PATH")
        (tree / "c/zarr.json").write_text("{")  # damaged
        self.run_ok("rm", tree / "c")
        self.run_ok("rm", tree)
        self.assertEqual(os.listdir(self.folder), ["in.npy"])

    def in_terminal(self, answer, *arguments):
        """Status and output of a command that gets a typed answer, and its question."""
        master, slave = pty.openpty()
        process = subprocess.Popen([BINARY, *map(str, arguments)], stdin=slave, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True, env=ENVIRONMENT)
        os.close(slave)
        os.write(master, answer.encode())
        output, asked = process.communicate(timeout=60)
        os.close(master)
        return process.returncode, output, asked

    def test_rm_of_a_whole_hierarchy_asks(self):
        for name in ("t.zarr/g/a", "t.zarr/b"):
            self.make(name)
        tree = self.folder / "t.zarr"
        for answer in ("n\n", "\n", "yep\n", "\4"):
            status, output, asked = self.in_terminal(answer, "rm", tree)
            self.assertEqual((status, output), (1, "nothing is erased\n"))
            self.assertIn(f"{tree} is a whole hierarchy: 2 arrays, 2 groups. Erase it? [y/N]", asked)
            self.run_ok("validate", tree)
        self.assertEqual(self.in_terminal("", "rm", tree / "b"), (0, f"{tree}/b: erased\n", ""))  # a part of one
        self.assertEqual(self.in_terminal("y\n", "rm", tree)[0], 0)
        self.assertFalse(tree.exists())
        for yes in ("--yes", "-y"):
            self.make("t.zarr/b")
            self.assertEqual(self.in_terminal("", "rm", tree, yes), (0, f"{tree}: erased\n", ""))
            self.assertFalse(tree.exists())

    def test_mv(self):
        self.make("t.zarr/g/a")
        self.make("t.zarr/b", content=numbers(50, 24))
        tree = self.folder / "t.zarr"
        self.assertIn("now", self.run_ok("mv", tree / "g/a", tree / "new/deep/a").text)
        self.assertEqual(self.read(tree / "new/deep/a"), ((4, 6), numbers(1, 24)))
        self.assertEqual(document(tree / "new/deep")["node_type"], "group")
        self.run_ok("mv", "new", "old", cwd=tree)
        self.assertEqual(self.read(tree / "old/deep/a"), ((4, 6), numbers(1, 24)))
        here = self.keys(tree)
        for source, destination, status, word in (("old", "b", 1, "there is a node"), ("old", "b/x", 1, "array above"),
                                                  ("old", "old/deep/x", 1, "below itself"), ("none", "x", 1, "no array"),
                                                  ("old", "../other/x", 2, "hierarchy"), ("", "x", 2, "root")):
            self.assert_refused(tessera("mv", tree / source, tree / destination), status, word)
        self.assert_refused(tessera("mv", tree), 2, "DST")
        self.assertEqual(self.keys(tree), here)
        self.run_ok("validate", tree)

    def test_random_shapes(self):
        seed = int(os.environ.get("TESSERA_SEED", "3"))
        draw = random.Random(seed)
        path = self.make("a.zarr", shape=(3, 3), chunks="2,2")
        model = {(r, c): 1 + 3 * r + c for r in range(3) for c in range(3)}
        shape = (3, 3)
        for step in range(20):
            if draw.random() < 0.6:
                shape = (draw.randint(0, 6), draw.randint(0, 6))
                self.run_ok("resize", path, ",".join(map(str, shape)))
                model = {at: value for at, value in model.items() if at[0] < shape[0] and at[1] < shape[1]}
            else:
                rows = draw.randint(1, 3)
                file = write_npy(self.folder / "more.npy", "<u2", (rows, shape[1]), numbers(100 * step, rows * shape[1]))
                self.run_ok("append", file, path)
                model |= {(shape[0] + r, c): 100 * step + r * shape[1] + c for r in range(rows) for c in range(shape[1])}
                shape = (shape[0] + rows, shape[1])
            expected = b"".join(model.get(at, 7).to_bytes(2, "little") for at in itertools.product(*map(range, shape)))
            self.assertEqual(self.read(path), (shape, expected), (seed, step))


main()
