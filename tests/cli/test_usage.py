"""Wrong usage ends with status 2 and one line; help and version with 0."""
import os
import subprocess

from command import BINARY, BRAIN, ENVIRONMENT, CommandTest, main, make_array, tessera, write_npy


class Usage(CommandTest):
    def refuse(self, *arguments, words=()):
        self.assert_refused(tessera(*arguments), 2, *words)

    def test_arguments(self):
        self.refuse()
        self.refuse("nonsense", words=["nonsense"])
        self.refuse("--bogus", words=["--bogus"])
        self.refuse("info")
        self.refuse("info", BRAIN, "--bogus")
        self.refuse("info", BRAIN, "--threads", "0", words=["--threads"])
        self.refuse("info", BRAIN, "--threads", "many", words=["--threads"])
        self.refuse("read", BRAIN / "t1", words=["--output"])
        self.refuse("read", BRAIN / "t1", "--output", "x.tif", words=["x.tif", ".npy", ".bin", ".csv"])
        self.refuse("view", BRAIN / "t1", "--output", "x.jpg", words=["x.jpg", ".png"])

    def test_unknown_subcommands(self):
        self.refuse("infos", BRAIN, words=['there is no subcommand "infos"', "tessera info is the nearest of info, read"])
        self.refuse("vlaidate", words=["tessera validate is the nearest of"])
        self.refuse("dir", BRAIN, words=['there is no subcommand "dir"', "info, read, show, ls, tree, diff, view, attrs, write"])
        self.refuse("frobnicate", BRAIN, words=["there are info, read, show"])
        self.refuse("info", BRAIN, "more", words=["more", "not expected"])  # not the place of a subcommand

    def test_unknown_options(self):
        for arguments, said in ((("info", BRAIN, "--jsn"), "tessera info has no option --jsn; did you mean --json?"),
                                (("read", BRAIN / "t1", "--ouput", "x.npy"), "tessera read has no option --ouput; did you mean --output?"),
                                (("read", BRAIN / "t1", "--out=x.npy"), "has no option --out; did you mean --output?"),
                                (("show", BRAIN / "t1", "--regoin", ":,:,:"), "did you mean --region?"),
                                (("copy", BRAIN / "t1", "--chunk", "1"), "did you mean --chunks?"),
                                (("validate", BRAIN, "--thread", "1"), "did you mean --threads?"),
                                (("info", BRAIN, "--bogus"), "tessera info has no option --bogus ("),
                                (("--verson",), "tessera has no option --verson; did you mean --version?")):
            self.refuse(*arguments, words=[said])

    def test_the_output_by_one_letter(self):
        self.run_ok("read", BRAIN / "t1", "--index", "z=94", "-o", self.folder / "x.npy")
        self.run_ok("read", BRAIN / "t1", "--index", "z=94", f"-o{self.folder}/y.npy")
        self.assertEqual((self.folder / "x.npy").read_bytes(), (self.folder / "y.npy").read_bytes())
        self.run_ok("view", BRAIN / "t1", "-o", self.folder / "x.png")

    def test_numbers_that_count_from_the_end(self):
        numbers = list(range(24))
        a = make_array(self.folder / "a", [4, 6], "uint8", [4, 6], {(0, 0): bytes(numbers)}, dimension_names=["y", "x"])
        rows = [numbers[6 * i:6 * i + 6] for i in range(4)]
        for region, expected in (("x=-3:", [row[-3:] for row in rows]), ("-1,:", rows[-1:]), ("-4:-1,-1", [row[-1:] for row in rows[:3]]),
                                 (":-1,0:-2:3", [row[0:-2:3] for row in rows[:-1]]), ("y=-2,x=-6:2", [rows[2][:2]]), ("-1=-1", [row[-1:] for row in rows])):
            for form in ([f"--region={region}"], ["--region", region]):
                self.assertEqual(list(self.read_bin(a, *form)), sum(expected, []), region)
        for index, expected in (("x=-1", [row[-1] for row in rows]), ("y=-4,x=-6", [0]), ("-2=-1", rows[-1])):
            self.assertEqual(list(self.read_bin(a, "--index", index)), expected, index)
            self.run_ok("show", a, "--index", index)
        self.assertIn("x 5", self.run_ok("view", a, "--index", "x=-1").text)
        for region in ("-5:,:", ":,-7", "x=-7:", "y=:-5"):
            self.refuse("show", a, f"--region={region}", words=["--region", "before the first index", "indices"])
        self.refuse("show", a, "--index", "x=-7", words=["--index", "before the first index: the dimension has 6 indices"])
        self.refuse("show", a, "--region", "::-1,:", words=["--region", '"::-1"'])
        self.refuse("show", a, "--region", "-3=1", words=['"-3"'])
        self.run_ok("append", write_npy(self.folder / "b.npy", "|u1", (4, 1), bytes(4)), a, "--axis", -1)
        self.run_ok("append", write_npy(self.folder / "b.npy", "|u1", (1, 7), bytes(7)), a, "--axis", "y")
        self.assertEqual(len(self.read_bin(a)), 35)
        self.refuse("append", self.folder / "b.npy", a, "--axis", 2, words=["--axis", '"2"', "[5, 7]"])

    def test_a_group_where_an_array_is_wanted(self):
        for arguments in (("show",), ("view",), ("read", "--output", self.folder / "x.npy")):
            self.assert_refused(tessera(*arguments, BRAIN), 1, 'key "zarr.json"', "this is a group, an array is expected",
                                "tessera info shows")

    def test_an_index_outside(self):
        a = make_array(self.folder / "a", [3, 4], "uint8", [3, 4], {}, dimension_names=["y", "c"])
        for command in ("show", "view"):
            self.refuse(command, a, "--index", "c=9",
                        words=["--index c=9", "dimension c has 4 indices, expected one below that", "[3, 4]"])
            self.refuse(command, a, "--index", "0=3", words=["--index 0=3", "dimension 0 has 3 indices"])

    def test_codecs_that_are_no_list(self):
        file = write_npy(self.folder / "a.npy", "|u1", (4,), bytes(4))
        for codecs in ("zstd", '"zstd"', "{}"):
            self.refuse("write", file, self.folder / "out", "--codecs", codecs,
                        words=["--codecs " + codecs + ": ", """a JSON list is expected, e.g. '["bytes", "zstd"]'"""])
        self.refuse("write", file, self.folder / "out", "--codecs", "[zstd]", words=["--codecs: not JSON, at byte 2"])

    def test_a_closed_standard_input(self):
        a = make_array(self.folder / "a", [4], "uint8", [4], {})
        for command, path in (("write", self.folder / "out"), ("append", a)):
            done = subprocess.run(["sh", "-c", f'"$0" {command} - "$1" <&-', BINARY, path], text=True,
                                  capture_output=True, env=ENVIRONMENT, timeout=60)
            self.assertEqual(done.stderr, "tessera: the standard input: it is closed\n", command)
            self.assertEqual(done.returncode, 1)

    def test_urls(self):
        file = write_npy(self.folder / "a.npy", "|u1", (4,), bytes(4))
        a = make_array(self.folder / "a", [4], "uint8", [4], {})
        for url, scheme in (("s3://bucket/a", '"s3"'), ("https://x.org/a", '"https"'), ("file:///tmp/a", '"file"')):
            for arguments in (("write", file, url), ("write", url, "out.zarr"), ("info", url), ("copy", a, url),
                              ("copy", url, "out.zarr"), ("mv", a, url), ("append", url, a), ("view", url),
                              ("validate", url), ("rm", url), ("read", a, "--output", url + ".npy")):
                if scheme != '"file"' and arguments[0] in ("info", "view", "validate"):
                    continue  # these read it
                if scheme != '"file"' and arguments[:2] == ("copy", url):
                    continue
                self.assert_refused(tessera(*arguments, cwd=self.folder), 2, "scheme " + scheme)
        self.assertEqual(sorted(os.listdir(self.folder)), ["a", "a.npy"])
        self.run_ok("write", file, "./s3://bucket/a", cwd=self.folder)  # such a folder can be made on purpose
        self.assertTrue((self.folder / "s3:/bucket/a/zarr.json").exists())

    def test_help_and_version(self):
        self.assertRegex(self.run_ok("--version").text, r"^tessera \d+\.\d+\.\d+\n$")
        for arguments in ((), ("info",), ("read",), ("show",), ("ls",), ("tree",), ("diff",), ("view",), ("attrs",), ("write",), ("copy",), ("resize",), ("append",),
                          ("compact",), ("bench",), ("rm",), ("mv",), ("consolidate",), ("convert",), ("validate",)):
            self.assertIn("Usage: tessera", self.run_ok(*arguments, "--help").text)
        self.assertIn("a:b:s", self.run_ok("read", "--help").text)
        for command in ("read", "compact"):
            self.assertIn("Example: tessera " + command, self.run_ok(command, "--help").text)

    def test_regions(self):
        output = self.folder / "x.npy"
        for region in ("1,2", ":,:,:,:", "5:3,:,:", ":,0:234,:", "197,:,:", ":,:,0:5:0"):
            self.refuse("read", BRAIN / "t1", "--output", output, f"--region={region}",
                        words=["--region", "[197, 233, 189]"])
        for region in ("a,:,:", "--1,:,:", "-198,:,:", ":,:,", "1:2:3:4,:,:", "1.5,:,:", " 1,:,:", "1:x,:,:", "99999999999999999999,:,:"):
            self.refuse("read", BRAIN / "t1", "--output", output, f"--region={region}", words=["--region"])
        self.refuse("read", BRAIN / "t1", "--output", output, "--region", ":,0:234,:", words=["dimension 1"])
        self.assertEqual(os.listdir(self.folder), [])

    def test_what_is_made(self):
        file = write_npy(self.folder / "a.npy", "<i2", (4, 6), bytes(48))
        here = sorted(os.listdir(self.folder))
        out = self.folder / "out.zarr"
        self.refuse("write", file, words=["PATH"])
        self.refuse("copy", BRAIN / "t1", words=["DST"])
        self.refuse("validate", words=["PATH"])
        self.refuse("copy", BRAIN / "t1", out, "--memory", "0", words=["--memory"])
        self.refuse("write", file, out, "--names", "x", words=["--names", "1", "2"])
        for command in (("write", file), ("copy", BRAIN / "t1_half")):
            for chunks in ("0,1", "1,", "-1,1", "a,b", "1.5,1", "99999999999999999999,1", ",".join(["1"] * 33)):
                self.refuse(*command, out, f"--chunks={chunks}", words=["--chunks"])
            for chunks in ("", "4", "1,1,1,1", f"{2**40},{2**40}", f"1,{2**62},{2**62}"):
                self.refuse(*command, out, f"--chunks={chunks}", words=["--chunks"])
            for codecs in ("zstd", "{}", '"bytes"', "[]", '["zstd"]', '["bytes", "nonsense"]', "[1]", '["bytes", "bytes"]',
                           '["transpose", "bytes"]', '["bytes", {"name": "gzip", "configuration": {"level": 10}}]', "[" * 10000,
                           '[{"name": "transpose", "configuration": {"order": [0]}}, "bytes"]',
                           '[{"name": "bytes", "configuration": {"endian": "middle"}}]'):
                self.refuse(*command, out, f"--codecs={codecs}", words=["--codecs"])
        for fill in ("x", "1.5", "32768", "true", "[1]", "null", "0x00", "NaN"):
            self.refuse("write", file, out, f"--fill={fill}", words=["--fill", "fill_value"])
        self.refuse("write", file, out, "--fill=", words=["--fill"])
        # A group's arrays need not have one rank.
        make_array(self.folder / "g/a", [2], "uint8", [2], {})
        (self.folder / "g/zarr.json").write_text('{"zarr_format": 3, "node_type": "group"}')
        self.refuse("copy", self.folder / "g", out, "--chunks", "1,1", words=["--chunks", '[2]'])
        self.assertEqual(sorted(os.listdir(self.folder)), sorted([*here, "g"]))

    def test_planes(self):
        for arguments in (("--axis", 3), ("--axis=-4",), ("--index", 189), ("--index=-190",), ("--axis", 0, "--index", 197),
                          ("--axis", "q"), ("--axis", "z", "--index", "z=1"), ("--region", "0:2,0:2,0:2")):
            self.refuse("view", BRAIN / "t1", *arguments)
        a = make_array(self.folder / "plane", [2, 2], "uint8", [2, 2], {})
        self.refuse("view", a, "--index", 0, words=["NAME=N", "[2, 2]"])
        a = make_array(self.folder / "empty", [2, 0], "uint8", [2, 1], {})
        self.refuse("view", a)
        for data_type, fill in (("complex64", [0, 0]), ("r16", [0, 0])):
            a = make_array(self.folder / data_type, [2, 2], data_type, [2, 2], {}, fill_value=fill)
            self.refuse("view", a, words=[data_type])


main()
