"""tessera validate: every damaged key, and the cause; warnings for other files; status 1 if any key fails."""
import json
import os
import random
import shutil
import struct
import subprocess

from command import (BINARY, BRAIN, ENVIRONMENT, UNSUPPORTED, CommandTest, main, make_array, make_unsupported,
                     tessera, write_npy)


MISSING = (2**64 - 1,) * 2


def index_of(shard):
    """Offsets and sizes of the 4 x 4 x 4 inner chunks of one of t1_sharded's shards."""
    return list(struct.iter_unpack("<QQ", shard[-(64 * 16 + 4):-4]))


INNER_CHUNKS = sum(entry != MISSING for shard in (BRAIN / "t1_sharded/c").rglob("*") if shard.is_file()
                   for entry in index_of(shard.read_bytes()))


class Validate(CommandTest):
    def setUp(self):
        super().setUp()
        self.brain = self.folder / "brain.zarr"
        shutil.copytree(BRAIN, self.brain)

    def checked(self, path, array="c"):
        """The same array with crc32c after every chunk."""
        copy = self.folder / array
        codecs = [{"name": "bytes", "configuration": {"endian": "little"}}, "crc32c"]
        self.run_ok("copy", path, copy, "--codecs", json.dumps(codecs))
        return copy

    def findings(self, path, *options):
        """Exit status, the problem of each failing key, stray keys: from JSON, compared with the text for people."""
        result = tessera("validate", path, "--json", *options)
        self.assertEqual(result.errors, [])
        found = json.loads(result.text)
        failures = {failure["key"]: failure["problem"] for failure in found["failures"]}
        self.assertEqual(len(failures), len(found["failures"]))
        said = tessera("validate", path, *options)
        self.assertEqual((said.status, said.errors), (result.status, []))
        lines = said.text.splitlines()
        errors = [line.removeprefix("error: ") for line in lines if line.startswith("error: ")]
        warnings = [line for line in lines if line.startswith("warning: ")]
        self.assertEqual(errors, list(failures.values()))
        self.assertEqual(len(warnings), len(found["strays"]))
        for key, warning in zip(found["strays"], warnings):
            self.assertIn(f'key "{key}"', warning)
        unsupported = [line for line in lines if line.startswith("not checked: ")]
        self.assertEqual(len(unsupported), len(found["unsupported"]))
        for one, line in zip(found["unsupported"], unsupported):
            self.assertTrue(line.endswith(f'key "{one["key"]}": {one["problem"]}'), line)
        self.assertEqual(len(lines), len(errors) + len(warnings) + len(unsupported) + 1)
        self.assertIn(f'{len(errors)} failure', lines[-1])
        self.assertEqual(result.status, 1 if failures else 0)
        return failures, found

    def test_a_tree_that_is_whole(self):
        for threads in (1, 4):
            failures, found = self.findings(self.brain, "--threads", threads)
            self.assertEqual((failures, found["strays"]), ({}, []))
            self.assertEqual((found["arrays"], found["groups"], found["chunks"]), (3, 1, 33 + 8 + INNER_CHUNKS))
        self.assertIn(f"3 arrays, 1 group, {41 + INNER_CHUNKS} chunks decoded: 0 failures, 0 stray keys",
                      self.run_ok("validate", self.brain).text)

    def test_what_is_not_supported_does_not_fail(self):
        for name, what in make_unsupported(self.brain).items():
            failures, found = self.findings(self.brain / name)
            self.assertEqual(failures, {})
            self.assertEqual(found["unsupported"], [{"key": f"{name}/zarr.json", "problem": f"{what} is not supported"}])
            self.assertEqual((found["arrays"], found["chunks"], found["strays"]), (0, 0, []))
        names = sorted(f"{name}/zarr.json" for name in UNSUPPORTED)
        failures, found = self.findings(self.brain)
        self.assertEqual((failures, [one["key"] for one in found["unsupported"]]), ({}, names))
        self.assertEqual((found["arrays"], found["chunks"]), (3, 41 + INNER_CHUNKS))
        self.assertIn(f"0 stray keys, {len(names)} arrays not supported", self.run_ok("validate", self.brain).text)
        (self.brain / "t1/c/2/3/1").write_bytes(b"")  # others fail as before
        failures, found = self.findings(self.brain)
        self.assertEqual((list(failures), len(found["unsupported"])), (["t1/c/2/3/1"], len(names)))

    def test_what_is_damaged_as_well_fails(self):
        for name in make_unsupported(self.brain):
            path = self.brain / name / "zarr.json"
            whole = json.loads(path.read_text())
            for change in ({"shape": [-1]}, {"shape": 4}, {"codecs": {}}, {"codecs": [1]}, {"attributes": []}, {"more": 1},
                           {"chunk_grid": 1}, {"chunk_key_encoding": {}}, {"dimension_names": ["x", "y"]},
                           {"data_type": 8}, {"data_type": {"configuration": {}}}):
                path.write_text(json.dumps(whole | change))
                failures, found = self.findings(self.brain / name)
                self.assertEqual((list(failures), found["unsupported"]), ([f"{name}/zarr.json"], []), (name, change))
            path.write_text(json.dumps({member: whole[member] for member in whole if member != "fill_value"}))
            self.assertEqual(list(self.findings(self.brain / name)[0]), [f"{name}/zarr.json"])

    def test_a_damaged_inner_chunk_is_named(self):
        shard = self.brain / "t1_sharded/c/0/0/0"
        content = bytearray(shard.read_bytes())
        entries = [entry for entry in index_of(content) if entry != MISSING]
        content[entries[2][0]] ^= 0xff
        shard.write_bytes(content)
        failures, found = self.findings(self.brain)
        self.assertEqual(list(failures), ["t1_sharded/c/0/0/0"])
        place = index_of(content).index(entries[2])
        inner = [place // 16, place // 4 % 4, place % 4]
        self.assertIn(f'key "t1_sharded/c/0/0/0": inner chunk {inner}: codec zstd', failures["t1_sharded/c/0/0/0"])
        self.assertEqual(found["chunks"], 41 + INNER_CHUNKS)

    def test_chunks_whose_document_is_lost(self):
        (self.brain / "t1/zarr.json").unlink()
        shutil.copytree(self.brain / "t1", self.brain / "a/b")  # below a folder that is not a node
        dots = make_array(self.brain / "dots", [4], "uint8", [2], {}, chunk_key_encoding={"name": "default", "configuration": {"separator": "."}})
        (dots / "c.0").write_bytes(b"12")
        (dots / "zarr.json").unlink()
        for path in ("notes/2024/01", "notes/c/readme", "c/x/0", "notes/c.1.x", "notes/c.", "nested/group/c/0"):  # no chunks
            (self.brain / path).parent.mkdir(parents=True, exist_ok=True)
            (self.brain / path).write_bytes(b"text")
        (self.brain / "nested/group/zarr.json").write_text('{"zarr_format": 3, "node_type": "group"}')
        failures, found = self.findings(self.brain)
        self.assertEqual(list(failures), ["a/b/zarr.json", "dots/zarr.json", "t1/zarr.json"])
        for name, example in (("t1", 't1/c/0/0/0"'), ("a/b", 'a/b/c/0/0/0"')):
            for words in (f'key "{name}/zarr.json"', "the document is missing", "33", example):
                self.assertIn(words, failures[name + "/zarr.json"])
        self.assertEqual((found["arrays"], found["chunks"], found["strays"]), (2, 8 + INNER_CHUNKS, []))
        shutil.rmtree(self.brain / "t1/c")  # an empty folder is ignored
        self.assertEqual(list(self.findings(self.brain)[0]), ["a/b/zarr.json", "dots/zarr.json"])

    def test_every_damaged_chunk_is_named(self):
        cut = self.brain / "t1/c/1/1/1"
        cut.write_bytes(cut.read_bytes()[:-1])
        (self.brain / "t1/c/2/3/1").write_bytes(b"")
        shorter = self.brain / "t1_half/c/0/1/0"
        shorter.write_bytes(shorter.read_bytes()[:-1])
        failures, found = self.findings(self.brain)
        self.assertEqual(list(failures), ["t1/c/1/1/1", "t1/c/2/3/1", "t1_half/c/0/1/0"])
        for key, problem in failures.items():
            self.assertTrue(problem.startswith(f'{self.brain}: key "{key}": '), problem)
        self.assertIn("codec zstd", failures["t1/c/1/1/1"])
        self.assertIn("codec blosc", failures["t1_half/c/0/1/0"])
        self.assertEqual(found["chunks"], 41 + INNER_CHUNKS)

    def test_every_flipped_bit_is_found_by_crc32c(self):
        array = self.checked(self.brain / "t1_half")
        random_bits = random.Random(7)
        chunks = sorted(path for path in (array / "c").rglob("*") if path.is_file())
        self.assertEqual(len(chunks), 8)
        for chunk in chunks[1:]:
            content = bytearray(chunk.read_bytes())
            at = random_bits.randrange(len(content))
            content[at] ^= 1 << random_bits.randrange(8)
            chunk.write_bytes(content)
        failures, _ = self.findings(array)
        self.assertEqual(list(failures), [str(chunk.relative_to(array)) for chunk in chunks[1:]])
        for problem in failures.values():
            self.assertIn("codec crc32c", problem)

    def test_documents(self):
        (self.brain / "t1/zarr.json").write_text("{")
        failures, found = self.findings(self.brain)
        self.assertEqual(list(failures), ["t1/zarr.json"])
        self.assertEqual((found["arrays"], found["groups"], found["chunks"]), (2, 1, 8 + INNER_CHUNKS))
        (self.brain / "zarr.json").write_text('{"zarr_format": 3, "node_type": "group", "more": 1}')
        self.assertEqual(sorted(self.findings(self.brain)[0]), ["t1/zarr.json", "zarr.json"])
        self.assertEqual(list(self.findings(self.brain / "t1")[0]), ["t1/zarr.json"])
        self.assertEqual(list(self.findings(self.brain / "t1_half")[0]), [])
        self.assert_refused(tessera("validate", self.folder), 1, "zarr.json")

    def test_shards_of_a_rectilinear_grid(self):
        path = make_array(self.folder / "a", [6], "uint8", [4], {})
        inner, index = [{"name": "bytes"}], [{"name": "bytes", "configuration": {"endian": "little"}}]
        (path / "zarr.json").write_text(json.dumps(json.loads((path / "zarr.json").read_text()) | {
            "chunk_grid": {"name": "rectilinear", "configuration": {"kind": "inline", "chunk_shapes": [[4, 2]]}},
            "codecs": [{"name": "sharding_indexed", "configuration": {
                "chunk_shape": [2], "codecs": inner, "index_codecs": index, "index_location": "end"}}]}))
        shutil.rmtree(path / "c", ignore_errors=True)
        (path / "c").mkdir()
        (path / "c/0").write_bytes(bytes([1, 2, 3, 4]) + struct.pack("<4Q", 0, 2, 2, 2))
        (path / "c/1").write_bytes(bytes([5, 6]) + struct.pack("<2Q", 0, 2))
        self.assertIn("3 chunks decoded: 0 failures", self.run_ok("validate", path).text)
        self.assertEqual(self.read_bin(path), bytes(range(1, 7)))
        (path / "c/1").write_bytes(bytes([5, 6, 7]) + struct.pack("<2Q", 0, 3))
        (path / "c/2").write_bytes(b"x")
        failures, found = self.findings(path)
        self.assertEqual((list(failures), found["strays"]), (["c/1"], ["c/2"]))

    def test_stray_keys(self):
        strays = ["t1/c/0/0", "t1/c/9/0/0", "t1/c/00/1/1", "t1/note.txt", "t1/sub/zarr.json", "t1/c/0/0/1/x",
                  "t1_half/c.0.0.0", "t1_half/0.0.0"]
        (self.brain / "t1/c/0/0/1").unlink(missing_ok=True)
        made = []
        for stray in strays:
            path = self.brain / stray
            if path.exists():
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(b"1")
            made.append(stray)
        (self.brain / "readme.txt").write_text("below a group anything may be")
        failures, found = self.findings(self.brain)
        self.assertEqual((failures, found["strays"]), ({}, sorted(made)))
        self.assertEqual(len(made), 7)

    def test_what_is_no_file(self):
        (self.brain / "t1/c/1/1/1").unlink()
        os.mkfifo(self.brain / "t1/c/1/1/1")
        failures, _ = self.findings(self.brain)
        self.assertEqual(list(failures), ["t1/c/1/1/1"])
        self.assertIn("regular", failures["t1/c/1/1/1"])

    def test_no_permission(self):
        file, folder = self.brain / "t1/c/1/1/1", self.brain / "t1_half/c/1"
        file.chmod(0)
        folder.chmod(0)
        self.addCleanup(folder.chmod, 0o755)
        command = [BINARY, "validate", self.brain, "--json"]
        as_nobody = {"user": 65534, "group": 65534} if os.geteuid() == 0 else {}  # root may read everything
        if as_nobody:  # a user who may not reach the build folder
            command[0] = self.folder / "tessera"
            shutil.copy(BINARY, command[0])
            self.folder.chmod(0o755)
        done = subprocess.run(command, capture_output=True, env=ENVIRONMENT, timeout=60, cwd=self.folder, **as_nobody)
        found = json.loads(done.stdout)
        failures = {failure["key"]: failure["problem"] for failure in found["failures"]}
        self.assertEqual(done.returncode, 1)
        chunks = {f"t1_half/c/1/{y}/{z}" for y in (0, 1) for z in (0, 1)}
        self.assertEqual(set(failures) - {"t1_half/c/1"}, chunks | {"t1/c/1/1/1"})
        for problem in failures.values():
            self.assertIn("Permission denied", problem)

    def test_grids_too_large_to_walk(self):
        a = make_array(self.folder / "a", [2**40], "uint8", [4], {(0,): b"1234", (2**37,): b"123", (2**38 - 1,): b"1234"})
        (a / "c" / str(2**38)).write_bytes(b"1234")  # beyond the grid
        failures, found = self.findings(a)
        self.assertEqual(list(failures), [f"c/{2**37}"])
        self.assertEqual((found["chunks"], found["strays"]), (3, [f"c/{2**38}"]))

    def test_chunks_larger_than_memory(self):
        a = make_array(self.folder / "a", [2**60], "uint8", [2**60], {(0,): b"1234"})
        self.assertEqual(list(self.findings(a)[0]), ["c/0"])

    def test_what_write_makes(self):
        file = write_npy(self.folder / "a.npy", ">f8", (7, 9), random.Random(3).randbytes(504))
        for codecs in ('["crc32c"]', '[{"name": "gzip", "configuration": {"level": 9}}, "crc32c"]'):
            codecs = json.dumps([{"name": "bytes", "configuration": {"endian": "big"}}] + json.loads(codecs))
            self.run_ok("write", file, self.folder / "a", "--chunks", "3,4", "--codecs", codecs, "--overwrite")
            self.assertEqual(self.findings(self.folder / "a")[1]["chunks"], 9)

    def test_odd_arrays(self):
        make_array(self.folder / "scalar", [], "int16", [], {(): b"12"})
        self.assertEqual(self.findings(self.folder / "scalar")[1]["chunks"], 1)
        make_array(self.folder / "empty", [0, 3], "int16", [1, 3], {(0, 0): b"123456"})
        self.assertEqual(self.findings(self.folder / "empty")[1]["strays"], ["c/0/0"])
        make_array(self.folder / "bool", [3], "bool", [2], {(0,): b"\0\1", (1,): b"\2\2"}, fill_value=False)
        failures, _ = self.findings(self.folder / "bool")
        self.assertEqual(list(failures), ["c/1"])


main()
