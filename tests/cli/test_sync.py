"""--sync: all files that a command leaves, and all folders that got or lost a name, have been synchronised with the
disk since. Without it nothing is. TESSERA_PRELOADED logs that."""
import os

from command import BRAIN, ENVIRONMENT, CommandTest, main, tessera, write_npy

LIBRARY = os.environ["TESSERA_PRELOADED"]


class Sync(CommandTest):
    def logged(self, *arguments):
        log = self.folder.parent / (self.folder.name + ".log")
        self.addCleanup(log.unlink, missing_ok=True)
        log.unlink(missing_ok=True)
        result = tessera(*arguments, LD_PRELOAD=LIBRARY, TESSERA_SYNC_LOG=str(log),
                         ASAN_OPTIONS=ENVIRONMENT["ASAN_OPTIONS"] + ":verify_asan_link_order=0")
        self.assertEqual((result.status, result.errors), (0, []), arguments)
        lines = log.read_text().splitlines() if log.exists() else []
        return [(what, int(inode)) for what, inode in map(str.split, lines)]

    def inodes(self):
        """The files and folders present now."""
        files, folders = {}, {os.stat(self.folder).st_ino: self.folder}
        for path in self.folder.rglob("*"):
            (folders if path.is_dir() else files)[path.stat().st_ino] = path
        return files, folders

    def check(self, *arguments):
        before = self.inodes()[0]
        content = {path: path.read_bytes() for path in before.values()}
        log = self.logged(*arguments, "--sync")
        files, folders = self.inodes()
        synced = {inode for what, inode in log if what == "sync"}
        written = {inode for inode, path in files.items()
                   if inode not in before or (path in content and content[path] != path.read_bytes())}
        self.assertEqual({str(files[inode]) for inode in written - synced}, set(), arguments)
        last = {inode: what for what, inode in log}
        unsynced = {str(folders[inode]) for inode, what in last.items() if what == "change" and inode in folders}
        self.assertEqual(unsynced, set(), arguments)
        self.assertGreater(len(last), 0, arguments)
        return synced

    def test_every_command_that_writes(self):
        file = write_npy(self.folder / "in.npy", "|u1", (8, 8), bytes(range(1, 65)))
        tree = self.folder / "deep/er/tree.zarr"
        shard = tree / "g/s/c/0/0"
        for arguments in (("write", file, tree / "g/h/a", "--chunks", "4,4"),
                          ("write", file, tree / "g/h/a", "--chunks", "3,5", "--overwrite"),
                          ("write", file, tree / "g/s", "--chunks", "2,2", "--shards", "4,4"),
                          ("write", file, self.folder / "x/y/z"),
                          ("copy", tree / "g", tree / "k"),
                          ("copy", BRAIN, self.folder / "brain.zarr"),
                          ("append", file, tree / "g/h/a"),
                          ("append", file, tree / "g/s", "--axis", "1"),
                          ("resize", tree / "g/h/a", "20,7"),
                          ("resize", tree / "g/h/a", "3,3"),
                          ("compact", tree / "g/s"),
                          ("attrs", tree / "g", "--set", "x=1"),
                          ("attrs", tree / "g/h/a", "--set", "y=2"),
                          ("attrs", tree / "g/h/a", "--delete", "y"),
                          ("mv", tree / "g/h/a", tree / "m/n/a"),
                          ("read", tree / "m/n/a", "--output", self.folder / "out.npy"),
                          ("view", tree / "m/n/a", "--output", self.folder / "out.png"),
                          ("rm", tree / "m/n/a"),
                          ("rm", tree),
                          ("write", file, tree / "g/a", "--zarr-format", "2"),
                          ("convert", tree, "--to", "v3"),
                          ("convert", tree, "--to", "v2"),
                          ("consolidate", tree)):
            if arguments[0] == "compact":
                tidy = shard.read_bytes()
                shard.write_bytes(tidy + b"nobody's" + tidy[-68:])  # as an empty append leaves it
            self.check(*arguments)
            if arguments[0] == "compact":
                self.assertEqual(shard.read_bytes(), tidy)

    def test_without_it_nothing_waits(self):
        file = write_npy(self.folder / "in.npy", "|u1", (8, 8), bytes(range(1, 65)))
        a = self.folder / "t.zarr/a"
        for arguments in (("write", file, a), ("append", file, a), ("resize", a, "3,3"), ("copy", a, self.folder / "b"),
                          ("attrs", a, "--set", "x=1"), ("mv", a, self.folder / "t.zarr/c"),
                          ("read", self.folder / "b", "--output", file), ("rm", self.folder / "b")):
            log = self.logged(*arguments)
            self.assertEqual([what for what, _ in log if what == "sync"], [], arguments)
            self.assertIn("change", [what for what, _ in log], arguments)  # the library is built


main()
