"""The sessions that the guides print, run as they are printed."""

import os
import re
import subprocess
import unittest

from support import BIN, CliTest, ROOT, TIME_LIMIT, variables


def commands_of(guide):
    """(command, what it prints) of the blocks whose lines begin with '$ '."""
    found = []
    for block in re.findall(r"```\n(\$ .*?)```", (ROOT / guide).read_text(), re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, printed = part.partition("\n")
            found.append((command, printed))
    return found


def pattern_of(printed):
    """A regular expression for a text in which a line '...' stands for any lines, and '...' at the
    end of a line for its rest."""
    lines = [".*" if line.strip() == "..." else re.sub(r"\\\.\\\.\\\.$", "[^\\n]*", re.escape(line)) + "\n"
             for line in printed.splitlines()]
    return "".join(lines)


def of_any_machine(pattern):
    """The pattern for any seconds, round-off, number of threads and BLAS."""
    for figure, any_figure in ((r"\d+\\\.\d+(e\\[+-]\d+)?", r"\\d[\\de.+-]*"),
                               (r"\d+\\ digits", r"\\d+\\ digits"),
                               (r"\d+\\ threads", r"\\d+\\ threads?"),
                               (r"(BLAS(\\ )+).*", r"\1[^\\n]*")):
        pattern = re.sub(figure, any_figure, pattern)
    return pattern


class Shell(CliTest):
    def shell(self, command):
        path = f"{BIN}{os.pathsep}{os.environ['PATH']}"
        return subprocess.run(["bash", "-c", command], cwd=self.folder, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                              timeout=TIME_LIMIT, env=variables({"PATH": path}))

    def prints(self, command, pattern, printed):
        ran = self.shell(command)
        self.assertTrue(re.fullmatch(pattern, ran.stdout, re.DOTALL),
                        f"{command}\nprints\n{ran.stdout}\nand not\n{printed}")

    def test_the_sessions_of_the_guides(self):
        for guide, least in (("docs/sessions.md", 8), ("docs/complex.md", 3)):
            commands = commands_of(guide)
            self.assertGreaterEqual(len(commands), least)
            for command, printed in commands:
                with self.subTest(command):
                    self.prints(command, pattern_of(printed), printed)

    def test_the_session_of_the_readme(self):
        (self.folder / "build").mkdir()
        (self.folder / "build" / "bin").symlink_to(BIN)
        commands = [pair for pair in commands_of("README.md") if not pair[0].startswith("./dev ")]
        self.assertEqual(len(commands), 2)
        for command, printed in commands:
            with self.subTest(command):
                self.prints(command, of_any_machine(pattern_of(printed)), printed)
        text = (ROOT / "README.md").read_text()
        self.write("second.yaml", re.search(r"```\n(matrix: grid.mtx\n.*?)```", text, re.DOTALL)[1])
        command = re.search(r"`(mpirun .*? second.yaml)`", text)[1]
        ran = self.shell(command.replace("mpirun", "mpirun --oversubscribe", 1))
        self.assertEqual(ran.returncode, 0, ran.stdout)
        for file in ("x.mtx", "report.json", "report.html"):
            self.assertIn(f"written            {file}\n", ran.stdout)


if __name__ == "__main__":
    unittest.main()
