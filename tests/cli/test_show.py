"""tessera show, and read as text, CSV and to the standard output: elements formatted for people."""
import itertools
import json
import math
import os
import struct
import subprocess
import sys

from command import (BINARY, BRAIN, DATA, ENVIRONMENT, CommandTest, little_endian, main, make_array, read_npy, tessera,
                     write_npy)

NAT = -2**63

# Files FOLDER/I.npy, and NumPy's text for each. Text of a file ends before its zeros.
NUMPY = """
import json, sys, unicodedata
import numpy as np
draw = np.random.default_rng(int(sys.argv[2]))
np.set_printoptions(linewidth=80, threshold=10**6)
arrays = []
for unit in "Y M W D h m s ms us ns ps fs as".split():
    counts = draw.integers(-10**draw.integers(1, 17), 10**draw.integers(1, 17), (2, 1), "i8")
    arrays += [counts.astype(f"M8[{unit}]"), (counts // 7).astype(f"M8[7{unit}]"), counts.ravel().astype(f"m8[{unit}]")]
    arrays[-1][0] = "NaT"
    arrays[-2][1] = "NaT"
signs = [chr(c) for c in [*range(1, 0x250), 0x3b1, 0x5d0, 0x65e5, 0x1f600, 0x2028, 0x200e, 0xe000]
         if c < 0x180 or unicodedata.category(chr(c)) != "Cn"]
for i in range(0, len(signs), 32):
    arrays.append(np.array([["x" + "".join(draw.choice(signs, 3))] for _ in range(32)] + [[one + "y"] for one in signs[i:i + 32]]))
arrays.append(np.array([[bytes(draw.integers(1, 256, 4, "u1"))] for _ in range(40)]))
for i, one in enumerate(arrays):
    np.save(f"{sys.argv[1]}/{i}.npy", one)
print(json.dumps([str(one) for one in arrays]))
"""


class Show(CommandTest):
    def lines(self, *arguments):
        first, *rest = self.run_ok("show", *arguments).text.splitlines()
        return first, rest

    def test_small_arrays_are_shown_whole(self):
        a = make_array(self.folder / "a", [2, 3, 2], "int16", [2, 2, 2],
                       {(0, 0, 0): little_endian("h", [1, -2, 3, 4, 5, 6, 7, 1000]),
                        (0, 1, 0): little_endian("h", [9, 10, 0, 0, 11, 12, 0, 0])}, dimension_names=["t", None, "x"])
        first, rest = self.lines(a)
        self.assertTrue(first.endswith("a: int16 [t 2, 3, x 2]"), first)
        self.assertEqual(rest, ["[[[   1   -2]", "  [   3    4]", "  [   9   10]]", "",
                                " [[   5    6]", "  [   7 1000]", "  [  11   12]]]"])
        first, rest = self.lines(a, "--region", "1,:,0:1")
        self.assertTrue(first.endswith("a: int16 [t 1, 0:3, x 0]"), first)
        self.assertEqual(rest, ["[[[ 5]", "  [ 7]", "  [11]]]"])
        self.assertEqual(self.lines(a, "--index", "t=1,x=0")[1], ["[ 5  7 11]"])  # as NumPy's a[1, :, 0]
        self.assertEqual(self.lines(a, "--index", "t=1,x=0,1=2")[1], ["11"])
        self.assertEqual(self.lines(a, "--region", "x=1", "--index", "t=0")[1], ["[[-2]", " [ 4]", " [10]]"])
        self.assertEqual(self.lines(a, "--region", "t=1:,1=::2")[1], ["[[[ 5  6]", "  [11 12]]]"])

    def test_shapes(self):
        for shape, expected in (([], ["7"]), ([0], ["[]"]), ([1] * 32, ["[" * 32 + "7" + "]" * 32])):
            a = make_array(self.folder / f"a{len(shape)}", shape, "uint8", [max(n, 1) for n in shape], {}, fill_value=7)
            self.assertEqual(self.lines(a)[1], expected)
        a = make_array(self.folder / "none", [2**63 - 1, 0], "uint8", [10, 1], {})  # empty rows
        self.assertEqual(self.lines(a)[1], ["[]"])
        self.assertEqual(self.lines(a, "--index", "0=5")[1], ["[]"])
        a = make_array(self.folder / "huge", [2**20] * 3, "uint8", [2**10] * 3, {}, fill_value=7)
        first, rest = self.lines(a)
        self.assertIn(f"216 of {2**60} elements", first)
        self.assertEqual("\n".join(rest).count("7"), 216)
        for rank, limit in ((15, 1000), (15, 1), (3, 5), (1, 4)):
            a = make_array(self.folder / f"rank{rank}-{limit}", [16] * rank, "uint8", [2] * rank, {}, fill_value=7)
            rest = "\n".join(self.lines(a, "--limit", limit)[1])
            self.assertTrue(1 <= rest.count("7") <= limit, rest)
            self.assertIn("...", rest)
            self.assertEqual((rest.count("["), rest[:rank + 1]), (rest.count("]"), "[" * rank + "7"))

    def test_corners_of_a_large_array(self):
        numbers = list(range(40 * 50))
        chunks = {(i, j): little_endian("i", [numbers[(8 * i + r) * 50 + 10 * j + c] for r in range(8) for c in range(10)])
                  for i, j in itertools.product(range(5), range(5))}
        a = make_array(self.folder / "a", [40, 50], "int32", [8, 10], chunks)
        first, rest = self.lines(a)
        self.assertTrue(first.endswith("int32 [40, 50], 36 of 2000 elements"), first)
        self.assertEqual(rest, ["[[   0    1    2 ...   47   48   49]", " [  50   51   52 ...   97   98   99]",
                                " [ 100  101  102 ...  147  148  149]", " ...",
                                " [1850 1851 1852 ... 1897 1898 1899]", " [1900 1901 1902 ... 1947 1948 1949]",
                                " [1950 1951 1952 ... 1997 1998 1999]]"])
        rest = self.lines(a, "--region", "::3,1::2", "--limit", "9")[1]  # steps are kept after the gap
        self.assertEqual(rest, ["[[   1    3 ...   49]", " [ 151  153 ...  199]", " ...", " [1951 1953 ... 1999]]"])
        tokens = " ".join(self.lines(a, "--limit", 2000)[1]).replace("[", " ").replace("]", " ").split()
        self.assertEqual(tokens, [str(n) for n in numbers])
        self.assertTrue(all(len(line) <= 80 for line in self.lines(a, "--limit", 2000)[1]))

    def test_every_type(self):
        cases = {"bool": (bytes([0, 1]), ["false", "true"]), "int8": (b"\x80\x7f", ["-128", "127"]),
                 "uint64": (b"\xff" * 8 + bytes(8), [str(2**64 - 1), "0"]),
                 "int64": (b"\xff" * 8 + bytes(7) + b"\x80", ["-1", str(-2**63)]),
                 "float32": (struct.pack("<3f", 0.1, 1e7, 100000), ["0.1", "1e+07", "100000"]),
                 "float64": (struct.pack("<5d", 0.1, -0.0, math.nan, -math.inf, 1e-5), ["0.1", "-0", "nan", "-inf", "1e-05"]),
                 "complex64": (struct.pack("<4f", 1, -2.5, 0, math.inf), ["1-2.5j", "0+infj"]),
                 "r24": (bytes([1, 171, 0]), ["01ab00"])}
        for data_type, (content, expected) in cases.items():
            fill = [0, 0] if data_type[0] == "c" else [0, 0, 0] if data_type[0] == "r" else False if data_type == "bool" else 0
            a = make_array(self.folder / data_type, [len(expected)], data_type, [len(expected)], {(0,): content}, fill_value=fill)
            self.assertEqual(self.lines(a)[1][0].strip("[]").split(), expected, data_type)
            csv = self.run_ok("read", a, "--output", "-", "--format", "csv").text
            self.assertEqual(csv.split(), expected)

    def test_times_as_numpy_has_them(self):
        """NumPy 2.4's text for these counts."""
        expected = {
            "Y": "'1970' '1969' '1977' '123458759'", "M": "'1970-01' '1969-12' '1970-08' '10290035-10'",
            "W": "'1970-01-01' '1969-12-25' '1970-02-19' '2368062-06-15'",
            "D": "'1970-01-01' '1969-12-31' '1970-01-08' '339983-03-18'",
            "h": "'1970-01-01T00' '1969-12-31T23' '1970-01-01T07' '16053-11-18T21'",
            "m": "'1970-01-01T00:00' '1969-12-31T23:59' '1970-01-01T00:07' '2204-09-24T21:09'",
            "s": "'1970-01-01T00:00:00' '1969-12-31T23:59:59' '1970-01-01T00:00:07' '1973-11-29T21:33:09'",
            "ms": "'1970-01-01T00:00:00.000' '1969-12-31T23:59:59.999' '1970-01-01T00:00:00.007' '1970-01-02T10:17:36.789'",
            "as": "'1970-01-01T00:00:00.000000000000000000' '1969-12-31T23:59:59.999999999999999999' "
                  "'1970-01-01T00:00:00.000000000000000007' '1970-01-01T00:00:00.000000000123456789'"}
        for unit, texts in expected.items():
            shown = self.shown(f"<M8[{unit}]", struct.pack("<4q", 0, -1, 7, 123456789))
            self.assertEqual(" ".join(shown.split()).replace("[ ", "["), f"[{texts}]")
        for descr, numbers, texts in (
                ("<M8[25Y]", [5, NAT], "['2095' 'NaT']"), ("<M8[25W]", [5, NAT], "['1972-05-25' 'NaT']"),
                ("<M8[Y]", [-5000, 2**62, 1 - 2**63], "['-3030' '4611686018427389874' '-9223372036854773837']"),
                ("<M8[s]", [2**62, 1 - 2**63], "['146138514283-06-19T07:45:04' '-292277022657-01-27T08:29:53']"),
                ("<M8[D]", [-2**40, 11016], "['-3010358620-01-18' '2000-02-29']"), ("<M8[D]", [NAT], "['NaT']"),
                ("<m8[s]", [1, -5, NAT], "[1 -5 'NaT']")):
            shown = self.shown(descr, struct.pack(f"<{len(numbers)}q", *numbers))
            self.assertEqual(" ".join(shown.split()).replace("[ ", "["), texts)
        self.run_ok("write", self.folder / "x.npy", self.folder / "a", "--overwrite", "--fill", '"NaT"')
        self.assertIn("fill value  NaT\n", self.run_ok("info", self.folder / "a").text)
        self.shown("<M8[D]", bytes(8))
        self.assertIn("fill value  1970-01-01\n", self.run_ok("info", self.folder / "a").text)

    def test_text_as_numpy_has_it(self):
        texts = ["a", "it's", '"', "\"'", "\\ \n\t\r\0b", "\x1b[31m", "é", "\u2028", "\u65e5\u672c", "\U0001f600", "\xa0",
                 "\xad", "\ufeff", "\u200b"]
        shown = self.shown("<U9", "".join(text.ljust(9, "\0") for text in texts).encode("utf-32-le"), len(texts))
        self.assertEqual(" ".join(shown.split("\n")).replace("  ", " "), "[" + " ".join(map(repr, texts)) + "]")
        pieces = [b"a", b"it's", b'"', b"\\\n", bytes([255, 128, 1])]
        shown = self.shown("|S4", b"".join(piece.ljust(4, b"\0") for piece in pieces), len(pieces))
        self.assertEqual(shown, "[" + " ".join(map(repr, pieces)) + "]")
        (self.folder / "x.json").write_text(json.dumps([["a", "it's"], ["", "caf\u00e9\n"]]))
        self.run_ok("write", self.folder / "x.json", self.folder / "s", "--overwrite")
        self.assertEqual(self.run_ok("show", self.folder / "s").text.split("\n", 1)[1], "[['a' \"it's\"]\n ['' 'caf\u00e9\\n']]\n")
        (self.folder / "x.json").write_text(json.dumps(["AAE=", ""]))
        self.run_ok("write", self.folder / "x.json", self.folder / "s", "--overwrite", "--data-type", "bytes")
        self.assertEqual(self.run_ok("show", self.folder / "s").text.split("\n", 1)[1], "[b'\\x00\\x01' b'']\n")

    def test_random_times_and_texts_beside_numpy(self):
        python = DATA.parent.parent / "build/interop-venv/bin/python"
        if not python.exists():
            return print(f"{python} is not here: nothing is compared with NumPy's own", file=sys.stderr)
        for seed in [int(os.environ.get("TESSERA_SEED", "1"))]:
            done = subprocess.run([python, "-c", NUMPY, self.folder, str(seed)], capture_output=True, text=True, timeout=120)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            for i, expected in enumerate(json.loads(done.stdout)):
                self.run_ok("write", self.folder / f"{i}.npy", self.folder / "a", "--overwrite")
                shown = self.run_ok("show", self.folder / "a").text
                self.assertEqual(shown.split("\n", 1)[1], expected + "\n", shown)

    def shown(self, descr, content, count=None):
        file = write_npy(self.folder / "x.npy", descr, (count or len(content) // 8,), content)
        self.run_ok("write", file, self.folder / "a", "--overwrite")
        return self.run_ok("show", self.folder / "a").text.split("\n", 1)[1].rstrip("\n")

    def test_unpacked_numbers(self):
        nan, attributes = math.nan, {"scale_factor": 0.5, "add_offset": 10, "_FillValue": -1, "missing_value": 99}
        for data_type, code, numbers in (("int16", "h", [-1, 0, 3, 99]), ("uint8", "B", [255, 0, 3, 99]), ("float32", "f", [-1, 0, 3, 99]),
                                         ("float64", "d", [nan, 0.25, -1, 7])):
            a = make_array(self.folder / data_type, [4], data_type, [3], {(0,): little_endian(code, numbers[:3]),
                           (1,): little_endian(code, [numbers[3], 0, 0])}, attributes=attributes)
            expected = [nan if n in (-1, 99) else n * 0.5 + 10 for n in numbers]
            self.run_ok("read", a, "--unpacked", "-o", self.folder / "x.npy", "--memory", 1)
            descr, shape, content = read_npy(self.folder / "x.npy")
            self.assertEqual((descr, shape, str(struct.unpack("<4d", content))), ("<f8", (4,), str(tuple(expected))))
            texts = ["nan" if math.isnan(n) else f"{n:g}" for n in expected]
            self.assertEqual(self.run_ok("read", a, "--unpacked", "-o", "-", "--format", "csv").text.split(), texts)
            first, rest = self.lines(a, "--unpacked", "--region", "-3:")
            self.assertIn("unpacked", first)
            self.assertEqual(rest[0].strip("[]").split(), texts[1:])
            self.assertNotIn("unpacked", self.lines(a)[0])
        plain = make_array(self.folder / "plain", [2], "int64", [2], {(0,): little_endian("q", [5, -7])})
        self.assertEqual(self.lines(plain, "--unpacked")[1], ["[ 5 -7]"])
        for data_type, fill in (("bool", False), ("complex64", [0, 0])):
            a = make_array(self.folder / data_type, [2], data_type, [2], {}, fill_value=fill)
            for command in (["show"], ["read", "-o", self.folder / "x.npy"]):
                self.assert_refused(tessera(*command, a, "--unpacked"), 2, "--unpacked", data_type)
        a = make_array(self.folder / "bad", [2], "int8", [2], {}, attributes={"scale_factor": "x"})
        self.assert_refused(tessera("show", a, "--unpacked"), 1, "scale_factor")

    def test_large_elements_are_cut(self):
        a = make_array(self.folder / "a", [1000], "r8388608", [1], {(0,): bytes([171]) * 2**20}, fill_value=[0] * 2**20)
        first, rest = self.lines(a)
        self.assertRegex(first, " of 1000 elements$")
        self.assertEqual(rest[0], "[" + "ab" * 30 + "a...")
        self.assertTrue(all(len(line) < 80 for line in rest))

    def test_half_precision_reads_back(self):
        bits = [*range(0, 0x7c00, 37), 0x7bff, 0x0001, 0x03ff, 0x0400, 0x3c01, 0x3c00, 0x2e66, 0xc000, 0x8000, 0x7c00, 0x7e00]
        a = make_array(self.folder / "a", [len(bits)], "float16", [len(bits)], {(0,): little_endian("H", bits)})
        texts = self.run_ok("read", a, "--output", "-", "--format", "txt").text.split()
        for one, text in zip(bits, texts, strict=True):
            if one != 0x7e00:
                self.assertEqual(struct.unpack("<H", struct.pack("<e", float(text)))[0], one, text)
        self.assertEqual(texts[-6:-2], ["1", "0.1", "-2", "-0"])
        self.assertLess(max(map(len, texts)), 12)

    def test_files_of_text(self):
        output = self.folder / "x.csv"
        whole = self.read_bin(BRAIN / "t1_half")
        for region, shape in (("47,50:54,10:", (1, 4, 84)), ("0:20,:,:", (20, 116, 94))):
            part = struct.unpack(f"<{math.prod(shape)}f", self.read_bin(BRAIN / "t1_half", "--region", region))
            for name, separator in (("x.csv", ","), ("x.txt", " ")):
                said = self.run_ok("read", BRAIN / "t1_half", "--region", region, "--output", self.folder / name, "--memory", 1)
                self.assertIn(f"{name}: float32 {list(shape)}", said.text)
                lines = (self.folder / name).read_text().splitlines()
                self.assertEqual([float(text) for line in lines for text in line.split(separator)], list(part))
                self.assertEqual({line.count(separator) for line in lines}, {shape[-1] - 1})
        self.assertEqual(len(whole), 98 * 116 * 94 * 4)
        self.run_ok("read", BRAIN / "t1_half", "--output", output, "--index", "x=40,z=30")
        self.assertEqual(len(output.read_text().split()), 116)  # one dimension is left: a line for each element

    def test_standard_output(self):
        expected = self.folder / "x.npy"
        for arguments in ([], ["--region", "0:64,:,10:20:2"], ["--index", "z=94"]):
            self.run_ok("read", BRAIN / "t1", "--output", expected, *arguments)
            result = self.run_ok("read", BRAIN / "t1", "--output", "-", *arguments)
            self.assertEqual(result.output, expected.read_bytes())
        self.assertEqual(read_npy(expected)[1], (197, 233))
        bare = self.run_ok("read", BRAIN / "t1", "--output", "-", "--format", "bin", "--index", "z=94").output
        self.assertEqual(bare, read_npy(expected)[2])
        full = os.open("/dev/full", os.O_WRONLY)
        done = subprocess.run([BINARY, "read", str(BRAIN / "t1"), "--output", "-"], stdout=full, stderr=subprocess.PIPE,
                              env=ENVIRONMENT)
        os.close(full)
        self.assertEqual((done.returncode, done.stderr), (1, b"tessera: cannot write to the standard output: No space left on device\n"))

    def test_what_is_asked_wrongly(self):
        a = make_array(self.folder / "a", [4, 4], "uint8", [2, 2], {}, dimension_names=["y", "x"])
        for option, text, *words in (("--index", "q=1", '"q"', "y, x"), ("--index", "2=1", '"2"'), ("--index", "x=4", "[4, 4]"),
                                     ("--index", "x", "NAME=N"), ("--index", "x=1,x=2", "twice"), ("--index", "x=1:2", '"1:2"'),
                                     ("--region", "x=0:5", "[4, 4]"), ("--region", "x=0,1", "NAME="), ("--region", "z=0", '"z"')):
            for command in (["show"], ["read", "--output", self.folder / "x.npy"], ["view"]):
                if command[0] != "view" or text != "x":
                    self.assert_refused(tessera(*command, a, option, text), 2, option, *words)
        self.assert_refused(tessera("show", a, "--region", "x=1", "--index", "x=1"), 2, "twice")
        self.assert_refused(tessera("show", a, "--limit", 0), 2, "--limit")
        self.assert_refused(tessera("read", a, "--output", "x.npy", "--format", "xls"), 2, "--format")
        self.assert_refused(tessera("show", self.folder / "b"), 1, "the folder is missing")


main()
