"""Resources that the system denies: larger files and more threads. The first is an error that leaves nothing; without
the second the existing threads do the work."""
import os
import pty
import resource
import shutil
import subprocess

from command import BINARY, BRAIN, ENVIRONMENT, CommandTest, document, main, write_npy


class Limits(CommandTest):
    def run_with(self, *arguments, limit=None, stderr=subprocess.PIPE, **environment):
        """Runs the command with a limit on the size of files, and with a shell's default signals."""
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        limits = (before[0] if limit is None else limit, before[1])
        return subprocess.run([BINARY, *map(str, arguments)], stdout=subprocess.PIPE, stderr=stderr, timeout=60,
                              env=ENVIRONMENT | environment,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, limits))

    def everything(self):
        """Paths and contents of all files, hidden ones too."""
        return {path.relative_to(self.folder): path.read_bytes()
                for path in self.folder.rglob("*") if path.is_file()}, os.listdir(self.folder)

    def test_files_that_may_not_grow(self):
        file = write_npy(self.folder / "a.npy", "|u1", (4096, 64), bytes(range(256)) * 1024)
        old = self.folder / "old"
        self.run_ok("write", file, old, "--chunks", "4096,64", "--codecs", '["bytes"]')
        before = self.everything()
        new = self.folder / "new"
        for arguments in (("write", file, new, "--chunks", "4096,64", "--codecs", '["bytes"]'),
                          ("write", file, old, "--chunks", "4096,64", "--codecs", '["bytes"]', "--overwrite"),
                          ("copy", old, new),
                          ("append", file, old),
                          ("read", old, "--output", self.folder / "new.npy")):
            done = self.run_with(*arguments, limit=1 << 15)
            self.assertEqual(done.returncode, 1, (arguments, done))
            self.assertEqual(len(done.stderr.splitlines()), 1, (arguments, done.stderr))
            self.assertIn(b"File too large", done.stderr, arguments)
            self.assertEqual(self.everything(), before, arguments)

    def test_no_more_threads(self):
        none = {"LD_PRELOAD": os.environ["TESSERA_PRELOADED"], "TESSERA_NO_THREADS": "1",
                "ASAN_OPTIONS": ENVIRONMENT["ASAN_OPTIONS"] + ":verify_asan_link_order=0"}
        master, slave = pty.openpty()  # where there is a terminal, a thread draws a bar
        self.addCleanup(os.close, master)
        self.addCleanup(os.close, slave)
        copy = self.folder / "copy"
        for arguments in (("copy", BRAIN, copy, "--threads", 4), ("validate", copy, "--threads", 4),
                          ("read", copy / "t1", "--threads", 4, "--output", self.folder / "t1.npy")):
            for stderr in (slave, subprocess.PIPE):
                shutil.rmtree(copy, ignore_errors=True) if arguments[0] == "copy" else None
                done = self.run_with(*arguments, stderr=stderr, **none)
                self.assertEqual((done.returncode, done.stderr or b""), (0, b""), (arguments, done))
        self.assertEqual(document(copy / "t1"), document(BRAIN / "t1"))
        expected = self.folder / "expected.npy"
        self.run_ok("read", BRAIN / "t1", "--output", expected)
        self.assertEqual((self.folder / "t1.npy").read_bytes(), expected.read_bytes())


main()
