"""Results of the reading commands at http:// and s3:// addresses and in zip files: the same as in the folder."""
import http.client
import http.server
import json
import os
import pathlib
import pty
import shutil
import signal
import subprocess
import sys
import threading
import zipfile

from command import BINARY, BRAIN, ENVIRONMENT, CommandTest, main, make_array, tessera, write_npy

asked, headers = [], []


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves a folder, if the query is right and the user has the password; without ranges."""

    def log_message(self, *_):
        pass

    def do_GET(self):
        path, _, query = self.path.partition("?")
        asked.append((path, query, self.headers.get("Authorization")))
        headers.append(self.headers.items())
        self.path = path
        if path.endswith("/") or os.path.isdir(self.translate_path(path)):
            return self.send_error(404)  # no listing
        super().do_GET()


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 128
    daemon_threads = True

    def handle_error(self, *_):
        pass  # the client went away


class Addresses(CommandTest):
    def serve(self, folder):
        server = Server(("127.0.0.1", 0), lambda *arguments: Handler(*arguments, directory=str(folder)))
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        asked.clear()
        return f"127.0.0.1:{server.server_address[1]}"

    def zipped(self, folder, inside=""):
        file = self.folder / f"z{len(os.listdir(self.folder))}.zip"
        with zipfile.ZipFile(file, "w") as archive:
            for one in sorted(folder.rglob("*")):
                if one.is_file():
                    archive.write(one, pathlib.Path(inside, one.relative_to(folder)))
        return file

    def consolidated(self):
        tree = self.folder / "brain.zarr"
        shutil.copytree(BRAIN, tree)
        self.run_ok("consolidate", tree)
        return tree

    def test_a_bucket(self):
        tests = pathlib.Path(__file__).resolve().parent.parent
        python = tests.parent / "build/s3-venv/bin/python"
        if not python.exists():
            print(f"not run: the command at s3:// addresses (there is no {python}, which tests/run.sh makes)",
                  file=sys.stderr)
            return
        server = subprocess.Popen([python, tests / "s3/server.py"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  text=True)
        self.addCleanup(server.communicate)  # it ends when its input does
        port = int(server.stdout.readline())
        connection = http.client.HTTPConnection("127.0.0.1", port)

        def ask(method, path, body=None):
            connection.request(method, path, body)
            answer = connection.getresponse()
            answer.read()
            self.assertEqual(answer.status, 200)

        self.addCleanup(connection.close)
        ask("GET", "/-/bucket?name=public")
        for file in sorted(BRAIN.rglob("*")):
            if file.is_file():
                ask("PUT", f"/public/a/{file.relative_to(BRAIN)}", file.read_bytes())
        environment = {"AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}", "AWS_NO_SIGN_REQUEST": "YES", "no_proxy": "127.0.0.1"}
        self.assertEqual(self.run_ok("ls", "s3://public/a", **environment).text, "t1\nt1_half\nt1_sharded\n")
        for name in ("t1", "t1_sharded"):
            expected, out = self.read_bin(BRAIN / name, "--region", "90:99,:,100"), self.folder / "out.bin"
            self.run_ok("read", f"s3://public/a/{name}", "--region", "90:99,:,100", "--output", out, **environment)
            self.assertEqual(out.read_bytes(), expected)
            out.unlink()
        options = ["--endpoint", environment["AWS_ENDPOINT_URL"], "--anonymous"]
        self.assertEqual(self.run_ok("ls", "s3://public/a", *options, no_proxy="127.0.0.1").text, "t1\nt1_half\nt1_sharded\n")
        (self.folder / "credentials").write_text("[other]\naws_access_key_id = AKIDTEST\n"
                                                 "aws_secret_access_key = sEcret/of+the=test\n")
        signed = {"AWS_SHARED_CREDENTIALS_FILE": str(self.folder / "credentials"), "no_proxy": "127.0.0.1"}
        result = tessera("info", "s3://tests/none", *options[:2], "--profile", "other", **signed)
        self.assert_refused(result, 1, "s3://tests/none", "404 NoSuchBucket")  # rather than 403
        other = ["--endpoint", f"http://{self.serve(self.folder)}", "--profile", "other", "--s3-region", "eu-north-7"]
        self.assertEqual(tessera("info", "s3://tests/none", *other, **signed).status, 1)
        self.assertIn("/eu-north-7/s3/aws4_request", asked[0][2])
        refused = tessera("info", "s3://public/none", **environment)
        self.assert_refused(refused, 1, "s3://public/none", "zarr.json")
        self.assert_refused(tessera("info", "s3://tests", **environment), 1, "403 AccessDenied")

    def test_a_hierarchy_is_the_same_everywhere(self):
        tree = self.consolidated()
        expected = {name: self.read_bin(tree / name) for name in ("t1", "t1_half", "t1_sharded")}
        packed, host = self.zipped(tree), self.serve(self.folder)
        for place in (packed, f"http://{host}/brain.zarr", f"http://{host}/{packed.name}"):
            at = lambda name: f"{place}/{name}"
            self.assertEqual(self.run_ok("ls", place).text, "t1\nt1_half\nt1_sharded\n")
            lines = self.run_ok("tree", place).text.splitlines()
            self.assertEqual((lines[0], lines[1][4:]), (f"{place}  group", "t1  uint8 [x 197, y 233, z 189]"))
            info = self.run_ok("info", place).text
            self.assertIn("t1_half  float32 [x 98, y 116, z 94]", info)
            nodes = json.loads(self.run_ok("info", place, "--json").text)["nodes"]
            self.assertEqual([node["path"] for node in nodes], ["", *expected])
            stored = [node["stored_chunks"] for node in json.loads(self.run_ok("info", tree, "--json").text)["nodes"][1:]]
            self.assertEqual([node["stored_chunks"] for node in nodes[1:]],
                             [None] * 3 if str(place).endswith("/brain.zarr") else stored)  # a server has no listing
            for name, elements in expected.items():
                self.assertEqual(self.read_bin(at(name)), elements, (place, name))
                self.assertIn("are the same", self.run_ok("diff", at(name), tree / name).text)
            for arguments in (["show", "t1", "--index", "z=94"], ["view", "t1_half"], ["attrs", "t1"]):
                said = [self.run_ok(arguments[0], f"{root}/{arguments[1]}", *arguments[2:]).text for root in (place, tree)]
                self.assertEqual(said[0].replace(str(place), ""), said[1].replace(str(tree), ""))
            self.assertIn("3 arrays, 1 group, 171 chunks decoded: 0 failures", self.run_ok("validate", place).text)
            copy = self.folder / "copy.zarr"
            result = tessera("copy", place, copy, "--overwrite")
            self.assertEqual((result.status, len(result.errors)), (0, 1))
            self.assertIn(f"{place}: its consolidated metadata is not in the copy", result.errors[0])
            for name, elements in expected.items():
                self.assertEqual(self.read_bin(copy / name), elements)
            for name in ("t1", "t1_sharded"):
                bench = self.run_ok("bench", at(name), "--repetitions", 1).text
                self.assertIn(f"stored in {stored[0 if name == 't1' else 2]} values", bench)
                self.assertNotIn("system's cache", bench)

    def test_zarr_v2_at_an_address(self):
        tree = self.consolidated()
        self.assertEqual(tessera("copy", tree, self.folder / "v2.zarr", "--zarr-format", 2).status, 0)
        self.run_ok("consolidate", self.folder / "v2.zarr")
        place = f"http://{self.serve(self.folder)}/v2.zarr"
        self.assertEqual(self.run_ok("ls", place).text, "t1\nt1_half\nt1_sharded\n")
        self.assertEqual(self.read_bin(place + "/t1"), self.read_bin(tree / "t1"))

    def test_a_group_that_nothing_lists(self):
        (self.folder / "g").mkdir()
        (self.folder / "g/zarr.json").write_text('{"zarr_format": 3, "node_type": "group", "attributes": {"a": 7}}')
        make_array(self.folder / "g/x", [4], "uint8", [2], {(0,): b"12"})
        place = f"http://{self.serve(self.folder)}/g"
        result = tessera("info", place)
        self.assertIn("a 7", result.text)
        self.assert_refused(result, 1, place + ': key "zarr.json"', "no consolidated metadata", "tessera consolidate")
        for command in (["ls"], ["tree"]):
            self.assert_refused(tessera(*command, place), 1, "no consolidated metadata")
        self.assert_refused(tessera("copy", place, self.folder / "out"), 1, "no consolidated metadata")
        self.assertFalse((self.folder / "out").exists())  # rather than an empty group
        self.assertEqual(tessera("validate", place).status, 1)
        self.assertEqual(self.run_ok("show", place + "/x").text.splitlines()[1], "[49 50  0  0]")
        self.assert_refused(tessera("show", place), 1, "this is a group")
        self.assert_refused(tessera("info", place + "/none"), 1, place + "/none: ", "there is no array or group")
        self.assert_refused(tessera("show", place + "/none"), 1, "there is no array")

    def test_damage_is_found(self):
        a = make_array(self.folder / "a", [4], "uint8", [2], {(0,): b"12", (1,): b"1"})
        for place in (self.zipped(a), f"http://{self.serve(self.folder)}/a"):
            result = tessera("validate", place)
            self.assertEqual(result.status, 1)
            self.assertIn(f'{place}: key "c/1"', result.text)
            self.assertIn("2 chunks decoded: 1 failure", result.text)

    def test_secrets_are_sent_and_not_shown(self):
        make_array(self.folder / "a", [4], "uint8", [2], {(0,): b"12", (1,): b"1"})
        host = self.serve(self.folder)
        address, shown = f"http://me:pass@{host}/a?sig=open", f"http://{host}/a"
        for arguments in (["info"], ["ls", "-l"], ["tree"], ["show", "--index", "0=0"], ["attrs"], ["bench"], ["validate"],
                          ["read", "--output", self.folder / "x.npy"], ["copy"], ["diff"], ["rm"], ["frobnicate"],
                          ["info", "--frobnicate"], ["info", "more"], ["show", "--region", "9"]):
            command, *more = arguments
            paths = [address, {"copy": self.folder / "out", "diff": address}.get(command)]
            result = tessera(command, *[path for path in paths if path], *more)
            said = result.text + "\n".join(result.errors)
            for secret in ("pass", "open", "sig", "me:"):
                self.assertNotIn(secret, said, arguments)
            if command in ("show", "validate", "ls", "tree", "info") and more != ["more"] and more[-2:] != ["--region", "9"] and "--frobnicate" not in more:
                self.assertIn(shown, said, arguments)
        self.assertEqual({one[1:] for one in asked}, {("sig=open", "Basic bWU6cGFzcw==")})
        for bad in (f"http://me:zq/xk@{host}/a", f"http://me:zq?xk@{host}/a"):
            said = "\n".join(tessera("rm", bad).errors + tessera("info", bad).errors)
            self.assertNotRegex(said, "zq|xk")

    def test_a_server_that_is_not_there(self):
        host = self.serve(self.folder)
        self.doCleanups()
        self.folder.mkdir()
        self.addCleanup(shutil.rmtree, self.folder)
        self.assert_refused(tessera("info", f"http://{host}/a"), 1, f"http://{host}/a", 'key "zarr.json"')

    def test_addresses_and_zip_files_are_only_read(self):
        a = make_array(self.folder / "a", [4], "uint8", [2], {})
        file = write_npy(self.folder / "x.npy", "|u1", (4,), bytes(4))
        before = (packed := self.zipped(a)).read_bytes()
        for arguments in (("write", file), ("append", file), ("resize",), ("rm",), ("compact",), ("consolidate",),
                          ("convert", "--to", "v2"), ("attrs", "--set", "b=1"), ("copy", a)):
            command, *more = arguments
            for place, words in ((packed, "file of that name" if command in ("write", "copy") else "zip file"),
                                 ("http://127.0.0.1:1/a", 'scheme "http"' if command != "attrs" else "can only be read")):
                source = [more.pop(0)] if more and command in ("write", "append", "copy") else []
                result = tessera(command, *source, place, *(["8"] if command == "resize" else []), *more)
                more = source + more
                self.assertIn(result.status, (1, 2), (command, place, str(result)))
                self.assertIn(words, " ".join(result.errors), (command, str(result)))
        self.assertEqual(packed.read_bytes(), before)
        self.assert_refused(tessera("write", file, "http://127.0.0.1:1/a"), 2, 'scheme "http"', "can only be read")

    def test_zip_files_of_a_folder(self):
        tree = self.consolidated()
        outer = self.zipped(tree, "brain.zarr")
        self.assert_refused(tessera("info", outer), 1, 'in its folder "brain.zarr"', f"name {outer}/brain.zarr")
        self.assertIn("t1  uint8", self.run_ok("tree", f"{outer}/brain.zarr").text)
        self.assertEqual(self.read_bin(f"{outer}/brain.zarr/t1"), self.read_bin(tree / "t1"))
        self.assert_refused(tessera("info", f"{outer}/none"), 1, 'key "none/zarr.json"', "there is no array or group")
        named = self.folder / "named.zarr"  # with any name
        shutil.copy(self.zipped(tree), named)
        self.assertEqual(self.run_ok("ls", "named.zarr", cwd=self.folder).text, "t1\nt1_half\nt1_sharded\n")
        self.assertTrue(self.run_ok("info", "named.zarr/t1", cwd=self.folder).text.startswith("named.zarr/t1  uint8"))
        (self.folder / "broken.zip").write_bytes(outer.read_bytes()[:1000])
        self.assert_refused(tessera("info", self.folder / "broken.zip"), 1, "broken.zip: ", "zip")

    def test_headers_and_options_of_addresses(self):
        make_array(self.folder / "a", [4], "uint8", [2], {(0,): b"12", (1,): b"1"})
        place = f"http://{self.serve(self.folder)}/a"
        headers.clear()
        self.run_ok("info", place, "--header", "Authorization: Bearer sEcret", "--header", "X-Of-Test: 7")
        for one in headers:
            self.assertLessEqual({("Authorization", "Bearer sEcret"), ("X-Of-Test", "7")}, set(one))
        self.assertTrue(headers)
        result = tessera("info", place, "--header", "sEcret")
        self.assert_refused(result, 1, "found a header that is not a line")
        self.assertNotIn("sEcret", str(result))
        for option in (["--endpoint", "http://127.0.0.1:1"], ["--anonymous"], ["--profile", "p"], ["--s3-region", "r"]):
            self.assert_refused(tessera("info", place, *option), 2, option[0], "s3://")
        self.assert_refused(tessera("info", self.folder / "a", "--header", "a: b"), 2, "--header")

    def test_a_copy_goes_on_where_it_was_cut_off(self):
        chunks = {(i, j): bytes([i, j] * 2) for i in range(4) for j in range(4)}
        del chunks[1, 1]
        (self.folder / "g").mkdir()
        (self.folder / "g/zarr.json").write_text('{"zarr_format": 3, "node_type": "group"}')
        for name in ("a", "b"):
            make_array(self.folder / "g" / name, [8, 8], "uint8", [2, 2], chunks, fill_value=9)
        self.run_ok("consolidate", self.folder / "g")
        place, before, refused = f"http://{self.serve(self.folder)}/g", Handler.do_GET, ["/g/b/c/2/3"]
        Handler.do_GET = lambda handler: handler.send_error(403) if handler.path in refused else before(handler)
        self.addCleanup(setattr, Handler, "do_GET", before)
        out = self.folder / "out"
        command = ("copy", place, out, "--threads", "1", "--memory", "1")
        self.assert_refused(tessera(*command, "--resume", "--codecs", '["bytes", "crc32c"]'), 1, "403")
        self.assert_refused(tessera(*command, "--resume"), 1, "403")
        partial = [one for one in self.folder.glob(".tessera-*/new/b/c") if not (one / "2/3").exists()]
        self.assertEqual(len(partial), 2)  # the other is of another copy
        self.assertFalse(out.exists())
        has = {"/g/b/" + str(one.relative_to(c.parent)) for c in partial for one in c.rglob("*") if one.is_file()}
        refused.clear()
        for c in self.folder.glob(".tessera-*/new/b/c/0/0"):
            c.unlink()  # one in the middle: only that one is read again
        asked.clear()
        self.run_ok("diff", place + "/a", self.folder / "g/a")
        self.assertIn("/g/a/c/0/0", {one[0] for one in asked})
        asked.clear()
        self.assertEqual(tessera(*command, "--resume").status, 0)
        read = {one[0] for one in asked}
        self.assertEqual({one for one in read if one.startswith("/g/a/c")}, {"/g/a/c/1/1"})  # which is missing
        self.assertIn("/g/b/c/0/0", read)
        self.assertEqual(read & (has - {"/g/b/c/0/0"}), set())
        for name in ("a", "b"):
            self.assertIn("are the same", self.run_ok("diff", out / name, self.folder / "g" / name).text)
        self.assertEqual(len(list(self.folder.glob(".tessera-*"))), 1)  # that of the other codecs
        self.assert_refused(tessera("copy", place, self.folder / "x.zip", "--resume"), 2, "--resume", "zip")

    def test_what_is_resumed_is_of_the_same_server_and_query(self):
        make_array(self.folder / "bucket/a", [8], "uint8", [2], {(i,): bytes([i, 9]) for i in range(4)})
        before, refused = Handler.do_GET, ["/bucket/a/c/3"]
        Handler.do_GET = lambda handler: (handler.send_error(403) if handler.path.split("?")[0] in refused
                                          else before(handler))
        self.addCleanup(setattr, Handler, "do_GET", before)
        one, other = (self.serve(self.folder) for _ in range(2))
        query = lambda text: ([f"http://{one}/bucket/a?{text}"], {})
        endpoint = lambda host: (["s3://bucket/a", "--anonymous", "--endpoint", f"http://{host}"], {})
        variable = lambda host: (["s3://bucket/a", "--anonymous"], {"AWS_ENDPOINT_URL": f"http://{host}"})
        (self.folder / "config").write_text("".join(f"[profile {name}]\nendpoint_url = http://{host}\n"
                                                    for name, host in (("one", one), ("other", other))))
        profile = lambda name: (["s3://bucket/a", "--anonymous"],
                                {"AWS_PROFILE": name, "AWS_CONFIG_FILE": str(self.folder / "config")})
        for begun, another, same in ((query("v=1&sig=a"), query("v=2&sig=a"), query("v=1&sig=b&X-Amz-Date=c")),
                                     (endpoint(one), endpoint(other), variable(one)),
                                     (profile("one"), profile("other"), profile("one"))):
            out = self.folder / f"out{len(os.listdir(self.folder))}"
            copied = lambda of: tessera("copy", of[0][0], out, *of[0][1:], "--resume", "--threads", 1, "--memory", 1,
                                        **of[1], no_proxy="127.0.0.1")
            refused[:] = ["/bucket/a/c/3"]
            self.assert_refused(copied(begun), 1, "403")
            for text in self.folder.glob(".tessera-*/source"):
                self.assertNotIn("v=1", text.read_text())  # which may be a secret
            refused.clear()
            for source, read in ((another, {0, 1, 2, 3}), (same, {3})):
                asked.clear()
                self.assertEqual(copied(source).status, 0)
                self.assertEqual({i for i in range(4) if f"/bucket/a/c/{i}" in {path for path, *_ in asked}}, read)
                shutil.rmtree(out)

    def test_what_is_resumed_is_of_the_same_snapshot(self):
        data = pathlib.Path(__file__).resolve().parent.parent / "with/data"
        before, chunks = Handler.do_GET, iter(range(2))
        is_last = lambda path: "/chunks/" in path and next(chunks, None) is None
        Handler.do_GET = lambda handler: handler.send_error(403) if is_last(handler.path) else before(handler)
        self.addCleanup(setattr, Handler, "do_GET", before)
        place = f"http://{self.serve(data)}/icechunk1?sig=a|icechunk://"  # signatures are left out of what is compared
        copied = lambda of: tessera("copy", f"{place}{of}/native", self.folder / "out", "--resume", "--threads", 1,
                                    "--memory", 1, no_proxy="127.0.0.1")
        self.assert_refused(copied("branch.main"), 1, "403")
        chunks = iter(range(100))
        self.assertEqual(copied("tag.first").status, 0)
        self.run_ok("diff", self.folder / "out", f"{data}/icechunk1|icechunk://tag.first/native")

    def test_the_line_of_progress_counts_requests(self):
        make_array(self.folder / "a", [4], "uint8", [2], {(0,): b"12", (1,): b"1"})
        place, before, drawn = f"http://{self.serve(self.folder)}/a", Handler.do_GET, threading.Event()
        Handler.do_GET = lambda handler: (drawn.wait(60) if "/c/0" in handler.path else None, before(handler))
        self.addCleanup(setattr, Handler, "do_GET", before)
        self.addCleanup(drawn.set)
        terminal, of_command = pty.openpty()
        self.addCleanup(os.close, terminal)
        process = subprocess.Popen([BINARY, "copy", place, str(self.folder / "out")], env=ENVIRONMENT,
                                   stdout=subprocess.DEVNULL, stderr=of_command)
        os.close(of_command)
        said = ""
        while "/s" not in said:
            said += os.read(terminal, 4096).decode()
        drawn.set()
        process.communicate(timeout=60)
        self.assertRegex(said, r"copying.*, \d+ requests, [0-9.]+ [KM]?i?B/s")

    def test_references_at_paths_and_addresses(self):
        tree = self.consolidated()
        document = json.loads((tree / "t1/zarr.json").read_text())
        refs = {"zarr.json": (tree / "zarr.json").read_text(), "t1/zarr.json": document}
        data, offset = bytearray(b"HDF"), {}
        for file in sorted((tree / "t1/c").rglob("*")):
            if file.is_file():
                refs[f"t1/{file.relative_to(tree / 't1')}"] = ["{{f}}", len(data), file.stat().st_size]
                data += file.read_bytes()
        (self.folder / "scan.nc").write_bytes(data)
        host = self.serve(self.folder)
        for name, where in (("here.json", str(self.folder / "scan.nc")), ("beside.json", "scan.nc"),
                            ("web.json", f"http://{host}/scan.nc")):
            (self.folder / name).write_text(json.dumps({"version": 1, "templates": {"f": where}, "refs": refs}))
        for place in (self.folder / "here.json", self.folder / "beside.json", self.folder / "web.json",
                      f"http://{host}/web.json", f"http://{host}/beside.json"):
            self.assertIn("are the same", self.run_ok("diff", f"{place}/t1", tree / "t1").text)
            self.assertIn("t1  uint8", self.run_ok("tree", place).text)
        self.run_ok("show", self.folder / "web.json/t1", "--index", "z=94", "--header", "a: b")
        refused = tessera("show", f"http://{host}/here.json/t1", "--index", "z=94")
        self.assert_refused(refused, 1, "may not name files of this machine")
        self.assert_refused(tessera("copy", tree / "t1", self.folder / "here.json/x"), 1, "here.json")
        # Of Azure's accounts in a file of another host no secret is used: a key that is none would be named.
        (self.folder / "azure.json").write_text(
            json.dumps({"t1/zarr.json": document, "t1/c/0/0/0": ["abfs://container@account/x", 0, 1]}))
        secret = {"AZURE_STORAGE_KEY": "!", "https_proxy": "http://127.0.0.1:1", "no_proxy": "127.0.0.1"}
        for place, words in ((self.folder / "azure.json", ["base64"]), (f"http://{host}/azure.json", ["127.0.0.1"])):
            result = tessera("read", f"{place}/t1", "--region", "0,0,0", "--output", self.folder / "out.npy", **secret)
            self.assert_refused(result, 1, "az://account/container", *words)

    def test_a_snapshot_of_a_repository(self):
        data = pathlib.Path(__file__).resolve().parent.parent / "with/data"
        for name in ("icechunk1", "icechunk2"):
            for place in (data / name, f"http://{self.serve(data)}/{name}"):
                self.assertIn("native  float64", self.run_ok("tree", f"{place}|icechunk://branch.main").text)
                self.assertIn("0.25", self.run_ok("show", f"{place}|icechunk://branch.main/native", "--index", "0=0").text)
            self.assert_refused(tessera("info", f"{data / name}|icechunk://tag.none"), 1, 'tag "none"', name)
        shutil.copytree(data / "icechunk1", self.folder / "relative")
        self.assertIn("native  float64", self.run_ok("tree", "relative|icechunk://branch.main", cwd=self.folder).text)

    def test_an_interruption_ends_what_waits_for_a_server(self):
        tree = self.consolidated()
        waiting, release = {}, threading.Event()
        before = Handler.do_GET

        def wait(handler):
            if "/c/" in handler.path:
                waiting[handler.server.server_port].set()
                release.wait()
            before(handler)
        Handler.do_GET = wait
        self.addCleanup(setattr, Handler, "do_GET", before)
        self.addCleanup(release.set)  # until then the server does not answer
        for array, command, *more in (("t1", "copy", self.folder / "out"), ("t1_sharded", "copy", self.folder / "out"),
                                      ("t1", "read", "--output", self.folder / "out.npy")):
            host = self.serve(self.folder)  # one that an earlier command's requests do not reach
            asked_for_a_chunk = waiting.setdefault(int(host.split(":")[1]), threading.Event())
            process = subprocess.Popen([BINARY, command, f"http://{host}/{tree.name}/{array}", *map(str, more)],
                                       env=ENVIRONMENT, stderr=subprocess.DEVNULL)
            self.addCleanup(process.kill)
            self.assertTrue(asked_for_a_chunk.wait(30))
            process.terminate()
            self.assertEqual(process.wait(60), 128 + signal.SIGTERM)
            self.assertEqual(os.listdir(self.folder), [tree.name])

    def test_a_zip_file_is_written_as_a_whole(self):
        for name in ("b.zarr.zip", "b.ozx"):
            file = self.folder / name
            self.run_ok("copy", BRAIN, file)
            with zipfile.ZipFile(file) as archive:
                self.assertIsNone(archive.testzip())
                names, comment = archive.namelist(), archive.comment
            self.assertEqual(names[0] == "zarr.json", name.endswith(".ozx"))
            if name.endswith(".ozx"):
                self.assertEqual(json.loads(comment), {"ome": {"zipFile": {"centralDirectory": {"jsonFirst": True}}}})
            for array in ("t1", "t1_sharded"):
                self.run_ok("diff", BRAIN / array, file / array)
            before = file.read_bytes()
            self.assert_refused(tessera("copy", BRAIN, file), 1, name, "--overwrite")
            self.assert_refused(tessera("copy", self.folder / "none", file, "--overwrite"), 1, "none")
            self.assertEqual(file.read_bytes(), before)
            npy = write_npy(self.folder / "x.npy", "<i2", (2,), b"\1\0\2\0")
            self.run_ok("write", npy, file, "--overwrite")
            self.assertEqual(json.loads(self.run_ok("read", file, "--output", "-", "--format", "json").text), [1, 2])
            with zipfile.ZipFile(file) as archive:
                self.assertEqual(sorted(archive.namelist()), ["c/0", "zarr.json"])
        self.assertEqual([one for one in os.listdir(self.folder) if one.startswith(".")], [])
        self.assert_refused(tessera("copy", BRAIN, self.folder / "no" / "b.zip"), 1, "b.zip")


main()
