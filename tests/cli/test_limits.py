"""What the system does not give: larger files and more threads. The first is an error that leaves nothing, without the
second the work is done by the threads that there are."""
import os
import pty
import resource
import shutil
import subprocess

from command import BINARY, BRAIN, ENVIRONMENT, CommandTest, document, main, write_npy


class Limits(CommandTest):
    def run_with(self, limit, value, *arguments, stderr=subprocess.PIPE):
        """Runs the command with a lower limit, and all signals as a shell leaves them."""
        hard = resource.getrlimit(limit)[1]
        return subprocess.run([BINARY, *map(str, arguments)], stdout=subprocess.PIPE, stderr=stderr, env=ENVIRONMENT,
                              preexec_fn=lambda: resource.setrlimit(limit, (value, hard)), timeout=60)

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
            done = self.run_with(resource.RLIMIT_FSIZE, 1 << 15, *arguments)
            self.assertEqual(done.returncode, 1, (arguments, done))
            self.assertEqual(len(done.stderr.splitlines()), 1, (arguments, done.stderr))
            self.assertIn(b"File too large", done.stderr, arguments)
            self.assertEqual(self.everything(), before, arguments)

    def test_no_more_threads(self):
        # A stack that fits into no address space: no thread can be started.
        limit = (resource.RLIMIT_STACK, 1 << 46)
        master, slave = pty.openpty()  # where there is a terminal, a thread draws a bar
        self.addCleanup(os.close, master)
        self.addCleanup(os.close, slave)
        copy = self.folder / "copy"
        for arguments in (("copy", BRAIN, copy, "--threads", 4), ("validate", copy, "--threads", 4),
                          ("read", copy / "t1", "--threads", 4, "--output", self.folder / "t1.npy")):
            for stderr in (slave, subprocess.PIPE):
                shutil.rmtree(copy, ignore_errors=True) if arguments[0] == "copy" else None
                done = self.run_with(*limit, *arguments, stderr=stderr)
                self.assertEqual((done.returncode, done.stderr or b""), (0, b""), (arguments, done))
        self.assertEqual(document(copy / "t1"), document(BRAIN / "t1"))
        expected = self.folder / "expected.npy"
        self.run_ok("read", BRAIN / "t1", "--output", expected)
        self.assertEqual((self.folder / "t1.npy").read_bytes(), expected.read_bytes())


main()
