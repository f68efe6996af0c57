"""Shell completion and the man page: both agree with --help. bash is run, others are only checked."""
import os
import re
import shutil
import subprocess
import sys

from command import BINARY, BRAIN, ENVIRONMENT, CommandTest, main, tessera

SUBCOMMANDS = ["info", "read", "show", "ls", "tree", "diff", "view", "attrs", "write", "copy", "resize", "append", "compact",
               "rm", "mv", "consolidate", "convert", "validate", "bench"]


class Shells(CommandTest):
    def complete(self, *words, cwd=None):
        """bash's completions for the last of these words."""
        script = self.folder / "tessera.bash"
        script.write_text(self.run_ok("completion", "bash").text)
        asked = ('source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tessera; '
                 'printf "%s\\n" "${COMPREPLY[@]}"')
        done = subprocess.run(["bash", "-c", asked, "bash", script, "tessera", *words], capture_output=True, text=True,
                              cwd=cwd, env=ENVIRONMENT, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.split()

    def options(self, command):
        """Those listed by --help."""
        text = self.run_ok(command, "--help").text
        return {option for line in re.findall(r"^  (-\S+)", text, re.MULTILINE) for option in line.split(",")}

    def test_bash(self):
        self.assertEqual(self.complete("va"), ["validate"])
        self.assertEqual(set(self.complete("")), {*SUBCOMMANDS, "-h", "--help", "--plug-in", "--version"})
        self.assertEqual(self.complete("read", "x.zarr", "--form"), ["--format"])
        self.assertEqual(self.complete("read", "x.zarr", "--format", ""), ["npy", "bin", "csv", "txt", "json"])
        self.assertEqual(self.complete("read", "x.zarr", "--format", "c"), ["csv"])
        self.assertEqual(self.complete("convert", "--to", "v"), ["v2", "v3"])
        self.assertEqual(self.complete("read", "x.zarr", "--region", ""), [])
        self.assertEqual(self.complete("read", "br", cwd=BRAIN.parent), ["brain.zarr"])
        self.assertEqual(sorted(self.complete("read", "brain.zarr/", cwd=BRAIN.parent)),
                         sorted("brain.zarr/" + name for name in os.listdir(BRAIN)))
        self.assertEqual(self.complete("read", "x.zarr", "-o", "br", cwd=BRAIN.parent), ["brain.zarr"])
        for command in SUBCOMMANDS:
            self.assertEqual(set(self.complete(command, "-")), self.options(command), command)

    def test_every_shell_knows_every_option(self):
        for shell in ("bash", "zsh", "fish"):
            script = self.run_ok("completion", shell).text
            for command in SUBCOMMANDS:
                self.assertIn(command, script)
                for option in self.options(command):
                    name = option.lstrip("-")
                    self.assertRegex(script, f"(--|-l )\\b{name}\\b" if len(name) > 1 else f"-s {name}\\b|-{name}\\b")
            file = self.folder / shell
            file.write_text(script)
            if shutil.which(shell):
                done = subprocess.run([shell, "-n", file], capture_output=True, text=True, timeout=60)
                self.assertEqual((done.returncode, done.stderr), (0, ""), shell)
            else:
                print(f"{shell} is not here: its script was read by nothing", file=sys.stderr)
        self.assert_refused(tessera("completion", "csh"), 2, "csh", "bash")

    def test_fish(self):
        if not shutil.which("fish"):
            return print("fish is not here: its completion was not asked", file=sys.stderr)
        script = self.folder / "tessera.fish"
        script.write_text(self.run_ok("completion", "fish").text)
        for line, expected in (("tessera va", ["validate"]), ("tessera read --format ", ["npy", "bin", "csv", "txt", "json"])):
            done = subprocess.run(["fish", "-N", "-c", f"source {script}; complete -C '{line}'"], capture_output=True, text=True,
                                  timeout=60, env=ENVIRONMENT | {"HOME": str(self.folder)})
            self.assertEqual({one.split("\t")[0] for one in done.stdout.splitlines()}, set(expected), done.stderr)

    def test_the_man_page(self):
        page = self.run_ok("man").text
        self.assertTrue(page.startswith('.TH TESSERA 1 "" "tessera '))
        for section in ("NAME", "SYNOPSIS", "COMMANDS", "OPTIONS", "EXIT STATUS"):
            self.assertIn(f"\n.SH {section}\n", page)
        for command in SUBCOMMANDS:
            start = page.index(f"\n.SS tessera {command} ")
            of_command = page[start:page.find("\n.S", start + 4)].replace("\\-", "-")
            for option in self.options(command) - {"-h", "--help"}:
                self.assertIn(f"\\fB{option}\\fR", of_command, command)
        self.assertNotRegex(page, r"(?m)^'|[^\\]-[^-]*--")  # text that roff would interpret
        groff = shutil.which("groff")
        if not groff:
            return print("groff is not here: the man page was not set", file=sys.stderr)
        done = subprocess.run([groff, "-man", "-Tutf8", "-ww", "-P-cbou"], input=page, capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        shown = " ".join(done.stdout.split())
        self.assertIn("-o, --output FILE", shown)
        self.assertIn("--format npy|bin|csv|txt|json", shown)
        self.assertIn("""'["bytes", "zstd"]'""", shown)

    def test_hidden_commands_are_not_listed(self):
        for name in ("completion", "man"):
            self.assertNotRegex(self.run_ok("--help").text, f"(?m)^  {name} ")
            self.assertNotIn(name + ",", " ".join(tessera("frobnicate").errors))

    def test_what_is_installed(self):
        build, prefix = os.path.dirname(os.path.dirname(BINARY)), self.folder / "prefix"
        done = subprocess.run(["cmake", "--install", build, "--component", "command", "--prefix", prefix], capture_output=True,
                              text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        said = {"bin/tessera": None, "share/man/man1/tessera.1": ["man"],
                "share/bash-completion/completions/tessera": ["completion", "bash"],
                "share/zsh/site-functions/_tessera": ["completion", "zsh"],
                "share/fish/vendor_completions.d/tessera.fish": ["completion", "fish"]}
        self.assertEqual({str(file.relative_to(prefix)) for file in prefix.rglob("*") if file.is_file()}, set(said))
        for name, arguments in said.items():
            if arguments:
                self.assertEqual((prefix / name).read_text(), self.run_ok(*arguments).text)
        version = subprocess.run([prefix / "bin/tessera", "--version"], capture_output=True, text=True, timeout=60).stdout
        self.assertEqual(version, self.run_ok("--version").text)


main()
