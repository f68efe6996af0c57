"""tessera write: .npy files of every kind come back unchanged; other files are refused; nothing is overwritten."""
import hashlib
import itertools
import json
import math
import os
import random
import shutil
import signal
import subprocess

from command import (BINARY, BRAIN, ENVIRONMENT, CommandTest, document, in_fortran_order, main, make_array, read_npy, swapped, sums, tessera,
                     write_npy)

# NumPy's and Zarr's names of the types, and how many bytes are swapped together.
TYPES = {"b1": ("bool", 1), "i1": ("int8", 1), "i2": ("int16", 2), "i4": ("int32", 4), "i8": ("int64", 8),
         "u1": ("uint8", 1), "u2": ("uint16", 2), "u4": ("uint32", 4), "u8": ("uint64", 8), "f2": ("float16", 2),
         "f4": ("float32", 4), "f8": ("float64", 8), "c8": ("complex64", 4), "c16": ("complex128", 8),
         "V1": ("r8", 1), "V3": ("r24", 1), "V16": ("r128", 1)}

SEED = int(os.environ.get("TESSERA_SEED", "3"))
FLIPS = int(os.environ.get("TESSERA_FLIPS", "40"))


class Write(CommandTest):
    def elements(self, kind, count, seed=1):
        content = random.Random(f"{kind} {seed}").randbytes(count * int(kind[1:]))
        return bytes(byte & 1 for byte in content) if kind == "b1" else content

    def array(self):
        return self.folder / f"a{len(os.listdir(self.folder))}.zarr"

    def read(self, path):
        output = self.folder / "out.npy"
        self.run_ok("read", path, "--output", output)
        return read_npy(output)

    def write(self, *arguments, **npy):
        """Writes a .npy file, and makes an array from it: its path."""
        path = self.array()
        file = write_npy(self.folder / "in.npy", **npy)
        self.run_ok("write", file, path, *arguments)
        return path

    def test_every_type_and_order(self):
        shape = (5, 4, 3)
        for kind, (data_type, component) in TYPES.items():
            content = self.elements(kind, math.prod(shape))
            native = ("<" if component > 1 else "|") + kind
            for order, fortran in itertools.product("<>" if component > 1 else "|", (False, True)):
                stored = swapped(content, component) if order == ">" else content
                stored = in_fortran_order(stored, shape, int(kind[1:])) if fortran else stored
                path = self.write("--chunks", "2,3,2", descr=order + kind, shape=shape, content=stored, fortran_order=fortran)
                self.assertEqual(document(path)["data_type"], data_type)
                self.assertEqual(self.read(path), (native, shape, content), (order, kind, fortran))
                self.run_ok("validate", path)

    def test_codecs_by_name_have_the_usual_configuration(self):
        zstd, gzip = {"level": 0, "checksum": False}, {"level": 5}
        for kind, blosc in (("u1", ("bitshuffle", 1)), ("f4", ("shuffle", 4)), ("c16", ("shuffle", 16))):
            content = self.elements(kind, 60)
            for name, usual in (("zstd", zstd), ("gzip", gzip),
                                ("blosc", {"typesize": blosc[1], "cname": "zstd", "clevel": 5, "shuffle": blosc[0],
                                           "blocksize": 0}), ("crc32c", None)):
                for shards in ([], ["--shards", "4,5,3"]):
                    path = self.write("--codecs", json.dumps(["bytes", name]), "--chunks", "2,5,3", *shards, shape=(4, 5, 3),
                                      descr=("|" if kind == "u1" else "<") + kind, content=content)
                    self.assertEqual(self.read(path)[2], content)
                    codecs = document(path)["codecs"]
                    if shards:
                        codecs = codecs[0]["configuration"]["codecs"]
                    self.assertEqual(codecs[0].get("configuration"), None if kind == "u1" else {"endian": "little"})
                    self.assertEqual(codecs[1].get("configuration"), usual, name)
        path = self.write("--codecs", '["bytes", {"name": "zstd", "configuration": {"checksum": true}}]', descr="|u1",
                          shape=(2,), content=b"ab")
        self.assertEqual(document(path)["codecs"][1]["configuration"], {"checksum": True, "level": 0})
        shards = {"chunk_shape": [2], "codecs": ["bytes", "gzip"], "index_codecs": ["bytes", "crc32c"]}
        path = self.write("--codecs", json.dumps([{"name": "sharding_indexed", "configuration": shards}]), "--chunks", "4",
                          descr="<f4", shape=(8,), content=bytes(32))
        inner = document(path)["codecs"][0]["configuration"]
        self.assertEqual(inner["codecs"], [{"name": "bytes", "configuration": {"endian": "little"}},
                                           {"name": "gzip", "configuration": {"level": 5}}])
        self.assertEqual(inner["index_codecs"][0], {"name": "bytes", "configuration": {"endian": "little"}})
        copy = self.array()
        self.run_ok("copy", BRAIN, copy, "--codecs", '["bytes", "blosc"]')  # each in its type's form
        self.assertEqual([document(copy / name)["codecs"][1]["configuration"]["typesize"] for name in ("t1", "t1_half")], [1, 4])

    def test_from_a_pipe(self):
        shape = (50, 100, 100)
        content = self.elements("i4", math.prod(shape))
        for order, fortran in itertools.product("<>", (False, True)):
            stored = swapped(content, 4) if order == ">" else content
            stored = in_fortran_order(stored, shape, 4) if fortran else stored
            file = write_npy(self.folder / "in.npy", order + "i4", shape, stored, fortran)
            path = self.array()
            with file.open("rb") as opened:
                for way in ({"input": file.read_bytes()}, {"stdin": opened}):
                    done = subprocess.run([BINARY, "write", "-", str(path), "--overwrite"], **way, capture_output=True,
                                          env=ENVIRONMENT, timeout=60)
                    self.assertEqual((done.returncode, done.stderr), (0, b""))
                    self.assertEqual(self.read(path), ("<i4", shape, content))
        read = subprocess.Popen([BINARY, "read", str(BRAIN / "t1"), "--output", "-"], stdout=subprocess.PIPE, env=ENVIRONMENT)
        for command, options in (("write", []), ("append", [])):
            done = subprocess.run([BINARY, command, "-", str(self.folder / "t1"), *options], stdin=read.stdout,
                                  capture_output=True, env=ENVIRONMENT, timeout=60)
            read.stdout.close()
            self.assertEqual((read.wait(timeout=60), done.returncode, done.stderr), (0, 0, b""))
            read = subprocess.Popen([BINARY, "read", str(BRAIN / "t1"), "--output", "-"], stdout=subprocess.PIPE, env=ENVIRONMENT)
        read.stdout.close()
        read.wait(timeout=60)
        elements = self.read_bin(self.folder / "t1")
        self.assertEqual(hashlib.sha256(elements[:len(elements) // 2]).hexdigest(), sums()["t1"])
        self.assertEqual(elements[:len(elements) // 2], elements[len(elements) // 2:])

    def test_a_pipe_that_is_cut_makes_nothing(self):
        file = write_npy(self.folder / "in.npy", "<i4", (100, 100), bytes(40000))
        for size in (0, 5, 60, 1000):
            done = subprocess.run([BINARY, "write", "-", str(self.folder / "a")], input=file.read_bytes()[:size],
                                  capture_output=True, env=ENVIRONMENT | {"TMPDIR": str(self.folder)}, timeout=60)
            self.assertEqual(done.returncode, 1)
            self.assertIn(b"tessera: the standard input: ", done.stderr)
        done = subprocess.run([BINARY, "write", "-", str(self.folder / "a")], input=b"", capture_output=True,
                              env=ENVIRONMENT | {"TMPDIR": str(self.folder / "none")}, timeout=60)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"cannot keep it in", done.stderr)
        self.assertEqual(os.listdir(self.folder), ["in.npy"])

    def test_shapes(self):
        for shape in ((), (1,), (3,), (0,), (0, 5), (5, 0), (2, 1, 3), (1,) * 32, (3, 100000)):
            for fortran in (False, True):
                content = self.elements("u2", math.prod(shape))
                stored = in_fortran_order(content, shape, 2) if fortran else content
                path = self.write(descr="<u2", shape=shape, content=stored, fortran_order=fortran)
                self.assertEqual(self.read(path), ("<u2", shape, content), (shape, fortran))

    def test_versions_and_spellings(self):
        content = self.elements("i4", 6)
        for version in (1, 2, 3):
            path = self.write(descr="<i4", shape=(2, 3), content=content, version=version)
            self.assertEqual(self.read(path), ("<i4", (2, 3), content))
        for header in ('{"shape":(2,3),"fortran_order":False,"descr":"<i4"}', "  { 'descr' : '<i4' , 'fortran_order' :\n"
                       "False , 'shape' : ( 2 , 3 , ) , } ", "{'descr': '<i4', 'fortran_order': False, 'shape': (2L, 3L), }"):
            path = self.write(descr=None, shape=None, content=content, header=header)
            self.assertEqual(self.read(path), ("<i4", (2, 3), content), header)

    def test_document_is_as_zarr_python_has_it(self):
        path = self.write("--chunks", "2,2", "--names", "y,", "--fill", "NaN", descr="<f4", shape=(3, 2), content=bytes(24))
        self.assertEqual(document(path), {
            "shape": [3, 2], "data_type": "float32",
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2, 2]}},
            "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}}, "fill_value": "NaN",
            "codecs": [{"name": "bytes", "configuration": {"endian": "little"}},
                       {"name": "zstd", "configuration": {"level": 0, "checksum": False}}],
            "attributes": {}, "dimension_names": ["y", None], "zarr_format": 3, "node_type": "array",
            "storage_transformers": []})
        path = self.write(descr="|u1", shape=(3,), content=b"123")
        self.assertEqual(document(path)["codecs"][0], {"name": "bytes"})
        self.assertEqual(document(path)["chunk_grid"]["configuration"]["chunk_shape"], [3])
        self.assertNotIn("dimension_names", document(path))

    def test_chunks_are_about_a_mebibyte(self):
        for shape in ((300, 200, 100), (6000000,), (3, 2000000), (2000, 3000, 1)):
            path = self.write(descr="<u2", shape=shape, content=bytes(2 * math.prod(shape)))
            chunks = document(path)["chunk_grid"]["configuration"]["chunk_shape"]
            self.assertTrue(2**19 - 2**16 < math.prod(chunks) * 2 <= 2**20, (shape, chunks))

    def test_codecs(self):
        content = self.elements("f4", 60)
        little = {"name": "bytes", "configuration": {"endian": "little"}}
        big = {"name": "bytes", "configuration": {"endian": "big"}}
        for codecs in ([little], [big, {"name": "gzip", "configuration": {"level": 1}}, "crc32c"],
                       [{"name": "transpose", "configuration": {"order": [2, 0, 1]}}, big],
                       [little, {"name": "blosc", "configuration": {"cname": "lz4", "clevel": 5, "shuffle": "bitshuffle",
                                                                    "typesize": 4}}]):
            path = self.write("--codecs", json.dumps(codecs), "--chunks", "4,4,4", descr=">f4", shape=(5, 4, 3),
                              content=swapped(content, 4))
            self.assertEqual(self.read(path), ("<f4", (5, 4, 3), content), codecs)
            self.assertEqual([codec["name"] for codec in document(path)["codecs"]],
                             [codec if isinstance(codec, str) else codec["name"] for codec in codecs])
        # Optional settings are written explicitly.
        self.assertEqual(document(path)["codecs"][1]["configuration"]["blocksize"], 0)

    def test_fill_values(self):
        cases = {"b1": (("true", True),), "i8": ((-2**63, -2**63), ("-0", 0)), "u8": ((2**64 - 1, 2**64 - 1),),
                 "f2": (("0.1", 0.0999755859375), ("-Infinity", "-Infinity"), ("0x7e01", "0x7e01")),
                 "f4": (("NaN", "NaN"), ('"NaN"', "NaN"), ("1e300", "Infinity"), ("0x7fc00001", "0x7fc00001")),
                 "c8": (('[1, "NaN"]', [1.0, "NaN"]),), "V3": (("[1, 2, 255]", [1, 2, 255]),)}
        for kind, fills in cases.items():
            for fill, stored in fills:
                path = self.write(f"--fill={fill}", descr=("|" if kind in ("b1", "V3") else "<") + kind, shape=(),
                                  content=bytes(int(kind[1:])))
                self.assertEqual(document(path)["fill_value"], stored, (kind, fill))
        self.assertEqual(document(self.write(descr="|V2", shape=(), content=b"12"))["fill_value"], [0, 0])

    def test_fill_chunks_are_not_stored(self):
        path = self.write("--chunks", "2", "--fill", "7", descr="|u1", shape=(6,), content=bytes([7, 7, 7, 8, 7, 7]))
        self.assertEqual(os.listdir(path / "c"), ["1"])
        self.assertEqual(self.read(path)[2], bytes([7, 7, 7, 8, 7, 7]))

    def test_the_brain_comes_back(self):
        for name in ("t1", "t1_half"):
            file, path = self.folder / f"{name}.npy", self.folder / "copy.zarr/deep" / name
            self.run_ok("read", BRAIN / name, "--output", file)
            self.run_ok("write", file, path, "--chunks", "50,60,70", "--names", "x,y,z")
            self.assertEqual(hashlib.sha256(self.read_bin(path)).hexdigest(), sums()[name])
        for group in ("", "deep"):
            self.assertEqual(document(self.folder / "copy.zarr" / group)["node_type"], "group")
        self.assertFalse((self.folder / "zarr.json").exists())

    def test_more_than_one_part(self):
        # Bools are checked to be 0 or 1, so they pass through a buffer; 80 MiB exceed its size.
        rows, columns = 80, 2**20
        ones = {0: b"\1" * 3, 64 * columns - 2: b"\1" * 4, rows * columns - 1: b"\1"}
        file, path = self.folder / "large.npy", self.folder / "large.zarr"
        for shape, fortran, chunks in (((rows, columns), False, "7,100000"), ((columns, rows), True, "100000,7")):
            write_npy(file, "|b1", shape, b"", fortran)
            with file.open("r+b") as out:
                start = out.seek(0, os.SEEK_END)
                out.truncate(start + rows * columns)
                for at, content in ones.items():
                    out.seek(start + at)
                    out.write(content)
            self.run_ok("write", file, path, "--chunks", chunks, "--overwrite")
            output = self.folder / "large.bin"
            self.run_ok("read", path, "--output", output)
            expected = bytearray(rows * columns)
            for at, content in ones.items():
                for i in range(at, at + len(content)):
                    expected[i if not fortran else i % columns * rows + i // columns] = 1
            self.assertEqual(hashlib.sha256(output.read_bytes()).digest(), hashlib.sha256(expected).digest())

    def test_files_that_are_none(self):
        good = "{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3), }"
        headers = ["", "{", "}", "{}", "[1]", good[:-1], good + "x", good.replace("'descr': '<i2', ", ""), good * 2,
                   good.replace("'shape': (2, 3), ", ""), good.replace("fortran_order", "order"),
                   good.replace("}", "'shape': (2, 3)}"), good.replace("False", "0"), good.replace("False", "false"),
                   good.replace("2, 3", "6"), good.replace("2, 3", "-2, -3"), good.replace("2, 3", "2, 3.0"),
                   good.replace("2, 3", f"{2**63}, 0"), good.replace("2, 3", f"{2**64 + 2}, 3"), good.replace("(2, 3)", "[2, 3]"),
                   good.replace("2, 3", f"{2**62}, {2**62}"), good.replace("2, 3", f"{2**61},"), good.replace("(2, 3)", "(2, 3"),
                   good.replace("2, 3", "1, " * 33), good.replace("2, 3", ", "), good.replace("2, 3", "2,, 3"),
                   good.replace("'<i2'", "[('a', '<i1', (2,))]"), good.replace("'<i2'", "[]"), good.replace("'<i2'", "'<i2"), good.replace("'<i2'", "b'<i2'"),
                   good.replace("'<i2'", "'\\x3ci2'"), good.replace("'<i2'", "<i2"), good + "\0", "(" * 1000, "{" * 60000,
                   *(good.replace("<i2", descr) for descr in (
                       "i2", "<i", "<", "", "<i3", "<i16", "|i2", "<b2", "<f16", "<c32", "|O", "|U5", "|S0", "|M8[ns]", "<M8[x]", "<V0",
                       "|V1048577", "|V99999999999", "<u2 ", "<i-2", "!i2", "<?1"))]
        file, out = self.folder / "x.npy", self.folder / "out.zarr"
        for header in headers:
            write_npy(file, None, None, bytes(12), header=header or " ")
            self.assert_refused(tessera("write", file, out), 1, "x.npy")
        whole = write_npy(file, "<i2", (2, 3), bytes(12)).read_bytes()
        contents = [b"", b"\x93NUMPY", whole[:-1], whole + b"\0", whole[1:], whole[:9], whole[:11], whole[:60],
                    b"\x93NUMPY\1\0\xff\xff" + whole[10:], b"\x93NUMPY\2\0\xff\xff\xff\xff" + whole[12:],
                    b"\x93NUMPY\1\0\0\0" + whole[10:], b"PK\3\4" + whole, whole.replace(b"\1\0", b"\4\0", 1),
                    whole.replace(b"\1\0", b"\1\1", 1), whole.replace(b"\1\0", b"\0\0", 1),
                    b"\x93NUMPY\2\0\0\0\1\1" + bytes(2**25)]
        for content in contents:
            file.write_bytes(content)
            self.assert_refused(tessera("write", file, out), 1, "x.npy")
        file.unlink()
        self.assert_refused(tessera("write", file, out), 1, "x.npy")
        file.mkdir()
        self.assert_refused(tessera("write", file, out), 1, "x.npy")
        file.rmdir()
        os.mkfifo(file)  # opening it must not wait
        self.assert_refused(tessera("write", file, out), 1, "x.npy", "regular")
        self.assertEqual(os.listdir(self.folder), ["x.npy"])

    def test_random_damage(self):
        whole = write_npy(self.folder / "x.npy", ">f4", (5, 4, 3), bytes(240), fortran_order=True, version=2).read_bytes()
        random_bits = random.Random(SEED)
        for i in range(FLIPS):
            damaged = bytearray(whole)
            for at in random_bits.sample(range(128), random_bits.randint(1, 3)):
                damaged[at] = random_bits.randrange(256)
            (self.folder / "x.npy").write_bytes(damaged[:random_bits.choice([len(damaged), random_bits.randrange(129)])])
            with self.subTest(flip=i, seed=SEED):
                result = tessera("write", self.folder / "x.npy", self.folder / "x", "--overwrite")
                if result.status != 0:
                    self.assert_refused(result, 1, "x.npy")

    def write_and(self, change, *arguments):
        """Exit status and standard error of a command that makes `.npy` into chunks; `change` is called after the first
        chunk exists."""
        self.process = process = subprocess.Popen([BINARY, *map(str, arguments), "--threads", "1"], text=True,
                                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=ENVIRONMENT)
        first = arguments[-1] if arguments[0] == "append" else self.folder
        while process.poll() is None and not any(path.name == "1" for path in first.rglob("c/*")):
            pass
        process.send_signal(signal.SIGSTOP)
        change()
        process.send_signal(signal.SIGCONT)
        errors = process.communicate(timeout=60)[1]
        return process.returncode, errors

    def test_a_file_that_changes_meanwhile(self):
        rows, columns = 512, 1 << 16
        noise = random.Random(SEED).randbytes(rows * columns)
        file = self.folder / "in.npy"
        raw, slow = '["bytes"]', '["bytes", {"name": "zstd", "configuration": {"level": 19, "checksum": false}}]'
        page = os.sysconf("SC_PAGE_SIZE")
        for codecs in (raw, slow):
            for size in (0, rows * columns // 2, rows * columns - 1, rows * columns - 2 * page):
                write_npy(file, "|u1", (rows, columns), noise)
                status, errors = self.write_and(lambda: os.truncate(file, size), "write", file, "--chunks", f"1,{columns}",
                                                "--codecs", codecs, self.folder / "out.zarr")
                self.assertEqual((status, errors.count("\n")), (1, 1), (codecs, size, errors))
                self.assertIn(f"in.npy: cannot read the file: it became shorter meanwhile: found {size} bytes", errors)
                self.assertEqual(os.listdir(self.folder), ["in.npy"])
            write_npy(file, "|u1", (rows, columns), noise)
            status, errors = self.write_and(lambda: write_npy(file, "|u1", (rows, columns), noise[::-1]), "write", file,
                                            "--chunks", f"1,{columns}", "--codecs", codecs, self.folder / "out.zarr")
            self.assertEqual((status, os.listdir(self.folder)), (1, ["in.npy"]), errors)
            self.assertIn("it changed meanwhile", errors)

    def test_a_write_that_is_interrupted(self):
        write_npy(self.folder / "in.npy", "|u1", (512, 1 << 16), random.Random(SEED).randbytes(1 << 25))
        status, errors = self.write_and(lambda: self.process.send_signal(signal.SIGINT), "write", self.folder / "in.npy",
                                        "--chunks", "1,65536", self.folder / "out.zarr")
        self.assertEqual((status, os.listdir(self.folder)), (130, ["in.npy"]), errors)

    def test_a_file_that_becomes_shorter_while_it_is_appended(self):
        rows, columns = 512, 1 << 16
        noise = random.Random(SEED).randbytes(rows * columns)
        codecs = '["bytes", {"name": "zstd", "configuration": {"level": 19, "checksum": false}}]'
        file = write_npy(self.folder / "in.npy", "|u1", (1, columns), noise[:columns])
        path = self.folder / "a.zarr"
        self.run_ok("write", file, path, "--chunks", f"1,{columns}", "--codecs", codecs)
        before = document(path)
        write_npy(file, "|u1", (rows, columns), noise)
        status, errors = self.write_and(lambda: os.truncate(file, 2 * columns), "append", file, path)
        self.assertEqual((status, errors.count("\n")), (1, 1), errors)
        self.assertIn("in.npy: cannot read the file: it became shorter", errors)
        self.assertEqual((document(path), self.read(path)[2]), (before, noise[:columns]))

    def test_messages_say_what_was_found(self):
        file, out = self.folder / "x.npy", self.folder / "out.zarr"
        write_npy(file, "<i2", (2, 3), bytes(11))
        self.assert_refused(tessera("write", file, out), 1, "11", "12")
        write_npy(file, "|U5", (2, 3), bytes(12))
        self.assert_refused(tessera("write", file, out), 1, "'|U5'", "f8")
        write_npy(file, "|b1", (3,), b"\0\1\2")
        self.assert_refused(tessera("write", file, out), 1, "x.npy", "2", "0 or 1")
        self.assertEqual(os.listdir(self.folder), ["x.npy"])

    def test_nothing_is_overwritten_unasked(self):
        path = self.write("--chunks", "2", descr="|u1", shape=(6,), content=b"123456")
        file = write_npy(self.folder / "other.npy", "|u1", (3,), b"abc")
        before = sorted(map(str, self.folder.rglob("*")))
        self.assert_refused(tessera("write", file, path), 1, str(path), "array", "--overwrite")
        self.assertEqual(sorted(map(str, self.folder.rglob("*"))), before)
        self.run_ok("write", file, path, "--overwrite", "--chunks", "3")
        self.assertEqual((self.read(path)[2], os.listdir(path / "c")), (b"abc", ["0"]))
        # A group is removed with all below it, if allowed.
        shutil.copytree(BRAIN, self.folder / "brain.zarr")
        self.assert_refused(tessera("write", file, self.folder / "brain.zarr"), 1, "group", "--overwrite")
        self.run_ok("write", file, self.folder / "brain.zarr", "--overwrite")
        self.assertEqual(sorted(os.listdir(self.folder / "brain.zarr")), ["c", "zarr.json"])
        # A broken document is one too.
        (path / "zarr.json").write_text("{")
        self.assert_refused(tessera("write", file, path), 1, "--overwrite")
        self.run_ok("write", file, path, "--overwrite")
        # Other files are not replaced; an empty folder is.
        (self.folder / "mine").mkdir()
        (self.folder / "mine/letter").write_text("Dear")
        for target in ("mine", "mine/letter", "other.npy"):
            self.assert_refused(tessera("write", file, self.folder / target, "--overwrite"), 1, target)
        self.assertEqual((self.folder / "mine/letter").read_text(), "Dear")
        (self.folder / "empty").mkdir()
        self.run_ok("write", file, self.folder / "empty")
        self.assertEqual(self.read(self.folder / "empty")[2], b"abc")

    def test_arrays_have_no_children(self):
        path = self.write(descr="|u1", shape=(6,), content=b"123456")
        file = self.folder / "in.npy"
        self.assert_refused(tessera("write", file, path / "below/it"), 1, "array above")
        for name in ("__x", "...", "zarr.json"):
            self.assert_refused(tessera("write", file, self.folder / "group.zarr" / name), 1, name)
        self.assertEqual(sorted(os.listdir(self.folder)), sorted(["in.npy", path.name]))

    def test_where_the_hierarchy_begins(self):
        file = write_npy(self.folder / "in.npy", "|u1", (3,), b"abc")
        self.run_ok("write", file, "x.zarr/a/b", cwd=self.folder)
        self.run_ok("write", file, "../plain/c/", cwd=self.folder / "x.zarr")
        self.run_ok("write", file, "d/e", cwd=self.folder / "x.zarr/a")
        self.run_ok("write", file, ".", "--overwrite", cwd=self.folder / "x.zarr/a/d/e")
        self.assertEqual(sorted(str(p.parent.relative_to(self.folder)) for p in self.folder.rglob("zarr.json")),
                         ["plain/c", "x.zarr", "x.zarr/a", "x.zarr/a/b", "x.zarr/a/d", "x.zarr/a/d/e"])
        (self.folder / "link").symlink_to("x.zarr/a")
        self.run_ok("write", file, self.folder / "link/f")
        self.run_ok("write", file, self.folder / "link", "--overwrite")
        self.assertTrue((self.folder / "link").is_symlink())
        self.assertEqual(sorted(os.listdir(self.folder / "x.zarr/a")), ["c", "zarr.json"])

    def test_no_half_array_stays(self):
        content = bytes(3 * 2**20 - 1) + b"\2"  # the last bool is invalid
        file = write_npy(self.folder / "in.npy", "|b1", (3, 2**20), content)
        for path in ("new", "deep/new"):
            self.assert_refused(tessera("write", file, self.folder / path, "--chunks", "1,65536"), 1, "in.npy")
        self.assertEqual(os.listdir(self.folder), ["in.npy"])
        old = make_array(self.folder / "old", [2], "uint8", [2], {(0,): b"ab"})
        self.assert_refused(tessera("write", file, old, "--overwrite"), 1, "in.npy")
        self.assertEqual(self.read(old)[2], b"ab")
        self.assertEqual(sorted(os.listdir(self.folder)), ["in.npy", "old", "out.npy"])


main()
