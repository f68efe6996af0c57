"""write --overwrite and copy --overwrite, killed before each call that adds or removes a name, and in the middle of
each write to a file: the path holds the old array or the new. Leftovers are reported, erased, and do not disturb other
commands. TESSERA_PRELOADED kills them."""
import fcntl
import json
import os
import shutil
import signal

from command import ENVIRONMENT, CommandTest, main, make_array, tessera, write_npy

LIBRARY = os.environ["TESSERA_PRELOADED"]
OLD, NEW = b"abcdef", b"ABCDEFGH"


class Killed(CommandTest):
    def setUp(self):
        super().setUp()
        self.group = self.folder / "g"
        self.group.mkdir()
        (self.group / "zarr.json").write_text('{"zarr_format": 3, "node_type": "group"}')
        self.path = self.group / "a"
        self.file = write_npy(self.folder / "in.npy", "|u1", (8,), NEW)
        self.source = make_array(self.folder / "source", [8], "uint8", [4], {(0,): NEW[:4], (1,): NEW[4:]})

    def commands(self):
        return (("write", self.file, self.path, "--overwrite", "--chunks", "4", "--threads", "1"),
                ("copy", self.source, self.path, "--overwrite", "--threads", "1"))

    def killed_at(self, step, *command, **environment):
        return tessera(*command, LD_PRELOAD=LIBRARY, TESSERA_KILLED_AT=str(step),
                       ASAN_OPTIONS=ENVIRONMENT["ASAN_OPTIONS"] + ":verify_asan_link_order=0", **environment)

    def old(self):
        if self.path.exists():
            self.run_ok("rm", self.path)
        make_array(self.path, [6], "uint8", [3], {(0,): OLD[:3], (1,): OLD[3:]})

    def left(self):
        return list(self.group.rglob(".tessera-*"))

    def each_step(self, command, **environment):
        """After each kill; returns the array each time."""
        for step in range(1000):
            self.old()
            result = self.killed_at(step, *command, **environment)
            if result.status == 0:
                self.assertEqual((self.read_bin(self.path), self.left()), (NEW, []))
                return
            self.assertEqual(result.status, -signal.SIGKILL, str(result))
            yield step, result

    def test_the_path_holds_the_old_array_or_the_new(self):
        for command in self.commands():
            seen = []
            for step, result in self.each_step(command):
                seen.append(self.read_bin(self.path))
                self.assertEqual(result.errors, [])
                text = self.run_ok("validate", self.group).text
                self.assertIn("1 array, 1 group", text)
                self.assertEqual("left by a writer that ended" in text, self.left() != [], step)
                self.run_ok("rm", self.path)  # its leftovers do not disturb
                self.run_ok("write", self.file, self.path)
                self.assertEqual(self.read_bin(self.path), NEW)
                self.run_ok("rm", self.group)
                self.assertFalse(self.group.exists(), step)
                self.group.mkdir()
                (self.group / "zarr.json").write_text('{"zarr_format": 3, "node_type": "group"}')
            changed = seen.index(NEW)
            self.assertEqual(set(seen[:changed]), {OLD})
            self.assertEqual(set(seen[changed:]), {NEW})
            self.assertGreater(changed, 5)
            print(f"{command[0]}: killed at each of {len(seen)} steps")

    def test_a_copy_that_is_resumed_after_each_kill_is_whole(self):
        sharded = self.folder / "sharded"
        self.run_ok("write", self.file, sharded, "--chunks", "2", "--shards", "4")
        self.run_ok("rm", self.path) if self.path.exists() else None
        for source in (self.source, sharded):
            command = ("copy", source, self.path, "--resume", "--threads", "1")
            for step in range(1000):
                result = self.killed_at(step, *command)
                if result.status != 0:
                    self.assertEqual(result.status, -signal.SIGKILL, str(result))
                    if not (self.path / "zarr.json").exists():
                        self.run_ok(*command)
                self.assertEqual(self.read_bin(self.path), NEW, step)
                self.assertIn(" 0 failures, 0 stray keys", self.run_ok("validate", self.path).text)
                self.run_ok("rm", self.path)
                if result.status == 0:
                    break
            self.assertGreater(step, 8)
            self.run_ok("rm", self.group)  # with what ended before the copy had begun, or after it was done
            self.group.mkdir()
            (self.group / "zarr.json").write_text('{"zarr_format": 3, "node_type": "group"}')

    def test_a_resumed_copy_takes_nothing_of_the_array_that_it_replaced(self):
        command = ("copy", self.source, self.path, "--resume", "--overwrite", "--threads", "1")
        for step in range(1000):
            for path in [self.path] + self.left():
                shutil.rmtree(path, ignore_errors=True)
            make_array(self.path, [8], "uint8", [4], {(0,): b"old.", (1,): b"old."})
            result = self.killed_at(step, *command)
            self.run_ok(*command)
            self.assertEqual(self.read_bin(self.path), NEW, step)
            if result.status == 0:
                break
        self.assertGreater(step, 8)

    def test_what_is_resumed_is_a_copy_of_this_command(self):
        command = ("copy", self.source, self.path, "--resume", "--threads", "1")
        victim = self.folder / "victim"
        victim.write_bytes(b"mine")
        other = self.group / "other"
        other.mkdir()
        os.mkfifo(other / "source")  # no copy's: it is not read
        for step in range(1000):
            self.assertEqual(self.killed_at(step, *command).status, -signal.SIGKILL)
            left = [one.parent for one in self.group.glob(".tessera-*/source") if (one.parent / "new").exists()]
            if left:
                break
        (left[0] / "value").write_text("../../../victim\n")
        self.assert_refused(tessera(*command), 1, "victim", "expected a key")
        self.assertEqual(victim.read_bytes(), b"mine")
        if os.geteuid() == 0:  # another user's
            os.chown(left[0], 65534, -1)
            self.run_ok(*command)
            self.assertEqual((self.read_bin(self.path), victim.read_bytes()), (NEW, b"mine"))
            self.assertTrue((left[0] / "source").exists())

    def test_where_nothing_can_be_exchanged_it_is_said_where_the_old_array_is(self):
        for command in self.commands():
            aside = 0
            for step, result in self.each_step(command, TESSERA_NO_EXCHANGE="1"):
                kept = list(self.group.glob("a.replaced-*"))
                if self.path.exists():
                    self.assertIn(self.read_bin(self.path), (OLD, NEW), step)
                else:
                    aside += 1
                    self.assertEqual(len(kept), 1)
                    self.assertEqual(self.read_bin(kept[0]), OLD)
                    self.assertIn(str(kept[0]), result.errors[0])
                for path in kept + self.left():
                    shutil.rmtree(path, ignore_errors=True)  # one may be in another
            self.assertEqual(aside, 1)
            self.assertEqual(list(self.group.glob("*.replaced-*")), [])

    def test_what_a_writer_left_is_seen_and_goes(self):
        self.old()
        left = self.path / "c/.tessera-1-0"
        left.write_bytes(b"half")
        folder = self.group / ".tessera-2-0/new/c"
        folder.mkdir(parents=True)
        (folder / "0").write_bytes(b"half")
        text = self.run_ok("validate", self.group).text
        for key in ("a/c/.tessera-1-0", ".tessera-2-0"):
            self.assertIn(f'key "{key}": left by a writer that ended', text)
        found = json.loads(self.run_ok("validate", self.group, "--json").text)
        self.assertEqual(found["unfinished"], [".tessera-2-0", "a/c/.tessera-1-0"])
        with open(left) as held:
            fcntl.flock(held, fcntl.LOCK_EX)  # like a writer at work
            self.assertNotIn("a/c/.tessera-1-0", self.run_ok("validate", self.group).text)
            self.run_ok("rm", self.path)
            self.assertTrue(left.exists())
        self.run_ok("mv", self.copy_of("b"), self.path)  # it does not disturb now
        self.assertEqual(self.read_bin(self.path), NEW)
        self.run_ok("rm", self.path)
        (self.path / "c").mkdir(parents=True)
        left.write_bytes(b"half")
        self.run_ok("write", self.file, self.path, "--overwrite")
        self.assertEqual(self.read_bin(self.path), NEW)
        self.run_ok("rm", self.group)
        self.assertFalse(self.group.exists())

    def copy_of(self, name):
        self.run_ok("copy", self.source, self.group / name)
        return self.group / name


main()
